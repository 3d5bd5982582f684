"""What a client may read by URI: one listing, the schema, the state of the database."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from vmk_mcp.errors import NotFound
from vmk_mcp.listings.arguments import INT8_MAX, INT8_MIN
from vmk_mcp.listings.service import ListingService
from vmk_mcp.tool import CallContext, Resource

_JSON: Final = "application/json"
_ID: Final = re.compile(r"0|-?[1-9][0-9]{0,18}")


def listing_resources(service: ListingService, family: str) -> Sequence[Resource]:
    """Make the family's resources over `service`; each reads as JSON."""
    return (_listing(service, family), _schema(service, family), _state(service, family))


def _listing(service: ListingService, family: str) -> Resource:
    async def read(variables: Mapping[str, str], context: CallContext) -> str:
        number = variables["id"]
        # Only as ids are written: listing://007 is no second name of listing 7.
        if not (_ID.fullmatch(number) and INT8_MIN <= int(number) <= INT8_MAX):
            raise NotFound(f"There is no listing {number!r}.", hint="An id is a whole number.", field="uri")
        card = await service.get_listing_by_id(int(number), contacts=context.caller.contacts)
        return _write(card)

    return Resource(
        family=family,
        uri="listing://{id}",
        name="listing",
        title="One listing",
        description="Every column of one listing, by its id.",
        mime_type=_JSON,
        read=read,
    )


def _schema(service: ListingService, family: str) -> Resource:
    async def read(variables: Mapping[str, str], context: CallContext) -> str:
        del variables, context
        return _write(await service.describe_schema())

    return Resource(
        family=family,
        uri="schema://property_listings",
        name="schema",
        title="Schema of the listings",
        description="Tables, columns, indexes, enumerations and filters, read from the live server.",
        mime_type=_JSON,
        read=read,
    )


def _state(service: ListingService, family: str) -> Resource:
    async def read(variables: Mapping[str, str], context: CallContext) -> str:
        del variables, context
        return _write(await service.summarize_database())

    return Resource(
        family=family,
        uri="stats://database",
        name="stats",
        title="State of the database",
        description="Totals by status, price ranges, largest cities, freshness.",
        mime_type=_JSON,
        read=read,
    )


def _write(value: object) -> str:
    return msgspec.json.encode(value).decode()
