"""Which indexes are missed is said in sentences."""

from vmk_mcp.listings.indexes import find_missing_indexes
from vmk_mcp.listings.queries import LiveIndex

ALL = [
    "CREATE UNIQUE INDEX a ON public.property_listings USING btree (id)",
    "CREATE INDEX b ON public.property_listings USING hnsw (embedding vector_cosine_ops)",
    "CREATE INDEX c ON public.property_listings USING gin (search_vector)",
    "CREATE INDEX d ON public.property_listings USING gin (title gin_trgm_ops)",
]


def missing(*definitions: str, table: str = "property_listings") -> list[str]:
    return find_missing_indexes([LiveIndex(table, "x", definition) for definition in definitions])


def test_nothing_is_missed_where_all_are_there() -> None:
    assert missing(*ALL) == []


def test_each_one_that_lacks_is_said_with_what_follows() -> None:
    assert len(missing()) == len(missing(*ALL, table="property_types")) == 4
    for left_out in range(4):
        (sentence,) = missing(*ALL[:left_out], *ALL[left_out + 1 :])
        assert sentence.startswith("property_listings lacks an index")
        assert ": " in sentence


def test_an_index_whose_making_broke_off_does_not_serve() -> None:
    whole = [LiveIndex("property_listings", "x", definition) for definition in ALL]
    broken = LiveIndex("property_listings", "x", ALL[2], is_valid=False)
    (sentence,) = find_missing_indexes([*whole[:2], broken, whole[3]])
    assert "search_vector" in sentence


def test_an_index_for_another_metric_does_not_serve() -> None:
    (sentence,) = missing(ALL[0], ALL[1].replace("cosine", "l2"), *ALL[2:])
    assert "vector_cosine_ops" in sentence
