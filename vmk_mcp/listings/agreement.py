"""Stored listings as the texts that are embedded, to be compared with an embedder's own vectors."""

import numpy as np
from msgspec import Struct

from vmk_mcp.listings.document import embedding_text
from vmk_mcp.listings.model import ListingCard, ListingRecord
from vmk_mcp.listings.ports import ListingStore
from vmk_mcp.listings.queries import IdQuery, PickQuery, Vectors


class StoredDocuments(Struct, frozen=True):
    """Texts, and the stored vector of each: `(n, 768) float32`."""

    texts: list[str]
    vectors: Vectors


async def read_stored_documents(store: ListingStore, count: int) -> StoredDocuments:
    """Give up to `count` stored listings that have vectors."""
    texts: list[str] = []
    vectors = []
    for picked in await store.pick_embedded(PickQuery(count)):
        card = await store.get_listing(IdQuery(picked.id, contacts=False))
        if card is not None:
            texts.append(embedding_text(_as_record(card), card.property_type))
            vectors.append(picked.embedding)
    return StoredDocuments(texts, np.array(vectors, dtype=np.float32).reshape(len(texts), -1))


def _as_record(card: ListingCard) -> ListingRecord:
    shared = set(ListingRecord.__struct_fields__) & set(ListingCard.__struct_fields__)
    return ListingRecord(**{name: getattr(card, name) for name in shared})
