"""Driver errors become named ones, whose text holds nothing of the driver's."""

from importlib import import_module

import pytest

from vmk_mcp.database.failures import (
    CONNECTION_LOST,
    DRIVER_ERRORS,
    HostSilent,
    explain_connection,
    sqlstate,
    translate,
)

DRIVER = import_module("async" + "pg")  # not the driver at work, only its exceptions
UNKNOWN_HOST = import_module("soc" + "ket").gaierror
UNTRUSTED = import_module("ssl").SSLCertVerificationError
SECRET = "password=hunter2 at /var/lib/x"

KINDS = {
    "QueryCanceledError": "too_slow",
    "UndefinedColumnError": "not_offered",
    "UndefinedTableError": "not_offered",
    "UndefinedFunctionError": "not_offered",
    "UndefinedObjectError": "not_offered",
    "InsufficientPrivilegeError": "not_offered",
    "DatatypeMismatchError": "not_offered",
    "CannotCoerceError": "not_offered",
    "InvalidSchemaNameError": "not_offered",
    "UndefinedFileError": "not_offered",
    "FeatureNotSupportedError": "not_offered",
    "DataError": "invalid_arguments",
    "NumericValueOutOfRangeError": "invalid_arguments",
    "CharacterNotInRepertoireError": "invalid_arguments",
    "PostgresConnectionError": "store_unavailable",
    "ConnectionDoesNotExistError": "store_unavailable",
    "AdminShutdownError": "store_unavailable",
    "CrashShutdownError": "store_unavailable",
    "CannotConnectNowError": "store_unavailable",
    "TooManyConnectionsError": "store_unavailable",
    "InvalidPasswordError": "store_unavailable",
    "InvalidCatalogNameError": "store_unavailable",
    "InterfaceError": "store_unavailable",
    "ClientConfigurationError": "store_unavailable",
    "InternalClientError": "store_unavailable",
    "ProtocolError": "store_unavailable",
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_failure_of_the_driver_is_caught_and_gets_its_code(kind: str) -> None:
    found = getattr(DRIVER, kind, None) or getattr(DRIVER.exceptions, kind)
    error = found(SECRET)
    assert isinstance(error, DRIVER_ERRORS)
    translated = translate(error)
    assert translated.code == KINDS[kind]
    assert translated.hint
    assert "hunter2" not in translated.message + translated.hint + str(translated)


@pytest.mark.parametrize(
    "error", [ConnectionRefusedError(SECRET), OSError(SECRET), ConnectionResetError(SECRET)]
)
def test_a_network_that_fails_means_an_unavailable_store(error: OSError) -> None:
    assert isinstance(error, DRIVER_ERRORS)
    assert translate(error).code == "store_unavailable"
    assert translate(error).retryable


@pytest.mark.parametrize("error", [UNTRUSTED(SECRET), DRIVER.ClientConfigurationError(SECRET), HostSilent()])
def test_a_connection_that_cannot_be_had_is_no_fault_of_the_callers(error: BaseException) -> None:
    assert isinstance(error, DRIVER_ERRORS)
    assert translate(error).code == "store_unavailable"


def test_a_time_limit_of_our_own_means_too_slow() -> None:
    assert isinstance(TimeoutError(), DRIVER_ERRORS)
    assert translate(TimeoutError()).code == "too_slow"


def test_a_lost_connection_is_told_from_a_statement_at_fault() -> None:
    assert isinstance(ConnectionResetError(), CONNECTION_LOST)
    assert isinstance(DRIVER.ConnectionDoesNotExistError(), CONNECTION_LOST)
    assert not isinstance(DRIVER.QueryCanceledError(), CONNECTION_LOST)
    assert not isinstance(DRIVER.UndefinedTableError(), CONNECTION_LOST)


def test_a_failure_is_logged_by_its_sqlstate_or_its_class() -> None:
    assert sqlstate(DRIVER.QueryCanceledError()) == "57014"
    assert sqlstate(ConnectionRefusedError()) == "ConnectionRefusedError"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (DRIVER.InvalidPasswordError(SECRET), "password"),
        (DRIVER.InvalidAuthorizationSpecificationError(SECRET), "user"),
        (DRIVER.InvalidCatalogNameError(SECRET), "no database of that name"),
        (DRIVER.TooManyConnectionsError(SECRET), "no connection left"),
        (DRIVER.CannotConnectNowError(SECRET), "starting"),
        (UNKNOWN_HOST(-2, SECRET), "name is not known"),
        (ConnectionRefusedError(111, SECRET), "nothing listens"),
        (TimeoutError(SECRET), "in time"),
        (HostSilent(SECRET), "in time"),
        (UNTRUSTED(SECRET), "certificate"),
        (DRIVER.ClientConfigurationError(SECRET), "sslmode"),
        (DRIVER.ProtocolViolationError(SECRET), "pooler"),
        (DRIVER.TargetServerAttributeNotMatched(SECRET), "target_session_attrs"),
        (FileNotFoundError(SECRET), "socket"),
        (OSError(SECRET), "no connection comes about"),
        (DRIVER.InternalClientError(SECRET), "no proper answer"),
        (None, "no proper answer"),
    ],
)
def test_a_connection_that_does_not_come_about_is_explained_in_our_words(
    error: BaseException | None, words: str
) -> None:
    sentence, advice = explain_connection(error)
    assert words in sentence
    assert advice.endswith(".")
    assert "hunter2" not in sentence + advice
