"""Step 5: what Postgres plans to do, held against what the guard was told."""

from collections.abc import Iterator
from typing import Final

import msgspec

from vmk_mcp.ask.guard.checked import CheckedSelect
from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.lists import read_list
from vmk_mcp.ask.guard.refusing import Refused, show_name
from vmk_mcp.ask.model import Refusal

_NODES: Final = read_list("plan_nodes")


class PlanVerdict(msgspec.Struct, frozen=True):
    """A plan within bounds.

    Attributes:
        cost: the planner's estimate, in its own units.
        rows: rows that the planner expects.
        nodes: kinds of its nodes, sorted, each once.
    """

    cost: float
    rows: int
    nodes: tuple[str, ...]


class _PlanNode(msgspec.Struct):
    """A node of a plan, with what is looked at; EXPLAIN's keys hold blanks."""

    kind: str = msgspec.field(name="Node Type")
    cost: float = msgspec.field(name="Total Cost")
    rows: float = msgspec.field(name="Plan Rows")
    relation: str = msgspec.field(name="Relation Name", default="")
    plans: list["_PlanNode"] = msgspec.field(name="Plans", default_factory=list)


class _Explained(msgspec.Struct):
    plan: _PlanNode = msgspec.field(name="Plan")


def check_plan(
    plan: object, checked: CheckedSelect, limits: GuardLimits, behind: frozenset[str] = frozenset()
) -> PlanVerdict | Refusal:
    """Hold a plan against the statement that it is for.

    Args:
        plan: the decoded JSON of EXPLAIN (FORMAT JSON), VERBOSE or not: a list of one object.
        checked: the statement.
        limits: of its source; only `plan_cost` counts here.
        behind: relations that open ones are made of, such as partitions and what a view reads.

    Returns:
        The verdict; or a refusal with `too_expensive`, `table_not_allowed` or `not_select`.
    """
    try:
        return _judge(_read(plan), checked, limits, behind)
    except Refused as refused:
        return refused.refusal


def _read(plan: object) -> _PlanNode:
    try:
        (explained,) = msgspec.convert(plan, list[_Explained])
    except (msgspec.ValidationError, ValueError) as error:
        raise Refused("not_select", "Postgres gave no plan for the statement that could be read.") from error
    return explained.plan


def _judge(
    top: _PlanNode, checked: CheckedSelect, limits: GuardLimits, behind: frozenset[str]
) -> PlanVerdict:
    nodes = list(_walk(top))
    for node in nodes:
        if node.kind not in _NODES:
            raise Refused(
                "not_select", f"The plan holds {show_name(node.kind)}, which a plain query has not."
            )
        if node.relation and node.relation not in checked.relations and node.relation not in behind:
            raise Refused(
                "table_not_allowed",
                f"The plan reads {show_name(node.relation)}, which is not open to asking.",
            )
    # A node under a LIMIT is priced as if it ran to its end: only the top says what the statement costs.
    if top.cost > limits.plan_cost:
        raise Refused(
            "too_expensive",
            f"Postgres expects a cost of {top.cost:,.0f}, and {limits.plan_cost:,.0f} is allowed: narrow "
            "it by conditions, join by keys, or ask for less.",
        )
    return PlanVerdict(top.cost, round(top.rows), tuple(sorted({node.kind for node in nodes})))


def _walk(node: _PlanNode) -> Iterator[_PlanNode]:
    yield node
    for inner in node.plans:
        yield from _walk(inner)
