"""Prometheus metrics fed by events; labels take only values from closed sets, so that series stay few."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge

from vmk_mcp.observe import (
    CallFinished,
    Crashed,
    Embedded,
    EmbedderChanged,
    Event,
    Initialized,
    QueryFailed,
    RequestRefused,
    StatementJudged,
    StoreChanged,
)
from vmk_mcp.web.series import CountSeries, TimeSeries


class MetricsObserver:
    """Counts events in a registry of its own."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        self._calls = CountSeries("vmk_calls", "JSON-RPC messages answered.", ("method", "tool", "code"))
        self._call_seconds = TimeSeries(
            "vmk_call_seconds", "From body read to answer encoded.", ("method", "tool")
        )
        self._stage_seconds = TimeSeries(
            "vmk_stage_seconds", "Time by stage of a tool's calls.", ("tool", "stage")
        )
        self._rows = CountSeries("vmk_rows", "Rows fetched from Postgres.", ("tool",))
        self._statements = CountSeries(
            "vmk_ask_statements", "Statements by the verdict on them.", ("tool", "source", "code")
        )
        self._texts = CountSeries("vmk_embedded_texts", "Texts turned into vectors.", ("model", "cached"))
        for series in (
            self._calls, self._call_seconds, self._stage_seconds, self._rows, self._statements, self._texts,
        ):  # fmt: skip
            registry.register(series)
        self._refused = Counter(
            "vmk_refused", "Requests that the guard turned away.", ("code",), registry=registry
        )
        self._initialized = Counter(
            "vmk_initialized", "Clients that opened.", ("outcome",), registry=registry
        )
        self._crashed = Counter("vmk_crashed", "Exceptions that are bugs.", registry=registry)
        self._query_failed = Counter(
            "vmk_query_failed", "Statements that failed.", ("query", "code"), registry=registry
        )
        self._store_up = Gauge("vmk_store_reachable", "1 while it answers.", ("store",), registry=registry)
        self._embedder_up = Gauge(
            "vmk_embedder_reachable", "1 while the breaker is closed.", ("model",), registry=registry
        )

    def watch(self, name: str, documentation: str, read: Callable[[], float]) -> None:
        """Show what `read` gives at the time of each scrape as the gauge `vmk_<name>`."""
        Gauge(f"vmk_{name}", documentation, registry=self.registry).set_function(read)

    def observe(self, event: Event) -> None:
        """Count `event`."""
        if isinstance(event, CallFinished):
            self._count_call(event)
        elif isinstance(event, Embedded):
            self._texts.add((event.model, "yes"), event.cached)
            self._texts.add((event.model, "no"), event.texts - event.cached)
        elif isinstance(event, StatementJudged):
            self._statements.add((event.tool, event.source, event.code))
        else:
            self._count_rare(event)

    def _count_call(self, call: CallFinished) -> None:
        self._calls.add((call.method, call.tool, call.code))
        self._call_seconds.add((call.method, call.tool), call.elapsed_s)
        for stage, seconds in call.stages.items():
            self._stage_seconds.add((call.tool, stage), seconds)
        if call.rows:
            self._rows.add((call.tool,), call.rows)

    def _count_rare(self, event: Event) -> None:
        match event:
            case RequestRefused(code=code):
                self._refused.labels(code).inc()
            case Initialized(outcome=outcome):
                self._initialized.labels(outcome).inc()
            case Crashed():
                self._crashed.inc()
            case QueryFailed(query=query, code=code):
                self._query_failed.labels(query, code).inc()
            case StoreChanged(store=store, reachable=reachable):
                self._store_up.labels(store).set(reachable)
            case EmbedderChanged(model=model, reachable=reachable):
                self._embedder_up.labels(model).set(reachable)
