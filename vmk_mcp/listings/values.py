"""The stored spellings of names and enumerated values: what filters are resolved against."""

import asyncio
import difflib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextvars import Context
from typing import Final, Protocol

from msgspec import Struct

from vmk_mcp.listings.model import ENUMERATIONS
from vmk_mcp.listings.normalize import fold_name

_NEAREST: Final = 5
_LIKENESS: Final = 0.6
# Folded once: in each call that took 60 of the 240 µs that a search by meaning spends beside its store.
_DECLARED_KEYS: Final = {
    field: frozenset(map(fold_name, declared)) for field, declared in ENUMERATIONS.items()
}


class StoredValue(Struct, frozen=True):
    """One distinct value of a column, and how many listings have it."""

    field: str
    value: str
    listings: int


class PropertyType(Struct, frozen=True):
    """One row of `property_types`; a live table may have no slugs."""

    id: int
    slug: str | None
    name: str

    def __str__(self) -> str:
        """Name the kind as a caller may."""
        return f"{self.slug or self.name} ({self.id})"


class ValueIndex:
    """Distinct stored values by column, found whatever their case, apostrophe or look-alike letters."""

    def __init__(self, values: Sequence[StoredValue], property_types: Sequence[PropertyType]) -> None:
        """Build the index; `values` come most frequent first within each field.

        `total` is the number of listings, as far as the fullest of the columns tells.
        """
        self._by_key: dict[str, dict[str, list[str]]] = {}
        self._known_words: dict[str, dict[str, str]] = {}
        for stored in values:
            keys = self._by_key.setdefault(stored.field, {})
            keys.setdefault(fold_name(stored.value), []).append(stored.value)
        self._property_types = tuple(property_types)
        # By id, slug and name, the first to claim a word; folded once, for every search asks.
        self._kind_ids: dict[str, int] = {}
        for kind in property_types:
            for word in (str(kind.id), kind.slug, kind.name):
                if word:
                    self._kind_ids.setdefault(fold_name(word), kind.id)
        by_field: Counter[str] = Counter()
        self._counts: dict[tuple[str, str], int] = {}
        for stored in values:
            by_field[stored.field] += stored.listings
            self._counts[stored.field, stored.value] = stored.listings
        self.total = max(by_field.values(), default=0)

    def spellings(self, field: str, name: str) -> list[str]:
        """Give every stored spelling of `name` in the column `field`; none when it occurs nowhere."""
        return self._by_key.get(field, {}).get(fold_name(name), [])

    def at_most(self, wanted: Mapping[str, Sequence[str] | None]) -> int:
        """Give how many listings can have, by column, one of the stored values wanted (None: any)."""
        counts = self._counts
        return min(
            (
                sum(counts.get((field, value), 0) for value in set(values))
                for field, values in wanted.items()
                if values is not None
            ),
            default=self.total,
        )

    def stored(self, field: str) -> list[str]:
        """Give every spelling that is stored in the column `field`, most frequent name first."""
        return [spelling for spellings in self._by_key.get(field, {}).values() for spelling in spellings]

    def variants(self, field: str) -> tuple[list[str], list[str]]:
        """Give every rarer spelling of a name of `field`, and for each the most frequent one."""
        names = self._by_key.get(field, {}).values()
        pairs = [(rarer, spellings[0]) for spellings in names for rarer in spellings[1:]]
        return [rarer for rarer, _ in pairs], [usual for _, usual in pairs]

    def known(self, field: str) -> list[str]:
        """Give the values of `field`: those of the enumeration, then what else is stored, once each."""
        keys = _DECLARED_KEYS.get(field, frozenset())
        others = (names[0] for key, names in self._by_key.get(field, {}).items() if key not in keys)
        return [*ENUMERATIONS.get(field, ()), *others]

    def known_words(self, field: str) -> Mapping[str, str]:
        """Give `known` by word without regard to case; made once, for every search asks."""
        if (words := self._known_words.get(field)) is None:
            words = self._known_words[field] = {word.casefold(): word for word in self.known(field)}
        return words

    def nearest(self, field: str, name: str) -> list[str]:
        """Give up to five known values of `field` that look like `name`, best first."""
        keys = self._by_key.get(field, {})
        found = difflib.get_close_matches(fold_name(name), keys, n=_NEAREST, cutoff=_LIKENESS)
        return [keys[key][0] for key in found]

    def beginning_with(self, field: str, text: str) -> list[str]:
        """Give the values of `field` that begin like `text`, most frequent first."""
        start = fold_name(text)
        return [
            spellings[0] for key, spellings in self._by_key.get(field, {}).items() if key.startswith(start)
        ]

    @property
    def property_types(self) -> tuple[PropertyType, ...]:
        """All kinds of property, by id."""
        return self._property_types

    def property_type_id(self, word: str | int) -> int | None:
        """Give the id of the kind that `word` names by id, slug or name; None when none does."""
        if isinstance(word, int):
            return word if word in self._kind_ids.values() else None
        return self._kind_ids.get(fold_name(word))


class ValueStore(Protocol):
    """Where the distinct values come from."""

    async def list_values(self) -> Sequence[StoredValue]:
        """Give each distinct value of the named and enumerated columns, most frequent first by field."""

    async def list_property_types(self) -> Sequence[PropertyType]:
        """Give all kinds of property by id."""


class LiveValues:
    """A `ValueIndex` that is loaded when first needed and refreshed in the background when it is old."""

    def __init__(
        self,
        store: ValueStore,
        *,
        clock: Callable[[], float],
        max_age_s: float = 300.0,
        prepare: Callable[[ValueIndex], object] | None = None,
    ) -> None:
        """Describe the source.

        Args:
            store: where the values come from.
            clock: gives monotonic seconds.
            max_age_s: seconds after which the values are read again.
            prepare: run on each new index before it serves, in a thread: for what is built of it once.
        """
        self._prepare = prepare
        self._store = store
        self._clock = clock
        self._max_age_s = max_age_s
        self._index: ValueIndex | None = None
        self._tried_at = 0.0
        self._loading: asyncio.Task[ValueIndex] | None = None

    async def get(self) -> ValueIndex:
        """Give the index; waits only for the first load. Raises what the store raises, then.

        When a refresh fails, the old index serves on until the next refresh is due.
        """
        if self._index is None:
            return await asyncio.shield(self._begin_load())
        if self._clock() - self._tried_at > self._max_age_s:
            self._loading = self._begin_load()
        return self._index

    async def close(self) -> None:
        """Stop a refresh that is under way."""
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.wait([self._loading])

    def _begin_load(self) -> asyncio.Task[ValueIndex]:
        if self._loading is None or self._loading.done():
            self._tried_at = self._clock()
            # In a context of its own: the time it takes is not the caller's.
            self._loading = asyncio.create_task(self._read(), context=Context())
            self._loading.add_done_callback(_note_failure)
        return self._loading

    async def _read(self) -> ValueIndex:
        values, kinds = await asyncio.gather(self._store.list_values(), self._store.list_property_types())
        # Thousands of names are folded: too long for the event loop to stand still.
        self._index = await asyncio.to_thread(self._build, values, kinds)
        return self._index

    def _build(self, values: Sequence[StoredValue], kinds: Sequence[PropertyType]) -> ValueIndex:
        index = ValueIndex(values, kinds)
        if self._prepare is not None:
            self._prepare(index)
        return index


def _note_failure(task: asyncio.Task[ValueIndex]) -> None:
    # The store has told the observer, and whoever waited is told too.
    if not task.cancelled():
        task.exception()
