"""Where the county cannot be had, a reason is given and nothing is raised."""

from pathlib import Path

import pytest

from vmk_mcp.bootstrap import county
from vmk_mcp.bootstrap.county import NoCounty, open_county
from vmk_mcp.database.binaries import Binaries
from vmk_mcp.errors import StartError

NOWHERE = Binaries("15", Path("/nowhere"))


def test_without_postgis_the_reason_comes_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def find_none(_: int | None) -> Binaries:
        raise StartError("There is none.", hint="Run `make postgis`.")

    monkeypatch.setattr(county, "find_postgis_binaries", find_none)
    said: list[str] = []
    assert open_county(tmp_path, said.append) == NoCounty("There is none.", "Run `make postgis`.")
    assert said == ["The spatial family is left out. There is none. Run `make postgis`."]


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (StartError("It does not start.", hint="Look into the log."), "It does not start."),
        (OSError(28, "No space left on device"), "cannot be used: No space left on device."),
        (OSError("no number"), "cannot be used: the system refuses."),
    ],
)
def test_a_cluster_that_does_not_start_is_a_reason_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, failure: Exception, reason: str
) -> None:
    def start_none(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(county, "find_postgis_binaries", lambda _: NOWHERE)
    monkeypatch.setattr(county, "start_embedded", start_none)
    given = open_county(tmp_path, print)
    assert isinstance(given, NoCounty)
    assert reason in given.reason
    assert given.hint


def test_a_server_whose_county_cannot_be_loaded_is_let_go_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Server:
        is_closed = False

        def close(self) -> None:
            self.is_closed = True

    async def fail(*_: object) -> None:
        raise StartError("The database could not be prepared.", hint="Look into the log.")

    server = Server()
    monkeypatch.setattr(county, "find_postgis_binaries", lambda _: NOWHERE)
    monkeypatch.setattr(county, "start_embedded", lambda *_, **__: server)
    monkeypatch.setattr(county, "fill_county", fail)
    assert open_county(tmp_path, print) == NoCounty(
        "The database could not be prepared.", "Look into the log."
    )
    assert server.is_closed
