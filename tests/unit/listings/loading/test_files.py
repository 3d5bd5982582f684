"""Files of every form as rows, with the number that each has in its file."""

import importlib
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from vmk_mcp.errors import InvalidArguments, StartError
from vmk_mcp.listings.loading.rows import RawRow
from vmk_mcp.listings.loading.sources import Format, open_source
from vmk_mcp.listings.loading.survey import has_changed, survey_file

# By name, since the package declares no types.
ARROW: Final[Any] = importlib.import_module("pyarrow")
PARQUET: Final[Any] = importlib.import_module("pyarrow.parquet")


def rows_of(path: Path, skip: int = 0, delimiter: str = "") -> list[RawRow]:
    source = open_source(path, Format(survey_file(path).encoding, delimiter))
    try:
        return list(source.read_rows(skip))
    finally:
        source.close()


def write(folder: Path, name: str, content: str | bytes, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1251", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_table_is_read_in_any_encoding_and_with_any_delimiter(
    tmp_path: Path, encoding: str, delimiter: str
) -> None:
    text = f'id{delimiter}"назва, повна"\r\n1{delimiter}Квартира на Хрещатику\r\n'
    assert rows_of(write(tmp_path, "a.csv", text, encoding)) == [
        RawRow(2, {"id": "1", "назва, повна": "Квартира на Хрещатику"})
    ]


def test_a_row_is_numbered_by_the_line_on_which_it_begins(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", 'id,title\n1,"two\nlines"\n\n2,x\n3\n4,y\n')
    assert [(row.number, bool(row.fault)) for row in rows_of(path)] == [
        (2, False), (5, False), (6, True), (7, False),
    ]  # fmt: skip


def test_rows_that_were_read_before_are_skipped_in_every_form(tmp_path: Path) -> None:
    PARQUET.write_table(ARROW.table({"id": list(range(1200))}), tmp_path / "a.parquet")
    paths = [
        write(tmp_path, "a.csv", "id,x\n" + "".join(f"{n},\n" for n in range(1200))),
        write(tmp_path, "a.jsonl", "".join(f'{{"id": {n}}}\n' for n in range(1200))),
        tmp_path / "a.parquet",
    ]
    for path in paths:
        rows = rows_of(path, skip=1100)
        assert [int(str(row.values["id"])) for row in rows] == list(range(1100, 1200)), path
        assert rows[0].number == (1102 if path.suffix == ".csv" else 1101)


def test_a_stray_byte_does_not_make_utf_8_another_encoding(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", ("id,t\n1," + "Київ" * 20).encode() + b"\xff\n")
    assert rows_of(path)[0].values["t"] == "Київ" * 20 + "\ufffd"


def test_a_quote_left_open_is_a_fault_of_its_row(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", 'id,t\n1,a\n2,"b\n' + "x" * (17 << 20) + "\n3,c\n")
    first, broken, *_ = rows_of(path)
    assert first.values == {"id": "1", "t": "a"}
    assert (broken.number, broken.fault) == (3, "cells of at most 16 MiB: is a quote left open?")


def test_each_line_of_json_is_an_object_or_a_fault(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", '{"id": 1}\n\n[1]\n{"id": \n{"id": 2, "later": true}\n')
    assert [(row.number, row.values, bool(row.fault)) for row in rows_of(path)] == [
        (1, {"id": 1}, False),
        (3, {}, True),
        (4, {}, True),
        (5, {"id": 2, "later": True}, False),
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "no header"),
        ("a.csv", "id,id\n", "several columns named id"),
        ("a.xlsx", "x", "ends in none of"),
        ("a.parquet", "PAR1", "cannot be read as Parquet"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_refused(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    with pytest.raises(InvalidArguments, match=message):
        rows_of(write(tmp_path, name, content))


def test_an_unknown_encoding_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidArguments, match="klingon"):
        open_source(write(tmp_path, "a.csv", "id\n"), Format("klingon"))


def test_parquet_without_its_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(StartError, match="pyarrow") as caught:
        rows_of(write(tmp_path, "a.parquet", "x"))
    assert "vmk-mcp[parquet]" in caught.value.hint


def test_a_file_that_was_changed_has_another_digest_and_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "id\n1\n")
    before = survey_file(path)
    assert not has_changed(path, before)
    write(tmp_path, "a.csv", "id\n1\n2\n")
    assert has_changed(path, before)
    assert survey_file(path).digest != before.digest


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidArguments, match=r"gone\.csv"):
        survey_file(tmp_path / "gone.csv")
