"""What came of reading a text: filters, the words behind each, and what is left to search for."""

from collections.abc import Sequence

from msgspec import Struct

from vmk_mcp.listings.filters import Filters

FilterValue = str | float | int | bool | Sequence[str | int]


class Understood(Struct, frozen=True):
    """One filter, and the words of the text that it came from."""

    field: str
    value: FilterValue
    words: str


class Ignored(Struct, frozen=True):
    """Words that were understood but are not applied, and why."""

    words: str
    reason: str


class Interpretation(Struct, frozen=True):
    """A text read as filters.

    Attributes:
        filters: only what was understood; no range in it contradicts itself.
        understood: one entry for each filter that is set.
        ignored: wishes that no filter can express, or that were said twice in different ways.
        asked: the text without what is not wanted, which is not to be searched for.
        rest: the words of it that became no filter, in order, parted by `; ` where something was taken out
            between them; empty when all was understood. Reading it again understands nothing more.
    """

    filters: Filters
    understood: tuple[Understood, ...]
    ignored: tuple[Ignored, ...]
    asked: str
    rest: str
