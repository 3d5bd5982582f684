"""Filters that a caller gave joined with those that were understood, and the account of it for the answer."""

from msgspec import Struct
from msgspec.structs import replace

from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.interpretation.combining import subject_of
from vmk_mcp.listings.interpretation.outcome import FilterValue, Ignored, Interpretation


class QueryInterpretation(Struct, frozen=True, omit_defaults=True, rename={"words": "from"}):
    """What the query was taken to mean: the answer's `query_interpretation`.

    Attributes:
        applied: the filters that came from the query, as they were applied.
        words: for each of them, the words of the query behind it.
        search_text: what was left of the query to search for.
        ignored: what was understood and not applied, and why.
    """

    applied: dict[str, FilterValue]
    words: dict[str, str]
    search_text: str
    ignored: tuple[Ignored, ...] = ()


def merge_filters(given: Filters, interpreted: Interpretation) -> tuple[Filters, QueryInterpretation]:
    """Add to the caller's filters what was understood about subjects that none of them is about.

    A given `min_rooms` rules out an understood `rooms_count`, a given currency an understood price, and so
    on. What is ruled out stays out of the text to search for, too: the caller has said it better.
    """
    taken = {subject_of(name): name for name in given.__struct_fields__ if getattr(given, name) is not None}
    ruled_out = [entry for entry in interpreted.understood if subject_of(entry.field) in taken]
    applied = [entry for entry in interpreted.understood if subject_of(entry.field) not in taken]
    account = QueryInterpretation(
        applied={entry.field: entry.value for entry in applied},
        words={entry.field: entry.words for entry in applied},
        search_text=interpreted.rest,
        ignored=(
            *interpreted.ignored,
            *(
                Ignored(entry.words, f"filters.{taken[subject_of(entry.field)]} is given")
                for entry in ruled_out
            ),
        ),
    )
    values = {entry.field: getattr(interpreted.filters, entry.field) for entry in applied}
    return replace(given, **values), account
