"""What `vmk-mcp load` says at its end."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from vmk_mcp.bootstrap.loading import LoadOutcome
from vmk_mcp.cli.app import main
from vmk_mcp.listings.loading.tally import Tally

TALLY = Tally(read=10, inserted=3, updated=2, unchanged=2, refused=1, repeated=2)


@pytest.fixture
def listings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A file to load, of which `TALLY` is what comes out; nothing is read or filled."""
    monkeypatch.chdir(tmp_path)
    outcome = LoadOutcome(TALLY, without_vector=5, is_served=False)
    monkeypatch.setattr("vmk_mcp.cli.load.load_file", lambda *_: outcome)
    monkeypatch.setattr("vmk_mcp.cli.load.fill_shown", lambda *_: None)
    (tmp_path / "listings.csv").write_text("id\n", encoding="utf-8")
    return str(tmp_path / "listings.csv")


def test_the_counts_add_up_when_rows_are_replaced_by_later_ones(listings: str) -> None:
    said = CliRunner().invoke(main, ["load", listings]).stderr
    assert (
        "10 rows: 3 inserted, 2 updated, 2 unchanged, 1 refused, 2 replaced by a later row of the same id."
        in said
    )


def test_a_load_without_vectors_names_the_command_that_fills_them(listings: str) -> None:
    said = CliRunner().invoke(main, ["load", listings]).stderr
    assert "5 listings have no vector yet: `" in said
    assert " embed` fills them." in said


def test_a_load_that_embeds_does_not_send_one_to_embed(listings: str) -> None:
    said = CliRunner().invoke(main, ["load", listings, "--embed"]).stderr
    assert "5 listings have no vector yet: they are filled now." in said
    assert "embed`" not in said
