"""The live tables against the declared ones: what is missing, what is therefore off, and what is said."""

from dataclasses import dataclass, field

import msgspec
import pytest

from tests.fake_listing_store import FEATURES
from vmk_mcp.errors import NotOffered
from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.live import FILTER_COLUMNS, OPTIONAL, TABLES, LiveColumn, LiveSchema

_COMPLETE = msgspec.structs.replace(FEATURES, has_ukrainian=True)


@dataclass
class Server:
    """A live server, from which a test takes things away."""

    lacks: set[str] = field(default_factory=set)
    vector_type: str = "vector(768)"

    def schema(self, **features: object) -> LiveSchema:
        columns = [
            LiveColumn(table, name, self.vector_type if name == "embedding" else "text", None)
            for table, names in TABLES.items()
            for name in names
            if name not in self.lacks and f"{table}.{name}" not in self.lacks
        ]
        return LiveSchema(msgspec.structs.replace(_COMPLETE, **features), columns)


def test_a_table_with_all_columns_is_ok() -> None:
    ready = Server().schema().readiness()
    assert (ready.status, ready.reasons) == ("ok", ())


@pytest.mark.parametrize("column", sorted(OPTIONAL))
def test_an_optional_column_that_lacks_is_no_defect(column: str) -> None:
    live = Server({column}).schema()
    assert live.readiness().status == "ok"
    assert live.missing("property_listings") == []
    assert not live.has(column)


@pytest.mark.parametrize("column", sorted(set(TABLES["property_listings"]) - OPTIONAL - {"id"}))
def test_a_column_that_lacks_is_named(column: str) -> None:
    live = Server({f"property_listings.{column}"}).schema()
    ready = live.readiness()
    assert ready.status == "degraded"
    assert f"the table property_listings has no column {column}" in ready.reasons
    assert live.missing("property_listings") == [column]


@pytest.mark.parametrize("column", ["property_listings.id", "property_types.id", "property_types.name"])
def test_without_an_id_or_a_name_nothing_is_served(column: str) -> None:
    ready = Server({column}).schema().readiness()
    assert (ready.status, ready.reasons) == ("unavailable", (f"no column {column}",))


def test_a_table_that_is_not_there_makes_the_family_unavailable() -> None:
    ready = Server().schema(has_property_types=False, has_property_listings=False).readiness()
    assert ready.status == "unavailable"
    assert ready.reasons == ("no readable table property_listings, property_types",)


@pytest.mark.parametrize("name", Filters.__struct_fields__)
def test_each_filter_is_refused_where_its_columns_lack(name: str) -> None:
    for column in FILTER_COLUMNS[name]:
        live = Server({f"property_listings.{column}"}).schema()
        with pytest.raises(NotOffered) as refused:
            live.require_filters([name])
        assert refused.value.field == f"filters.{name}"
        assert column in refused.value.message
    Server().schema().require_filters(list(Filters.__struct_fields__))


@pytest.mark.parametrize(
    ("version", "status", "iterates"),
    [
        ("0.8.4", "ok", True),
        ("0.8.6", "ok", True),
        ("0.10.0", "ok", True),
        ("1.0", "ok", True),
        ("0.8.3", "degraded", True),
        ("0.8.0", "degraded", True),
        ("0.7.4", "degraded", False),
        ("0.5.0", "degraded", False),
        (None, "degraded", False),
    ],
)
def test_the_version_of_pgvector_decides_how_it_is_searched(
    version: str | None, status: str, *, iterates: bool
) -> None:
    live = Server().schema(vector_version=version)
    assert (live.readiness().status, live.scans_iteratively) == (status, iterates)


@pytest.mark.parametrize("vector_type", ["vector(768)", "vector"])
def test_vectors_of_our_size_can_be_searched(vector_type: str) -> None:
    Server(vector_type=vector_type).schema().require_vectors()


@pytest.mark.parametrize("vector_type", ["vector(384)", "extra.vector(768)", "halfvec(768)", "text"])
def test_other_vectors_are_not_offered_and_told(vector_type: str) -> None:
    live = Server(vector_type=vector_type).schema()
    with pytest.raises(NotOffered, match=r"vector\(768\)"):
        live.require_vectors()
    assert any("vector(768)" in reason for reason in live.readiness().reasons)


def test_without_a_column_of_vectors_meaning_is_not_offered() -> None:
    with pytest.raises(NotOffered, match="no column embedding"):
        Server({"embedding"}).schema().require_vectors()


def test_the_text_configuration_is_ukrainian_where_there_is_one() -> None:
    assert Server().schema().text_configuration == "ukrainian"
    live = Server().schema(has_ukrainian=False)
    assert live.text_configuration == "simple"
    assert any("ukrainian" in reason for reason in live.readiness().reasons)


def test_a_superuser_login_is_told() -> None:
    assert any("superuser" in reason for reason in Server().schema(is_superuser=True).readiness().reasons)


def test_vectors_in_the_row_allow_twice_the_exact_bound() -> None:
    assert Server().schema().exact_bound == 20_000
    assert Server().schema(has_inline_vectors=False).exact_bound == 10_000
