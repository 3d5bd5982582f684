"""A text read as filters: places first, then the grammar, then what all of it comes to."""

from typing import Final

import msgspec

from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.interpretation.combining import combine
from vmk_mcp.listings.interpretation.names import PlaceNames, place_names
from vmk_mcp.listings.interpretation.outcome import Ignored, Interpretation, Understood
from vmk_mcp.listings.interpretation.places import find_places
from vmk_mcp.listings.interpretation.remainder import left_words
from vmk_mcp.listings.interpretation.scanning import EXCLUDED, Scan
from vmk_mcp.listings.normalize import mend_letters
from vmk_mcp.listings.values import ValueIndex

LONGEST_WISH: Final = 500
"""Characters. A longer text is a description, whose words tell of much that nobody asked for."""


def interpret(text: str, values: ValueIndex) -> Interpretation:
    """Read the wishes in `text`, Ukrainian or Russian, as filters; names are those that `values` holds.

    Only what is plain becomes a filter: a price without a currency, a place that is ruled out or a wish that
    no filter expresses stays in the text, and is told. An amount without a bound means a tenth up and down,
    "near the underground" 1,000 m, a minute's walk 80 m. Never raises; a text of more than 500 characters
    is not interpreted.
    """
    mended = " ".join(mend_letters(text).split())
    if len(mended) > LONGEST_WISH:
        return Interpretation(Filters(), (), (), mended, mended)
    names = place_names(values)
    read = _read(mended, names, values)
    rest = read.rest
    while rest and (closed := _read(rest, names, values).rest) != rest:
        rest = closed
    return msgspec.structs.replace(read, rest=rest)


def _read(text: str, names: PlaceNames, values: ValueIndex) -> Interpretation:
    scan = _scan(text, names)
    if scan.excluded and (kept := scan.without_excluded()):
        # What is not wanted is not to be searched for, and may stand between wishes that belong together.
        told = tuple(Ignored(scan.words(first, end), EXCLUDED) for first, end in scan.excluded)
        read = _read(kept, names, values)
        return msgspec.structs.replace(read, ignored=(*told, *read.ignored))
    combined = combine(scan, values)
    understood = tuple(
        Understood(name, value, "; ".join(dict.fromkeys(combined.words[name])))
        for name, value in combined.values.items()
    )
    filters = msgspec.convert(combined.values, Filters)
    return Interpretation(filters, understood, tuple(scan.ignored), text, left_words(scan))


def _scan(text: str, names: PlaceNames) -> Scan:
    scan = Scan.begin(text)
    find_places(scan, names)
    scan.apply_grammar()
    # Once more: where neighbours have become filters, a bare name stands alone.
    find_places(scan, names)
    scan.exclude_words()
    return scan
