"""Spans of each call, where the operator names a collector for them."""

import atexit
from importlib import import_module
from typing import Final

from vmk_mcp import __version__
from vmk_mcp.bootstrap.findings import Finding
from vmk_mcp.observe import Observers, Warned
from vmk_mcp.settings import Settings

_MISSING: Final = (
    "OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed, so no spans are sent."
)
_ADVICE: Final = "Install vmk-mcp[opentelemetry]."


def with_spans(settings: Settings, observers: Observers) -> Observers:
    """Add what makes spans to `observers`; they are as they were where no collector is named.

    Platforms set that name for all that they run: where the extra is missing the service only warns.
    """
    wanted = settings.tracing
    if wanted.endpoint is None:
        return observers
    try:
        from vmk_mcp.web.spans import Collector, SpanObserver  # noqa: PLC0415 - an extra, and 15 MB
    except ImportError:
        observers.observe(Warned("opentelemetry", f"{_MISSING} {_ADVICE}"))
        return observers
    headers = wanted.headers.reveal() if wanted.headers is not None else ""
    service = wanted.service_name or settings.server.name
    spans = SpanObserver(Collector(wanted.endpoint, service, __version__, headers), observers)
    # Whichever way the process ends, the last spans are sent.
    atexit.register(spans.close)
    return Observers(observers, spans)


def examine_tracing(settings: Settings) -> list[Finding]:
    """Say where spans go, if they go anywhere; nothing is sent."""
    endpoint = settings.tracing.endpoint
    if endpoint is None:
        return []
    try:
        import_module("vmk_mcp.web.spans")
    except ImportError:
        return [Finding("spans", "warning", _MISSING, _ADVICE)]
    return [Finding("spans", "ok", f"Each call is shown as a span at {endpoint}.")]
