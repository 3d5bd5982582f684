"""The audit as it stands: made when first needed, made again when it is old."""

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Final

from vmk_mcp.spatial.audit import Audit, find_geometric_faults, find_structural_faults
from vmk_mcp.spatial.ports import AuditStore
from vmk_mcp.spatial.queries import TableNames
from vmk_mcp.spatial.tables import TABLES

_GOOD_FOR_S: Final = 300.0
"""A look reads every geometry, a few tenths of a second for 100,000; answers live with one this old."""

_FRESH_FOR_S: Final = 30.0
"""The same for who asks how the family stands."""

_CLOSED_FOR_S: Final = 5.0
"""A closed family looks again this soon, so that it opens by itself once the tables are mended."""

_EVERY_TABLE: Final = TableNames([table.name for table in TABLES.values()])


async def audit(store: AuditStore) -> Audit:
    """Look at the live tables; raises what the store raises."""
    columns = await store.list_columns(_EVERY_TABLE)
    if faults := find_structural_faults(columns):
        return Audit(faults=faults)
    tables = await store.audit_tables()
    unusable = await store.list_unusable()
    if faults := find_geometric_faults(tables):
        return Audit(tables=tables, faults=faults, unusable=unusable)
    return Audit(tables=tables, unusable=unusable, towns=await store.measure_towns())


class LiveAudit:
    """The latest audit of a store."""

    def __init__(self, store: AuditStore, *, clock: Callable[[], float]) -> None:
        """Look at `store`; `clock` gives monotonic seconds."""
        self._store = store
        self._clock = clock
        self._latest: Audit | None = None
        self._tried_at = 0.0
        self._looking: asyncio.Task[Audit] | None = None

    @property
    def latest(self) -> Audit:
        """What was found last; nothing at all before the first look."""
        return self._latest or Audit()

    async def get(self) -> Audit:
        """Give the latest audit; waits where there is none yet, or where it closed the family some time ago.

        An old one that is good serves on while the next is made. Raises what the store raises.
        """
        if self._latest is None or (self._latest.faults and self._age_s > _CLOSED_FOR_S):
            return await asyncio.shield(self._begin())
        if self._age_s > _GOOD_FOR_S:
            self._looking = self._begin()
        return self._latest

    async def get_fresh(self) -> Audit:
        """Give an audit that is hardly old, of a store that answers now; raises what the store raises."""
        if self._latest is None or self._age_s > (_CLOSED_FOR_S if self._latest.faults else _FRESH_FOR_S):
            return await asyncio.shield(self._begin())
        await self._store.list_columns(_EVERY_TABLE)
        return self._latest

    @property
    def _age_s(self) -> float:
        return self._clock() - self._tried_at

    async def close(self) -> None:
        """Stop a look that is under way."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])

    def _begin(self) -> asyncio.Task[Audit]:
        if self._looking is None or self._looking.done():
            self._tried_at = self._clock()
            # In a context of its own: the time it takes is not the caller's.
            self._looking = asyncio.create_task(self._look(), context=Context())
            self._looking.add_done_callback(_note_failure)
        return self._looking

    async def _look(self) -> Audit:
        self._latest = await audit(self._store)
        return self._latest


def _note_failure(task: asyncio.Task[Audit]) -> None:
    # The store has told the observer, and whoever waited is told too.
    if not task.cancelled():
        task.exception()
