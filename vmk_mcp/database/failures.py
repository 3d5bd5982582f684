"""Driver errors into named ones: the one place where asyncpg's exceptions are read."""

import asyncio
import socket
import ssl
from typing import Final

import asyncpg

from vmk_mcp.errors import InvalidArguments, NotOffered, StoreUnavailable, TooSlow, VmkError


class HostSilent(OSError):
    """A host took too long to let us in: it is away, which is not what a slow statement means."""


class ValuesRefused(InvalidArguments):
    """Values that were to be written do not fit the table."""


DRIVER_ERRORS: Final = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    asyncio.TimeoutError,
)
"""All that a call through asyncpg may raise for reasons outside this program.

`InterfaceError` is no `PostgresError`, and neither is `InternalClientError`: what the driver cannot follow in
the server's answers. `TimeoutError` has been an `OSError` since Python 3.11 and is named for the reader.
"""

CONNECTION_LOST: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.InterfaceError,
    ConnectionError,
)
"""The connection is gone, the statement was not at fault; another connection may serve."""

_MISSING: Final = (
    # Class 42: what the statement names is not there, may not be used, or is of a type that does not fit.
    asyncpg.SyntaxOrAccessError,
    asyncpg.InvalidSchemaNameError,
    # A library or dictionary file of an extension is gone.
    asyncpg.UndefinedFileError,
    asyncpg.FeatureNotSupportedError,
)

_REFUSALS: Final[tuple[tuple[type[asyncpg.PostgresError], str], ...]] = (
    (asyncpg.StringDataRightTruncationError, "a text is longer than its column takes"),
    (asyncpg.NumericValueOutOfRangeError, "a number is larger than its column takes"),
    (asyncpg.NotNullViolationError, "a column may not be empty"),
    (asyncpg.ForeignKeyViolationError, "a value refers to a row of another table that is not there"),
    (asyncpg.UniqueViolationError, "another row has the same value where each has its own"),
    (asyncpg.CheckViolationError, "a value breaks a check of the table"),
    (asyncpg.DataError, "a value is not of its column's type"),
    (asyncpg.IntegrityConstraintViolationError, "a value breaks a rule of the table"),
)
"""The first that fits is told."""

_NO_CONNECTION: Final[tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str, str], ...]] = (
    (asyncpg.InvalidPasswordError, "Postgres refuses the password", "Mend user and password."),
    (
        asyncpg.InvalidAuthorizationSpecificationError,
        "Postgres does not let this user in from here",
        "Mend the user, or have pg_hba.conf let it in from this machine.",
    ),
    (asyncpg.InvalidCatalogNameError, "Postgres has no database of that name", "Mend the database's name."),
    (
        asyncpg.InsufficientPrivilegeError,
        "this user may not connect to the database",
        "Have the right CONNECT on the database granted to it.",
    ),
    (
        asyncpg.TooManyConnectionsError,
        "Postgres has no connection left",
        "Raise max_connections there, or lower DB_POOL_MAX_SIZE.",
    ),
    (asyncpg.CannotConnectNowError, "Postgres is starting or stopping", "Try again in a few seconds."),
    (
        asyncpg.ProtocolViolationError,
        "a pooler in between refuses the connection",
        "Set DB_POOLER=transaction where it pools by transactions, and look at its log.",
    ),
    (
        asyncpg.TargetServerAttributeNotMatched,
        "no host is what target_session_attrs asks for",
        "Mend target_session_attrs in the DSN, or name further hosts.",
    ),
    (socket.gaierror, "the host's name is not known here", "Mend the host, or this machine's DNS."),
    (
        ConnectionRefusedError,
        "nothing listens at that host and port",
        "Start Postgres there, or mend the port.",
    ),
    (
        (HostSilent, asyncio.TimeoutError),
        "the host does not answer in time",
        "Look at firewalls in between, and at the host itself.",
    ),
    (FileNotFoundError, "there is no such socket", "Start Postgres there, or mend the folder."),
    (
        ssl.SSLCertVerificationError,
        "the server's certificate does not stand up to sslmode",
        "Give the right authority's file as sslrootcert, or ask for encryption alone by sslmode=require.",
    ),
    (
        asyncpg.ClientConfigurationError,
        "sslmode asks for a file that is not here",
        "Give the file of the authority that signed the server's certificate as sslrootcert.",
    ),
    (
        (OSError, asyncpg.InterfaceError),
        "no connection comes about",
        "See that Postgres listens at that host and port, and that sslmode is what it offers.",
    ),
)
"""What went wrong, why, and what to do; the first that fits is told."""


def refuse_values(error: BaseException) -> ValuesRefused | None:
    """Give the named error where values are at fault that were to be written, and None where they are not."""
    for kind, sentence in _REFUSALS:
        if isinstance(error, kind):
            names = (getattr(error, "column_name", None), getattr(error, "constraint_name", None))
            named = ", ".join(name for name in names if name)
            return ValuesRefused(
                f"The database refuses the row: {sentence}{f' ({named})' if named else ''}.",
                hint="Compare it with the columns of the table.",
            )
    return None


def translate(error: BaseException) -> VmkError:
    """Give the named error for one of `DRIVER_ERRORS`; its text never holds the driver's."""
    if isinstance(error, asyncpg.QueryCanceledError | asyncio.TimeoutError):
        return TooSlow(
            "The database did not answer within the time limit, and the statement was stopped.",
            hint="Narrow what is asked for, or ask for fewer rows.",
        )
    if isinstance(error, _MISSING):
        return NotOffered(
            "The database lacks a table, column, function or right that this needs.",
            hint="Run `vmk-mcp doctor` on the server to see what is missing.",
        )
    if isinstance(error, asyncpg.DataError | ValueError) and not isinstance(
        error, asyncpg.ClientConfigurationError | OSError
    ):
        # asyncpg's own refusal to encode an argument is an InterfaceError and a ValueError. So is its refusal
        # of a DSN, and a certificate that is not trusted is an OSError and a ValueError.
        return InvalidArguments(
            "A number or a text is outside of what the database can hold.",
            hint="Use whole numbers below 2,147,483,648 and text without NUL characters.",
        )
    if isinstance(error, asyncpg.ProgramLimitExceededError | asyncpg.InternalServerError):
        # Such as a text search of thousands of words: the statement is at fault, and would be again.
        return InvalidArguments(
            "The database cannot work through a query of this size.",
            hint="Shorten the query to its telling words.",
        )
    return StoreUnavailable(
        "The database cannot be reached at the moment.",
        hint="Try again in a few seconds.",
    )


def explain_connection(error: BaseException | None) -> tuple[str, str]:
    """Say why a connection did not come about, and what to do; holds nothing of the driver's text.

    Args:
        error: one of `DRIVER_ERRORS`, or None where it is not known.
    """
    for kind, sentence, advice in _NO_CONNECTION:
        if isinstance(error, kind):
            return sentence, advice
    return "it gives no proper answer", "Look at the log of Postgres."


def sqlstate(error: BaseException) -> str:
    """Give the SQLSTATE of a driver error, or the exception's class name."""
    state = getattr(error, "sqlstate", None)
    return state if isinstance(state, str) else type(error).__name__
