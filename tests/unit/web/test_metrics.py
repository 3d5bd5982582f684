import pytest
from prometheus_client import generate_latest

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
from vmk_mcp.web.metrics import MetricsObserver


def call(elapsed_s: float, code: str = "ok") -> CallFinished:
    return CallFinished(
        "r", "alice", "tools/call", "search", code, 200, elapsed_s, {"database": elapsed_s / 2}, 20
    )


def series_of(*events: Event) -> dict[str, float]:
    observer = MetricsObserver()
    for event in events:
        observer.observe(event)
    lines = generate_latest(observer.registry).decode().splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#") and "_created" not in line)
    return {name: float(value) for name, value in pairs}


def test_calls_are_counted_by_method_tool_and_code() -> None:
    series = series_of(call(0.1), call(0.1), call(0.1, "too_slow"))
    assert series['vmk_calls_total{code="ok",method="tools/call",tool="search"}'] == 2
    assert series['vmk_calls_total{code="too_slow",method="tools/call",tool="search"}'] == 1
    assert series['vmk_rows_total{tool="search"}'] == 60


def test_times_fall_into_cumulative_buckets() -> None:
    series = series_of(call(0.001), call(0.3), call(99.0))
    name = 'vmk_call_seconds_bucket{le="%s",method="tools/call",tool="search"}'
    assert [series[name % bound] for bound in ("0.0005", "0.001", "0.25", "0.5", "30.0", "+Inf")] == [
        0,
        1,
        1,
        2,
        2,
        3,
    ]
    assert series['vmk_call_seconds_count{method="tools/call",tool="search"}'] == 3
    assert series['vmk_call_seconds_sum{method="tools/call",tool="search"}'] == pytest.approx(99.301)


def test_stages_are_timed_by_tool() -> None:
    series = series_of(call(0.1))
    assert series['vmk_stage_seconds_sum{stage="database",tool="search"}'] == 0.05


def test_the_token_is_in_no_label() -> None:
    assert not [name for name in series_of(call(0.1)) if "alice" in name]


@pytest.mark.parametrize(
    ("event", "name", "value"),
    [
        (RequestRefused("r", "rate_limited", 429), 'vmk_refused_total{code="rate_limited"}', 1),
        (Initialized("direct_success"), 'vmk_initialized_total{outcome="direct_success"}', 1),
        (Crashed("r", ValueError()), "vmk_crashed_total", 1),
        (QueryFailed("a/b", "too_slow", "57014"), 'vmk_query_failed_total{code="too_slow",query="a/b"}', 1),
        (StoreChanged("listings", reachable=False), 'vmk_store_reachable{store="listings"}', 0),
        (EmbedderChanged("m", reachable=True, reason=""), 'vmk_embedder_reachable{model="m"}', 1),
        (Embedded("m", 5, 2, 0.1), 'vmk_embedded_texts_total{cached="yes",model="m"}', 2),
        (Embedded("m", 5, 2, 0.1), 'vmk_embedded_texts_total{cached="no",model="m"}', 3),
    ],
)
def test_each_event_moves_its_series(event: Event, name: str, value: float) -> None:
    assert series_of(event)[name] == value


def test_a_warning_is_for_the_log_alone() -> None:
    assert series_of(Warned("x", "y")) == series_of()


def test_a_watched_gauge_is_read_at_each_scrape() -> None:
    observer = MetricsObserver()
    sizes = iter([3.0, 4.0])
    observer.watch("pool_size", "Connections open.", lambda: next(sizes))
    assert b"vmk_pool_size 3.0" in generate_latest(observer.registry)
    assert b"vmk_pool_size 4.0" in generate_latest(observer.registry)
