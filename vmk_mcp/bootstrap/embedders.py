"""The embedder that the settings name, and the check that its vectors belong to the stored ones."""

from typing import Final

from vmk_mcp.embedding.breaker import Breaker
from vmk_mcp.embedding.cache import CachedEmbedder
from vmk_mcp.embedding.local import LocalEmbedder
from vmk_mcp.embedding.ollama import OllamaEmbedder
from vmk_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from vmk_mcp.embedding.port import Embedder
from vmk_mcp.embedding.prefixes import prefixes_for
from vmk_mcp.embedding.remote import RemoteModel
from vmk_mcp.embedding.standing import EmbedderStanding
from vmk_mcp.embedding.verify import check_dimensions, compare_with_stored
from vmk_mcp.errors import VmkError
from vmk_mcp.listings.agreement import read_stored_documents
from vmk_mcp.listings.ports import ListingStore
from vmk_mcp.observe import Observer, Warned
from vmk_mcp.settings import EmbeddingSettings

_COMPARED: Final = 5


def make_embedder(settings: EmbeddingSettings, observer: Observer) -> Embedder:
    """Make the embedder; nothing is asked of it yet. Raises `StartError` where it cannot be had."""
    if settings.embedder == "local":
        return CachedEmbedder(LocalEmbedder(settings.dimensions), observer)
    return CachedEmbedder(Breaker(_remote(settings), observer), observer)


def _remote(settings: EmbeddingSettings) -> Embedder:
    is_ollama = settings.embedder == "ollama"
    name = settings.ollama_model if is_ollama else settings.openai_model or ""
    model = RemoteModel(
        settings.ollama_url if is_ollama else settings.openai_url or "",
        name,
        settings.dimensions,
        settings.request_timeout_s,
        prefixes_for(name, settings.query_prefix, settings.document_prefix),
    )
    if is_ollama:
        return OllamaEmbedder(model)
    return OpenAICompatibleEmbedder(
        model, api_key=settings.openai_key.reveal() if settings.openai_key else ""
    )


async def check_embedder(
    embedder: Embedder, store: ListingStore, data_model: str, standing: EmbedderStanding, observer: Observer
) -> None:
    """Embed a probe and a few stored listings, and note in `standing` what does not fit; never raises."""
    try:
        await check_dimensions(embedder, embedder.dimensions)
        stored = await read_stored_documents(store, _COMPARED)
        agreement = await compare_with_stored(embedder, stored.texts, stored.vectors, data_model)
    except VmkError as error:
        standing.note_check(unreachable=error.message)
        observer.observe(Warned("embedder", error.message))
        return
    standing.note_check(mismatch="" if agreement.matches else agreement.sentence)
    if not agreement.matches:
        observer.observe(Warned("embedder", agreement.sentence))
