"""The embedders behind HTTP, apart from the others: loaded where one is chosen."""

from vmk_mcp.embedding.ollama import OllamaEmbedder
from vmk_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from vmk_mcp.embedding.port import Embedder
from vmk_mcp.embedding.prefixes import prefixes_for
from vmk_mcp.embedding.remote import RemoteModel
from vmk_mcp.settings import EmbeddingSettings


def make_remote_embedder(settings: EmbeddingSettings) -> Embedder:
    """Make the embedder that the settings name, `ollama` or `openai`; nothing is asked of it yet."""
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
