"""`vmk-mcp doctor`: what is printed of findings, and the exit status."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vmk_mcp.bootstrap.findings import Finding
from vmk_mcp.cli.app import main

FINE = Finding("settings", "ok", "All settings can be used.")
SLOW = Finding("indexes", "warning", "One lacks.", "Make it.")
DOWN = Finding("database", "failed", "It is down.", "Start it.")


def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, findings: list[Finding], *options: str) -> Result:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("vmk_mcp.cli.doctor.examine", lambda settings, say: findings)
    return CliRunner().invoke(main, ["doctor", *options])


def test_findings_are_printed_with_their_advice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = run(monkeypatch, tmp_path, [FINE, SLOW])
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "ok      settings: All settings can be used.",
        "warning indexes: One lacks.",
        "        Make it.",
    ]


def test_a_failed_finding_gives_status_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert run(monkeypatch, tmp_path, [FINE, DOWN]).exit_code == 1


def test_findings_come_as_json(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = run(monkeypatch, tmp_path, [DOWN], "--json")
    assert json.loads(result.stdout) == [
        {"subject": "database", "verdict": "failed", "message": "It is down.", "advice": "Start it."}
    ]


def test_a_foreign_database_is_never_prepared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", "postgresql://h/x")
    result = CliRunner().invoke(main, ["init-db"])
    assert result.exit_code == 2
    assert "nothing is ever written" in result.stderr


def test_without_a_running_server_there_is_no_dsn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    result = CliRunner().invoke(main, ["dsn"])
    assert result.exit_code == 1
    assert "does not run" in result.stderr
