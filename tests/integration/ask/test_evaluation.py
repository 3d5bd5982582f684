"""The offline drafter on labelled questions: over the samples, another seed, and schemas of its own."""

import asyncio
from decimal import Decimal

import pytest
from msgspec.structs import replace

from tests.integration.ask.examined import HERE, examine, explain, read_lines
from tests.integration.servers import Dsn, MakeDatabase, named, quiet, run_script
from vmk_mcp.ask.evaluation.model import Evaluation, Labelled
from vmk_mcp.ask.evaluation.sets import read_set
from vmk_mcp.ask.sources.files import SourceFile, read_source
from vmk_mcp.database.ask_connections import AskLogin
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.prepare import prepare_database
from vmk_mcp.database.scripts import MUNICIPAL, Blueprint
from vmk_mcp.database.writer import Writer
from vmk_mcp.errors import InvalidArguments
from vmk_mcp.listings.writing import PropertyTypeRecord, with_words, write_listings
from vmk_mcp.sample.listings import PROPERTY_TYPES, make_listings
from vmk_mcp.sample.municipal.loading import load_municipal

_CITY = read_source("municipal")[1]


def assert_good(evaluation: Evaluation, *, coverage: float, joins: float = 0.6) -> None:
    """Hold an evaluation to what is promised of the offline drafter."""
    told = explain(evaluation)
    overall, easy = evaluation.overall, evaluation.by_difficulty.get("easy")
    assert overall.accuracy is not None, told
    assert overall.accuracy >= 0.8, told
    assert overall.precision is not None, told
    assert overall.precision >= 0.95, told
    assert overall.coverage is not None, told
    assert overall.coverage >= coverage, told
    assert easy is None or easy.accuracy == 1.0, told
    with_joins = evaluation.by_joins.get("joins")
    assert with_joins is None or (with_joins.accuracy or 0) >= joins, told


@pytest.fixture(scope="session")
def other_city(cluster: EmbeddedServer, municipal: Dsn) -> str:
    """The ask role's DSN of the municipal sample made from another seed, with one fine changed by hand."""
    other = replace(MUNICIPAL, database="municipal_other")

    async def load() -> None:
        await prepare_database(cluster, other, quiet)
        await load_municipal(cluster.dsn(Role.OWNER, other.database), say=quiet, seed=7)
        change = "UPDATE violations SET fine_amount = fine_amount + 1000000 WHERE violation_id = 1"
        await run_script(cluster, other.database, change)

    asyncio.run(load())
    return cluster.dsn(Role.ASK, other.database)


@pytest.fixture(scope="session")
def filled_listings(cluster: EmbeddedServer, listings_template: Blueprint) -> Blueprint:
    """A database with listings of the sample, without vectors."""
    filled = named(listings_template, "asked_listings")

    async def load() -> None:
        create = f"CREATE DATABASE {filled.database} OWNER vmk_owner TEMPLATE {listings_template.database}"
        await run_script(cluster, "postgres", create)
        kinds = [PropertyTypeRecord(kind.id, kind.slug, kind.name) for kind in PROPERTY_TYPES]
        rows = [with_words(record, None, configuration="simple") for record in make_listings(1_500)]
        async with Writer(cluster.dsn(Role.OWNER, filled.database)) as writer:
            await write_listings(writer, rows, kinds)
            await writer.analyze()

    asyncio.run(load())
    return filled


async def test_the_municipal_set_is_answered_as_promised(municipal: Dsn) -> None:
    evaluation = await examine(AskLogin(municipal(Role.ASK)), _CITY, read_set("municipal"))
    assert_good(evaluation, coverage=0.75)


async def test_with_other_sample_data_the_municipal_set_is_answered_as_well(other_city: str) -> None:
    evaluation = await examine(AskLogin(other_city), _CITY, read_set("municipal"))
    assert_good(evaluation, coverage=0.75)


