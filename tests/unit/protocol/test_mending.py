"""Arguments as models write them: each habit that is met, and each fault that is named."""

from typing import Any

import pytest

from tests.unit.protocol.conversation import Reply, call, caller, say

STANDARD = caller(profile="standard")


def understood(arguments: object, **how: Any) -> dict[str, Any]:
    """Call `find_books` with a query and more; gives what the tool was asked."""
    given = {"query": "x"} | arguments if isinstance(arguments, dict) else arguments
    asked: dict[str, Any] = call("find_books", given, **how).result["structuredContent"]["asked"]
    return asked


def refused(arguments: object, **how: Any) -> dict[str, Any]:
    """Call `find_books` with a query and more; gives the tool error."""
    given = {"query": "x"} | arguments if isinstance(arguments, dict) else arguments
    reply = call("find_books", given, **how)
    assert reply.status == 200
    assert (reply.answer.code, reply.answer.tool) == ("invalid_arguments", "find_books")
    return reply.tool_error


class TestHabits:
    @pytest.mark.parametrize("written", ["3", " 3 ", "+3", "3.0", 3.0])
    def test_an_integer_written_as_text_or_with_a_point_is_met(self, written: object) -> None:
        assert understood({"filters": {"min_pages": written}})["filters"]["min_pages"] == 3

    def test_a_negative_integer_written_as_text_is_met(self) -> None:
        assert call("add", {"a": "-3", "b": "5"}).result["structuredContent"] == {"sum": 2}

    @pytest.mark.parametrize(("written", "price"), [("2.5", 2.5), ("1e2", 100.0), (3, 3.0), ("3", 3.0)])
    def test_a_number_written_as_text_is_met(self, written: object, price: float) -> None:
        assert understood({"filters": {"max_price": written}})["filters"]["max_price"] == price

    @pytest.mark.parametrize(("written", "claim"), [("true", True), ("False", False)])
    def test_a_claim_written_as_text_is_met(self, written: str, claim: bool) -> None:
        assert understood({"exact_total": written})["exact_total"] is claim

    @pytest.mark.parametrize("arguments", [None, "", " ", "{}", "[]", []])
    def test_no_arguments_are_met_however_they_are_written(self, arguments: object) -> None:
        assert call("noargs", arguments).result["structuredContent"] == {}

    def test_missing_arguments_are_none(self) -> None:
        body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noargs"}}'
        assert say(body).result["structuredContent"] == {}

    def test_all_arguments_as_one_json_text_are_met(self) -> None:
        assert call("echo", '{"text":"hi"}').result["structuredContent"] == {"text": "hi"}

    def test_an_object_or_a_list_sent_as_json_text_is_met(self) -> None:
        filters = '{"city":"[\\"Львів\\",\\"Київ\\"]","shelfmark":"{\\"room\\":\\"2\\"}"}'
        asked = understood({"filters": filters, "weights": '{"a": "1.5"}'})
        assert asked["filters"]["city"] == ["Львів", "Київ"]
        assert asked["filters"]["shelfmark"] == {"room": 2, "row": "A"}
        assert asked["weights"] == {"a": 1.5}

    def test_a_lone_value_where_a_list_is_expected_is_met(self) -> None:
        assert understood({"filters": {"city": "Львів"}})["filters"]["city"] == ["Львів"]

    @pytest.mark.parametrize("written", ["PRICE", "Price", " price "])
    def test_an_enumerated_word_in_other_case_is_met(self, written: str) -> None:
        assert understood({"sort_by": written})["sort_by"] == "price"

    def test_habits_are_met_inside_lists(self) -> None:
        assert understood({"filters": {"kind": ["NOVEL", "poem"]}})["filters"]["kind"] == ["novel", "poem"]

    def test_null_for_a_member_with_a_default_says_that_it_is_not_given(self) -> None:
        asked = understood({"pagination": None, "sort_by": None, "filters": {"city": None}})
        assert (asked["pagination"]["limit"], asked["sort_by"], asked["filters"]["city"]) == (
            20,
            "relevance",
            None,
        )

    def test_text_that_looks_like_json_stays_text_where_text_is_wanted(self) -> None:
        for text in ('{"a":1}', "[1]", "null", "3", "true", '"x"'):
            assert call("echo", {"text": text}).result["structuredContent"] == {"text": text}
            mended = call("find_books", {"query": text, "exact_total": "true"})
            assert mended.result["structuredContent"]["asked"]["query"] == text


