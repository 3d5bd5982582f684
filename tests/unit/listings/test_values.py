"""The index of stored values, and how it is kept fresh."""

import asyncio
from collections.abc import Sequence

import pytest

from tests.fakes import FakeClock
from vmk_mcp.errors import StoreUnavailable
from vmk_mcp.listings.values import LiveValues, PropertyType, StoredValue, ValueIndex

KINDS = (
    PropertyType(1, "apartment", "Квартира"),
    PropertyType(2, None, "Будинок"),
    PropertyType(3, "30", "Склад"),
)
INDEX = ValueIndex(
    [
        StoredValue("city", "Київ", 50),
        StoredValue("city", "Кривий Ріг", 7),
        StoredValue("city", "КИЇВ", 3),
        StoredValue("city", "Одеса", 2),
        StoredValue("currency", "usd", 4),
        StoredValue("currency", "PLN", 1),
        StoredValue("district", "Солом'янський", 9),
        StoredValue("district", "Солом’янський", 8),
    ],
    KINDS,
)


@pytest.mark.parametrize("name", ["Київ", "київ", "Киiв", " КИЇВ ", "Ки\u0301їв", "Київ\0"])
def test_a_name_is_found_in_all_its_stored_spellings(name: str) -> None:
    assert INDEX.spellings("city", name) == ["Київ", "КИЇВ"]


@pytest.mark.parametrize("sign", "'\u2019\u02bc`\u00b4")
def test_apostrophes_make_no_difference(sign: str) -> None:
    assert INDEX.spellings("district", f"солом{sign}янський") == ["Солом'янський", "Солом’янський"]


def test_an_unknown_name_has_no_spelling_but_neighbours() -> None:
    assert INDEX.spellings("city", "Кіїв") == []
    assert INDEX.nearest("city", "Кіїв") == ["Київ"]
    assert INDEX.nearest("city", "щось геть інше") == []
    assert INDEX.spellings("no_such_field", "Київ") == INDEX.nearest("no_such_field", "Київ") == []


def test_the_total_is_that_of_the_fullest_column() -> None:
    assert INDEX.total == 62
    assert ValueIndex([], []).total == 0


def test_known_values_are_the_enumeration_then_what_else_is_stored() -> None:
    assert INDEX.known("currency") == ["USD", "EUR", "UAH", "PLN"]
    assert INDEX.known("city") == ["Київ", "Кривий Ріг", "Одеса"]
    assert INDEX.stored("currency") == ["usd", "PLN"]


def test_names_are_completed_from_their_beginning_most_frequent_first() -> None:
    assert INDEX.beginning_with("city", "к") == ["Київ", "Кривий Ріг"]
    assert INDEX.beginning_with("city", "kри") == ["Кривий Ріг"]
    assert INDEX.beginning_with("city", "") == ["Київ", "Кривий Ріг", "Одеса"]


@pytest.mark.parametrize(
    ("word", "kind"),
    [(1, 1), ("1", 1), ("apartment", 1), ("Apartment", 1), ("квартира", 1), (2, 2), ("будинок", 2), ("30", 3),
     (30, None), ("дім", None), ("", None), (9, None)],
)  # fmt: skip
def test_a_kind_is_named_by_id_slug_or_name(word: str | int, kind: int | None) -> None:
    assert INDEX.property_type_id(word) == kind


def test_a_kind_is_shown_by_its_slug_and_id() -> None:
    assert [str(kind) for kind in INDEX.property_types] == ["apartment (1)", "Будинок (2)", "30 (3)"]


class CountingStore:
    """Gives one more listing with each reading, holds readings back and fails when told to."""

    def __init__(self) -> None:
        self.readings = 0
        self.failure: StoreUnavailable | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def list_values(self) -> Sequence[StoredValue]:
        self.readings += 1
        count = self.readings
        await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        return [StoredValue("city", "Київ", count)]

    async def list_property_types(self) -> Sequence[PropertyType]:
        return KINDS


async def settle(values: LiveValues | None = None) -> None:
    """Let whatever can run now do so, and a reading of `values` that nothing holds back come to its end."""
    for _ in range(10):
        await asyncio.sleep(0)
    if values is not None and values._loading is not None:
        await asyncio.wait([values._loading])


async def test_what_is_built_of_an_index_is_built_before_it_serves() -> None:
    built: list[ValueIndex] = []
    values = LiveValues(CountingStore(), clock=FakeClock(), prepare=built.append)
    assert built == [await values.get()]


async def test_many_first_calls_wait_for_one_reading() -> None:
    store = CountingStore()
    store.gate.clear()
    values = LiveValues(store, clock=FakeClock())
    calls = [asyncio.create_task(values.get()) for _ in range(20)]
    await settle()
    store.gate.set()
    indexes = await asyncio.gather(*calls)
    assert store.readings == 1
    assert len(set(map(id, indexes))) == 1


async def test_an_old_index_serves_while_the_new_one_is_read() -> None:
    store, clock = CountingStore(), FakeClock()
    values = LiveValues(store, clock=clock, max_age_s=300)
    assert (await values.get()).total == 1
    clock.advance(300)
    assert (await values.get()).total == 1
    await settle(values)
    assert store.readings == 1
    clock.advance(1)
    store.gate.clear()
    assert [(await values.get()).total for _ in range(5)] == [1] * 5
    store.gate.set()
    await settle(values)
    assert ((await values.get()).total, store.readings) == (2, 2)


async def test_a_refresh_that_fails_leaves_the_old_index_and_is_not_tried_at_every_call() -> None:
    store, clock = CountingStore(), FakeClock()
    values = LiveValues(store, clock=clock, max_age_s=300)
    await values.get()
    store.failure = StoreUnavailable("gone")
    clock.advance(301)
    for _ in range(5):
        assert (await values.get()).total == 1
        await settle(values)
    assert store.readings == 2
    store.failure = None
    clock.advance(301)
    await values.get()
    await settle(values)
    assert (await values.get()).total == 3


async def test_a_first_reading_that_fails_is_told_to_all_and_tried_again() -> None:
    store = CountingStore()
    store.failure = StoreUnavailable("gone")
    values = LiveValues(store, clock=FakeClock())
    outcomes = await asyncio.gather(values.get(), values.get(), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 2
    assert store.readings == 1
    store.failure = None
    assert (await values.get()).total == 2


async def test_a_caller_who_gives_up_does_not_stop_the_others_reading() -> None:
    store = CountingStore()
    store.gate.clear()
    values = LiveValues(store, clock=FakeClock())
    impatient, patient = asyncio.create_task(values.get()), asyncio.create_task(values.get())
    await settle()
    impatient.cancel()
    await settle()
    store.gate.set()
    assert (await patient).total == 1
    assert impatient.cancelled()


async def test_a_failure_that_nobody_waits_for_any_more_stays_quiet() -> None:
    store = CountingStore()
    store.gate.clear()
    store.failure = StoreUnavailable("gone")
    values = LiveValues(store, clock=FakeClock())
    call = asyncio.create_task(values.get())
    await settle()
    call.cancel()
    store.gate.set()
    await settle()
    with pytest.raises(StoreUnavailable):
        await values.get()


async def test_closing_stops_a_reading_under_way() -> None:
    store = CountingStore()
    store.gate.clear()
    values = LiveValues(store, clock=FakeClock())
    call = asyncio.create_task(values.get())
    await settle()
    await values.close()
    with pytest.raises(asyncio.CancelledError):
        await call
    await LiveValues(store, clock=FakeClock()).close()
