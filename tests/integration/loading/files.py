"""Made-up files to load, and what the table holds afterwards."""

import csv
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import asyncpg
import msgspec

from vmk_mcp.bootstrap.loading import LoadOrder, LoadOutcome, LoadWatch, load_file
from vmk_mcp.sample.listings import make_listings
from vmk_mcp.settings import Settings, read_settings

# Of these a search vector is the part of the database that differs between configurations.
_ALL = "SELECT md5(string_agg(l::text, E'\\n' ORDER BY l.id)) FROM property_listings AS l"


def own_listings(count: int, first_id: int = 1_000_000) -> list[dict[str, Any]]:
    """Give rows as a person may have them: all columns, none of the sample's addresses."""
    rows = []
    for number, record in enumerate(make_listings(count)):
        row = msgspec.to_builtins(record)
        row["id"] = first_id + number
        row["url_source"] = f"https://agency.example.net/{row['id']}"
        rows.append(row)
    return rows


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]], delimiter: str = ";") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(rows)
    return path


def write_json_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    return path


def settings_in(folder: Path, **environ: str) -> Settings:
    return read_settings({"DATA_DIR": str(folder), **environ})


def load(settings: Settings, path: Path, dsn: str, **order: Any) -> LoadOutcome:
    """Load without a listener; blocks, and starts an event loop of its own."""
    watch = LoadWatch(lambda line: None, lambda row, unit: None, lambda done, total, tally: None)
    return load_file(settings, LoadOrder(path=path, dsn=dsn, **order), watch)


async def fetch_value(dsn: str, sql: str, *values: object) -> Any:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(sql, *values)
    finally:
        await connection.close()


async def run(dsn: str, *statements: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


async def digest_table(dsn: str) -> str:
    """Give a digest of every column of every listing."""
    return hashlib.sha256(str(await fetch_value(dsn, _ALL)).encode()).hexdigest()
