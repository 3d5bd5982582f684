"""Where a server of this machine is noted, and what is left when it ends."""

from pathlib import Path

import pytest

from vmk_mcp.web.local_access import AccessFolder, endpoint_url

FIRST = "http://127.0.0.1:8080/mcp"
SECOND = "http://127.0.0.1:8081/mcp"


def test_a_server_that_ends_leaves_the_address_of_the_one_before_it(tmp_path: Path) -> None:
    access = AccessFolder(tmp_path)
    access.note_address(FIRST)
    access.note_address(SECOND)
    access.forget_address(SECOND, FIRST)
    assert access.read_address() == FIRST


@pytest.mark.parametrize("before", [None, FIRST])
def test_the_last_server_leaves_no_address(tmp_path: Path, before: str | None) -> None:
    access = AccessFolder(tmp_path)
    access.note_address(FIRST)
    access.forget_address(FIRST, before)
    assert access.read_address() is None


def test_the_address_of_a_server_started_since_stays(tmp_path: Path) -> None:
    access = AccessFolder(tmp_path)
    access.note_address(SECOND)
    access.forget_address(FIRST, None)
    assert access.read_address() == SECOND


def test_the_noted_address_comes_before_that_of_the_settings(tmp_path: Path) -> None:
    access = AccessFolder(tmp_path)
    assert access.find_addresses("127.0.0.1", 8080) == [FIRST]
    access.note_address(SECOND)
    assert access.find_addresses("127.0.0.1", 8080) == [SECOND, FIRST]
    access.note_address(FIRST)
    assert access.find_addresses("127.0.0.1", 8080) == [FIRST]


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", FIRST),  # noqa: S104 (nothing is bound here)
        ("::", "http://[::1]:8080/mcp"),
        ("::1", "http://[::1]:8080/mcp"),
        ("search.example.com", "http://search.example.com:8080/mcp"),
    ],
)
def test_a_server_on_all_addresses_is_reached_over_the_loopback_one(host: str, url: str) -> None:
    assert endpoint_url(host, 8080) == url
