"""Which word each `not`, `never` and `without` denies."""

from typing import Final

from vmk_mcp.ask.drafting.offline.events import is_event
from vmk_mcp.ask.drafting.offline.query import ambiguous
from vmk_mcp.ask.drafting.offline.reading import SOFT, Reading

_PASSED: Final = SOFT - {"join", "comma"}


def find_negated(reading: Reading) -> set[int]:
    """Give the positions of denied words, and account for what denies them.

    Raises:
        Unclear: nothing that can be denied follows.
    """
    negated = set()
    for position in range(len(reading.items)):
        if reading.kind(position) != "negate" or position in reading.used:
            continue
        following = reading.after(position, over={*_PASSED, "distinct"})
        reading.use(position)
        if reading.kind(following) == "negate":
            continue
        if reading.kind(following) not in {"name", "light"}:
            word = reading.items[position].text
            raise ambiguous(f"It is not said what “{word}” denies. Name it after that word.")
        is_prefix = reading.items[position].sense == "prefix"
        negated.add(following if is_prefix else _find_denied(reading, following))
    return negated


def _find_denied(reading: Reading, position: int) -> int:
    """Give the noun that `no open violations` denies, or the word itself."""
    item = reading.items[position]
    noun = reading.after(position, over=_PASSED)
    if not reading.table_at(position) and item.of("value", "flag"):
        return _find_narrowed(reading, position, noun)
    is_only_verb = item.kind == "light" or not item.of("table", "column", "value", "flag")
    if is_only_verb and reading.table_at(noun):
        return noun
    is_only_event = bool(item.senses) and all(map(is_event, item.senses))
    return noun if is_only_event and reading.table_at(noun) and noun not in reading.used else position


def _find_narrowed(reading: Reading, position: int, noun: int) -> int:
    """Give the noun that a value stands before, or reaches as in `never failed an inspection`."""
    table = reading.attributed_table(position)
    if table == reading.root:
        return position
    if table:
        noun = next(at for at in range(position, len(reading.items)) if reading.table_at(at) == table)
        if noun not in reading.used:
            return noun
    is_reached = bool(reading.table_at(noun)) and noun not in reading.used
    has_value = any(
        sense.table == reading.table_at(noun) for sense in reading.items[position].of("value", "flag")
    )
    return noun if is_reached and has_value else position
