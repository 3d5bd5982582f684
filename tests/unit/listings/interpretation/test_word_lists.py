"""The data behind interpretation: each list can be read, and each entry can be met."""

import re
import tomllib
from importlib.resources import files
from typing import Any

import pytest

from tests.unit.listings.interpretation.known_values import VALUES
from vmk_mcp.listings.interpretation.grammar import load_grammar
from vmk_mcp.listings.interpretation.lexicon import load_lexicon
from vmk_mcp.listings.interpretation.names import load_places, place_names
from vmk_mcp.listings.interpretation.readings import READERS
from vmk_mcp.listings.model import ENUMERATIONS


def read_words() -> dict[str, Any]:
    return tomllib.loads(files("vmk_mcp.listings.interpretation").joinpath("words.toml").read_text("utf-8"))


def entries() -> list[tuple[str, str]]:
    lists = read_words()
    plain = [(kind, entry) for kind, words in lists["kinds"].items() for entry in words.split()]
    valued = [
        (kind, entry)
        for kind, values in lists["values"].items()
        for words in values.values()
        for entry in words.split()
    ]
    return plain + valued


def test_every_word_of_the_lists_is_read_as_its_kind() -> None:
    lexicon = load_lexicon()
    misread = []
    for kind, entry in entries():
        written = entry.removesuffix("*").replace("_", " ")
        tokens = lexicon.tokenize(written)
        if len(tokens) != 1 or tokens[0].sign != lexicon.signs[kind]:
            misread.append((kind, entry))
    assert misread == []


def test_no_word_is_listed_twice() -> None:
    listed = [entry.casefold() for _, entry in entries()]
    assert sorted({entry for entry in listed if listed.count(entry) > 1}) == []


@pytest.mark.parametrize(("kind", "field"), [("deal", "deal_type"), ("building", "building_type")])
def test_values_of_words_are_values_of_the_enumeration(kind: str, field: str) -> None:
    assert set(read_words()["values"][kind]) <= set(ENUMERATIONS[field])


def test_every_meaning_of_a_kind_of_property_has_stored_kinds() -> None:
    lists = read_words()
    assert set(lists["values"]["property"]) <= set(lists["slugs"])
    for names in lists["slugs"].values():
        assert VALUES.property_type_id(names[0]) is not None


def test_every_subject_of_the_grammar_has_a_reader_and_every_reader_a_rule() -> None:
    assert {rule.subject for rule in load_grammar()} == set(READERS)


def test_every_kind_of_word_is_used() -> None:
    room = files("vmk_mcp.listings.interpretation")
    grammar = room.joinpath("grammar.toml").read_text("utf-8")
    used = {kind for group in re.findall(r"<([a-z0-9_|]+)>", grammar) for kind in group.split("|")}
    for module in ("places", "readings", "remainder", "scanning"):
        used |= set(re.findall(r'"([a-z0-9_]+)"', room.joinpath(f"{module}.py").read_text("utf-8")))
    assert {kind for kind, _ in entries()} - used == set()


def test_no_rule_matches_nothing_at_all() -> None:
    assert [rule.reads for rule in load_grammar() if rule.pattern.fullmatch("")] == []


def test_every_other_name_of_a_place_leads_to_the_stored_one() -> None:
    lists, names, lexicon = load_places(), place_names(VALUES), load_lexicon()
    lost = []
    for field, table in (
        ("city", lists.city),
        ("district", lists.district),
        ("metro_station", lists.metro_station),
    ):
        for stored, others in table.items():
            for name in others if VALUES.spellings(field, stored) else ():
                found = names.matches(lexicon.tokenize(name.replace("'", "\u02bc")), 0)
                if not any(match.place.field == field and match.place.value == stored for match in found):
                    lost.append(name)
    assert lost == []
