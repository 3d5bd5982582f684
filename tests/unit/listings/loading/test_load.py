"""A load as a whole over a table in memory: merging, counting, refusing, going on after a break."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from tests.unit.listings.loading.fake_store import FakeLoadingStore
from vmk_mcp.errors import InvalidArguments, StoreUnavailable
from vmk_mcp.listings.loading.batches import BatchTrial, BatchWriter
from vmk_mcp.listings.loading.checkpoint import Checkpoint, CheckpointFile
from vmk_mcp.listings.loading.load import FileLoad, LoadRules, describe_fault
from vmk_mcp.listings.loading.mapping import ColumnMapping, MappingRules
from vmk_mcp.listings.loading.reading import RowReader
from vmk_mcp.listings.loading.refusals import RefusalFile, RefusedRow
from vmk_mcp.listings.loading.rows import RawRow, RowFault
from vmk_mcp.listings.loading.store import WrittenBatch, WrittenRow
from vmk_mcp.listings.loading.tally import Tally
from vmk_mcp.listings.loading.types import PropertyTypes

Rows = Sequence[dict[str, Any]]


class ListedRows:
    """Rows at hand as a file; see `RowSource`."""

    unit: Literal["line", "row"] = "row"

    def __init__(self, rows: Rows) -> None:
        self.columns: Sequence[str] = list(dict.fromkeys(name for row in rows for name in row))
        self._rows = rows

    def read_rows(self, skip: int) -> Iterator[RawRow]:
        """See `RowSource.read_rows`."""
        for number, row in enumerate(self._rows[skip:], start=skip + 1):
            yield RawRow(number, row)

    def measure(self) -> tuple[int, int]:
        """See `RowSource.measure`."""
        return 0, len(self._rows)

    def close(self) -> None:
        """See `RowSource.close`."""


class KeptRefusals:
    """See `RefusalSink`."""

    def __init__(self) -> None:
        self.rows: list[RefusedRow] = []

    def add(self, refused: RefusedRow) -> None:
        """See `RefusalSink.add`."""
        self.rows.append(refused)

    def flush(self) -> int:
        """See `RefusalSink.flush`."""
        return len(self.rows)


class Loads:
    """Loads rows into one table again and again."""

    def __init__(self) -> None:
        self.store = FakeLoadingStore()
        self.types = PropertyTypes([], makes_unknown=True)
        self.refusals = KeptRefusals()
        self.checkpoints: list[Checkpoint] = []
        self.made_room = 0

    async def load(self, rows: Rows, checkpoint: Checkpoint | None = None, **rules: Any) -> Tally:
        """Load `rows` in batches of two."""
        batches = BatchWriter(self.store, self.types, configuration="simple", before_first=self._make_room)
        return await self._file_load(rows, batches, **rules).run(
            checkpoint or Checkpoint(), self._keep, lambda done, total, tally: None
        )

    async def try_out(self, rows: Rows) -> Tally:
        """Find out what loading `rows` would do."""
        load = self._file_load(rows, BatchTrial(self.store))
        return await load.run(Checkpoint(), self._keep, lambda done, total, tally: None)

    def _file_load(self, rows: Rows, batches: BatchWriter | BatchTrial, **rules: Any) -> FileLoad:
        source = ListedRows(rows)
        reader = RowReader(ColumnMapping(source.columns, MappingRules()), self.types)
        return FileLoad(source, reader, batches, self.refusals, LoadRules(rows_at_once=2, **rules))

    async def _make_room(self) -> None:
        self.made_room += 1

    def _keep(self, checkpoint: Checkpoint) -> None:
        self.checkpoints.append(msgspec.convert(msgspec.to_builtins(checkpoint), Checkpoint))


def listing(listing_id: int, **values: Any) -> dict[str, Any]:
    return {"id": listing_id, "title": f"Квартира {listing_id}", **values}


FIVE = [listing(n, price=n * 1000, city="Київ") for n in range(1, 6)]


async def test_all_rows_go_in_and_a_second_load_changes_nothing() -> None:
    loads = Loads()
    first, second = await loads.load(FIVE), await loads.load(FIVE)
    assert (first.read, first.inserted, first.updated, first.unchanged) == (5, 5, 0, 0)
    assert (second.read, second.inserted, second.updated, second.unchanged) == (5, 0, 0, 5)
    assert loads.store.rows[1]["listing_status"] == "active"


async def test_only_the_columns_of_the_file_are_written() -> None:
    loads = Loads()
    await loads.load([listing(1, price=5, city="Львів", listing_status="sold")])
    tally = await loads.load([listing(1, price=6, listing_status="")])
    assert (tally.inserted, tally.updated) == (0, 1)
    assert (loads.store.rows[1]["city"], loads.store.rows[1]["listing_status"]) == ("Львів", "sold")


async def test_an_empty_cell_empties_its_column() -> None:
    loads = Loads()
    await loads.load([listing(1, city="Львів")])
    await loads.load([listing(1, city="")])
    assert loads.store.rows[1]["city"] is None


@pytest.mark.parametrize(
    ("change", "keeps"),
    [
        ({"price": 7}, True),
        ({"contact_phone": "1"}, True),
        ({"title": "Будинок"}, False),
        ({"city": "Одеса"}, False),
    ],
)
async def test_a_vector_stays_as_long_as_the_text_it_was_made_of(change: dict[str, Any], keeps: bool) -> None:
    loads = Loads()
    await loads.load([listing(1, price=5, city="Львів")])
    loads.store.vectors[1] = [1.0]
    await loads.load([listing(1, price=5, city="Львів") | change])
    assert (1 in loads.store.vectors) is keeps


async def test_bad_rows_are_refused_and_the_others_go_in() -> None:
    loads = Loads()
    tally = await loads.load([listing(1), listing(2, price="x"), {"title": "y", "id": None}, listing(4)])
    assert sorted(loads.store.rows) == [1, 4]
    assert (tally.inserted, tally.refused, tally.faults) == (2, 2, {"price": 1, "id": 1})
    assert [row.number for row in loads.refusals.rows] == [2, 3]


async def test_a_row_that_the_table_refuses_does_not_take_its_batch_along() -> None:
    loads = Loads()
    loads.store.refused = {"Квартира 2"}
    tally = await loads.load(FIVE)
    assert sorted(loads.store.rows) == [1, 3, 4, 5]
    assert (tally.inserted, tally.refused, tally.faults) == (4, 1, {"row": 1})
    (refused,) = loads.refusals.rows
    assert (refused.number, refused.row["id"]) == (2, 2)
    assert "a text is longer" in refused.faults[0].wanted


async def test_a_strict_load_stops_at_the_first_bad_row() -> None:
    loads = Loads()
    rows = [listing(1), listing(2), listing(3), listing(4, price="x"), listing(5)]
    with pytest.raises(InvalidArguments, match="row 4, price: 'x' is not a number"):
        await loads.load(rows, is_strict=True)
    assert sorted(loads.store.rows) == [1, 2, 3]


async def test_of_rows_with_one_id_the_last_is_taken() -> None:
    loads = Loads()
    tally = await loads.load([listing(1, price=1), listing(1, price=2)])
    assert (tally.read, tally.inserted, tally.repeated) == (2, 1, 1)
    assert loads.store.rows[1]["price"] == "2"


async def test_a_trial_writes_nothing_and_counts_what_is_new() -> None:
    loads = Loads()
    await loads.load(FIVE[:2])
    tally = await loads.try_out([*FIVE, listing(9, price="x")])
    assert sorted(loads.store.rows) == [1, 2]
    assert (tally.inserted, tally.unchanged, tally.refused) == (3, 2, 1)


async def test_room_is_made_once_and_only_when_a_row_comes() -> None:
    loads = Loads()
    await loads.load([{"id": None, "title": "x"}])
    assert loads.made_room == 0
    await loads.load(FIVE)
    assert loads.made_room == 1


async def test_kinds_that_were_made_are_written_before_their_listings() -> None:
    loads = Loads()
    await loads.load([listing(1, type="Готель"), listing(2, type="готель")])
    assert [kind.slug for kind in loads.store.types.values()] == ["hotel"]
    assert {row["property_type_id"] for row in loads.store.rows.values()} == {1}


@pytest.mark.parametrize("broken_after", [1, 2, 3])
async def test_a_load_goes_on_after_the_rows_that_were_committed(broken_after: int) -> None:
    whole, broken = Loads(), Loads()
    rows = [*FIVE, listing(6, price="x"), listing(7, deal_type="обмін")]
    expected = await whole.load(rows)
    await broken.load(rows[: broken_after * 2])
    checkpoint = broken.checkpoints[-1]
    tried = len(broken.store.batches)
    tally = await broken.load(rows, checkpoint)
    assert broken.store.rows == whole.store.rows
    assert tally == expected
    assert all(min(batch) > broken_after * 2 for batch in broken.store.batches[tried:])


async def test_nothing_is_noted_of_a_batch_that_was_not_committed() -> None:
    loads = Loads()

    class GoneStore(FakeLoadingStore):
        async def write_batch(self, batch: WrittenBatch, fields: frozenset[str]) -> list[WrittenRow]:
            raise StoreUnavailable("gone")

    await loads.load(FIVE[:2])
    loads.store = GoneStore()
    with pytest.raises(StoreUnavailable):
        await loads.load(FIVE, loads.checkpoints[-1])
    assert loads.checkpoints[-1].tally.read == 2


def test_a_checkpoint_is_found_by_its_marks_alone(tmp_path: Path) -> None:
    file = CheckpointFile(tmp_path / "loads", "digest", "table")
    assert file.read() is None
    checkpoint = Checkpoint(Tally(read=500, inserted=499, refused=1), error_bytes=17, witnesses=[1, 7])
    file.write(checkpoint)
    assert CheckpointFile(tmp_path / "loads", "digest", "table").read() == checkpoint
    assert CheckpointFile(tmp_path / "loads", "other", "table").read() is None
    assert CheckpointFile(tmp_path / "loads", "digest", "other").read() is None
    file.remove()
    file.remove()
    assert file.read() is None


def test_a_torn_checkpoint_counts_as_none(tmp_path: Path) -> None:
    file = CheckpointFile(tmp_path, "x")
    file.write(Checkpoint())
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-5])
    assert file.read() is None


def test_witnesses_stay_few_and_spread_over_all_batches() -> None:
    checkpoint = Checkpoint()
    for number in range(10_000):
        checkpoint.add_witness(number)
    assert len(checkpoint.witnesses) <= 257
    assert checkpoint.witnesses[0] == 0
    assert checkpoint.witnesses[-1] > 9_900


def test_refused_rows_of_an_uncommitted_batch_are_not_written_twice(tmp_path: Path) -> None:
    path = tmp_path / "refused.jsonl"
    path.write_text("left over\n", encoding="utf-8")
    first = RefusedRow(1, [RowFault(1, "price", "Ціна", "x", "a number")], {"Ціна": "x"})
    with RefusalFile(path, 0) as file:
        file.add(first)
        committed = file.flush()
        file.add(RefusedRow(2, [], {}))
    with RefusalFile(path, committed) as file:
        file.add(RefusedRow(2, [], {"at": object()}))
    one, two = (msgspec.json.decode(line) for line in path.read_text(encoding="utf-8").splitlines())
    assert one["row"] == {"Ціна": "x"}
    assert one["faults"][0]["wanted"] == "a number"
    assert two["number"] == 2


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (RowFault(3, "price", "Ціна", "x", "a number"), "line 3, price (column Ціна): 'x' is not a number"),
        (RowFault(3, "price", "price", "x", "a number"), "line 3, price: 'x' is not a number"),
        (RowFault(3, "", "", "", "a line of JSON"), "line 3: a line of JSON"),
    ],
)
def test_a_fault_is_told_with_line_field_and_what_is_wanted(fault: RowFault, sentence: str) -> None:
    assert describe_fault(fault, "line") == sentence
