"""Writes what of `contracts/` follows from the code: `make contracts`, after any change of what clients see.

The requests of the exchanges are written by hand, in the files themselves; this fills in the responses.
"""

import asyncio
import sys
from pathlib import Path

# Run by its path: some installed package may bring a top-level `tests` of its own, and this one comes first.
sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.contract.api_page import API_PAGE, write_api_page
from tests.contract.exchange_files import exchange_paths, play, read_exchanges, write_exchanges
from tests.contract.schema_files import SCHEMAS, schema_files
from tests.contract.stage import make_app


def write_schemas() -> None:
    """Write each tool's schemas, and remove those of tools that are gone."""
    files = schema_files()
    SCHEMAS.mkdir(exist_ok=True)
    for path in SCHEMAS.glob("*.json"):
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        (SCHEMAS / name).write_text(text, encoding="utf-8")


async def record_exchanges() -> None:
    """Play every request again and write its response beside it."""
    for path in exchange_paths():
        exchanges = read_exchanges(path)
        for exchange in exchanges:
            exchange["response"] = await play(exchange["request"], make_app())
        path.write_text(write_exchanges(exchanges), encoding="utf-8")


if __name__ == "__main__":
    write_schemas()
    asyncio.run(record_exchanges())
    API_PAGE.write_text(write_api_page(), encoding="utf-8")
