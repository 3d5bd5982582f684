"""What makes the knowledge family's chunks and vectors, by the plan of a generation."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from vmk_mcp.bootstrap.embedders import make_embedder
from vmk_mcp.embedding.cache import CachedEmbedder, CacheLimits
from vmk_mcp.embedding.known import KnownDocuments
from vmk_mcp.embedding.local import LOCAL_MODEL, MAX_TOKENS, NATIVE_DIMENSIONS, LocalEmbedder, LocalModel
from vmk_mcp.embedding.port import Embedder
from vmk_mcp.embedding.sentence_transformers import DEFAULT_MODEL, SentenceTransformersEmbedder
from vmk_mcp.knowledge.chunking.chunker import Chunker, ChunkRules
from vmk_mcp.knowledge.chunking.guard import Guard
from vmk_mcp.knowledge.indexing import Workshop
from vmk_mcp.knowledge.records import IndexPlan
from vmk_mcp.observe import Observer
from vmk_mcp.sample.document_vectors import load_known_vectors
from vmk_mcp.settings import EmbeddingSettings, Settings

_LOCAL: Final = "local"
_OLLAMA: Final = "ollama"
_OPENAI: Final = "openai"
_TRANSFORMERS: Final = "sentence_transformers"

# One text at a time, as for the listings; few are kept, for what is indexed is seldom embedded again.
_LOCAL_LIMITS: Final = CacheLimits(entries=500, texts_per_request=1, shortest_first=True)

# From the models' cards, in their own tokens; the first whose word is in the name counts.
_READ_AT_ONCE: Final = (
    ("minilm-l12", 128),
    ("minilm", 256),
    ("mpnet", 384),
    ("bge-m3", 8192),
    ("jina-embeddings-v2", 8192),
    ("jina-embeddings-v3", 8192),
    ("text-embedding", 8191),
    ("qwen3-embedding", 8192),
    ("nomic-embed-text", 2048),
    ("embeddinggemma", 2048),
)
_USUAL: Final = 512
"""What a model reads at once that is not in the table."""
_AROUND: Final = 12
"""Tokens of the longest prefix and of a model's own two."""
_LOCAL_CHARACTERS: Final = 3_900
_REMOTE_CHARACTERS: Final = 7_500
"""The embedders cut longer texts; see `embedding/local.py` and `embedding/texts.py`."""


FindDimensions = Callable[[str, str], int]
"""Gives the length of the vectors of a provider's model."""


class Reach(Struct, frozen=True):
    """How long a chunk may be for an embedder to read all of it, its prefix counted."""

    tokens: int
    characters: int


def make_plan(settings: Settings, find_dimensions: FindDimensions) -> IndexPlan:
    """Give what the settings want the index to be.

    Raises:
        StartError: the model of `sentence_transformers` cannot be loaded.
    """
    wanted = settings.knowledge
    provider, model = wanted.embedder, _name_model(settings)
    size = min(wanted.chunk_size, find_reach(provider, model).tokens)
    rules = ChunkRules(
        strategy=wanted.chunking,
        size=size,
        overlap=wanted.chunk_overlap,
        by_headings=wanted.by_headings,
    )
    return IndexPlan(
        provider=provider,
        model=model,
        dimensions=find_dimensions(provider, model),
        chunker=rules.name,
        chunk_size=size,
        chunk_overlap=wanted.chunk_overlap,
        store=wanted.store,
    )


def find_reach(provider: str, model: str) -> Reach:
    """Say how long a chunk may be for that model."""
    if provider == _LOCAL:
        return Reach(MAX_TOKENS - _AROUND, _LOCAL_CHARACTERS)
    name = model.casefold()
    most = next((tokens for word, tokens in _READ_AT_ONCE if word in name), _USUAL)
    return Reach(most - _AROUND, _REMOTE_CHARACTERS)


class Workshops:
    """Makes workshops, and closes their embedders at the end."""

    def __init__(self, settings: Settings, observer: Observer, local_model: LocalModel | None = None) -> None:
        """Make embedders by `settings`.

        Args:
            settings: of all families; the documents' embedder may be the listings' one.
            observer: told of what is embedded and of embedders that fail.
            local_model: shared with other families; None: one of their own.
        """
        self._settings = settings
        self._observer = observer
        self._local_model = LocalModel() if local_model is None else local_model
        self._known = load_known_vectors() if settings.knowledge.folder is None else {}
        self._transformers: dict[str, SentenceTransformersEmbedder] = {}
        self._embedders: dict[tuple[str, str, int], tuple[Embedder, Guard | None]] = {}

    def find_dimensions(self, provider: str, model: str) -> int:
        """See `FindDimensions`: of a model in this process as it is, behind HTTP as the settings say."""
        if provider == _LOCAL:
            return NATIVE_DIMENSIONS
        if provider == _TRANSFORMERS:
            return self._transformer(model).dimensions
        return self._settings.embedding.dimensions

    def make(self, plan: IndexPlan) -> Workshop:
        """Give what makes chunks and vectors by `plan`; raises `StartError` where it cannot be had."""
        key = (plan.provider, plan.model, plan.dimensions)
        if key not in self._embedders:
            self._embedders[key] = self._make_embedder(plan)
        embedder, guard = self._embedders[key]
        rules = ChunkRules.of_name(
            plan.chunker,
            size=plan.chunk_size,
            overlap=plan.chunk_overlap,
            most_characters=find_reach(plan.provider, plan.model).characters,
        )
        return Workshop(Chunker(rules, embedder.embed_documents, guard), embedder)

    async def close(self) -> None:
        """Close all embedders."""
        for embedder, _ in self._embedders.values():
            await embedder.close()

    def _make_embedder(self, plan: IndexPlan) -> tuple[Embedder, Guard | None]:
        if plan.provider == _LOCAL:
            local = LocalEmbedder(plan.dimensions, self._local_model)
            cached = CachedEmbedder(local, self._observer, limits=_LOCAL_LIMITS)
            embedder = KnownDocuments(cached, self._known) if self._known else cached
            return embedder, Guard(local.count_document_tokens, MAX_TOKENS)
        if plan.provider == _TRANSFORMERS:
            return CachedEmbedder(self._transformer(plan.model), self._observer), None
        return make_embedder(_embedding_settings(self._settings.embedding, plan), self._observer), None

    def _transformer(self, model: str) -> SentenceTransformersEmbedder:
        if model not in self._transformers:
            self._transformers[model] = SentenceTransformersEmbedder(model)
        return self._transformers[model]


def _name_model(settings: Settings) -> str:
    wanted, others = settings.knowledge, settings.embedding
    if wanted.embedder == _LOCAL:
        return LOCAL_MODEL
    if wanted.model is not None:
        return wanted.model
    if wanted.embedder == _TRANSFORMERS:
        return DEFAULT_MODEL
    return others.ollama_model if wanted.embedder == _OLLAMA else others.openai_model or ""


def _embedding_settings(settings: EmbeddingSettings, plan: IndexPlan) -> EmbeddingSettings:
    """Give the settings of an embedder of that plan; prefixes that were set are the listings' model's."""
    return replace(
        settings,
        embedder=_OLLAMA if plan.provider == _OLLAMA else _OPENAI,
        ollama_model=plan.model,
        openai_model=plan.model,
        dimensions=plan.dimensions,
        query_prefix=None,
        document_prefix=None,
    )
