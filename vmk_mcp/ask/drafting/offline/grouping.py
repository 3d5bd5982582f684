"""What there is one row of the answer for: `per contractor`, `by severity and status`, `each month`."""

from vmk_mcp.ask.drafting.offline.columns import is_flag, is_number, is_text, is_whole, is_year
from vmk_mcp.ask.drafting.offline.query import Group, ambiguous
from vmk_mcp.ask.drafting.offline.reading import Reading, place_of
from vmk_mcp.ask.drafting.offline.stems import is_participle
from vmk_mcp.ask.drafting.offline.vocabulary import Sense


class Grouping:
    """Reads the groups of a question; `part_positions` tells where parts of dates were said."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.groups: list[Group] = []
        self.part_positions: list[int] = []

    def read(self) -> None:
        """Account for all groups."""
        reading = self._reading
        for position in range(len(reading.items)):
            if position in reading.used:
                continue
            if reading.kind(position) == "group":
                self._read_at(position)
            elif reading.kind(position) == "part" and self._is_adverb(position):
                self._add_part(position)

    def _is_agent(self, position: int, following: int) -> bool:
        """Say whether `by` tells who did it, as in `held by contractors`, and not what to group by."""
        reading = self._reading
        items = reading.items
        if items[position].sense != "by" or position == 0 or not reading.table_at(following):
            return False
        is_done = items[position - 1].kind == "light" or is_participle(items[position - 1].text.lower())
        return is_done and items[following].text.lower().endswith("s")

    def _is_adverb(self, position: int) -> bool:
        """Say whether a part of dates stands for a group by itself: `monthly`, `which month`."""
        is_adverb = self._reading.items[position].text.lower().endswith(("ly", "чно"))
        return is_adverb or self._reading.kind(position - 1) == "ask"

    def _read_at(self, position: int) -> None:
        reading = self._reading
        following = position + 1
        while reading.kind(following) in {"group", "filler", "link"}:
            following += 1
        if self._is_agent(position, following):
            reading.use(position)
            return
        if not self._add_target(following):
            if reading.kind(following) == "name" and self._is_value(following):
                reading.use(position)
            return
        reading.use(*range(position, following + 1))
        while self._is_joined(following + 1):
            following += 2
            while reading.kind(following) in {"group", "filler", "link"}:
                following += 1
            if not self._add_target(following):
                return
            reading.use(*range(following - 1, following + 1))

    def _is_ranking(self) -> bool:
        """Say whether an order is asked for, which goes `by number of trees` too."""
        return any(item.kind in {"most", "sort"} for item in self._reading.items)

    def _is_joined(self, position: int) -> bool:
        reading = self._reading
        is_next = reading.kind(position + 1) in {"part", "name", "group"}
        return reading.kind(position) in {"join", "comma"} and is_next and not self._is_value(position + 1)

    def _is_value(self, position: int) -> bool:
        item = self._reading.items[position]
        return bool(item.senses) and item.senses[0].kind == "value"

    def _add_target(self, position: int) -> bool:
        """Take the group at a position; False where nothing there can be one.

        Raises:
            Unclear: it is a number of other things, such as `by number of rooms`.
        """
        reading = self._reading
        if reading.kind(position) == "part":
            self._add_part(position)
            return True
        if reading.kind(position) == "measure" and not self._is_ranking():
            raise ambiguous("It is not clear what the answer should be grouped by. Name one column.")
        if reading.kind(position) != "name":
            return False
        if table := reading.table_at(position):
            self.groups.append(Group(table=table))
            reading.use(position)
            return True
        sense = reading.place(position, can_group)
        if sense is None:
            return False
        self.groups.append(Group(place=place_of(sense)))
        reading.use(position)
        return True

    def _add_part(self, position: int) -> None:
        reading = self._reading
        reading.use(position)
        self.part_positions.append(position)
        self.groups.append(Group(part=reading.items[position].sense))


def can_group(sense: Sense) -> bool:
    """Say whether the values of a column may stand for groups, as words, flags and whole numbers may."""
    column = sense.column
    if column is None or sense.kind not in {"column", "flag"}:
        return False
    return is_text(column) or is_flag(column) or is_year(column) or is_whole(column) or not is_number(column)


def refuse_nested_average() -> None:
    """Say why an average of counts is not guessed."""
    raise ambiguous(
        "An average number may count those that have none or leave them out. "
        "Ask for the number of each, or for both totals, and divide."
    )
