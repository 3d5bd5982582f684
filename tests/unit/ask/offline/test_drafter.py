"""Questions over a made-up source, and the statements or refusals that come of them."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.ask.offline.orchard import SOURCE
from vmk_mcp.ask.drafting.offline.drafter import OfflineDrafter
from vmk_mcp.ask.model import Draft, Refusal

_GROWERS = (
    "SELECT growers.grower_id, growers.name, growers.village, growers.joined_on, growers.is_certified "
    "FROM growers"
)


async def ask(question: str) -> str:
    """Give the statement for a question; raises `AssertionError` with the reason where it is refused."""
    drafted = await OfflineDrafter().draft(question, SOURCE, None)
    assert isinstance(drafted, Draft), drafted
    return drafted.sql


async def refuse(question: str) -> Refusal:
    drafted = await OfflineDrafter().draft(question, SOURCE, None)
    assert isinstance(drafted, Refusal), drafted
    return drafted


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many trees are there?", "SELECT COUNT(*) AS count FROM trees"),
        (
            "How many farmers are certified?",
            "SELECT COUNT(*) AS count FROM growers WHERE growers.is_certified",
        ),
        (
            "Count the sick trees",
            "SELECT COUNT(*) AS count FROM trees WHERE trees.status = 'sick'",
        ),
        ("How many frail trees?", "SELECT COUNT(*) AS count FROM trees WHERE trees.status = 'sick'"),
        (
            "average weight of harvests by variety",
            "SELECT trees.variety, AVG(harvests.weight_kg) AS avg_weight_kg FROM harvests "
            "JOIN trees ON trees.tree_id = harvests.tree_id GROUP BY trees.variety ORDER BY trees.variety",
        ),
        (
            "Which grower has the most trees?",
            "SELECT growers.name, COUNT(*) AS count FROM trees "
            "JOIN growers ON growers.grower_id = trees.grower_id GROUP BY growers.grower_id, growers.name "
            "ORDER BY COUNT(*) DESC NULLS LAST, growers.grower_id, growers.name LIMIT 1",
        ),
        (
            "growers without trees in Eastby",
            f"{_GROWERS} WHERE growers.village = 'Eastby' AND NOT EXISTS(SELECT 1 FROM trees AS trees_1 "
            "WHERE trees_1.grower_id = growers.grower_id) ORDER BY growers.grower_id",
        ),
        (
            "How many trees were planted before 2000?",
            "SELECT COUNT(*) AS count FROM trees WHERE trees.planted_year < 2000",
        ),
        (
            "How many harvests were picked last month?",
            "SELECT COUNT(*) AS count FROM harvests WHERE harvests.picked_on >= CAST('2026-02-01' AS DATE) "
            "AND harvests.picked_on < CAST('2026-03-01' AS DATE)",
        ),
        (
            "How many harvests have not been weighed?",
            "SELECT COUNT(*) AS count FROM harvests WHERE harvests.weighed_on IS NULL",
        ),
        (
            "Average days between picked and weighed for harvests",
            "SELECT AVG(harvests.weighed_on - harvests.picked_on) AS avg FROM harvests",
        ),
        (
            "What share of trees are sick?",
            "SELECT 100.0 * COUNT(*) FILTER(WHERE trees.status = 'sick') / NULLIF(COUNT(*), 0) AS share "
            "FROM trees",
        ),
        (
            "growers with at least 3 sick trees",
            f"{_GROWERS} WHERE growers.grower_id IN (SELECT trees_1.grower_id FROM trees AS trees_1 "
            "WHERE trees_1.status = 'sick' AND NOT trees_1.grower_id IS NULL GROUP BY trees_1.grower_id "
            "HAVING COUNT(*) >= 3) ORDER BY growers.grower_id",
        ),
        (
            "How many trees are healthy or sick?",
            "SELECT COUNT(*) AS count FROM trees WHERE trees.status IN ('healthy', 'sick')",
        ),
        (
            "How many growers have no sick trees?",
            "SELECT COUNT(*) AS count FROM growers WHERE NOT EXISTS(SELECT 1 FROM trees AS trees_1 "
            "WHERE trees_1.grower_id = growers.grower_id AND trees_1.status = 'sick')",
        ),
        (
            "How many trees excluding sick trees?",
            "SELECT COUNT(*) AS count FROM trees WHERE trees.status <> 'sick'",
        ),
        (
            "How many trees does grower 3 have?",
            "SELECT COUNT(*) AS count FROM trees "
            "JOIN growers ON growers.grower_id = trees.grower_id WHERE trees.grower_id = 3",
        ),
        (
            "How many trees are owned by growers from Eastby?",
            "SELECT COUNT(*) AS count FROM trees JOIN growers ON growers.grower_id = trees.grower_id "
            "WHERE growers.village = 'Eastby'",
        ),
        ("List the varieties", "SELECT DISTINCT trees.variety FROM trees ORDER BY trees.variety LIMIT 1000"),
        (
            "total sales in USD",
            "SELECT SUM(sales.amount) AS sum_amount FROM sales WHERE sales.currency = 'USD'",
        ),
        (
            "скільки trees у Westby",
            "SELECT COUNT(*) AS count FROM trees JOIN growers ON growers.grower_id = trees.grower_id "
            "WHERE growers.village = 'Westby'",
        ),
    ],
)
async def test_a_question_becomes_the_statement_that_it_means(question: str, sql: str) -> None:
    assert await ask(question) == sql


@pytest.mark.parametrize(
    ("question", "code", "told"),
    [
        ("Show me the recent activity.", "ambiguous_question", "recent"),
        ("How many are open?", "ambiguous_question", "counted"),
        ("How many zebras are there?", "unanswerable", "“zebras”"),
        ("Why are trees sick?", "unanswerable", "not why"),
        ("Delete all trees", "unanswerable", "never changed"),
        ("What is the total of sales?", "ambiguous_question", "currencies"),
        ("How many harvests will be picked next year?", "ambiguous_question", "not come yet"),
        ("Average number of trees per grower", "ambiguous_question", "leave them out"),
        ("How many trees and harvests are there?", "ambiguous_question", "two kinds"),
        ("Are there sick trees?", "ambiguous_question", "yes or no"),
        ("Which growers have the most trees?", "ambiguous_question", "how many"),
        ("How many trees are healthy or certified?", "ambiguous_question", "Or"),
        ("trees over 10% of their height", "ambiguous_question", "percentage"),
        ("Which grower has the most trees per variety?", "ambiguous_question", "each group"),
        ("Who picked the harvests?", "ambiguous_question", "on record"),
        ("Sum of growers", "ambiguous_question", "of what “Sum of”"),
        ("growers with both russet and golden trees", "unanswerable", "“both”"),
        ("How many harvests are worth more than 5?", "ambiguous_question", "known of sales only"),
        ("Average weight of harvests by number of trees", "ambiguous_question", "grouped by"),
        ("", "ambiguous_question", "Name one of"),
        ("?!", "ambiguous_question", "Name one of"),
    ],
)
async def test_what_cannot_be_read_for_sure_is_refused_with_what_would_settle_it(
    question: str, code: str, told: str
) -> None:
    refusal = await refuse(question)
    assert (refusal.code, told in refusal.reason) == (code, True), refusal
    assert refusal.reason[0].isupper() or refusal.reason[0] == "“"
    assert refusal.reason.endswith(".")


async def test_a_word_in_several_tables_is_refused_with_the_choices() -> None:
    refusal = await refuse("How many by status?")
    assert refusal.code == "ambiguous_question"
    assert "trees.status, harvests.status" in refusal.reason


async def test_a_long_text_is_refused_before_it_is_read() -> None:
    assert "at most" in (await refuse("trees " * 11_000)).reason
    assert "at most" in (await refuse("a " * 200)).reason


async def test_a_draft_that_the_guard_refused_is_not_drafted_again() -> None:
    verdict = Refusal("too_expensive", "It would take too long.")
    again = await OfflineDrafter().draft("How many trees?", SOURCE, (Draft("x"), verdict))
    assert again is verdict


async def test_the_same_question_gets_the_same_statement() -> None:
    drafter = OfflineDrafter()
    question = "Top 3 varieties by total weight of harvests"
    assert await drafter.draft(question, SOURCE, None) == await OfflineDrafter().draft(question, SOURCE, None)


_WORDS = st.sampled_from(
    [
        *(
            "how many",
            "which",
            "show",
            "list",
            "trees",
            "growers",
            "harvests",
            "sales",
            "most",
            "fewest",
            "total",
        ),
        *(
            "average",
            "by",
            "per",
            "each",
            "with",
            "without",
            "not",
            "never",
            "more than",
            "3",
            "between",
            "and",
        ),
        *(
            "or",
            "sick",
            "open",
            "healthy",
            "status",
            "variety",
            "in 2024",
            "last month",
            "before",
            "since",
            "top",
        ),
        *(
            "5",
            "the",
            "of",
            "planted",
            "picked",
            "sold",
            "amount",
            "USD",
            ",",
            "?",
            "date",
            "name",
            "village",
        ),
        *(
            "Eastby",
            "share",
            "days",
            "from",
            "to",
            "highest",
            "oldest",
            "month",
            "last",
            "span",
            "no",
            "is",
            "$",
        ),
    ]
)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_WORDS, max_size=14).map(" ".join))
async def test_no_order_of_its_words_breaks_the_grammar(question: str) -> None:
    assert isinstance(await OfflineDrafter().draft(question, SOURCE, None), Draft | Refusal)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=700))
async def test_no_text_breaks_the_grammar(question: str) -> None:
    assert isinstance(await OfflineDrafter().draft(question, SOURCE, None), Draft | Refusal)
