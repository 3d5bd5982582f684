"""Which phrases of the sample's banks a text holds, in whichever language and form it holds them."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from vmk_mcp.listings.document import strip_markup
from vmk_mcp.listings.normalize import mend_letters
from vmk_mcp.sample.realty.phrases import read_bank

_LANGUAGES: Final = ("uk", "ru")

_TOLD: Final = (
    "appliances", "balcony", "bargain", "bathroom", "building", "business_renovation", "business_tech",
    "business_use", "documents", "floor", "furniture", "garage_use", "heating", "house_plan", "land_place",
    "land_use", "land_utilities", "layout", "metro", "nearby", "parking", "pets", "plot", "power",
    "renovation", "room_neighbours", "seller", "tenants", "terms", "transit", "utilities", "view",
)  # fmt: skip
"""Tables of the banks whose cases say something of the listing; the others only name it."""

_SLOT: Final = re.compile(r"\\\{\w+\\\}")
_SLOT_TEXT: Final = r".{1,40}?"


def plain(text: str) -> str:
    """Give the words of `text` as rules meet them: no mark-up, one apostrophe, lower case, `е` for `ё`."""
    return mend_letters(strip_markup(text)).casefold().replace("ё", "е")


def find_phrases(text: str) -> frozenset[str]:
    """Give `aspect.case` of each phrase in `text`, which `plain` has given."""
    return frozenset(
        name for name, literal, pattern in _patterns() if literal in text and pattern.search(text)
    )


def phrase_names() -> frozenset[str]:
    """Give every name that `find_phrases` can give."""
    return frozenset(name for name, _, _ in _patterns())


@cache
def _patterns() -> list[tuple[str, str, re.Pattern[str]]]:
    return [
        (name, *_compile(template))
        for language in _LANGUAGES
        for name, templates in _told(language)
        for template in templates
    ]


def _told(language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    bank = read_bank(language)
    for aspect in _TOLD:
        for case, templates in bank[aspect].items():
            yield f"{aspect}.{case}", tuple(templates)


def _compile(template: str) -> tuple[str, re.Pattern[str]]:
    """Give the longest literal piece of a template, by which most texts are passed over, and its pattern."""
    pieces = _SLOT.split(re.escape(plain(template)))
    literal = max((re.sub(r"\\(.)", r"\1", piece) for piece in pieces), key=len)
    return literal, re.compile(_SLOT_TEXT.join(pieces))
