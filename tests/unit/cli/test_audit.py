"""`vmk-mcp audit spatial`: what is printed of a report, and the exit status."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vmk_mcp.bootstrap.auditing import AuditedTable, SpatialReport
from vmk_mcp.cli.app import main
from vmk_mcp.spatial.queries import TableAudit, Unusable

TANKS = AuditedTable(
    "st_2_xianyouxushuichiguan", TableAudit("water_tank", 1200, [4326], ["POINT"], 3, 2, 0, 0)
)
EMPTY = Unusable("water_tank", "榜头镇", "empty", 7, [1, 2, 3, 4, 5])
TOWNLESS = Unusable("water_tank", None, "empty", 1, [9])
FAULT = "st_2_xianyouxushuichiguan (water_tank): SRID 4490 instead of 4326 (WGS 84)."


def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, report: SpatialReport, *options: str) -> Result:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("vmk_mcp.cli.audit.audit_spatial", lambda settings, say: report)
    return CliRunner().invoke(main, ["audit", "spatial", *options])


def test_what_is_left_out_is_printed_below_the_tables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = run(monkeypatch, tmp_path, SpatialReport("degraded", [], [TANKS], [EMPTY, TOWNLESS]))
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "table                      records  SRID  types  with Z  empty  invalid  out of range",
        "st_2_xianyouxushuichiguan  1200     4326  POINT  3       2      0        0",
        "left out  water_tank, 榜头镇: 7 empty (id 1, 2, 3, 4, 5 ...)",
        "left out  water_tank, no town: 1 empty (id 9)",
        "The spatial family is degraded.",
    ]


def test_a_fault_gives_status_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = run(monkeypatch, tmp_path, SpatialReport("unavailable", [FAULT], [], []))
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [f"fault     {FAULT}", "The spatial family is unavailable."]


def test_a_report_comes_as_json(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = run(monkeypatch, tmp_path, SpatialReport("unavailable", [FAULT], [TANKS], [EMPTY]), "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["status"] == "unavailable"
    assert report["faults"] == [FAULT]
    assert report["tables"][0]["found"]["srids"] == [4326]
    assert report["unusable"][0]["town"] == "榜头镇"
