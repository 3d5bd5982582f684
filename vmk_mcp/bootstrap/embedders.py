"""The embedder that the settings name, and the check that its vectors belong to the stored ones."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from vmk_mcp.embedding.breaker import Breaker
from vmk_mcp.embedding.cache import CachedEmbedder, CacheLimits
from vmk_mcp.embedding.local import LocalEmbedder, LocalModel
from vmk_mcp.embedding.port import Embedder
from vmk_mcp.embedding.standing import EmbedderStanding
from vmk_mcp.embedding.verify import Agreement, check_dimensions, compare_with_stored
from vmk_mcp.errors import EmbeddingUnavailable, StartError, VmkError
from vmk_mcp.listings.agreement import read_stored_documents
from vmk_mcp.listings.ports import ListingStore
from vmk_mcp.observe import Crashed, Observer, Warned
from vmk_mcp.settings import EmbeddingSettings

# It works on one text at a time: a text gains nothing from others in its request, it only waits for them.
_LOCAL_LIMITS: Final = CacheLimits(texts_per_request=1, shortest_first=True)
_COMPARED: Final = 5
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 60.0


def make_embedder(
    settings: EmbeddingSettings, observer: Observer, local_model: LocalModel | None = None
) -> Embedder:
    """Make the embedder; nothing is asked of it yet.

    Args:
        settings: which one, and how it is reached.
        observer: told of what is embedded and of an embedder that fails.
        local_model: shared with others; None: one of its own.

    Raises:
        StartError: it cannot be had.
    """
    if settings.embedder == "local":
        local = LocalEmbedder(settings.dimensions, local_model)
        return CachedEmbedder(local, observer, limits=_LOCAL_LIMITS)
    from vmk_mcp.bootstrap.remote_embedders import make_remote_embedder  # noqa: PLC0415 - httpx takes 3 MB

    return CachedEmbedder(Breaker(make_remote_embedder(settings), observer), observer)


async def compare_embedder(embedder: Embedder, store: ListingStore, data_model: str) -> Agreement:
    """Embed a probe and a few stored listings, and hold them against the stored vectors.

    Raises:
        EmbeddingUnavailable: the embedder does not work.
        VmkError: what the store raises.
    """
    await check_dimensions(embedder, embedder.dimensions)
    stored = await read_stored_documents(store, _COMPARED)
    return await compare_with_stored(embedder, stored.texts, stored.vectors, data_model)


async def check_until_told(
    compare: Callable[[], Awaitable[Agreement]],
    standing: EmbedderStanding,
    observer: Observer,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Compare until there is a verdict, with growing pauses, and note in `standing` what is wrong.

    Never raises but for its own cancellation; trouble of the same kind is warned of once.

    Args:
        compare: see `compare_embedder`.
        standing: told of an embedder that cannot be reached and of vectors that do not match.
        observer: warned of the same.
        pause: waits that many seconds.
    """
    try:
        agreement = await _first_verdict(compare, standing, observer, pause)
    except Exception as bug:  # noqa: BLE001 (nobody awaits the outcome; the service serves on without it)
        observer.observe(Crashed("", bug))
        return
    if not agreement.matches:
        standing.note_mismatch(agreement.sentence)
        observer.observe(Warned("embedder", agreement.sentence))


async def _first_verdict(
    compare: Callable[[], Awaitable[Agreement]],
    standing: EmbedderStanding,
    observer: Observer,
    pause: Callable[[float], Awaitable[None]],
) -> Agreement:
    pause_s, warned_of = _FIRST_PAUSE_S, ""
    while True:
        try:
            return await compare()
        except VmkError as error:
            if isinstance(error, EmbeddingUnavailable | StartError):
                standing.note_unreachable(error.message)
            if error.code != warned_of:
                warned_of = error.code
                message = f"Not compared with the stored vectors yet: {error.message}"
                observer.observe(Warned("embedder", message))
        await pause(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
