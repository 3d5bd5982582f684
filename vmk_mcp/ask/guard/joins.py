"""How many rows a FROM yields: leaves, and the conditions that connect them."""

from collections.abc import Callable, Iterable
from typing import Final

from postgast import pg_query_pb2 as pg

from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.refusing import Refused

# A condition that is no equality is taken to let a third of all pairs through, as the planner does.
_SHARE: Final = 3.0
_PLAIN: Final = frozenset({"column_ref", "func_call", "row_expr"})


class Joining:
    """The leaves of one FROM, grouped by what connects them."""

    def __init__(self, limits: GuardLimits) -> None:
        self._limits = limits
        self._leaves: dict[str, float] = {}
        self._equal: list[frozenset[str]] = []
        self._conditioned: list[frozenset[str]] = []

    def add_leaf(self, name: str, rows: float) -> str:
        """Add a relation; gives the label that it has here."""
        label = name or f"#{len(self._leaves)}"
        self._leaves[label] = max(rows, 1.0)
        return label

    def connect(self, labels: Iterable[str], *, by_equality: bool) -> bool:
        """Note a condition; says whether it connects at least two leaves."""
        reached = frozenset(labels) & self._leaves.keys()
        if len(reached) <= 1:
            return False
        (self._equal if by_equality else self._conditioned).append(reached)
        return True

    def estimate(self) -> float:
        """Estimate the rows of the whole.

        Raises:
            Refused: `too_expensive`, where nothing or too little connects large relations.
        """
        groups = [({label}, rows) for label, rows in self._leaves.items()]
        for labels in self._equal:
            groups = _merge(groups, labels, max)
        for labels in self._conditioned:
            groups = _merge(groups, labels, self._multiply)
        return self._cross([rows for _, rows in groups])

    def _multiply(self, sizes: Iterable[float]) -> float:
        rows = _product(sizes)
        if rows > self._limits.joined_rows:
            raise _refuse(rows)
        return max(rows / _SHARE, 1.0)

    def _cross(self, sizes: list[float]) -> float:
        rows = _product(sizes)
        several = [size for size in sizes if size > 1]
        if len(several) > 1 and rows > self._limits.cross_rows:
            raise _refuse(rows)
        return rows


def is_equality(node: pg.Node) -> bool:
    """Say whether a condition is an equality of columns or of what a function makes of them."""
    expression = node.a_expr
    return (
        node.HasField("a_expr")
        and expression.kind == pg.AEXPR_OP
        and [part.string.sval for part in expression.name] == ["="]
        and all(_is_plain(side) for side in (expression.lexpr, expression.rexpr))
    )


def split_conditions(node: pg.Node) -> list[pg.Node]:
    """Take a condition apart at its ANDs."""
    if not node.HasField("bool_expr") or node.bool_expr.boolop != pg.AND_EXPR:
        return [node] if node.WhichOneof("node") else []
    return [part for arg in node.bool_expr.args for part in split_conditions(arg)]


def _is_plain(side: pg.Node) -> bool:
    while side.HasField("type_cast"):
        side = side.type_cast.arg
    return side.WhichOneof("node") in _PLAIN


def _merge(
    groups: list[tuple[set[str], float]], labels: frozenset[str], rows_of: Callable[[list[float]], float]
) -> list[tuple[set[str], float]]:
    touched = [group for group in groups if group[0] & labels]
    if len(touched) <= 1:
        return groups
    merged = (set().union(*(names for names, _ in touched)), rows_of([rows for _, rows in touched]))
    return [group for group in groups if not group[0] & labels] + [merged]


def _product(sizes: Iterable[float]) -> float:
    rows = 1.0
    for size in sizes:
        rows *= size
    return rows


def _refuse(rows: float) -> Refused:
    return Refused(
        "too_expensive",
        f"The tables in FROM are joined to some {rows:,.0f} rows: connect each pair by equal columns.",
    )
