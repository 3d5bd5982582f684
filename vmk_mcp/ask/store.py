"""The asked database, behind the one kind of statement that it takes."""

from vmk_mcp.ask.guard import CheckedSelect
from vmk_mcp.ask.model import Refusal
from vmk_mcp.ask.ports import Selected, SelectedColumn
from vmk_mcp.ask.sqlstates import refuse_state
from vmk_mcp.database.asking import AskedDatabase, StatementFailed
from vmk_mcp.database.selecting import SelectionLimits


class PostgresAskStore:
    """See `AskStore`."""

    def __init__(self, database: AskedDatabase, limits: SelectionLimits) -> None:
        self._database = database
        self._limits = limits

    async def explain(self, checked: CheckedSelect, within_s: float) -> object | Refusal:
        """See `AskStore.explain`."""
        try:
            return await self._database.explain(_text_of(checked), within_s=within_s)
        except StatementFailed as failure:
            return refuse_state(failure.sqlstate)

    async def run(self, checked: CheckedSelect, within_s: float) -> Selected | Refusal:
        """See `AskStore.run`."""
        try:
            selection = await self._database.select(_text_of(checked), self._limits, within_s=within_s)
        except StatementFailed as failure:
            return refuse_state(failure.sqlstate)
        columns = [SelectedColumn(name, type_) for name, type_ in selection.columns]
        return Selected(columns, selection.rows, selection.truncated)


def _text_of(checked: CheckedSelect) -> str:
    """Give the text of what the guard made; types are not enough where the last door is."""
    if type(checked) is not CheckedSelect:
        raise TypeError("Only a CheckedSelect is run.")
    return checked.sql
