"""Schemas of tools on file: one file for each tool's arguments and one for its result, where that has one."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.contract.stage import CONTRACTS, make_offers
from vmk_mcp.protocol.catalogue import OfferedTool
from vmk_mcp.tool import AnyTool

SCHEMAS: Final = CONTRACTS / "schemas"


def every_tool() -> Iterator[AnyTool]:
    """Give the tools of all families, as listed."""
    for offer in make_offers():
        yield from offer.tools


def entry_of(tool: AnyTool) -> dict[str, Any]:
    """Give the tool's entry in `tools/list`."""
    entry: dict[str, Any] = json.loads(bytes(OfferedTool(tool).entry))
    return entry


def schema_files() -> Mapping[str, str]:
    """Give the text of each file by its name."""
    files = {}
    for tool in every_tool():
        entry = entry_of(tool)
        for side in ("input", "output"):
            if f"{side}Schema" in entry:
                schema = json.dumps(entry[f"{side}Schema"], ensure_ascii=False, indent=2)
                files[f"{tool.name}.{side}.json"] = f"{schema}\n"
    return files