async def test_the_listings_set_is_answered_as_promised(
    cluster: EmbeddedServer, make_database: MakeDatabase, filled_listings: Blueprint
) -> None:
    name = await make_database(filled_listings)
    login = AskLogin(cluster.dsn(Role.ASK, name))
    evaluation = await examine(login, read_source("listings")[1], read_set("listings"))
    assert_good(evaluation, coverage=0.6)


@pytest.mark.parametrize("name", ["held_out", "held_out_late"])
async def test_questions_that_the_grammar_was_not_made_with_are_answered_as_well(
    municipal: Dsn, name: str
) -> None:
    evaluation = await examine(AskLogin(municipal(Role.ASK)), _CITY, read_lines(HERE / f"{name}.jsonl"))
    overall = evaluation.overall
    assert overall.precision is not None, explain(evaluation)
    assert overall.precision >= 0.95, explain(evaluation)
    assert overall.accuracy is not None, explain(evaluation)
    assert overall.accuracy >= 0.8, explain(evaluation)


@pytest.mark.parametrize("name", ["shop", "library", "clinic"])
async def test_a_schema_that_the_drafter_has_never_seen_is_asked_as_well(
    cluster: EmbeddedServer, name: str
) -> None:
    script = (HERE / "schemas" / f"{name}.sql").read_text(encoding="utf-8")
    await run_script(cluster, "postgres", f"CREATE DATABASE asked_{name}")
    await run_script(
        cluster, f"asked_{name}", f"{script}\nGRANT SELECT ON ALL TABLES IN SCHEMA public TO vmk_ask;"
    )
    await run_script(cluster, f"asked_{name}", "ANALYZE")
    login = AskLogin(cluster.dsn(Role.ASK, f"asked_{name}"))
    evaluation = await examine(login, SourceFile(), read_lines(HERE / "schemas" / f"{name}.jsonl"))
    assert_good(evaluation, coverage=0.75)


def _labelled(question: str, gold: str) -> Labelled:
    return Labelled(id="one", question=question, difficulty="easy", gold=gold)


async def test_rows_are_compared_and_not_texts(municipal: Dsn, other_city: str) -> None:
    gold = "SELECT sum(v.fine_amount) FROM violations AS v"
    question = _labelled("What is the total of all fines?", gold)
    by_hand = _labelled(
        "What is the total of all fines?", "SELECT sum(v.fine_amount) + 0.01 FROM violations AS v"
    )
    for dsn in (municipal(Role.ASK), other_city):
        evaluation = await examine(AskLogin(dsn), _CITY, [question, by_hand])
        assert [one.verdict for one in evaluation.questions] == ["correct", "wrong"]


async def test_one_changed_value_in_a_table_changes_the_rows_that_are_compared(
    municipal: Dsn, other_city: str
) -> None:
    question = "What is the highest fine?"
    right = await examine(
        AskLogin(other_city), _CITY, [_labelled(question, "SELECT max(v.fine_amount) FROM violations AS v")]
    )
    assert right.questions[0].verdict == "correct"
    least = Decimal(1_000_000)
    stale = _labelled(
        question, f"SELECT max(v.fine_amount) FROM violations AS v WHERE v.fine_amount < {least}"
    )
    assert (await examine(AskLogin(other_city), _CITY, [stale])).questions[0].verdict == "wrong"
    assert (await examine(AskLogin(municipal(Role.ASK)), _CITY, [stale])).questions[0].verdict == "correct"


@pytest.mark.parametrize(
    ("gold", "told"),
    [
        ("SELECT p.nothing FROM permits AS p", "The gold query of one was not run"),
        ("SELECT p.permit_id FROM permits AS p LIMIT 500", "gives more rows than can be compared"),
    ],
)
async def test_a_gold_query_that_cannot_be_compared_is_named(municipal: Dsn, gold: str, told: str) -> None:
    with pytest.raises(InvalidArguments) as raised:
        await examine(AskLogin(municipal(Role.ASK)), _CITY, [_labelled("How many permits are there?", gold)])
    assert told in raised.value.message
