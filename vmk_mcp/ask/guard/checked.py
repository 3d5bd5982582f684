"""The one kind of statement that may run, and the only way to get one: through every step, in order."""

from typing import Final, NoReturn, Self

from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.refusing import Refused
from vmk_mcp.ask.guard.text import check_text
from vmk_mcp.ask.model import OpenSchema, Refusal

_DEFAULT: Final = GuardLimits()


class CheckedSelect:
    """A statement that passed every check before the plan; `check` alone makes one, and none can be changed.

    Attributes:
        sql: the text regenerated from the checked tree; relations bear their schema's name.
        relations: names of the open tables that it reads, sorted.
        is_bounded: it has a LIMIT or gives one row, so that no more rows than it says can come.
    """

    __slots__ = ("is_bounded", "relations", "sql")

    sql: str
    relations: tuple[str, ...]
    is_bounded: bool

    def __new__(cls) -> Self:
        """Refuse: a statement is checked by `check`, never declared to be."""
        raise TypeError("Only the guard's check makes a CheckedSelect.")

    def __init_subclass__(cls) -> NoReturn:
        """Refuse: a subclass could be made by hand."""
        raise TypeError("CheckedSelect has no subclasses.")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: what was checked stays as it is."""
        raise AttributeError("A CheckedSelect cannot be changed.")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse, as `__setattr__` does."""
        raise AttributeError("A CheckedSelect cannot be changed.")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse: neither copied nor pickled, since both make one past the checks."""
        raise TypeError("A CheckedSelect is neither copied nor pickled.")

    def __repr__(self) -> str:
        return f"CheckedSelect({self.sql!r})"


def check(sql: str, schema: OpenSchema, limits: GuardLimits = _DEFAULT) -> CheckedSelect | Refusal:
    """Take a statement through steps 1 to 4; no I/O.

    Args:
        sql: a statement that nobody trusts.
        schema: what is open to asking.
        limits: how much it may ask for.
    """
    # Two parsers take 15 MB and a fifth of a second, which a service that nobody asks does without.
    from vmk_mcp.ask.guard.agreement import check_agreement  # noqa: PLC0415 - see above
    from vmk_mcp.ask.guard.kinds import check_kinds  # noqa: PLC0415 - see above
    from vmk_mcp.ask.guard.parsing import parse_statement, write_statement  # noqa: PLC0415 - see above
    from vmk_mcp.ask.guard.vetting import vet_statement  # noqa: PLC0415 - see above

    try:
        check_text(sql, limits)
        statement = parse_statement(sql, limits)
        # The list of kinds is held first: it says more about what is wrong than that two parsers differ.
        check_kinds(statement)
        check_agreement(sql, statement)
        vetted = vet_statement(statement, schema, limits)
        return _seal(write_statement(statement), vetted.relations, is_bounded=vetted.is_bounded)
    except Refused as refused:
        return refused.refusal


def _seal(sql: str, relations: tuple[str, ...], *, is_bounded: bool) -> CheckedSelect:
    sealed = object.__new__(CheckedSelect)
    object.__setattr__(sealed, "sql", sql)
    object.__setattr__(sealed, "relations", relations)
    object.__setattr__(sealed, "is_bounded", is_bounded)
    return sealed
