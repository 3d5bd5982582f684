"""Spans that nobody asked for, and spans that cannot be made."""

import sys
from pathlib import Path

import pytest

from tests.fakes import RecordingObserver
from vmk_mcp.bootstrap.tracing import with_spans
from vmk_mcp.observe import Observers, Warned
from vmk_mcp.settings import read_settings


def test_without_a_collector_nothing_stands_between_a_call_and_its_observers(tmp_path: Path) -> None:
    observers = Observers(RecordingObserver())
    assert with_spans(read_settings({"DATA_DIR": str(tmp_path)}), observers) is observers


def test_a_collector_without_the_extra_is_warned_of_with_its_name_and_the_service_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vmk_mcp.web.spans", None)
    watcher = RecordingObserver()
    observers = Observers(watcher)
    environ = {"DATA_DIR": str(tmp_path), "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
    assert with_spans(read_settings(environ), observers) is observers
    (warned,) = watcher.of(Warned)
    assert "vmk-mcp[opentelemetry]" in warned.message
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in warned.message
