"""A handful of made-up listings that the recorded exchanges search, and the live tables around them."""

from datetime import date
from decimal import Decimal
from typing import Final

from tests.fakes import embed_words
from tests.listing_rows import Row
from vmk_mcp.listings.live import TABLES, LiveColumn
from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.listings.queries import LiveIndex

_LISTINGS: Final = (
    ListingRecord(
        id=101,
        title="Двокімнатна квартира біля метро Арсенальна",
        description="Світла квартира з новим ремонтом, вид на парк, тихий двір.",
        generated_description="Двокімнатна квартира з ремонтом у Печерському районі Києва.",
        price=Decimal(145000),
        currency="USD",
        deal_type="sale",
        property_type_id=1,
        city="Київ",
        district="Печерський",
        address_raw="вул. Вигадана, 7",
        rooms_count=2,
        total_area=64.5,
        living_area=38.0,
        kitchen_area=12.5,
        floor=5,
        floors_count=9,
        building_type="brick",
        building_year=1962,
        renovation_status="euro",
        balcony_count=1,
        bathroom_type="separate",
        parking_type="ground",
        heating_type="central",
        layout_type="separate",
        window_view="park",
        metro_station="Арсенальна",
        metro_distance_type="walk",
        metro_distance_meters=350,
        url_source="https://listings.example.org/101",
        publish_date=date(2026, 5, 20),
        images_count=12,
        contact_phone="+380 00 000 01 01",
        contact_name="Вигадана Олена",
        created_at=date(2026, 5, 20),
        updated_at=date(2026, 5, 21),
    ),
    ListingRecord(
        id=102,
        title="Затишна двокімнатна квартира на Солом'янці",
        description="Квартира після косметичного ремонту, поруч школа і ринок.",
        price=Decimal(82000),
        currency="USD",
        deal_type="sale",
        property_type_id=1,
        city="Київ",
        district="Солом'янський",
        rooms_count=2,
        total_area=47.0,
        floor=1,
        floors_count=5,
        building_type="panel",
        building_year=1968,
        renovation_status="cosmetic",
        publish_date=date(2026, 5, 18),
        images_count=4,
        created_at=date(2026, 5, 18),
        updated_at=date(2026, 5, 18),
    ),
    ListingRecord(
        id=103,
        title="Оренда: студія в центрі Львова",
        description="Студія з терасою в новобудові, усе для життя.",
        price=Decimal(19500),
        currency="UAH",
        deal_type="rent_long",
        property_type_id=1,
        city="Львів",
        district="Галицький",
        rooms_count=1,
        total_area=31.0,
        floor=3,
        floors_count=6,
        building_type="monolith",
        building_year=2021,
        renovation_status="designer",
        balcony_count=1,
        layout_type="studio",
        publish_date=date(2026, 5, 25),
        created_at=date(2026, 5, 25),
        updated_at=date(2026, 5, 25),
    ),
    ListingRecord(
        id=104,
        title="Будинок біля моря",
        description="Цегляний будинок з ділянкою і садом, до пляжу десять хвилин.",
        price=Decimal(160000),
        currency="EUR",
        deal_type="sale",
        property_type_id=2,
        city="Одеса",
        rooms_count=5,
        total_area=180.0,
        floors_count=2,
        building_type="brick",
        building_year=2008,
        publish_date=date(2026, 4, 30),
        created_at=date(2026, 4, 30),
        updated_at=date(2026, 5, 2),
    ),
    ListingRecord(
        id=105,
        title="Трикімнатна квартира на Липках, продано",
        price=Decimal(310000),
        currency="USD",
        deal_type="sale",
        property_type_id=1,
        city="Київ",
        district="Печерський",
        rooms_count=3,
        total_area=96.0,
        listing_status="sold",
        archived_at=date(2026, 5, 1),
        created_at=date(2026, 3, 12),
        updated_at=date(2026, 5, 1),
    ),
)

ROWS: Final = tuple(
    Row(listing, embed_words("document", listing.title, "fake-model", 768)) for listing in _LISTINGS
)
"""Each with the vector of its title's words."""

_ABSENT: Final = ("latitude", "longitude")
"""Columns that the played database lacks, so that a filter can be refused as not offered."""

_REALS: Final = ("total_area", "living_area", "kitchen_area")
_DATES: Final = ("publish_date", "archived_at", "created_at", "updated_at")
_INTEGERS: Final = (
    "property_type_id",
    "rooms_count",
    "floor",
    "floors_count",
    "building_year",
    "balcony_count",
    "metro_distance_meters",
    "images_count",
)
_TYPES: Final = {
    "id": "bigint",
    "price": "numeric(18,2)",
    "embedding": "vector(768)",
    "search_vector": "tsvector",
    **dict.fromkeys(_REALS, "double precision"),
    **dict.fromkeys(_DATES, "date"),
    **dict.fromkeys(_INTEGERS, "integer"),
}
"""Types of the columns that hold no text."""

_COMMENTS: Final = {"price": "in the currency of the row", "total_area": "square metres"}

COLUMNS: Final = tuple(
    LiveColumn(table, name, _TYPES.get(name, "text"), _COMMENTS.get(name))
    for table, names in TABLES.items()
    for name in names
    if name not in _ABSENT
)

INDEXES: Final = tuple(
    LiveIndex(table, f"{table}_pkey", f"CREATE UNIQUE INDEX {table}_pkey ON public.{table} USING btree (id)")
    for table in TABLES
)
