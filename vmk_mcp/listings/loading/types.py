"""Kinds of property as files name them: by id, slug, name or a usual word."""

import re
from collections.abc import Iterable
from typing import Final

from vmk_mcp.listings.loading.rows import Unfit, shorten
from vmk_mcp.listings.loading.words import fold_word, read_words
from vmk_mcp.listings.writing import PropertyTypeRecord

_SHOWN: Final = 15


class PropertyTypes:
    """The rows of `property_types`; unknown kinds are refused, or made where that was asked for.

    Attributes:
        made: kinds that were made and are not written yet.
    """

    def __init__(self, known: Iterable[PropertyTypeRecord], *, makes_unknown: bool = False) -> None:
        self.made: list[PropertyTypeRecord] = []
        self._makes_unknown = makes_unknown
        self._by_id: dict[int, PropertyTypeRecord] = {}
        self._by_word: dict[str, int] = {}
        for kind in known:
            self._learn(kind)

    def add(self, kinds: Iterable[PropertyTypeRecord]) -> None:
        """Know these too, and have them written."""
        for kind in kinds:
            self._learn(kind)
            self.made.append(kind)

    def find_id(self, given: object) -> int:
        """Give the id of a kind.

        Raises:
            Unfit: no kind is called so.
        """
        if isinstance(given, float) and given.is_integer():
            given = int(given)
        text = str(given).strip()
        if text.isdecimal() and int(text) in self._by_id:
            return int(text)
        if (known := self._find_word(text)) is not None:
            return known
        if self._makes_unknown and isinstance(given, str) and re.search(r"[^\W\d_]", text):
            return self._make(text).id
        names = [f"{kind.slug} ({kind.name})" for kind in list(self._by_id.values())[:_SHOWN]]
        raise Unfit(f"a kind of property by id, slug or name, or --create-types; known: {', '.join(names)}")

    def name_of(self, type_id: int | None) -> str | None:
        """Give the name of a kind."""
        kind = self._by_id.get(type_id or 0)
        return kind.name if kind else None

    def _find_word(self, text: str) -> int | None:
        word = fold_word(text)
        slug = read_words().values["property_type"].get(word, "")
        return self._by_word.get(word, self._by_word.get(fold_word(slug)))

    def _make(self, name: str) -> PropertyTypeRecord:
        name = shorten(name)
        latin = "".join(read_words().latin.get(letter, letter) for letter in name.casefold())
        slug = re.sub(r"[^a-z0-9]+", "_", latin).strip("_")
        number = max(self._by_id, default=0) + 1
        taken = any(kind.slug == slug for kind in self._by_id.values())
        kind = PropertyTypeRecord(number, f"{slug}_{number}" if taken or not slug else slug, name)
        self._learn(kind)
        self.made.append(kind)
        return kind

    def _learn(self, kind: PropertyTypeRecord) -> None:
        self._by_id[kind.id] = kind
        for word in (kind.slug, kind.name):
            self._by_word.setdefault(fold_word(word), kind.id)