class TestFaults:
    @pytest.mark.parametrize(
        "written",
        [3.5, "3.5", True, False, "abc", "null", "NaN", "", None, [], {}, "9" * 500, 1e300, "٣", "0x3"],
    )
    def test_what_is_no_integer_is_an_error_that_names_its_place(self, written: object) -> None:
        error = call("add", {"a": written, "b": 1}).tool_error
        assert (error["code"], error["field"], error["retryable"]) == ("invalid_arguments", "a", False)
        assert "expected an integer" in error["error"]
        assert error["hint"]

    @pytest.mark.parametrize("written", ["NaN", "Infinity", "-inf", "1e999", "null", True, "", [], {}])
    def test_what_is_no_number_is_an_error(self, written: object) -> None:
        error = refused({"filters": {"max_price": written}})
        assert error["field"] == "filters.max_price"

    @pytest.mark.parametrize("member", ["min_pages", "in_print", "city", "kind", "shelfmark"])
    def test_the_word_null_for_an_optional_member_is_an_error_and_drops_no_filter(self, member: str) -> None:
        assert refused({"filters": {member: "null"}})["field"] == f"filters.{member}"

    @pytest.mark.parametrize("written", [1, 0, "yes", "1", [], {}])
    def test_what_is_no_claim_is_an_error(self, written: object) -> None:
        assert "true or false" in refused({"exact_total": written})["error"]

    @pytest.mark.parametrize("written", [5, True, ["x"], {"a": 1}, None])
    def test_what_is_no_text_is_an_error(self, written: object) -> None:
        error = call("echo", {"text": written}).tool_error
        assert error["field"] == "text"
        assert "expected text" in error["error"]

    @pytest.mark.parametrize(
        ("limit", "word"), [(0, "from 1 to 100"), (101, "from 1 to 100"), ("500", "from 1 to 100")]
    )
    def test_a_number_out_of_its_bounds_is_told_the_bounds(self, limit: object, word: str) -> None:
        error = refused({"pagination": {"limit": limit}})
        assert error["field"] == "pagination.limit"
        assert word in error["error"]

    def test_each_kind_of_bound_is_told(self) -> None:
        assert "a number above 0, got 0" in refused({"filters": {"max_price": 0}})["error"]
        assert "an integer of at least 0, got -1" in refused({"filters": {"min_pages": -1}})["error"]

    def test_a_far_bound_is_told_only_to_who_went_past_it(self) -> None:
        wrong_kind = call("add", {"a": "abc", "b": 1}).tool_error
        assert 'a expected an integer, got "abc"' in wrong_kind["error"]
        too_large = call("add", {"a": 2**53, "b": 1}).tool_error
        assert f"to {2**53 - 1}, got {2**53}" in too_large["error"]

    def test_text_out_of_its_length_is_told_the_length(self) -> None:
        assert "length 1 to 200" in refused({"query": ""})["error"]
        assert "got 201 characters" in refused({"query": "x" * 201})["error"]

    def test_a_word_outside_an_enumeration_is_told_the_list_and_the_nearest(self) -> None:
        error = refused({"filters": {"kind": ["novell"]}})
        assert error["field"] == "filters.kind.0"
        assert "one of novel, poem" in error["error"]
        assert "did you mean novel?" in error["error"]

    def test_a_missing_argument_is_named_with_what_was_perhaps_meant(self) -> None:
        error = call("echo", {"txt": "x"}).tool_error
        assert error["field"] == "text"
        assert "text is missing (txt is unknown: was text meant?)" in error["error"]

    def test_all_faults_are_named_at_once_and_then_no_field(self) -> None:
        error = refused(
            {"filters": {"min_pages": "many", "cty": "x"}, "pagination": {"limit": 0}, "sort_by": 5}
        )
        assert "field" not in error
        for place in ("filters.min_pages", "filters.cty", "pagination.limit", "sort_by"):
            assert place in error["error"]

    def test_an_unknown_filter_is_refused_under_every_profile_with_the_nearest_name(self) -> None:
        for by in (caller(), STANDARD):
            error = refused({"filters": {"citi": "Львів"}}, by=by)
            assert error["field"] == "filters.citi"
            assert "did you mean city?" in error["error"]
            assert "min_pages" in error["error"]

    @pytest.mark.parametrize("arguments", ["text", "null", 5, [1], True, '["x"]'])
    def test_arguments_that_are_no_object_are_an_error(self, arguments: object) -> None:
        assert "arguments must be an object" in call("echo", arguments).tool_error["error"]

    def test_what_the_struct_itself_refuses_is_told_in_its_words(self) -> None:
        assert "query contradicts itself" in refused({"query": "contradiction"})["error"]

    @pytest.mark.parametrize("literal", [b"1e999", b"9" * 5000])
    def test_a_number_beyond_all_range_is_an_error(self, literal: bytes) -> None:
        body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":%b}}}'
        assert "out of range" in say(body % literal).tool_error["error"]

    def test_a_list_too_long_to_be_mended_is_told_so(self) -> None:
        error = refused({"filters": {"kind": ["NOVEL"] * 20_000}})
        assert error["field"] == "filters.kind"
        assert "at most 10000, got 20000 items" in error["error"]
        crowded = refused({"weights": {str(number): "1" for number in range(20_000)}})
        assert "at most 10000 members, got 20000" in crowded["error"]

    def test_a_thousand_faults_give_a_short_error(self) -> None:
        many = {f"{'x' * 300}{number}": 1 for number in range(1000)}
        reply = call("find_books", {"query": "x", "filters": many})
        assert "; and more" in reply.tool_error["error"]
        assert len(reply.answer.body) < 20_000
        assert len(call("nested", {"filter": {"q": "x"}, "ids": ["x"] * 50_000}).answer.body) < 20_000


