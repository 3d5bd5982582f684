"""Connection URIs: what is accepted, what is shown, what asyncpg gets."""

import pytest

from vmk_mcp.configuration.dsn import BadDsn, Dsn, DsnHost, parse_dsn
from vmk_mcp.configuration.secret import Secret

PASSWORD = "p@ss:w/o?rd#%&+"


def password_of(dsn: Dsn) -> str | None:
    return dsn.parts.password.reveal() if dsn.parts.password else None


@pytest.mark.parametrize("written", ["p%40ss%3Aw%2Fo%3Frd%23%25%26%2B", PASSWORD], ids=["encoded", "raw"])
def test_any_password_is_read_encoded_or_raw(written: str) -> None:
    dsn = parse_dsn(f"postgresql://u:{written}@h:5433/db?sslmode=require")
    assert password_of(dsn) == PASSWORD
    assert (dsn.parts.user, dsn.parts.hosts, dsn.parts.database) == ("u", (DsnHost("h", 5433),), "db")
    assert dsn.reveal() == "postgresql://u:p%40ss%3Aw%2Fo%3Frd%23%25%26%2B@h:5433/db?sslmode=require"


@pytest.mark.parametrize(
    "password", ["a@b", "a/b", "a?b", "a#b", "5?x", "a@b/c", "a@b:1/c?d", "a%b", "%", "a b", "ї"]
)
def test_a_raw_password_is_told_from_the_rest(password: str) -> None:
    assert password_of(parse_dsn(f"postgresql://u:{password}@h:1/db")) == password


def test_several_hosts_and_session_attributes_pass_through() -> None:
    dsn = parse_dsn("postgresql://u@h1:1,h2/db?target_session_attrs=standby&sslmode=verify-full")
    assert dsn.reveal() == "postgresql://u@h1:1,h2:5432/db?target_session_attrs=standby&sslmode=verify-full"


def test_read_write_means_primary_for_sessions_that_only_read() -> None:
    dsn = parse_dsn("postgresql://h1,h2/db?target_session_attrs=read-write")
    assert dsn.reveal().endswith("?target_session_attrs=primary")


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("postgresql:///db?host=/run/postgresql", (DsnHost("/run/postgresql"),)),
        ("postgresql://%2Frun%2Fpg/db", (DsnHost("/run/pg"),)),
        ("postgresql://[::1]:6/db", (DsnHost("::1", 6),)),
        ("postgresql:///db?host=a,b&port=1,2", (DsnHost("a", 1), DsnHost("b", 2))),
        ("postgresql:///db?host=a,b&port=7", (DsnHost("a", 7), DsnHost("b", 7))),
    ],
)
def test_sockets_addresses_and_hosts_in_the_query_are_read_and_written_alike(
    text: str, hosts: tuple[DsnHost, ...]
) -> None:
    dsn = parse_dsn(text)
    assert dsn.parts.hosts == hosts
    assert parse_dsn(dsn.reveal()).parts == dsn.parts


def test_what_only_libpq_knows_is_dropped_and_named() -> None:
    dsn = parse_dsn("postgresql://h/db?channel_binding=require&connect_timeout=3&application_name=x")
    assert dsn.reveal() == "postgresql://h:5432/db?application_name=x"
    assert dsn.dropped == ("channel_binding", "connect_timeout")


def test_no_password_is_shown_wherever_it_stood() -> None:
    dsn = parse_dsn("postgresql://h/db?user=u&password=hush&sslpassword=hush")
    assert (dsn.parts.user, password_of(dsn)) == ("u", "hush")
    assert dsn.shown == "postgresql://u@h:5432/db"
    assert repr(dsn) == "Dsn(postgresql://u@h:5432/db)"
    assert "hush" not in repr(dsn.parts)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("mysql://u:hush@h/db", "postgresql://"),
        ("host=h password=hush", "postgresql://"),
        ("postgresql://u:hush@h:abc/db", "port"),
        ("postgresql://u:hush@h:70000/db", "port"),
        ("postgresql://u:hush@h:0/db", "port"),
        ("postgresql:///db", "host is missing"),
        ("postgresql://u:hush@h/db?sslmode=on", "sslmode"),
        ("postgresql://u:hush@h/db?target_session_attrs=master", "target_session_attrs"),
        ("postgresql://u:hush@h/db?sslmode", "name=value"),
        ("postgresql:///db?host=a,b&port=1,2,3", "port"),
        ("postgresql://u:hush@[::1/db", "host"),
        ("postgresql://u:hush@h/db#x", "%23"),
    ],
)
def test_a_bad_dsn_is_refused_by_its_part_and_shows_no_password(text: str, part: str) -> None:
    with pytest.raises(BadDsn) as raised:
        parse_dsn(text)
    assert part in str(raised.value)
    assert "hush" not in str(raised.value)


def test_secrets_are_equal_by_content_and_kind() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a")}) == 1
    assert parse_dsn("postgres://h/db") == parse_dsn("postgresql://h:5432/db")
