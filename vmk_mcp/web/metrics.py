"""Prometheus metrics fed by events; labels take only values from closed sets, so that series stay few."""

from collections.abc import Callable, Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

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
)

_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0)


class MetricsObserver:
    """Counts events in a registry of its own."""

    def __init__(self) -> None:
        self.registry: Final = CollectorRegistry()
        registry = self.registry
        self._calls = Counter(
            "vmk_calls", "JSON-RPC messages answered.", ("method", "tool", "code"), registry=registry
        )
        self._call_seconds = Histogram(
            "vmk_call_seconds",
            "Time from body read to answer encoded.",
            ("method", "tool"),
            buckets=_SECONDS,
            registry=registry,
        )
        self._stage_seconds = Histogram(
            "vmk_stage_seconds",
            "Time by stage of a tool's calls.",
            ("tool", "stage"),
            buckets=_SECONDS,
            registry=registry,
        )
        self._rows = Counter("vmk_rows", "Rows fetched from Postgres.", ("tool",), registry=registry)
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
        self._store_up = Gauge(
            "vmk_store_reachable", "1 while the store answers.", ("store",), registry=registry
        )
        self._embedder_up = Gauge(
            "vmk_embedder_reachable", "1 while the breaker is closed.", ("model",), registry=registry
        )
        self._texts = Counter(
            "vmk_embedded_texts", "Texts turned into vectors.", ("model", "cached"), registry=registry
        )
        # Children are looked up once: `labels` costs more than the counting itself.
        self._seen: dict[tuple[str, str, str], tuple[Counter, Histogram]] = {}

    def watch(self, name: str, documentation: str, read: Callable[[], float]) -> None:
        """Show what `read` gives at the time of each scrape as the gauge `vmk_<name>`."""
        Gauge(f"vmk_{name}", documentation, registry=self.registry).set_function(read)

    def observe(self, event: Event) -> None:
        """Count `event`."""
        if isinstance(event, CallFinished):
            self._count_call(event)
        else:
            self._count_rare(event)

    def _count_call(self, call: CallFinished) -> None:
        key = (call.method, call.tool, call.code)
        children = self._seen.get(key)
        if children is None:
            seconds = self._call_seconds.labels(call.method, call.tool)
            children = self._seen[key] = (self._calls.labels(*key), seconds)
        children[0].inc()
        children[1].observe(call.elapsed_s)
        if call.stages:
            self._time_stages(call.tool, call.stages)
        if call.rows:
            self._rows.labels(call.tool).inc(call.rows)

    def _time_stages(self, tool: str, stages: Mapping[str, float]) -> None:
        for stage, seconds in stages.items():
            self._stage_seconds.labels(tool, stage).observe(seconds)

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
            case Embedded(model=model, texts=texts, cached=cached):
                self._texts.labels(model, "yes").inc(cached)
                self._texts.labels(model, "no").inc(texts - cached)