class TestUnknownArguments:
    def test_the_fixed_profile_drops_them_and_names_them(self) -> None:
        reply = call("echo", {"text": "hi", "bogus": 1, "more": None})
        assert reply.result["structuredContent"] == {"text": "hi"}
        assert reply.result["_meta"] == {"dropped_arguments": ["bogus", "more"]}
        assert reply.answer.dropped == ("bogus", "more")

    def test_the_standard_profile_refuses_them(self) -> None:
        error = call("echo", {"text": "hi", "bogus": 1}, by=STANDARD).tool_error
        assert (error["code"], error["field"]) == ("invalid_arguments", "bogus")
        assert "known here: text" in error["error"]

    def test_an_unknown_member_of_an_object_is_refused_by_both(self) -> None:
        for by in (caller(), STANDARD):
            assert call("nested", {"filter": {"q": "x", "z": 1}}, by=by).tool_error["field"] == "filter.z"

    def test_a_flood_of_them_is_named_in_part(self) -> None:
        reply = call("echo", {"text": "hi"} | {"x" * 100 + str(number): 1 for number in range(500)})
        assert len(reply.answer.dropped) == 20
        assert len(reply.answer.body) < 5000


class TestAliases:
    @pytest.mark.parametrize("profile", ["fixed", "standard"])
    def test_an_alias_is_met_under_every_profile_and_dropped_from_none(self, profile: str) -> None:
        by = caller(profile=profile)
        reply: Reply = call(
            "find_books", {"query_text": "Кобзар", "limit": "5", "filters": {"min_length": 9}}, by=by
        )
        asked = reply.result["structuredContent"]["asked"]
        assert (asked["query"], asked["pagination"]["limit"]) == ("Кобзар", 5)
        assert asked["filters"]["min_pages"] == 9
        assert "_meta" not in reply.result

    def test_an_alias_is_met_inside_an_object_sent_as_text(self) -> None:
        assert understood({"filters": '{"min_length": 9}'})["filters"]["min_pages"] == 9

    def test_an_alias_joins_what_stands_beside_its_target(self) -> None:
        asked = understood({"limit": 5, "pagination": {"offset": 10}})
        assert asked["pagination"] == {"limit": 5, "offset": 10}

    def test_an_alias_and_its_target_together_are_an_error_that_names_both(self) -> None:
        error = refused({"limit": 5, "pagination": {"limit": 6}})
        assert "limit and pagination.limit are the same argument" in error["error"]
        assert error["field"] == "limit"

    def test_a_null_beside_an_alias_is_not_given(self) -> None:
        assert understood({"limit": 5, "pagination": {"limit": None}})["pagination"]["limit"] == 5
        assert understood({"limit": None, "pagination": {"limit": 6}})["pagination"]["limit"] == 6

    def test_a_fault_under_an_alias_speaks_the_callers_words(self) -> None:
        assert refused({"limit": "many"})["field"] == "limit"
        assert refused({"where": {"min_pages": "many"}})["field"] == "where.min_pages"

    def test_an_alias_into_what_is_no_object_leaves_that_fault_alone(self) -> None:
        assert refused({"limit": 5, "pagination": 7})["field"] == "pagination"
