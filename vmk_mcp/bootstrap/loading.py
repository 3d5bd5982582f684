"""Loads a file of people's own listings into a database."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.bootstrap.embedders import make_embedder
from vmk_mcp.bootstrap.filling import MANY_ROWS, name_model
from vmk_mcp.bootstrap.targets import Say, WriteTarget, is_served, open_target
from vmk_mcp.database.records import read_embedding_model, record_embedding_model
from vmk_mcp.database.writer import Writer
from vmk_mcp.errors import StartError, StoreUnavailable
from vmk_mcp.listings.loading.batches import Batches, BatchTrial, BatchWriter
from vmk_mcp.listings.loading.checkpoint import Checkpoint, CheckpointFile
from vmk_mcp.listings.loading.load import FileLoad, LoadRules, Progress
from vmk_mcp.listings.loading.mapping import ColumnMapping, MappingRules
from vmk_mcp.listings.loading.numbers import DecimalMark
from vmk_mcp.listings.loading.reading import RowReader
from vmk_mcp.listings.loading.refusals import RefusalFile, RefusalSink, RefusedRow
from vmk_mcp.listings.loading.rows import RowSource
from vmk_mcp.listings.loading.sources import Format, open_source
from vmk_mcp.listings.loading.store import PostgresLoadingStore, Target
from vmk_mcp.listings.loading.survey import Survey, has_changed, survey_file
from vmk_mcp.listings.loading.tally import Tally
from vmk_mcp.listings.loading.target import find_absent, require_loadable
from vmk_mcp.listings.loading.types import PropertyTypes
from vmk_mcp.listings.writing import PropertyTypeRecord
from vmk_mcp.observe import Observers
from vmk_mcp.sample.listings import PROPERTY_TYPES
from vmk_mcp.sample.removing import count_sample, remove_sample
from vmk_mcp.settings import Settings

_FOLDER: Final = "loads"


class LoadOrder(Struct, frozen=True, kw_only=True):
    """What to load and how.

    Attributes:
        dsn: where to; None: the embedded server.
        fields: field -> column, as far as the names do not tell.
        id_from: column whose text ids are made of, or empty.
        encoding: of the file's text, or empty: told by its bytes.
        delimiter: of CSV, or empty: told by its header.
        errors: file for the refused rows.
    """

    path: Path
    dsn: str | None = None
    fields: Mapping[str, str] = {}
    id_from: str = ""
    encoding: str = ""
    delimiter: str = ""
    decimal: DecimalMark = "auto"
    errors: Path | None = None
    is_trial: bool = False
    is_strict: bool = False
    replaces_sample: bool = False
    creates_types: bool = False


class LoadWatch(Struct, frozen=True):
    """Who is told: `say` in words, `refuse` of each refused row and the unit of its number, `progress`."""

    say: Say
    refuse: Callable[[RefusedRow, str], None]
    progress: Progress


class LoadOutcome(Struct, frozen=True):
    """What has become of the rows, how many listings lack a vector now, and whether a server reads them."""

    tally: Tally
    without_vector: int
    is_served: bool


class _Context(Struct, frozen=True):
    store: PostgresLoadingStore
    writer: Writer
    target: Target
    types: PropertyTypes
    configuration: str
    mapping: ColumnMapping
    source: RowSource
    sample_count: int


def load_file(settings: Settings, order: LoadOrder, watch: LoadWatch) -> LoadOutcome:
    """Load a file into the embedded server, or into the database that the order names.

    Raises:
        InvalidArguments: the file, its mapping, or a row where the order is strict.
        NotOffered: the database lacks what loading needs; nothing was written.
        StartError: the sample is still there, or the embedded server cannot run here.
        StoreUnavailable: the database went away; what was committed stays, and a later run goes on there.
    """
    survey = survey_file(order.path)
    with open_target(settings, order.dsn, watch.say) as target:
        work = FileWork(settings, order, watch, survey)
        tally, without_vector = asyncio.run(work.run(target))
        return LoadOutcome(tally, without_vector, target.embedded is not None and is_served(settings))


class FileWork:
    """The load of one surveyed file; see `load_file`."""

    def __init__(self, settings: Settings, order: LoadOrder, watch: LoadWatch, survey: Survey) -> None:
        self._settings = settings
        self._order = order
        self._watch = watch
        self._survey = survey
        self._form = Format(order.encoding or survey.encoding, order.delimiter)

    async def run(self, target: WriteTarget) -> tuple[Tally, int]:
        """Give the counts, and how many listings lack a vector then."""
        source = open_source(self._order.path, self._form)
        try:
            async with Writer(target.dsn) as writer:
                context = await self._prepare(writer, source)
                tally = await self._load(context, self._find_checkpoint_file(target, context))
                if tally.inserted + tally.updated >= MANY_ROWS and not self._order.is_trial:
                    await (writer.analyze() if context.target.is_own else writer.analyze_listings())
                counted = await context.store.count_vectors()
                return tally, counted.listings - counted.filled
        finally:
            source.close()

    async def _prepare(self, writer: Writer, source: RowSource) -> _Context:
        store = PostgresLoadingStore(writer)
        target, live = await store.inspect_target(), await store.inspect_schema()
        require_loadable(target, live)
        sample_count = await count_sample(writer) if target.is_own else 0
        self._refuse_mixture(sample_count)
        rules = MappingRules(self._order.fields, self._order.id_from, find_absent(live))
        mapping = ColumnMapping(source.columns, rules)
        self._tell_mapping(mapping)
        return _Context(
            store=store,
            writer=writer,
            target=target,
            types=await self._find_types(store, target),
            configuration=live.text_configuration,
            mapping=mapping,
            source=source,
            sample_count=sample_count,
        )

    def _refuse_mixture(self, sample_count: int) -> None:
        if not sample_count or self._order.replaces_sample:
            return
        sentence = f"The database still holds {sample_count:,} made-up listings of the sample."
        if not self._order.is_trial:
            raise StartError(
                f"{sentence} Yours would be mixed with them.",
                hint="Add --replace-sample: they leave the moment the first of yours come in.",
            )
        self._watch.say(f"{sentence} To load yours instead of them, add --replace-sample.")

    async def _find_types(self, store: PostgresLoadingStore, target: Target) -> PropertyTypes:
        if self._order.creates_types and not target.may_add_types:
            raise StartError(
                "This login may not add kinds of property, which --create-types asks for.",
                hint="Leave it out, or give the DSN of the tables' owner.",
            )
        stored = await store.list_types()
        types = PropertyTypes(stored, makes_unknown=self._order.creates_types)
        if target.is_own and not stored:
            types.add(
                PropertyTypeRecord(kind.id, kind.slug, kind.name, kind.description) for kind in PROPERTY_TYPES
            )
        return types

    def _tell_mapping(self, mapping: ColumnMapping) -> None:
        pairs = ", ".join(
            field if field == column else f"{field} from {column!r}"
            for field, column in mapping.fields.items()
        )
        made = f", id made of {mapping.id_column!r}" if mapping.id_column else ""
        self._watch.say(f"Loading {pairs}{made}")
        if mapping.left_out:
            self._watch.say(f"Leaving out the columns {', '.join(mapping.left_out)}")

    def _find_checkpoint_file(self, target: WriteTarget, context: _Context) -> CheckpointFile:
        order = self._order
        asked = msgspec.json.encode(
            [order.fields, order.id_from, self._form, order.decimal, order.creates_types], order="sorted"
        )
        return CheckpointFile(
            self._settings.data_dir / _FOLDER,
            self._survey.digest,
            order.path.suffix,
            target.label,
            context.target.identity,
            asked.decode(),
        )

    async def _load(self, context: _Context, file: CheckpointFile) -> Tally:
        if self._order.is_trial:
            return await self._run(context, BatchTrial(context.store), Checkpoint(), _keep_nothing)
        checkpoint = await self._read_checkpoint(context.store, file)
        batches = BatchWriter(
            context.store,
            context.types,
            configuration=context.configuration,
            before_first=self._make_room(context),
        )
        try:
            tally = await self._run(context, batches, checkpoint, file.write)
        except StoreUnavailable as error:
            raise StoreUnavailable(
                f"The database went away after {checkpoint.tally.read:,} rows.",
                hint="They are in. Load the same file again when it is back: it goes on there.",
            ) from error
        if context.sample_count and tally.inserted:
            self._watch.say(f"The {context.sample_count:,} made-up listings of the sample are gone")
        if has_changed(self._order.path, self._survey):
            self._watch.say("The file was changed while it was loaded: load it again.")
        file.remove()
        return tally

    async def _read_checkpoint(self, store: PostgresLoadingStore, file: CheckpointFile) -> Checkpoint:
        checkpoint = file.read()
        if checkpoint is None:
            return Checkpoint()
        found = await store.read_texts(checkpoint.witnesses)
        if len(found) < len(set(checkpoint.witnesses)):
            self._watch.say("An earlier run was broken off, but its rows are gone: starting anew.")
            return Checkpoint()
        self._watch.say(f"Going on after the {checkpoint.tally.read:,} rows of a run that was broken off")
        return checkpoint

    def _make_room(self, context: _Context) -> Callable[[], Awaitable[None]]:
        async def make_room() -> None:
            if context.sample_count:
                await remove_sample(context.writer)
            if context.target.is_own and await read_embedding_model(context.writer) is None:
                embedder = make_embedder(self._settings.embedding, Observers())
                await record_embedding_model(context.writer, name_model(self._settings, embedder))
                await embedder.close()

        return make_room

    async def _run(
        self, context: _Context, batches: Batches, checkpoint: Checkpoint, keep: Callable[[Checkpoint], None]
    ) -> Tally:
        reader = RowReader(context.mapping, context.types, self._order.decimal)
        rules = LoadRules(is_strict=self._order.is_strict)
        with self._open_refusals(checkpoint) as kept:
            refusals = _Refusals(kept, self._watch, context.source.unit)
            load = FileLoad(context.source, reader, batches, refusals, rules)
            return await load.run(checkpoint, keep, self._watch.progress)

    def _open_refusals(self, checkpoint: Checkpoint) -> AbstractContextManager[RefusalSink | None]:
        if self._order.errors is None:
            return nullcontext()
        return RefusalFile(self._order.errors, checkpoint.error_bytes)


class _Refusals:
    """Refused rows to the person who watches, and into the file if there is one; see `RefusalSink`."""

    def __init__(self, file: RefusalSink | None, watch: LoadWatch, unit: str) -> None:
        self._file = file
        self._watch = watch
        self._unit = unit

    def add(self, refused: RefusedRow) -> None:
        """See `RefusalSink.add`."""
        self._watch.refuse(refused, self._unit)
        if self._file is not None:
            self._file.add(refused)

    def flush(self) -> int:
        """See `RefusalSink.flush`."""
        return self._file.flush() if self._file is not None else 0


def _keep_nothing(_: Checkpoint) -> None:
    """Take a checkpoint of a trial, which has none."""
