"""`vmk-mcp eval`: what it asks for, and how figures are shown."""

import json
from collections.abc import Callable, Sequence

import pytest
from click.testing import CliRunner, Result

from vmk_mcp.ask.evaluation.model import Evaluation, Judged, Tally
from vmk_mcp.bootstrap.evaluating import WantedEvaluation
from vmk_mcp.cli import eval as eval_module
from vmk_mcp.cli.app import main
from vmk_mcp.settings import Settings

WRONG = Judged(
    id="m01",
    question="How many?",
    difficulty="easy",
    joins=0,
    verdict="wrong",
    sql="x",
    reason_code=None,
    explanation="Other rows.",
    elapsed_ms=1.0,
)
TALLY = Tally(4, 3, 1, 0, 4, 0.75, 0.75, None)
DONE = Evaluation(
    set="municipal",
    source="city",
    backend="offline",
    overall=TALLY,
    by_difficulty={"easy": TALLY},
    by_joins={"joins": TALLY, "0": TALLY},
    by_leniency={"further_columns": 2, "no_rows": 1},
    questions=[WRONG],
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[WantedEvaluation]:
    """What the command asks for; the answer is `DONE`."""
    wanted: list[WantedEvaluation] = []

    def play(
        settings: Settings,
        one: WantedEvaluation,
        say: Callable[[str], None],
        on_judged: Callable[[Judged], None],
    ) -> Sequence[Evaluation]:
        wanted.append(one)
        on_judged(WRONG)
        return [DONE]

    monkeypatch.setattr(eval_module, "run_evaluations", play)
    return wanted


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["eval", *arguments])
    assert result.exit_code == 0, result.output
    return result


def test_figures_are_shown_as_a_table_and_what_is_wrong_is_told(asked: list[WantedEvaluation]) -> None:
    result = run("--set", "municipal", "--backend", "offline")
    assert list(asked[0].sets) == ["municipal"]
    assert asked[0].backend == "offline"
    for shown in ("75.0%", "easy", "joins", "0 joins", "by a leniency: further_columns 2, no_rows 1."):
        assert shown in result.stdout
    assert "wrong: m01 How many? Other rows." in result.stderr


def test_json_has_every_question(asked: list[WantedEvaluation]) -> None:
    (shown,) = json.loads(run("--json").stdout)
    assert shown["overall"]["precision"] == 0.75
    assert shown["questions"][0]["verdict"] == "wrong"
    assert asked[0] == WantedEvaluation((), None, None)
