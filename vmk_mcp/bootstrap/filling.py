"""Fills the missing vectors of a database with the embedder that the settings name."""

import asyncio
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from vmk_mcp.bootstrap.embedders import make_embedder
from vmk_mcp.bootstrap.targets import Say, WriteTarget, is_served, open_target
from vmk_mcp.database.records import EmbeddingModel, read_embedding_model, record_embedding_model
from vmk_mcp.database.writer import Writer
from vmk_mcp.embedding.local import LOCAL_MODEL, NATIVE_DIMENSIONS
from vmk_mcp.embedding.port import Embedder
from vmk_mcp.embedding.verify import refuse_other_model
from vmk_mcp.errors import EmbeddingUnavailable
from vmk_mcp.listings.loading.filling import Filling, FillProgress, FillRules, VectorFiller
from vmk_mcp.listings.loading.standing import is_same_model, refuse_mixture
from vmk_mcp.listings.loading.store import Filled, PostgresLoadingStore
from vmk_mcp.listings.loading.target import require_loadable
from vmk_mcp.listings.loading.types import PropertyTypes
from vmk_mcp.observe import Observers
from vmk_mcp.settings import Settings

MANY_ROWS: Final = 1_000
"""Written rows after which the planner's statistics are renewed."""


class FillOrder(Struct, frozen=True):
    """What to fill: where (None: the embedded server), and whether all vectors are made anew."""

    dsn: str | None = None
    makes_anew: bool = False


class FillWatch(Struct, frozen=True):
    """Who is told: `begin` how many listings are to be embedded, `progress` after each batch."""

    begin: Callable[[int], None]
    progress: FillProgress


class FillOutcome(Struct, frozen=True):
    """What was filled, how it stands now, by which model, and whether a server runs that reads it."""

    filling: Filling
    now: Filled
    model: str
    is_served: bool


def fill_vectors(settings: Settings, order: FillOrder, say: Say, watch: FillWatch) -> FillOutcome:
    """Fill the vectors of the embedded server, or of the database that the order names.

    Raises:
        StartError: the stored vectors are of another model; the message names both.
        EmbeddingUnavailable: the embedder failed again and again; the message says what was done.
    """
    with open_target(settings, order.dsn, say) as target:
        filling, now, model = asyncio.run(VectorWork(settings, target, order, watch).run())
        return FillOutcome(filling, now, model, target.embedded is not None and is_served(settings))


class VectorWork:
    """The filling of one open target; see `fill_vectors`."""

    def __init__(self, settings: Settings, target: WriteTarget, order: FillOrder, watch: FillWatch) -> None:
        self._settings = settings
        self._target = target
        self._order = order
        self._watch = watch

    async def run(self) -> tuple[Filling, Filled, str]:
        """Give what was filled, how it stands then, and the name of the model."""
        embedder = make_embedder(self._settings.embedding, Observers())
        try:
            async with Writer(self._target.dsn) as writer:
                store = PostgresLoadingStore(writer)
                is_own = await self._inspect(store)
                rules = await self._settle_model(writer, store, embedder, is_own=is_own)
                filling = await self._fill(store, embedder, rules)
                if filling.filled >= MANY_ROWS:
                    await (writer.analyze() if is_own else writer.analyze_listings())
                return filling, await store.count_vectors(), embedder.model
        finally:
            await embedder.close()

    async def _inspect(self, store: PostgresLoadingStore) -> bool:
        inspected = await store.inspect_target()
        require_loadable(inspected, await store.inspect_schema())
        return inspected.is_own

    async def _settle_model(
        self, writer: Writer, store: PostgresLoadingStore, embedder: Embedder, *, is_own: bool
    ) -> FillRules:
        """Refuse a mixture, or take the vectors of another model away before the first of this one comes.

        That happens in one transaction, so that at no moment, killed or not, two models stand side by side.
        Vectors of the same model are replaced in place, and the searches miss none meanwhile.
        """
        recorded = await read_embedding_model(writer) if is_own else None
        said = recorded.model if recorded else self._settings.embedding.data_model
        is_same = is_same_model(embedder, said)
        if not self._order.makes_anew:
            await self._refuse_mixture(store, embedder, said, is_own=is_own)
        if not is_same:
            async with writer.transaction():
                if self._order.makes_anew:
                    await store.clear_vectors()
                if is_own:
                    await record_embedding_model(writer, name_model(self._settings, embedder))
        return FillRules(includes_filled=self._order.makes_anew and is_same)

    async def _refuse_mixture(
        self, store: PostgresLoadingStore, embedder: Embedder, said: str | None, *, is_own: bool
    ) -> None:
        if not is_own:
            await refuse_mixture(store, embedder, PropertyTypes(await store.list_types()), said)
        elif said is not None and (await store.count_vectors()).filled:
            refuse_other_model(embedder, said)

    async def _fill(self, store: PostgresLoadingStore, embedder: Embedder, rules: FillRules) -> Filling:
        counted = await store.count_vectors()
        self._watch.begin(counted.listings if rules.includes_filled else counted.listings - counted.filled)
        done = Filling()

        def progress(filling: Filling) -> None:
            done.filled = filling.filled
            self._watch.progress(filling)

        types = PropertyTypes(await store.list_types())
        try:
            return await VectorFiller(store, embedder, types.name_of).run(rules, progress)
        except EmbeddingUnavailable as failure:
            raise EmbeddingUnavailable(
                f"{failure.message} {done.filled:,} vectors were written before that, and stay.",
                hint=f"{failure.hint} Then run `vmk-mcp embed` again: it goes on with what is missing.",
            ) from failure


def name_model(settings: Settings, embedder: Embedder) -> EmbeddingModel:
    """Give the embedder's model as it is put on record, with its own dimensions."""
    own = NATIVE_DIMENSIONS if embedder.model == LOCAL_MODEL else settings.embedding.dimensions
    return EmbeddingModel(embedder.model, own)
