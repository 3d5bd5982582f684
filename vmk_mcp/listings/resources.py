"""What a client may read by URI: one listing, the schema, the state of the database."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from vmk_mcp.errors import NotFound
from vmk_mcp.listings.service import ListingService
from vmk_mcp.tool import CallContext, Resource

_JSON: Final = "application/json"


def listing_resources(service: ListingService, family: str) -> Sequence[Resource]:
    """Make the family's resources over `service`; each reads as JSON."""

    async def read_listing(variables: Mapping[str, str], context: CallContext) -> str:
        number = variables["id"]
        # Only as ids are written: listing://007 is no second name of listing 7.
        if not number.isascii() or not number.isdecimal() or str(int(number)) != number:
            raise NotFound(f"there is no listing {number!r}", hint="an id is a whole number", field="uri")
        card = await service.get_listing_by_id(int(number), contacts=context.caller.contacts)
        return _write(card)

    async def read_schema(variables: Mapping[str, str], context: CallContext) -> str:
        del variables, context
        return _write(await service.describe_schema())

    async def read_state(variables: Mapping[str, str], context: CallContext) -> str:
        del variables, context
        return _write(await service.summarize_database())

    return (
        Resource(
            family=family,
            uri="listing://{id}",
            name="listing",
            title="One listing",
            description="Every column of one listing, by its id.",
            mime_type=_JSON,
            read=read_listing,
        ),
        Resource(
            family=family,
            uri="schema://property_listings",
            name="schema",
            title="Schema of the listings",
            description="Tables, columns, indexes, enumerations and filters, read from the live server.",
            mime_type=_JSON,
            read=read_schema,
        ),
        Resource(
            family=family,
            uri="stats://database",
            name="stats",
            title="State of the database",
            description="Totals by status, price ranges, largest cities, freshness.",
            mime_type=_JSON,
            read=read_state,
        ),
    )


def _write(value: object) -> str:
    return msgspec.json.encode(value).decode()
