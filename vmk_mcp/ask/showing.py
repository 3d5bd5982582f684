"""From what was found to what clients see."""

from collections.abc import Sequence
from typing import Any

from vmk_mcp.ask.model import OpenSchema
from vmk_mcp.ask.ports import Selected
from vmk_mcp.ask.results import AnswerColumn, AskAnswer, Explained, SchemaShown, ShownColumn, ShownTable
from vmk_mcp.ask.trying import Tried


def show_schema(schema: OpenSchema) -> SchemaShown:
    """Show what is open to asking."""
    return SchemaShown(
        [
            ShownTable(
                name=table.name,
                columns=[ShownColumn(one.name, one.type, one.description) for one in table.columns],
                foreign_keys=list(table.foreign_keys),
                row_estimate=table.row_estimate,
            )
            for table in schema.tables
        ]
    )


def show_answer(tried: Tried, *, backend: str, elapsed_ms: float) -> AskAnswer:
    """Show the rows, or why there are none."""
    selected = tried.selected or Selected((), (), truncated=False)
    names = tell_apart([column.name for column in selected.columns])
    return AskAnswer(
        sql=tried.sql,
        rows=[dict(zip(names, row, strict=True)) for row in selected.rows],
        columns=[AnswerColumn(name, one.type) for name, one in zip(names, selected.columns, strict=True)],
        rejected=tried.refusal is not None,
        rejection_reason=tried.refusal.reason if tried.refusal else None,
        reason_code=tried.refusal.code if tried.refusal else None,
        backend=backend,
        row_count=len(selected.rows),
        truncated=selected.truncated,
        elapsed_ms=elapsed_ms,
    )


def show_plan(tried: Tried, *, elapsed_ms: float) -> Explained:
    """Show the verdict and the plan."""
    plan: list[Any] = tried.plan if isinstance(tried.plan, list) else []
    return Explained(
        sql=tried.sql,
        rejected=tried.refusal is not None,
        rejection_reason=tried.refusal.reason if tried.refusal else None,
        reason_code=tried.refusal.code if tried.refusal else None,
        plan=plan,
        estimated_cost=tried.verdict.cost if tried.verdict else None,
        estimated_rows=tried.verdict.rows if tried.verdict else None,
        elapsed_ms=elapsed_ms,
    )


def tell_apart(names: Sequence[str]) -> list[str]:
    """Number names that come again, for a row is an object: `id`, `id_2`."""
    taken: set[str] = set()
    told: list[str] = []
    for name in names:
        number, tried = 1, name
        while tried in taken:
            number += 1
            tried = f"{name}_{number}"
        taken.add(tried)
        told.append(tried)
    return told
