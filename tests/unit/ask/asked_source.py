"""A small source that unit tests of asking share."""

from datetime import date
from typing import Final

from vmk_mcp.ask.model import AskedSource, ForeignKey, Glossary, OpenColumn, OpenSchema, OpenTable

SCHEMA: Final = OpenSchema(
    "public",
    (
        OpenTable(
            "permits",
            (
                OpenColumn("permit_id", "integer"),
                OpenColumn("status", "text", "what became of it"),
                OpenColumn("contractor_id", "integer"),
            ),
            ("permit_id",),
            (ForeignKey(("contractor_id",), "contractors", ("contractor_id",)),),
            2_600,
            "Permits to build",
        ),
        OpenTable(
            "contractors",
            (OpenColumn("contractor_id", "integer"), OpenColumn("name", "text")),
            ("contractor_id",),
            (),
            50,
        ),
    ),
)
SOURCE: Final = AskedSource(
    name="city",
    schema=SCHEMA,
    values={"permits.status": ("issued", "denied")},
    glossary=Glossary({"builders": "contractors"}, ("All sums are US dollars.",)),
    today=date(2026, 11, 15),
)
