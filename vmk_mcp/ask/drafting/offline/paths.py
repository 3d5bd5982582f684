"""Ways between tables over their foreign keys."""

from collections.abc import Collection, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count, pairwise
from typing import Final

from msgspec import Struct

from vmk_mcp.ask.drafting.offline.query import ambiguous, unanswerable
from vmk_mcp.ask.model import OpenTable

_HOP: Final = 4
_KNOWN_HOP: Final = 2
# A way through tables that the question names is half as long.
_MOST_HOPS: Final = 5
_MOST_TRIED: Final = 20_000


class Step(Struct, frozen=True):
    """One foreign key, walked from the table that has it (up: to one row) or to it (down: to many)."""

    source: str
    target: str
    source_columns: tuple[str, ...]
    target_columns: tuple[str, ...]
    is_up: bool


class KeyGraph:
    """The foreign keys of a schema, both ways."""

    def __init__(self, tables: Mapping[str, OpenTable]) -> None:
        self._steps: dict[str, list[Step]] = {name: [] for name in tables}
        for table in tables.values():
            for key in table.foreign_keys:
                if key.table in tables and key.table != table.name:
                    up = Step(table.name, key.table, key.columns, key.references, is_up=True)
                    down = Step(key.table, table.name, key.references, key.columns, is_up=False)
                    self._steps[table.name].append(up)
                    self._steps[key.table].append(down)

    def find_path(self, source: str, target: str, known: Collection[str] = ()) -> tuple[Step, ...]:
        """Give the shortest way, by preference through the tables in `known`.

        Raises:
            Unclear: there is none, or several are equally short.
        """
        best = self._search(source, target, frozenset(known))
        if not best:
            raise unanswerable(
                f"Nothing ties “{source}” to “{target}”: no foreign keys lead from one to the other. "
                "Ask about one of them, or about tables that are linked."
            )
        if len(best) > 1:
            ways = [" and ".join(_describe(path)) or "the key itself" for path in best]
            raise ambiguous(
                f"“{source}” and “{target}” are tied in several ways: by {', or by '.join(ways)}. "
                "Say which is meant."
            )
        self._forbid_pivots(best[0], known)
        return best[0]

    def _forbid_pivots(self, path: Sequence[Step], known: Collection[str]) -> None:
        """Raise `Unclear` for a way up to a table and down again that the question does not name."""
        for up, down in pairwise(path):
            if up.is_up and not down.is_up and up.target not in known:
                raise ambiguous(
                    f"“{path[0].source}” and “{path[-1].target}” are tied only by the same {up.target}. "
                    f"Say what {up.target} have to do with it."
                )

    def measure_up(self, source: str, target: str) -> int | None:
        """Give how many keys lead up from a table to another; None where that takes a way down."""
        reached, distance = {source}, 0
        while reached and distance <= _MOST_HOPS:
            if target in reached:
                return distance
            reached = {step.target for name in reached for step in self._steps[name] if step.is_up}
            distance += 1
        return None

    def _search(self, source: str, target: str, known: frozenset[str]) -> Sequence[tuple[Step, ...]]:
        found: list[tuple[Step, ...]] = []
        least: int | None = None
        tie = count()
        queue: list[tuple[int, int, str, tuple[Step, ...]]] = [(0, next(tie), source, ())]
        while queue and next(tie) < _MOST_TRIED:
            cost, _, at, path = heappop(queue)
            if least is not None and cost > least:
                break
            if at == target:
                least = cost
                found.append(path)
                continue
            visited = {source, *(step.target for step in path)}
            if len(path) < _MOST_HOPS:
                for step in self._steps[at]:
                    if step.target not in visited:
                        hop = _KNOWN_HOP if step.target in known or step.target == target else _HOP
                        heappush(queue, (cost + hop, next(tie), step.target, (*path, step)))
        return found


def _describe(path: Sequence[Step]) -> list[str]:
    if len(path) == 1:
        own = path[0].source_columns if path[0].is_up else path[0].target_columns
        return [", ".join(own)]
    return [step.target for step in path[:-1]]
