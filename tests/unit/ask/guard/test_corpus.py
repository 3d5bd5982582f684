"""Every statement of the corpus: no attack passes, no legitimate query is refused, and the report says so."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.house import ROOT
from tests.unit.ask.guard.open_city import Case, ask_guard, code_of, read_cases
from vmk_mcp.ask.guard import CheckedSelect
from vmk_mcp.ask.model import Refusal

LEGITIMATE: Final = read_cases("legitimate")
ATTACKS: Final = read_cases("attacks")
REPORT: Final = ROOT / "contracts" / "guard.md"
CODES: Final = frozenset(
    {
        "bad_encoding",
        "data_modifying_cte",
        "function_not_allowed",
        "multi_statement",
        "not_select",
        "operator_not_allowed",
        "parser_disagreement",
        "row_lock",
        "select_into",
        "table_not_allowed",
        "too_expensive",
        "too_large",
        "type_not_allowed",
        "unbounded_scan",
        "unknown_column",
        "unknown_table",
        "unparseable",
    }
)


@pytest.mark.parametrize("case", LEGITIMATE, ids=lambda case: f"{case.kind}: {case.sql[:60]!r}")
def test_a_legitimate_query_passes(case: Case) -> None:
    verdict = ask_guard(case.sql)
    assert isinstance(verdict, CheckedSelect), verdict


@pytest.mark.parametrize("kind", sorted({case.kind for case in ATTACKS}))
def test_no_attack_of_a_kind_passes(kind: str) -> None:
    passed = [case.sql for case in ATTACKS if case.kind == kind and not code_of(case.sql)]
    assert passed == []


def test_each_refusal_has_a_known_code_and_a_sentence_that_shows_nothing_hidden() -> None:
    refusals = [verdict for case in ATTACKS if isinstance(verdict := ask_guard(case.sql), Refusal)]
    assert {refusal.code for refusal in refusals} - CODES == set()
    for refusal in refusals:
        assert refusal.reason[0].isupper(), refusal
        assert refusal.reason.endswith((".", "?")), refusal
        assert refusal.reason.isprintable(), refusal
        assert len(refusal.reason) < 400, refusal


@pytest.mark.parametrize("case", LEGITIMATE, ids=lambda case: repr(case.sql[:60]))
def test_what_the_guard_wrote_passes_it_again_unchanged(case: Case) -> None:
    first = ask_guard(case.sql)
    assert isinstance(first, CheckedSelect)
    second = ask_guard(first.sql)
    assert isinstance(second, CheckedSelect), second
    assert (second.sql, second.relations) == (first.sql, first.relations)


def test_the_corpus_is_large_enough() -> None:
    assert len(LEGITIMATE) >= 200
    assert len(ATTACKS) >= 500


def test_the_report_in_contracts_says_what_this_run_found() -> None:
    report = write_report()
    assert REPORT.read_text(encoding="utf-8") == report, (
        "Write it anew: python -m tests.unit.ask.guard.test_corpus"
    )


def write_report() -> str:
    """Give the text of `contracts/guard.md`."""
    codes: dict[str, Counter[str]] = defaultdict(Counter)
    for case in ATTACKS:
        codes[case.kind][code_of(case.sql) or "LET THROUGH"] += 1
    through = sum(counter["LET THROUGH"] for counter in codes.values())
    refused = [case for case in LEGITIMATE if code_of(case.sql)]
    lines = [
        "# The guard, held against its corpus",
        "",
        "What the guard alone makes of the statements in `tests/unit/ask/guard`, before plan and role.",
        "Written by `python -m tests.unit.ask.guard.test_corpus` and held by the test of that name.",
        "",
        f"- attacks let through: {through} of {len(ATTACKS)}",
        f"- legitimate queries refused: {len(refused)} of {len(LEGITIMATE)}",
        "",
        *_table(["kind of attack", "statements", "let through", "refused as"], _attack_rows(codes)),
        "",
        *_table(["kind of query", "queries", "refused"], _query_rows(refused)),
    ]
    return "\n".join(lines) + "\n"


def _attack_rows(codes: dict[str, Counter[str]]) -> list[Sequence[object]]:
    return [
        (
            kind,
            counter.total(),
            counter["LET THROUGH"],
            _list_codes(counter),
        )
        for kind, counter in sorted(codes.items())
    ]


def _list_codes(counter: Counter[str]) -> str:
    return ", ".join(f"{code} {count}" for code, count in sorted(counter.items()) if count)


def _query_rows(refused: list[Case]) -> list[Sequence[object]]:
    failed = Counter(case.kind for case in refused)
    return [(kind, n, failed[kind]) for kind, n in sorted(Counter(case.kind for case in LEGITIMATE).items())]


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    return [f"| {' | '.join(map(str, cells))} |" for cells in (heads, ["---"] * len(heads), *rows)]


if __name__ == "__main__":
    Path(REPORT).write_text(write_report(), encoding="utf-8")
