"""Counts and times of calls as plain numbers in one thread, shown to Prometheus when it asks.

The client library's own counters take a lock each time, the dearest part of counting; what every call touches
is counted in the event loop alone.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

_BOUNDS_S: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0)
_BOUND_NAMES: Final = (*(str(bound) for bound in _BOUNDS_S), "+Inf")


class CountSeries(Collector):
    """A counter for each combination of label values."""

    def __init__(self, name: str, documentation: str, labels: Sequence[str]) -> None:
        self._described = (name, documentation, labels)
        self._counts: dict[tuple[str, ...], int] = {}

    def add(self, values: tuple[str, ...], amount: int = 1) -> None:
        """Count `amount` under the label values."""
        self._counts[values] = self._counts.get(values, 0) + amount

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Show all counts."""
        name, documentation, labels = self._described
        family = CounterMetricFamily(name, documentation, labels=labels)
        for values, count in self._counts.items():
            family.add_metric(values, count)
        yield family


class _Times:
    __slots__ = ("counts", "total_s")

    def __init__(self) -> None:
        self.counts = [0] * len(_BOUND_NAMES)
        self.total_s = 0.0


class TimeSeries(Collector):
    """A histogram of seconds for each combination of label values."""

    def __init__(self, name: str, documentation: str, labels: Sequence[str]) -> None:
        self._described = (name, documentation, labels)
        self._times: dict[tuple[str, ...], _Times] = {}

    def add(self, values: tuple[str, ...], seconds: float) -> None:
        """Count one time under the label values."""
        times = self._times.get(values)
        if times is None:
            times = self._times[values] = _Times()
        times.counts[bisect_left(_BOUNDS_S, seconds)] += 1
        times.total_s += seconds

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """Show all histograms; Prometheus' buckets are cumulative."""
        name, documentation, labels = self._described
        family = HistogramMetricFamily(name, documentation, labels=labels)
        for values, times in self._times.items():
            buckets = list(zip(_BOUND_NAMES, accumulate(times.counts), strict=True))
            family.add_metric(values, buckets, times.total_s)
        yield family
