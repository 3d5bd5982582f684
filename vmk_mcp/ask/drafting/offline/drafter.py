"""The drafter that needs no key: see `OfflineDrafter`."""

from typing import Final

from msgspec import Struct

from vmk_mcp.ask.drafting.offline.frames import Naming
from vmk_mcp.ask.drafting.offline.interpreting import interpret
from vmk_mcp.ask.drafting.offline.paths import KeyGraph
from vmk_mcp.ask.drafting.offline.query import Unclear
from vmk_mcp.ask.drafting.offline.statement import Statement
from vmk_mcp.ask.drafting.offline.tokens import MOST_CHARACTERS, MOST_TOKENS, tokenize
from vmk_mcp.ask.drafting.offline.vocabulary import Vocabulary, build_vocabulary
from vmk_mcp.ask.model import AskedSource, Draft, Refusal

_MOST_SOURCES: Final = 16


class _Known(Struct, frozen=True):
    """What is made of a source once, and kept while it stays the same."""

    source: AskedSource
    vocabulary: Vocabulary
    graph: KeyGraph


class OfflineDrafter:
    """Maps the words of a question onto a source's tables, columns, values and keys, and refuses to guess.

    It would answer a question whose draft was refused with the same draft, so it passes the refusal on.
    """

    backend = "offline"

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    async def draft(
        self, question: str, source: AskedSource, refused: tuple[Draft, Refusal] | None
    ) -> Draft | Refusal:
        """See `Drafter.draft`; the refusals are `ambiguous_question` and `unanswerable`."""
        if refused is not None:
            return refused[1]
        if len(question) > MOST_CHARACTERS or len(tokenize(question)) > MOST_TOKENS:
            return Refusal(
                "unanswerable",
                f"A question has at most {MOST_TOKENS} words and {MOST_CHARACTERS} characters. Shorten it.",
            )
        known = self._know(source)
        try:
            query = interpret(question, known.vocabulary, known.graph, source.today)
            naming = Naming(source.schema.name, known.vocabulary.tables, known.graph)
            return Draft(Statement(naming, query).write())
        except Unclear as unclear:
            return Refusal(unclear.code, unclear.reason)

    def _know(self, source: AskedSource) -> _Known:
        known = self._known.get(source.name)
        if known is None or known.source is not source:
            vocabulary = build_vocabulary(source)
            known = _Known(source, vocabulary, KeyGraph(vocabulary.tables))
            if len(self._known) >= _MOST_SOURCES:
                self._known.clear()
            self._known[source.name] = known
        return known
