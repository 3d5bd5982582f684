import gc
import io
import json
from typing import Any

import pytest

from vmk_mcp.observe import (
    CallFinished,
    Crashed,
    Embedded,
    EmbedderChanged,
    Event,
    Initialized,
    QueryFailed,
    RequestRefused,
    StoreChanged,
    Warned,
)
from vmk_mcp.web.log import LineBuffer, LogObserver

CALL = CallFinished(
    request_id="r1",
    token="alice",
    method="tools/call",
    tool="search_listings",
    code="ok",
    status=200,
    elapsed_s=0.0123456,
    stages={"embed": 0.002, "database": 0.01},
    rows=20,
    query="тиха квартира",
)


def lines_of(*events: Event, shows_queries: bool = False) -> list[Any]:
    stream = io.BytesIO()
    observer = LogObserver(LineBuffer(stream), shows_queries=shows_queries, now=lambda: 1_700_000_000.25)
    for event in events:
        observer.observe(event)
    text = stream.getvalue()
    assert text.endswith(b"\n") or not text
    return [json.loads(line) for line in text.splitlines()]


def test_a_call_is_one_json_line_without_its_query() -> None:
    assert lines_of(CALL) == [
        {
            "timestamp": "2023-11-14T22:13:20.250Z",
            "level": "info",
            "event": "call",
            "request_id": "r1",
            "token": "alice",
            "method": "tools/call",
            "tool": "search_listings",
            "code": "ok",
            "status": 200,
            "elapsed_ms": 12.346,
            "stages_ms": {"embed": 2.0, "database": 10.0},
            "rows": 20,
        }
    ]


def test_the_query_is_shown_when_the_operator_asks_for_it() -> None:
    assert lines_of(CALL, shows_queries=True)[0]["query"] == "тиха квартира"


def test_many_dropped_arguments_leave_the_line_a_line() -> None:
    dropped = tuple("x" * 1000 for _ in range(1000))
    event = CallFinished("r", "t", "tools/call", "echo", "ok", 200, 0.1, {}, 0, dropped=dropped)
    (line,) = lines_of(event)
    assert (len(line["dropped"]), len(line["dropped"][0])) == (16, 64)


def test_a_store_that_answers_is_news_only_after_it_did_not() -> None:
    assert lines_of(StoreChanged("listings", reachable=True)) == []
    changes = [StoreChanged("listings", reachable=reachable) for reachable in (True, False, True)]
    assert [line["reachable"] for line in lines_of(*changes)] == [False, True]


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        (
            RequestRefused("r1", "rate_limited", 429),
            {"event": "request_refused", "code": "rate_limited", "status": 429},
        ),
        (
            Initialized("direct_success"),
            {"event": "initialized", "outcome": "direct_success", "level": "info"},
        ),
        (Warned("tokens", "Mend it."), {"event": "warned", "message": "Mend it.", "level": "warning"}),
        (QueryFailed("listings/find", "too_slow", "57014"), {"event": "query_failed", "sqlstate": "57014"}),
        (StoreChanged("listings", reachable=False), {"event": "store_changed", "level": "warning"}),
        (
            EmbedderChanged("m", reachable=False, reason="slow"),
            {"event": "embedder_changed", "reason": "slow"},
        ),
    ],
)
def test_every_other_event_is_a_json_line(event: Event, fields: dict[str, Any]) -> None:
    (line,) = lines_of(event)
    assert {name: line[name] for name in fields} == fields
    assert line["timestamp"] == "2023-11-14T22:13:20.250Z"


def test_embedding_has_no_line_beside_its_calls() -> None:
    assert lines_of(Embedded("m", 3, 1, 0.1)) == []


def test_a_bug_is_logged_with_its_traceback_on_one_line() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        divmod(1, 0)
    (line,) = lines_of(Crashed("r1", caught.value))
    assert (line["event"], line["level"], line["request_id"]) == ("crashed", "error", "r1")
    assert "Traceback" in line["exception"]
    assert "ZeroDivisionError: " in line["exception"]


async def test_the_lines_of_many_calls_are_written_together() -> None:
    stream = io.BytesIO()
    lines = LineBuffer(stream)
    observer = LogObserver(lines, shows_queries=False)
    for _ in range(3):
        observer.observe(CALL)
    assert stream.getvalue() == b""
    lines.flush()
    assert stream.getvalue().count(b"\n") == 3
    lines.flush()
    assert stream.getvalue().count(b"\n") == 3


async def test_what_waits_is_written_when_the_log_ends() -> None:
    stream = io.BytesIO()
    lines = LineBuffer(stream)
    lines.write(b"last\n")
    assert stream.getvalue() == b""
    # The pending timer holds the buffer too, and is forgotten with its loop.
    assert lines._due is not None
    lines._due.cancel()
    del lines
    gc.collect()
    assert stream.getvalue() == b"last\n"


async def test_lines_are_written_before_they_grow_too_many() -> None:
    stream = io.BytesIO()
    lines = LineBuffer(stream)
    lines.write(b"x" * 40_000 + b"\n")
    assert stream.getvalue() == b""
    lines.write(b"y" * 40_000 + b"\n")
    assert len(stream.getvalue()) == 80_002


async def test_a_rare_event_is_written_at_once_after_the_calls_before_it() -> None:
    stream = io.BytesIO()
    observer = LogObserver(LineBuffer(stream), shows_queries=False)
    observer.observe(CALL)
    observer.observe(Warned("x", "y"))
    assert [json.loads(line)["event"] for line in stream.getvalue().splitlines()] == ["call", "warned"]


class BrokenStream(io.BytesIO):
    """A stream whose reader is gone."""

    def write(self, text: object) -> int:
        """See `io.BytesIO`."""
        raise BrokenPipeError


@pytest.mark.parametrize("event", [CALL, Warned("x", "y")])
def test_a_log_that_nobody_reads_any_more_stops_nothing(event: Event) -> None:
    LogObserver(LineBuffer(BrokenStream()), shows_queries=False).observe(event)


async def test_a_log_that_nobody_reads_any_more_keeps_no_lines() -> None:
    lines = LineBuffer(BrokenStream())
    lines.write(b"x" * 70_000)
    lines.flush()
    assert not lines._waiting
