"""Which model the stored vectors are of, so that those of two models never stand side by side."""

from typing import Final, Protocol

import numpy as np

from vmk_mcp.embedding.port import Embedder
from vmk_mcp.embedding.verify import compare_with_stored, refuse_other_model
from vmk_mcp.errors import StartError
from vmk_mcp.listings.document import embedding_text
from vmk_mcp.listings.loading.filling import VectorStore
from vmk_mcp.listings.loading.store import TextSource
from vmk_mcp.listings.loading.types import PropertyTypes
from vmk_mcp.listings.queries import EmbeddedListing

_COMPARED: Final = 5


class StandingStore(VectorStore, Protocol):
    """What telling the model needs besides."""

    async def pick_embedded(self, count: int) -> list[EmbeddedListing]:
        """Give a few listings with their vectors."""

    async def read_texts(self, ids: list[int]) -> list[TextSource]:
        """Give listings as their texts are made of."""


def is_same_model(embedder: Embedder, name: str | None) -> bool:
    """Say whether vectors of the model `name` are of the embedder's kind."""
    if name is None:
        return False
    try:
        refuse_other_model(embedder, name)
    except StartError:
        return False
    return True


async def refuse_mixture(
    store: StandingStore, embedder: Embedder, types: PropertyTypes, said_model: str | None
) -> None:
    """See to it that vectors of `embedder` may stand beside the stored ones; where there are none, they may.

    Args:
        store: where they are.
        embedder: would add to them.
        types: kinds of property.
        said_model: the model that is on record, or that the operator names; None: nobody knows.

    Raises:
        StartError: they are of another model; the message names both.
        EmbeddingUnavailable: the embedder does not work.
    """
    picked = await store.pick_embedded(_COMPARED)
    if not picked:
        return
    if said_model is not None:
        refuse_other_model(embedder, said_model)
    sources = {source.id: source for source in await store.read_texts([one.id for one in picked])}
    texts = {
        one.id: embedding_text(sources[one.id].as_record(), types.name_of(sources[one.id].property_type_id))
        for one in picked
        if one.id in sources
    }
    kept = [one for one in picked if texts.get(one.id, "").strip()]
    vectors = np.array([one.embedding for one in kept], dtype=np.float32)
    agreement = await compare_with_stored(
        embedder, [texts[one.id] for one in kept], vectors, said_model or "an unknown model"
    )
    if not agreement.matches:
        raise StartError(
            agreement.sentence,
            hint="Set the embedder to their model, or make all anew with `vmk-mcp embed --all`.",
        )
