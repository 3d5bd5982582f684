"""The towns that a caller may see: never an argument, always in the SQL."""

from typing import Self

from msgspec import Struct

from vmk_mcp.tool import ALL, Caller


class Scope(Struct, frozen=True):
    """Every town, or some of them, or none."""

    all_towns: bool
    towns: frozenset[str] = frozenset()

    @classmethod
    def of(cls, caller: Caller) -> Self:
        """Read what the caller's token allows; what it does not name it has not."""
        if isinstance(caller.towns, str):
            return cls(all_towns=caller.towns == ALL)
        return cls(all_towns=False, towns=caller.towns)

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be seen."""
        return not self.all_towns and not self.towns

    def has(self, town: str | None) -> bool:
        """Say whether records of `town` may be seen; of those without a town, only who may see all."""
        return self.all_towns or town in self.towns
