"""Made-up real-estate listings of the whole of Ukraine, the same on every machine for the same seed."""

from collections import deque
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from random import Random
from typing import Final

from msgspec import Struct

from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.sample.realty.blemishes import mark_up, spoil
from vmk_mcp.sample.realty.chance import happens
from vmk_mcp.sample.realty.columns import put_building, put_place, put_premises, put_trace
from vmk_mcp.sample.realty.kinds import PROPERTY_TYPES, PropertyType
from vmk_mcp.sample.realty.offers import Offer, draw_neighbour, draw_offer, has_neighbours
from vmk_mcp.sample.realty.prices import RATES_PER_USD, draw_price, round_price
from vmk_mcp.sample.realty.wording import write_description, write_summary, write_title

__all__ = [
    "PROPERTY_TYPES", "RATES_PER_USD", "REFERENCE_DATE", "SAMPLE_COUNT", "SAMPLE_SEED", "PropertyType",
    "draw_listings", "make_listings",
]  # fmt: skip

REFERENCE_DATE: Final = date(2026, 11, 15)
"""The day on which the sample was collected: no date in it is later."""

SAMPLE_COUNT: Final = 3_200
SAMPLE_SEED: Final = 42


class _Advert(Struct, frozen=True, kw_only=True):
    """An offer as one agent advertises it; `wording` seeds its description."""

    offer: Offer
    wording: str
    language: str
    price: Decimal
    currency: str
    is_copy: bool = False


def make_listings(count: int = SAMPLE_COUNT, seed: int = SAMPLE_SEED) -> list[ListingRecord]:
    """Make `count` listings with ids from 1 on; fewer listings are the beginning of more."""
    return list(draw_listings(count, seed))


def draw_listings(count: int = SAMPLE_COUNT, seed: int = SAMPLE_SEED) -> Iterator[ListingRecord]:
    """Make the same one after another, for who has no use for all of them at once."""
    adverts: deque[_Advert] = deque(maxlen=_COPIES_WITHIN)
    for number in range(1, count + 1):
        rng = Random(f"{seed}/{number}")  # noqa: S311 -- made-up data, no secret
        adverts.append(_draw_advert(rng, adverts))
        yield _write_listing(rng, number, adverts[-1])


_COPIED: Final = 0.06
_SAME_HOUSE: Final = 0.07
_SAME_TEXT: Final = 0.45
_RUSSIAN: Final = 0.25
_COPIES_WITHIN: Final = 60
# Several agents take on a flat at about the same time.


def _draw_advert(rng: Random, earlier: Sequence[_Advert]) -> _Advert:
    origin = rng.choice(earlier) if earlier else None
    chance = rng.random()
    if origin is not None and chance < _COPIED:
        return _copy_advert(rng, origin)
    if origin is not None and chance < _COPIED + _SAME_HOUSE and has_neighbours(origin.offer):
        return _advertise(rng, draw_neighbour(rng, origin.offer))
    return _advertise(rng, draw_offer(rng))


def _advertise(rng: Random, offer: Offer) -> _Advert:
    price, currency = draw_price(rng, offer.place, offer.premises)
    return _Advert(
        offer=offer,
        wording=str(rng.getrandbits(64)),
        language="ru" if happens(rng, _RUSSIAN) else "uk",
        price=price,
        currency=currency,
    )


def _copy_advert(rng: Random, origin: _Advert) -> _Advert:
    has_same_text = happens(rng, _SAME_TEXT)
    return _Advert(
        offer=origin.offer,
        wording=origin.wording if has_same_text else str(rng.getrandbits(64)),
        language=origin.language if has_same_text or not happens(rng, _RUSSIAN) else "ru",
        price=round_price(float(origin.price) * rng.choice((0.97, 0.98, 1.0, 1.0, 1.02, 1.04))),
        currency=origin.currency,
        is_copy=True,
    )


_WITH_SUMMARY: Final = 0.35
_COPY_WITHOUT_HOUSE: Final = 0.5


def _write_listing(rng: Random, number: int, advert: _Advert) -> ListingRecord:
    offer, text_rng = advert.offer, Random(advert.wording)  # noqa: S311 -- made-up data, no secret
    listing = ListingRecord(
        id=number,
        title=write_title(rng, offer, advert.language),
        description=mark_up(text_rng, write_description(text_rng, offer, advert.language)),
        generated_description=write_summary(rng, offer) if happens(rng, _WITH_SUMMARY) else None,
        price=advert.price,
        currency=advert.currency,
    )
    shows_house = not (advert.is_copy and happens(rng, _COPY_WITHOUT_HOUSE))
    listing = put_place(rng, listing, offer.place, shows_house)
    listing = put_building(listing, offer.building)
    listing = put_premises(listing, offer.premises)
    return spoil(rng, put_trace(rng, listing, REFERENCE_DATE))
