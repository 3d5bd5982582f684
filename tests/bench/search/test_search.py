"""What search promises over many rows: right, full, in time, one list of pages, flat as rows grow."""

import pytest

from tests.bench.search.curve import GROWING
from tests.bench.search.limits import FLAT, RATIO, RECALL, STEEP
from tests.bench.search.measure import FEWER, SearchFigures
from tests.bench.search.recall import TOP

pytestmark = pytest.mark.bench


def test_every_filter_finds_what_measuring_every_row_finds(search_figures: SearchFigures) -> None:
    found = {one.case.name: one.service.recall for one in search_figures.cases}
    assert {name: recall for name, recall in found.items() if recall < RECALL} == {}


def test_every_filter_takes_little_more_than_the_better_way(search_figures: SearchFigures) -> None:
    found = {one.case.name: one.ratio for one in search_figures.cases}
    assert {name: ratio for name, ratio in found.items() if ratio >= RATIO} == {}


def test_rows_deleted_and_rewritten_without_vacuum_neither_empty_nor_spoil_an_answer(
    search_figures: SearchFigures,
) -> None:
    for one in search_figures.after_churn:
        assert min(one.service.counts) == min(TOP, one.passing), one.case.name
        assert one.service.recall >= RECALL, one.case.name


def test_pages_are_one_list_without_doubles_gaps_or_empty_pages(search_figures: SearchFigures) -> None:
    walks = search_figures.walks
    assert {walk.name: (walk.doubles, walk.gaps, walk.empty) for walk in walks} == {
        walk.name: (0, 0, 0) for walk in walks
    }
    assert [walk.name for walk in walks if walk.pages < walk.wanted] == []


def test_calls_stay_flat_as_rows_grow_or_grow_no_steeper_than_known(search_figures: SearchFigures) -> None:
    fewer, more = search_figures.curve[FEWER], search_figures.curve[search_figures.rows]
    growth = {name: more[name].cpu_ms / fewer[name].cpu_ms for name in more.keys() - GROWING}
    assert {name: times for name, times in growth.items() if times > STEEP.get(name, FLAT)} == {}
