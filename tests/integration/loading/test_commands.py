"""`vmk-mcp load` and `vmk-mcp embed` as people call them: words on stderr, counts on stdout, status."""

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.integration.loading.files import own_listings, write_csv
from tests.integration.servers import Dsn
from vmk_mcp.cli.app import main
from vmk_mcp.database.credentials import Role


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A working directory that is the data folder as well."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    return tmp_path


async def call(*arguments: str) -> Result:
    """Run a command in a thread of its own, since it starts an event loop."""
    return await asyncio.to_thread(CliRunner().invoke, main, list(arguments))


async def test_a_load_by_mapping_says_what_it_did_and_what_comes_next(
    listings_dsn: Dsn, folder: Path
) -> None:
    rows = [{"nr": n, "name": f"Квартира {n}", "cena": f"{n} 000 $", "else": ""} for n in range(1, 4)]
    path = write_csv(folder / "a.csv", [*rows, {"nr": 4, "name": "Дім", "cena": "дорого", "else": ""}])
    (folder / "map.toml").write_text('price = "cena"\ntitle = "name"\n', encoding="utf-8")
    words = ("load", str(path), "--dsn", listings_dsn(Role.OWNER), "--map", "id=nr", "--mapping", "map.toml")
    trial = await call(*words, "--dry-run")
    assert trial.exit_code == 1
    assert "Loading id from 'nr', title from 'name', price from 'cena'" in trial.stderr
    assert "Leaving out the columns else" in trial.stderr
    assert "Of 4 rows 3 would be new" in trial.stderr
    result = await call(*words, "--json", "--errors", "bad.jsonl")
    assert result.exit_code == 1
    assert "line 5, price (column cena): 'дорого' is not a number" in result.stderr
    assert "4 rows: 3 inserted, 0 updated, 0 unchanged, 1 refused." in result.stderr
    assert "3 listings have no vector yet: `" in result.stderr
    assert " embed` fills them." in result.stderr
    assert json.loads(result.stdout)["inserted"] == 3
    assert json.loads((folder / "bad.jsonl").read_text("utf-8"))["row"]["nr"] == "4"


async def test_load_and_embed_in_one_go_and_apart(listings_dsn: Dsn, folder: Path) -> None:
    rows = own_listings(4)
    owner = listings_dsn(Role.OWNER)
    first = await call("load", str(write_csv(folder / "a.csv", rows[:2])), "--dsn", owner, "--embed")
    assert first.exit_code == 0, first.output
    assert "2 vectors written by multilingual-e5-small; 2 of 2 listings have one." in first.stderr
    second = await call("load", str(write_csv(folder / "b.csv", rows)), "--dsn", owner)
    assert "4 rows: 2 inserted, 0 updated, 2 unchanged, 0 refused." in second.stderr
    embedded = await call("embed", "--dsn", owner, "--json")
    assert embedded.exit_code == 0
    assert json.loads(embedded.stdout) == {
        "filled": 2,
        "skipped": 0,
        "model": "multilingual-e5-small",
        "now": {"listings": 4, "filled": 4},
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--map", "price"), "is not FIELD=COLUMN"),
        (("--mapping", "a.csv"), "must be a TOML file"),
        (("--delimiter", "::"), "one character"),
        (("--dsn", "mysql://x"), "--dsn must begin with postgresql://"),
    ],
)
async def test_a_misuse_is_said_with_status_2(folder: Path, words: tuple[str, str], said: str) -> None:
    write_csv(folder / "a.csv", own_listings(1))
    result = await call("load", "a.csv", *words)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize("command", [("load", "a.csv"), ("embed",)])
async def test_a_database_of_ones_own_is_written_to_only_when_it_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    write_csv(folder / "a.csv", own_listings(1))
    monkeypatch.setenv("DATABASE_URL", "postgresql://h/x")
    result = await call(*command)
    assert result.exit_code == 2
    assert "--dsn" in result.stderr
