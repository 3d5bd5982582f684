"""OpenTelemetry spans, one a call, made of the events that feed the log; needs the extra `opentelemetry`."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.re import parse_env_headers
from opentelemetry.util.types import AttributeValue

from vmk_mcp.observe import CallFinished, Event, Observer, Warned

_OK: Final = "ok"
# Of one request with its retries; the end of the process waits for the last one.
_TIMEOUT_S: Final = 3.0
_NANOSECONDS: Final = 1_000_000_000


class Collector(Struct, frozen=True):
    """Where spans are sent, and as whose.

    Attributes:
        endpoint: base address of OTLP over HTTP; spans go to `/v1/traces` below it.
        service: name of the service.
        version: of the service.
        headers: `name=value` with commas between, values URL-encoded; may hold a key.
    """

    endpoint: str
    service: str
    version: str
    headers: str = ""

    def __repr__(self) -> str:
        return f"Collector({self.endpoint!r})"


class TellingExporter(SpanExporter):
    """Sends spans, in the SDK's own thread, and keeps in mind whether they arrive."""

    def __init__(self, inner: SpanExporter) -> None:
        self._inner = inner
        self.is_failing = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """See `SpanExporter.export`."""
        result = self._inner.export(spans)
        self.is_failing = result is not SpanExportResult.SUCCESS
        return result

    def shutdown(self) -> None:
        """See `SpanExporter.shutdown`."""
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """See `SpanExporter.force_flush`."""
        return self._inner.force_flush(timeout_millis)


class SpanObserver:
    """Makes a span of each call: its time, method, tool, outcome, rows and stages, and nothing of its words.

    A span belongs to the trace of the call's `traceparent`, and is left out where that trace is not sampled.
    Spans are sent together, some seconds later, in a thread of the SDK's.

    Args:
        collector: where they are sent.
        observer: warned, with the next call, when they do not arrive.
        now_ns: nanoseconds since the epoch.
    """

    def __init__(
        self, collector: Collector, observer: Observer, *, now_ns: Callable[[], int] = time.time_ns
    ) -> None:
        # The SDK says of each batch that is lost what we say once, and not as a JSON line.
        logging.getLogger("opentelemetry").propagate = False
        logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
        self._endpoint = collector.endpoint
        self._observer = observer
        self._now_ns = now_ns
        self._exporter = TellingExporter(
            OTLPSpanExporter(
                f"{collector.endpoint}/v1/traces",
                headers=parse_env_headers(collector.headers, liberal=True),
                timeout=_TIMEOUT_S,
            )
        )
        described = {SERVICE_NAME: collector.service, SERVICE_VERSION: collector.version}
        self._provider = TracerProvider(resource=Resource.create(described), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        self._tracer = self._provider.get_tracer("vmk_mcp", collector.version)
        self._propagator = TraceContextTextMapPropagator()
        self._was_failing = False

    def observe(self, event: Event) -> None:
        """Make a span of a call; other events have none."""
        if isinstance(event, CallFinished):
            self._record(event)
            self._warn()

    def close(self) -> None:
        """Send what is left, for seconds at most; to a collector that took nothing before, nothing."""
        if self._exporter.is_failing:
            self._exporter.shutdown()
        self._provider.shutdown()

    def _record(self, call: CallFinished) -> None:
        end_ns = self._now_ns()
        span = self._tracer.start_span(
            f"{call.method} {call.tool}".strip() or "message",
            self._propagator.extract({"traceparent": call.traceparent}) if call.traceparent else None,
            SpanKind.SERVER,
            _describe(call),
            start_time=end_ns - round(call.elapsed_s * _NANOSECONDS),
        )
        if call.code != _OK:
            span.set_status(StatusCode.ERROR)
        span.end(end_ns)

    def _warn(self) -> None:
        is_failing = self._exporter.is_failing
        if is_failing and not self._was_failing:
            message = f"Spans do not reach the collector at {self._endpoint}; calls go on without them."
            self._observer.observe(Warned("opentelemetry", message))
        self._was_failing = is_failing


def _describe(call: CallFinished) -> dict[str, AttributeValue]:
    """Give a span's attributes: OpenTelemetry's own names where it has them, else ours."""
    attributes: dict[str, AttributeValue] = {"vmk.request_id": call.request_id}
    if call.method:
        attributes["mcp.method.name"] = call.method
    if call.tool:
        attributes["gen_ai.tool.name"] = call.tool
    if call.code != _OK:
        attributes["error.type"] = call.code
    if call.rows:
        attributes["vmk.rows"] = call.rows
    for stage, seconds in call.stages.items():
        attributes[f"vmk.stage.{stage}_s"] = seconds
    return attributes
