"""Tables of one SELECT and the joins between them, grown as columns are asked for."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlglot import exp

from vmk_mcp.ask.drafting.offline.lexicon import load_lexicon
from vmk_mcp.ask.drafting.offline.paths import KeyGraph, Step
from vmk_mcp.ask.drafting.offline.query import Place, ambiguous
from vmk_mcp.ask.model import OpenTable

_NEAR: Final = 2


class Naming:
    """Names of tables in one statement: their own in the outer SELECT, numbered ones inside."""

    def __init__(self, schema: str, tables: Mapping[str, OpenTable], graph: KeyGraph) -> None:
        self.schema = schema
        self.tables = tables
        self.graph = graph
        self._count = 0

    def number(self) -> str:
        """Give the ending of the next inner SELECT's names."""
        self._count += 1
        return f"_{self._count}"


class Frame:
    """FROM and JOIN of one SELECT.

    Attributes:
        fans_out: whether a join led to many rows for one of the root's.
    """

    def __init__(self, naming: Naming, root: str, known: Collection[str] = (), ending: str = "") -> None:
        self._naming = naming
        self._known = known
        self._ending = ending
        self._joins: list[exp.Join] = []
        self._joined = {root}
        self.root = root
        self.fans_out = False

    def column(self, place: Place, *, is_optional: bool = False) -> exp.Column:
        """Give a qualified column; joins its table, keeping rows without one where it `is_optional`."""
        if place.table in self._joined:
            return self.name(place.table, place.column.name)
        path = self._naming.graph.find_path(self.root, place.table, self._known)
        self._forbid_far(path)
        last = path[-1]
        if place.column.name in last.target_columns and last.is_up:
            self._join(path[:-1], is_optional=is_optional)
            index = last.target_columns.index(place.column.name)
            return self.name(last.source, last.source_columns[index])
        self._join(path, is_optional=is_optional)
        return self.name(place.table, place.column.name)

    def _forbid_far(self, path: Sequence[Step]) -> None:
        """Raise `Unclear` for a way down to many rows through tables that the question does not name."""
        between = {step.target for step in path[:-1]} - set(self._known)
        if len(path) > _NEAR and between and not all(step.is_up for step in path):
            raise ambiguous(
                f"“{self.root}” and “{path[-1].target}” are tied only by {', '.join(sorted(between))}. "
                "Say what those have to do with it."
            )

    def has(self, table: str) -> bool:
        """Say whether a table is among those that are joined."""
        return table in self._joined

    def reach(self, table: str) -> None:
        """Join a table, so that only rows with one are left."""
        if table not in self._joined:
            self._join(self._naming.graph.find_path(self.root, table, self._known), is_optional=False)

    def name(self, table: str, column: str) -> exp.Column:
        """Give a column of a table that is joined."""
        return exp.Column(this=identify(column), table=identify(table + self._ending))

    def attach(self, select: exp.Select) -> exp.Select:
        """Put FROM and the joins into a SELECT."""
        select = select.from_(self._table(self.root))
        for join in self._joins:
            select.append("joins", join)
        return select

    def _table(self, name: str) -> exp.Table:
        db = identify(self._naming.schema) if self._naming.schema != "public" else None
        alias = exp.TableAlias(this=identify(name + self._ending)) if self._ending else None
        return exp.Table(this=identify(name), db=db, alias=alias)

    def walk(self, step: Step) -> None:
        """Join the target of a step whose source is joined."""
        self._join([step], is_optional=False)

    def _join(self, path: Sequence[Step], *, is_optional: bool) -> None:
        for step in path:
            if step.target in self._joined:
                continue
            self.fans_out = self.fans_out or not step.is_up
            on = match_keys(
                [self.name(step.target, column) for column in step.target_columns],
                [self.name(step.source, column) for column in step.source_columns],
            )
            side = "LEFT" if is_optional else ""
            self._joins.append(exp.Join(this=self._table(step.target), on=on, side=side or None))
            self._joined.add(step.target)


def match_keys(left: Sequence[exp.Expr], right: Sequence[exp.Expr]) -> exp.Expr:
    """Give the condition that two keys of the same length are equal."""
    return exp.and_(*(exp.EQ(this=one, expression=other) for one, other in zip(left, right, strict=True)))


def identify(name: str) -> exp.Identifier:
    """Quote a name where Postgres would fold or misread it bare."""
    is_bare = name.isascii() and name.isidentifier() and name == name.lower()
    return exp.Identifier(this=name, quoted=not is_bare or name in load_lexicon().reserved)


def forbid_fan_out(frame: Frame) -> None:
    """Raise `Unclear` where a join would count rows several times."""
    if frame.fans_out:
        raise ambiguous(
            "Rows would be counted once for each linked record. Ask for the number of each instead."
        )
