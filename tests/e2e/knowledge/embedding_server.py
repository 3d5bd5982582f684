"""An OpenAI-compatible embedding server on loopback, whose vectors follow from the texts alone."""

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import numpy as np

DIMENSIONS: Final = 16


class EmbeddingServer:
    """Counts what it is asked.

    Attributes:
        texts: every text that was embedded, in the order of arrival.
        delay_s: time that an answer takes, so that a kill can come in the middle.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.delay_s = 0.0
        self.url = ""

    def settings(self) -> dict[str, str]:
        """Give the settings by which the knowledge family asks this server."""
        return {
            "VECTOR_EMBEDDING_PROVIDER": "openai",
            "VECTOR_EMBEDDING_MODEL": "made-up",
            "EMBED_BASE_URL": self.url,
            "OLLAMA_EMBED_DIMENSIONS": str(DIMENSIONS),
        }

    def answer(self, texts: list[str]) -> bytes:
        """Give the answer to one request."""
        self.texts += texts
        time.sleep(self.delay_s)
        rows = [{"index": at, "embedding": vector_of(text)} for at, text in enumerate(texts)]
        return json.dumps({"data": rows}).encode()


def vector_of(text: str) -> list[float]:
    """Give the direction of a text: the same for the same text, and another for any other."""
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
    vector = np.random.default_rng(seed).standard_normal(DIMENSIONS)
    unit: list[float] = (vector / np.linalg.norm(vector)).tolist()
    return unit


class _Listening(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that was killed while it was served; a request that fails, fails there."""


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """Run the server until the end of the block."""
    server = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = server.answer(asked["input"])
            try:
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:
                self.close_connection = True  # whoever asked was killed meanwhile

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's own name
            """Say nothing."""

    listening = _Listening(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{listening.server_address[1]}"
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
