"""Plans, as EXPLAIN (FORMAT JSON) gives them, held against the statement that they are for."""

from typing import Any

import msgspec
import pytest

from tests.unit.ask.guard.open_city import LIMITS, ask_guard
from vmk_mcp.ask.guard import CheckedSelect, PlanVerdict, check_plan
from vmk_mcp.ask.model import Refusal


def plan_of(kind: str = "Seq Scan", *, cost: float = 10.0, **more: Any) -> list[dict[str, Any]]:
    names = {key.replace("_", " "): value for key, value in more.items()}
    return [{"Plan": {"Node Type": kind, "Total Cost": cost, "Plan Rows": 5, **names}}]


def judge(plan: object, behind: frozenset[str] = frozenset()) -> PlanVerdict | Refusal:
    checked = ask_guard("SELECT count(*) FROM permits")
    assert isinstance(checked, CheckedSelect)
    return check_plan(plan, checked, LIMITS, behind)


def code_of_plan(plan: object) -> str:
    verdict = judge(plan)
    return verdict.code if isinstance(verdict, Refusal) else ""


def test_a_plan_within_bounds_is_told_in_short() -> None:
    inner = plan_of(Relation_Name="permits")[0]["Plan"]
    assert judge(plan_of("Aggregate", cost=12.5, Plans=[inner])) == PlanVerdict(
        12.5, 5, ("Aggregate", "Seq Scan")
    )


def test_a_dear_plan_is_refused_at_the_limit_alone() -> None:
    assert code_of_plan(plan_of(cost=LIMITS.plan_cost)) == ""
    assert code_of_plan(plan_of(cost=LIMITS.plan_cost + 1)) == "too_expensive"


def test_a_relation_that_the_statement_does_not_name_is_refused_at_any_depth() -> None:
    inner = plan_of(Relation_Name="api_tokens")[0]["Plan"]
    plan = plan_of("Aggregate", Plans=[{**plan_of("Sort")[0]["Plan"], "Plans": [inner]}])
    assert code_of_plan(plan) == "table_not_allowed"
    assert isinstance(judge(plan, frozenset({"api_tokens"})), PlanVerdict)


@pytest.mark.parametrize(
    "kind", ["ModifyTable", "LockRows", "Foreign Scan", "Custom Scan", "Table Function Scan"]
)
def test_a_node_that_does_more_than_read_is_refused(kind: str) -> None:
    assert code_of_plan(plan_of(kind)) == "not_select"


@pytest.mark.parametrize("plan", [None, [], {}, [{}], [{"Plan": {}}], plan_of() * 2, msgspec.json.encode([])])
def test_what_is_no_plan_is_refused(plan: object) -> None:
    assert code_of_plan(plan) == "not_select"
