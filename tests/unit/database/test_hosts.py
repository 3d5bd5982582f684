"""In which order the hosts of a DSN are tried."""

import pytest

from vmk_mcp.configuration.dsn import parse_dsn
from vmk_mcp.database.hosts import list_hosts


@pytest.mark.parametrize(
    ("dsn", "tried"),
    [
        ("postgresql://u:p%40@h/db", ["postgresql://u:p%40@h:5432/db"]),
        (
            "postgresql://u@h1:1,h2/db?target_session_attrs=standby",
            [
                "postgresql://u@h1:1/db?target_session_attrs=standby",
                "postgresql://u@h2:5432/db?target_session_attrs=standby",
            ],
        ),
        (
            "postgresql://h1,h2/db?sslmode=disable&target_session_attrs=prefer-standby",
            [
                "postgresql://h1:5432/db?sslmode=disable&target_session_attrs=standby",
                "postgresql://h2:5432/db?sslmode=disable&target_session_attrs=standby",
                "postgresql://h1:5432/db?sslmode=disable&target_session_attrs=any",
                "postgresql://h2:5432/db?sslmode=disable&target_session_attrs=any",
            ],
        ),
        (
            "postgresql://u:p@/db?host=/run/a,[::1]&port=7,8",
            ["postgresql://u:p@/db?host=/run/a&port=7", "postgresql://u:p@/db?host=[::1]&port=8"],
        ),
    ],
)
def test_each_host_is_tried_by_itself_in_order(dsn: str, tried: list[str]) -> None:
    assert list_hosts(parse_dsn(dsn).reveal()) == tried


@pytest.mark.parametrize(
    "dsn", ["postgresql://u:p%3F%2C%40@h1,h2:7/db?a=b", "postgresql:///db?host=/run/a,[::1]&port=1"]
)
def test_what_is_written_for_one_host_is_read_as_that_host_and_nothing_else_is_lost(dsn: str) -> None:
    whole = parse_dsn(dsn)
    each = [parse_dsn(one).parts for one in list_hosts(whole.reveal())]
    assert tuple(host for parts in each for host in parts.hosts) == whole.parts.hosts
    for parts in each:
        assert (parts.user, parts.password, parts.database) == (
            whole.parts.user, whole.parts.password, whole.parts.database,
        )  # fmt: skip
