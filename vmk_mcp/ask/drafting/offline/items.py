"""What a question is made of once its words are known: items, in the order they were said."""

from decimal import Decimal

from msgspec import Struct

from vmk_mcp.ask.drafting.offline.periods import Period
from vmk_mcp.ask.drafting.offline.vocabulary import Sense


class Item(Struct, frozen=True):
    """A word or phrase that is understood alone.

    Attributes:
        kind: a kind of the lexicon, or `name` (of the source), `number`, `period`, `unknown`, `comma`, `end`.
        text: as written, for refusals.
        sense: the lexicon's meaning.
        senses: what a name may stand for.
    """

    kind: str
    text: str
    sense: str = ""
    number: Decimal | None = None
    period: Period | None = None
    senses: tuple[Sense, ...] = ()

    def of(self, *kinds: str) -> tuple[Sense, ...]:
        """Give the senses of some kinds."""
        return tuple(sense for sense in self.senses if sense.kind in kinds)

    @property
    def table(self) -> str:
        """The table that the item names, or empty."""
        return next((sense.table for sense in self.senses if sense.kind == "table"), "")
