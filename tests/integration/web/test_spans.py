"""Each call as a span at a collector: what it says, whose trace it is of, and what it never says."""

import atexit
import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.fakes import RecordingObserver
from tests.integration.web.collector import REFUSED, TAKEN, FakeCollector, collecting
from vmk_mcp.bootstrap.door import start_watching
from vmk_mcp.observe import CallFinished, Warned
from vmk_mcp.settings import read_settings
from vmk_mcp.web.spans import Collector, SpanObserver

TRACE: Final = "0af7651916cd43dd8448eb211c80319c"
PARENT: Final = "b7ad6b7169203331"
NOW_NS: Final = 1_700_000_000_000_000_000
CALL: Final = CallFinished(
    request_id="r1",
    token="alice",
    method="tools/call",
    tool="search_listings",
    code="ok",
    status=200,
    elapsed_s=0.25,
    stages={"embed": 0.05, "database": 0.125},
    rows=20,
    query="тиха квартира",
    dropped=("phone",),
    traceparent=f"00-{TRACE}-{PARENT}-01",
)


@pytest.fixture
def collector() -> Iterator[FakeCollector]:
    with collecting() as running:
        yield running


def observe(collector: FakeCollector, *calls: CallFinished) -> list[Span]:
    """Have spans made of `calls`, and give what the collector took."""
    observer = make_observer(collector, RecordingObserver())
    for call in calls:
        observer.observe(call)
    observer.close()
    return collector.spans()


def make_observer(collector: FakeCollector, watcher: RecordingObserver) -> SpanObserver:
    return SpanObserver(Collector(collector.endpoint, "search", "1.2"), watcher, now_ns=lambda: NOW_NS)


def plain(attributes: Iterable[KeyValue]) -> dict[str, Any]:
    """Give attributes as names and values."""
    return {one.key: getattr(one.value, str(one.value.WhichOneof("value"))) for one in attributes}


def test_a_call_is_one_span_with_its_time_rows_and_stages(collector: FakeCollector) -> None:
    (span,) = observe(collector, CALL)
    assert (span.name, span.kind) == ("tools/call search_listings", Span.SPAN_KIND_SERVER)
    assert (span.start_time_unix_nano, span.end_time_unix_nano) == (NOW_NS - 250_000_000, NOW_NS)
    assert span.status.code == Status.STATUS_CODE_UNSET
    assert plain(span.attributes) == {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "search_listings",
        "vmk.request_id": "r1",
        "vmk.rows": 20,
        "vmk.stage.embed_s": 0.05,
        "vmk.stage.database_s": 0.125,
    }


def test_no_span_holds_a_query_a_tokens_name_or_an_unknown_argument(collector: FakeCollector) -> None:
    observe(collector, CALL)
    assert collector.bodies
    sent = b"".join(collector.bodies)
    assert b"search_listings" in sent
    for secret in ("тиха", "alice", "phone"):
        assert secret.encode() not in sent


def test_a_span_belongs_to_the_trace_of_its_call_and_opens_one_where_there_is_none(
    collector: FakeCollector,
) -> None:
    taken_over, own = observe(collector, CALL, msgspec.structs.replace(CALL, traceparent=""))
    assert (taken_over.trace_id.hex(), taken_over.parent_span_id.hex()) == (TRACE, PARENT)
    assert own.trace_id.hex() != TRACE
    assert own.parent_span_id == b""


def test_a_trace_that_is_not_sampled_gets_no_span(collector: FakeCollector) -> None:
    assert observe(collector, msgspec.structs.replace(CALL, traceparent=f"00-{TRACE}-{PARENT}-00")) == []


def test_a_failed_call_is_a_failed_span_with_the_code(collector: FakeCollector) -> None:
    (span,) = observe(collector, msgspec.structs.replace(CALL, code="store_unavailable"))
    assert span.status.code == Status.STATUS_CODE_ERROR
    assert plain(span.attributes)["error.type"] == "store_unavailable"


def test_a_collector_that_refuses_spans_is_warned_of_once_until_it_took_some(
    collector: FakeCollector,
) -> None:
    watcher = RecordingObserver()
    observer = make_observer(collector, watcher)
    for status in (REFUSED, REFUSED, TAKEN, REFUSED):
        collector.status = status
        observer.observe(CALL)
        observer._provider.force_flush()
        observer.observe(CALL)
    observer.close()
    said = [warned.message for warned in watcher.of(Warned)]
    assert (
        said == [f"Spans do not reach the collector at {collector.endpoint}; calls go on without them."] * 2
    )


def test_a_process_ends_without_waiting_for_a_collector_that_took_nothing(collector: FakeCollector) -> None:
    collector.status = REFUSED
    observer = make_observer(collector, RecordingObserver())
    observer.observe(CALL)
    observer._provider.force_flush()
    observer.observe(CALL)
    observer.close()
    assert len(collector.bodies) == 1


def test_settings_have_the_service_send_its_spans_with_their_headers_and_the_last_at_its_end(
    collector: FakeCollector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[Callable[[], None]] = []
    monkeypatch.setattr(atexit, "register", ends.append)
    environ = {
        "DATA_DIR": str(tmp_path),
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"{collector.endpoint}/",
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20k1, x-team=search",
    }
    log = io.BytesIO()
    watching = start_watching(read_settings(environ), log)
    watching.observers.observe(CALL)
    for end in ends:
        end()
    assert collector.paths == ["/v1/traces"]
    assert collector.headers[0]["authorization"] == "Bearer k1"
    assert collector.headers[0]["x-team"] == "search"
    (request,) = collector.requests()
    assert plain(request.resource_spans[0].resource.attributes)["service.name"] == "vmk-mcp"
    assert b'"event":"call"' in log.getvalue()
    assert b"k1" not in log.getvalue()
