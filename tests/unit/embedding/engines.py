"""A stand-in for the engine inside the local embedder: a token a character, and it notes what it is given."""

import threading

from tests.fakes import embed_words
from vmk_mcp.embedding.local import NATIVE_DIMENSIONS
from vmk_mcp.embedding.port import Kind, Vectors


class FakeEngine:
    """See `vmk_mcp.embedding.local.Engine`."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.threads = {threading.get_ident()}
        self.started = threading.Event()
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def query(self, texts: str) -> Vectors:
        """Embed with the kind `query`."""
        return self._embed("query", texts)

    def passage(self, texts: str) -> Vectors:
        """Embed with the kind `document`."""
        return self._embed("document", texts)

    def token_count(self, text: str, is_query: bool) -> int:
        """Count the characters, the prefix and two more."""
        return len(text) + (3 if is_query else 4) + 2

    def _embed(self, kind: Kind, text: str) -> Vectors:
        self.texts.append(text)
        self.threads.add(threading.get_ident())
        self.started.set()
        assert self.may_go_on.wait(timeout=60)
        return embed_words(kind, text, "engine", NATIVE_DIMENSIONS)
