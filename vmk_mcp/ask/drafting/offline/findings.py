"""What the grammar has found out so far of what a question measures, orders and is about."""

from decimal import Decimal
from typing import Final

from vmk_mcp.ask.drafting.offline.nouns import Noun
from vmk_mcp.ask.drafting.offline.query import Measure, Order, Place, ambiguous

_MOST_ROWS: Final = 1_000


class Findings:
    """Filled step by step.

    Attributes:
        subject: what `which ...`, `top 5 ...` or the first noun is about; None for a mere measure.
        base: the table whose rows are measured, or empty.
        limit: how many rows were asked for.
        share_position: of the noun that a share is of; -1 where none is asked for.
        ratio: what a whole share is written as.
        asks_part: whether a part of dates is asked for, as by `which month`.
    """

    def __init__(self) -> None:
        self.subject: Noun | None = None
        self.base = ""
        self.measures: list[Measure] = []
        self.order: Order | None = None
        self.limit: int | None = None
        self.share_position = -1
        self.ratio = 100
        self.asks_part = False

    def measure(self, table: str, *measures: Measure) -> None:
        """Take measures over the rows of a table; raises `Unclear` where others are there."""
        if self.base and (self.base != table or self.measures[:1] == list(measures)):
            raise ambiguous("The question measures several things at once. Ask for one after the other.")
        self.base = table
        self.measures += measures

    def rank(self, *, is_descending: bool, place: Place | None = None) -> None:
        """Order the rows by a column, or by the first measure."""
        self.order = Order(is_descending, place)

    def take_limit(self, number: Decimal | None) -> None:
        """Take the number of rows asked for, where one was said; raises `Unclear` for one that cannot be."""
        if number is None:
            return
        if not 0 < number <= _MOST_ROWS or number != int(number):
            raise ambiguous(f"{number} rows cannot be listed. Ask for a whole number from 1 to {_MOST_ROWS}.")
        self.limit = int(number)
