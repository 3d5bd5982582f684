"""`vmk-mcp ask` and `schema` over a database of one's own, and what they are told wrongly."""

import json

import pytest
from click.testing import CliRunner, Result

from tests.integration.servers import Dsn
from vmk_mcp.cli.app import main
from vmk_mcp.database.credentials import Role


@pytest.fixture(autouse=True)
def quiet_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the drafter offline, whatever keys this machine has."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_a_question_of_ones_own_database_is_answered_as_json(municipal: Dsn) -> None:
    result = run("ask", "How many permits are there in total?", "--dsn", municipal(Role.ASK), "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert [list(row.values()) for row in answer["rows"]] == [[2_600]]
    assert (answer["rejected"], answer["backend"]) == (False, "offline")


def test_an_ambiguous_question_is_refused_with_status_0_and_in_words(municipal: Dsn) -> None:
    result = run("ask", "Show me the recent activity.", "--dsn", municipal(Role.ASK))
    assert result.exit_code == 0, result.output
    assert "ambiguous_question" in result.stdout


def test_the_schema_of_ones_own_database_is_shown(municipal: Dsn) -> None:
    result = run("schema", "--dsn", municipal(Role.ASK))
    assert "permits (about 2,600 rows)" in result.stdout
    assert "property_id -> properties (property_id)" in result.stdout
    shown = json.loads(run("schema", "--dsn", municipal(Role.ASK), "--json").stdout)
    assert len(shown["tables"]) == 12


def test_a_superuser_is_refused_with_what_to_do(municipal: Dsn) -> None:
    result = run("ask", "How many permits are there?", "--dsn", municipal(Role.SUPERUSER))
    assert result.exit_code == 1
    assert "is a superuser" in result.stderr
    assert "vmk-mcp roles" in result.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--dsn", "postgresql://h/d", "--source", "municipal"), "two databases"),
        (("--schema", "shop"), "--schema goes with --dsn"),
        (("--dsn", "mysql://h/d"), "--dsn"),
        (("--source", "munciipal"), "no source"),
    ],
)
def test_options_that_contradict_each_other_are_a_misuse(options: tuple[str, ...], said: str) -> None:
    result = run("ask", "How many?", *options)
    assert result.exit_code == 2
    assert said in result.stderr
