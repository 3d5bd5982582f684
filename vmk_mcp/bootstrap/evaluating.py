"""Runs evaluations over the sources that are served, with the drafter of the settings or another."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from vmk_mcp.ask.evaluation.model import Evaluation, Judged, Labelled
from vmk_mcp.ask.evaluation.running import Examination, evaluate
from vmk_mcp.ask.evaluation.sets import SHIPPED, read_set
from vmk_mcp.bootstrap.ask import join_parts, opened
from vmk_mcp.bootstrap.asked_databases import FoundSources, find_sources
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.drafters import choose_drafter
from vmk_mcp.errors import InvalidArguments, SettingsError
from vmk_mcp.observe import Observers
from vmk_mcp.settings import AskSettings, Settings
from vmk_mcp.tool import ALL, Caller

BACKENDS: Final = ("offline", "anthropic", "openai")
_CALLER: Final = Caller(name="eval", rights=frozenset({"ask", "ask.run_sql"}), towns=ALL)


class WantedEvaluation(Struct, frozen=True):
    """What to evaluate.

    Attributes:
        sets: names of shipped sets, or files; none: all shipped ones.
        source: whom to ask; None: the source of a shipped set's name, else the first.
        backend: a drafter by name; None: as the settings choose.
    """

    sets: Sequence[str] = ()
    source: str | None = None
    backend: str | None = None


def run_evaluations(
    settings: Settings,
    wanted: WantedEvaluation,
    say: Callable[[str], None],
    on_judged: Callable[[Judged], None],
) -> Sequence[Evaluation]:
    """Evaluate; the embedded server is started and filled where a source lies in it.

    Raises:
        InvalidArguments: a set cannot be read, or a gold query be run.
        SettingsError: there is no key for the backend.
        NotFound: there is no such source.
        VmkError: its database cannot be had.
    """
    sets = {word: read_set(word) for word in wanted.sets or SHIPPED}
    settings = replace(settings, ask=_choose_backend(settings.ask, wanted.backend))
    sources = LazySources(settings, say)
    try:
        found = find_sources(settings, sources)
        return asyncio.run(_evaluate_all(found, settings, wanted, sets, on_judged))
    finally:
        sources.close()


def _choose_backend(ask: AskSettings, backend: str | None) -> AskSettings:
    """Leave only the keys of the backend that is asked for."""
    if backend is None:
        return ask
    if backend not in BACKENDS:
        raise InvalidArguments(f"There is no backend {backend}.", hint=f"Take one of: {', '.join(BACKENDS)}.")
    if backend != "anthropic":
        ask = replace(ask, anthropic_key=None)
    if backend != "openai":
        ask = replace(ask, openai_key=None, openai_url=None)
    chosen = choose_drafter(ask)
    if chosen.drafter.backend != backend:
        raise SettingsError(
            f"The backend {backend} is asked for, and its key is not set.",
            hint="Set ANTHROPIC_API_KEY, or OPENAI_API_KEY or OPENAI_BASE_URL.",
        )
    return ask


async def _evaluate_all(
    found: FoundSources,
    settings: Settings,
    wanted: WantedEvaluation,
    sets: Mapping[str, Sequence[Labelled]],
    on_judged: Callable[[Judged], None],
) -> Sequence[Evaluation]:
    evaluations = []
    names = [source.name for source in found.sources]
    async with opened(join_parts(found, choose_drafter(settings.ask), settings, Observers())) as parts:
        for word, labelled in sets.items():
            source = wanted.source or (word if word in SHIPPED else names[0] if names else word)
            today = datetime.now(tz=UTC).date()
            examination = Examination(parts.service, source, _CALLER, today, on_judged)
            evaluations.append(await evaluate(examination, word, labelled))
    return evaluations
