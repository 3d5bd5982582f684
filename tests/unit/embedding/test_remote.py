"""Every failure of an embedding server, over both protocols."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator

import httpx
import numpy as np
import pytest
import respx

from tests.unit.embedding.servers import DIMENSIONS, OLLAMA, OPENAI, Medium, PauseLog, embed_inputs
from vmk_mcp.embedding.failures import TextsRefused
from vmk_mcp.errors import EmbeddingUnavailable, InvalidArguments

ROW = [1.0, 0.0, 0.0, 0.0]


@pytest.fixture(params=[OLLAMA, OPENAI], ids=["ollama", "openai"])
def medium(request: pytest.FixtureRequest) -> Medium:
    chosen: Medium = request.param
    return chosen


@pytest.fixture
def route(medium: Medium) -> Iterator[respx.Route]:
    with respx.mock:
        yield respx.post(medium.url)


async def fail(
    medium: Medium, pause: PauseLog | None = None, timeout_s: float = 60.0
) -> EmbeddingUnavailable:
    """Embed one text, which must fail."""
    embedder = medium.open(pause or PauseLog(), timeout_s)
    with pytest.raises(EmbeddingUnavailable) as caught:
        await embedder.embed_queries(["квартира"])
    await embedder.close()
    return caught.value


async def test_texts_come_back_as_unit_rows_in_their_order(medium: Medium, route: respx.Route) -> None:
    route.side_effect = embed_inputs(medium)
    embedder = medium.open(PauseLog(), 60.0)
    vectors = await embedder.embed_documents(["перша", "друга", "третя"])
    assert vectors.shape == (3, DIMENSIONS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    for text, vector in zip(["перша", "друга", "третя"], vectors, strict=True):
        assert np.allclose((await embedder.embed_documents([text]))[0], vector)
    await embedder.close()


async def test_no_texts_ask_nobody(medium: Medium, route: respx.Route) -> None:
    embedder = medium.open(PauseLog(), 60.0)
    assert (await embedder.embed_queries([])).shape == (0, DIMENSIONS)
    assert not route.called


@pytest.mark.parametrize("failure", [httpx.ConnectError, httpx.ConnectTimeout])
async def test_a_server_that_is_down_is_named_at_once_with_its_setting(
    medium: Medium, route: respx.Route, failure: type[httpx.TransportError]
) -> None:
    route.side_effect = failure("[Errno 111] Connection refused")
    said = await fail(medium)
    assert "cannot be reached" in said.message
    assert medium.address_setting in said.hint
    assert "111" not in said.message + said.hint
    assert route.call_count == 1


async def test_a_read_timeout_says_the_limit(medium: Medium, route: respx.Route) -> None:
    route.side_effect = httpx.ReadTimeout("slow")
    said = await fail(medium)
    assert "within 60 s" in said.message
    assert "OLLAMA_REQUEST_TIMEOUT" in said.hint


async def test_a_server_that_never_answers_is_given_up_at_the_time_limit(
    medium: Medium, route: respx.Route
) -> None:
    async def hang(_request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets the event")

    route.side_effect = hang
    assert "did not answer" in (await fail(medium, timeout_s=0.0)).message


async def test_the_pause_before_a_retry_counts_towards_the_time_limit(
    medium: Medium, route: respx.Route
) -> None:
    class EndlessPause(PauseLog):
        async def __call__(self, seconds: float) -> None:
            await super().__call__(seconds)
            await asyncio.Event().wait()

    route.respond(503)
    pause = EndlessPause()
    assert "did not answer" in (await fail(medium, pause, timeout_s=0.0)).message
    assert len(pause.pauses_s) == 1


@pytest.mark.parametrize(
    "first",
    [
        httpx.ReadError("reset"),
        httpx.RemoteProtocolError("server disconnected"),
        httpx.Response(503),
        httpx.Response(429, headers={"retry-after": "1"}),
    ],
    ids=["reset", "disconnect", "503", "429"],
)
async def test_one_short_retry_mends_a_passing_failure(
    medium: Medium, route: respx.Route, first: httpx.Response | httpx.TransportError
) -> None:
    route.side_effect = [first, httpx.Response(200, json=medium.answer([ROW]))]
    pause = PauseLog()
    embedder = medium.open(pause, 60.0)
    assert (await embedder.embed_queries(["квартира"])).tolist() == [ROW]
    assert route.call_count == 2
    assert len(pause.pauses_s) == 1
    assert 0 < pause.pauses_s[0] <= 1


async def test_a_second_reset_is_the_end(medium: Medium, route: respx.Route) -> None:
    route.side_effect = httpx.ReadError("reset by peer")
    said = await fail(medium)
    assert "broke off" in said.message
    assert route.call_count == 2


async def test_a_server_that_stays_busy_is_called_overloaded(medium: Medium, route: respx.Route) -> None:
    route.respond(503)
    assert "overloaded" in (await fail(medium)).message
    assert route.call_count == 2


@pytest.mark.parametrize("retry_after", ["30", "Wed, 21 Oct 2026 07:28:00 GMT"])
async def test_a_server_that_wants_a_long_rest_is_not_asked_again(
    medium: Medium, route: respx.Route, retry_after: str
) -> None:
    route.respond(429, headers={"retry-after": retry_after})
    assert "overloaded" in (await fail(medium)).message
    assert route.call_count == 1


@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><html><body>It works!</body></html>",
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe\x00",
        b'{"embeddings": [[0.1, 0.2',
        b'{"data": [{"index": 0, "embedding": [0.1, 0.2',
        b'{"embeddings": [[NaN, 1, 2, 3]], "data": [{"index": 0, "embedding": [NaN, 1, 2, 3]}]}',
        b'{"embeddings": [[null, 1, 2, 3]], "data": [{"index": 0, "embedding": [null, 1, 2, 3]}]}',
        b'{"embeddings": [[1e999, 1, 2, 3]], "data": [{"index": 0, "embedding": [1e999, 1, 2, 3]}]}',
        b'{"embeddings": "AAAA", "data": [{"index": 0, "embedding": "AAAA"}]}',
        b"[" * 2000,
    ],
)
async def test_garbage_is_refused_with_the_address_to_check(
    medium: Medium, route: respx.Route, body: bytes
) -> None:
    route.respond(200, content=body)
    said = await fail(medium)
    assert "holds no embeddings" in said.message
    assert medium.address_setting in said.hint


async def test_an_endless_answer_is_cut_off(medium: Medium, route: respx.Route) -> None:
    read: list[int] = []

    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                read.append(1)
                yield b" " * 65_536

    route.respond(200, stream=Endless())
    assert "holds no embeddings" in (await fail(medium)).message
    assert len(read) < 10


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "0 vectors for 1 texts"),
        ([ROW, ROW], "2 vectors for 1 texts"),
        ([[1.0] * 8], "8 dimensions where 4 are expected"),
        ([[]], "0 dimensions where 4 are expected"),
        ([[0.0] * 4], "zeros"),
        ([[1e300] * 4], "not finite"),
    ],
)
async def test_unusable_vectors_are_refused_with_the_reason(
    medium: Medium, route: respx.Route, rows: list[list[float]], said: str
) -> None:
    route.respond(200, json=medium.answer(rows))
    assert said in (await fail(medium)).message


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (301, "does not know this address"),
        (401, "refused the key"),
        (403, "refused the key"),
        (404, "does not know this address"),
        (405, "does not know this address"),
        (500, "failed (HTTP 500)"),
        (502, "failed (HTTP 502)"),
    ],
)
async def test_each_status_says_what_to_check(
    medium: Medium, route: respx.Route, status: int, said: str
) -> None:
    route.respond(status, text="<html>secret of the server</html>")
    failure = await fail(medium)
    assert said in failure.message
    assert "secret" not in failure.message + failure.hint
    assert failure.retryable


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_refused_texts_are_told_from_a_server_that_is_unwell(
    medium: Medium, route: respx.Route, status: int
) -> None:
    route.respond(status, json={"error": "input length exceeds maximum context length"})
    failure = await fail(medium)
    assert isinstance(failure, TextsRefused)
    assert not failure.retryable
    assert failure.code == "embedding_unavailable"


async def test_an_empty_text_is_refused_before_the_server_is_asked(
    medium: Medium, route: respx.Route
) -> None:
    with pytest.raises(InvalidArguments):
        await medium.open(PauseLog(), 60.0).embed_queries(["квартира", "\0"])
    assert not route.called


async def test_control_signs_and_lone_surrogates_never_reach_the_server(
    medium: Medium, route: respx.Route
) -> None:
    route.side_effect = embed_inputs(medium)
    await medium.open(PauseLog(), 60.0).embed_documents(["а\0б\ud800 \n в"])
    assert json.loads(route.calls.last.request.content)["input"][0].endswith("а б в")
