"""Qdrant's REST interface on loopback, as far as it is used here, over the client's own store in memory."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel
from qdrant_client import QdrantClient, models


class FakeQdrant:
    """See https://api.qdrant.tech; each route of it does what the client does with a folder.

    Attributes:
        url: where it listens.
        key: that is asked for; "" asks for none.
        indexed: collections of which a field of the payload was indexed.
    """

    def __init__(self) -> None:
        self.url = ""
        self.key = ""
        self.indexed: list[str] = []
        self._client = QdrantClient(":memory:")
        self._turn = threading.Lock()

    def names(self) -> set[str]:
        """Give the names of all collections."""
        with self._turn:
            return {one.name for one in self._client.get_collections().collections}

    def answer(self, method: str, path: str, body: bytes) -> object:
        """Give what a request has as its result; raises `KeyError` for one that is not known."""
        first, *rest = path.strip("/").split("/")
        assert first == "collections", path
        route = self._routes()[method, "/".join(rest[1:]) if rest else None]
        with self._turn:
            return route(rest[0] if rest else "", json.loads(body or b"{}"))

    def _routes(self) -> dict[tuple[str, str | None], Callable[[str, Any], object]]:
        client = self._client
        return {
            ("GET", None): lambda _, body: client.get_collections(),
            ("GET", "exists"): lambda name, body: {"exists": client.collection_exists(name)},
            ("GET", ""): lambda name, body: client.get_collection(name),
            ("PUT", ""): self._create,
            ("DELETE", ""): lambda name, body: client.delete_collection(name),
            ("PUT", "index"): self._index,
            ("PUT", "points"): self._put,
            ("POST", "points/delete"): lambda name, body: client.delete(
                name, models.PointIdsList.model_validate(body)
            ),
            ("POST", "points/scroll"): self._scroll,
            ("POST", "points/query"): self._query,
        }

    def _create(self, name: str, body: Any) -> object:
        vectors = models.VectorParams.model_validate(body["vectors"])
        return self._client.create_collection(name, vectors_config=vectors)

    def _index(self, name: str, body: Any) -> object:
        assert body["field_schema"] == {"type": "keyword", "is_tenant": True}
        self.indexed.append(name)
        return {"operation_id": 1, "status": "completed"}

    def _put(self, name: str, body: Any) -> object:
        return self._client.upsert(name, models.Batch.model_validate(body["batch"]))

    def _scroll(self, name: str, body: Any) -> object:
        points, following = self._client.scroll(
            name, limit=body["limit"], offset=body.get("offset"), with_payload=False
        )
        return {"points": [point.model_dump() for point in points], "next_page_offset": following}

    def _query(self, name: str, body: Any) -> object:
        return self._client.query_points(
            name,
            query=body["query"]["nearest"],
            query_filter=models.Filter.model_validate(body["filter"]),
            limit=body["limit"],
            with_payload=False,
        )


@contextmanager
def qdrant_server() -> Iterator[FakeQdrant]:
    """Run the server until the end of the block."""
    qdrant = FakeQdrant()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            if self.headers.get("api-key", "") != qdrant.key:
                self._send(401, {"status": {"error": "no key"}})
                return
            result = qdrant.answer(self.command, urlsplit(self.path).path, body)
            shown = result.model_dump(mode="json") if isinstance(result, BaseModel) else result
            self._send(200, {"result": shown, "status": "ok", "time": 0.0})

        do_GET = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815 - the base class's own names

        def _send(self, status: int, answer: object) -> None:
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's own name
            """Say nothing."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    qdrant.url = f"http://127.0.0.1:{listening.server_address[1]}"
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    try:
        yield qdrant
    finally:
        listening.shutdown()
        listening.server_close()
