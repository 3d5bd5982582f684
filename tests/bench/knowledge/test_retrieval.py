"""Documents that answer are among the five best, and stores are complete and quick."""

import pytest

from tests.bench.knowledge.figures import Figures
from tests.bench.knowledge.questions import read_questions

pytestmark = pytest.mark.bench


def test_there_are_enough_questions_in_both_languages() -> None:
    questions = [question.ask for question in read_questions()]
    assert len(set(questions)) == len(questions) >= 40
    assert sum(question.isascii() for question in questions) >= 10


def test_most_questions_over_the_sample_find_a_document_that_answers(knowledge_figures: Figures) -> None:
    for one in knowledge_figures.retrievals:
        if one.folder == "documents":
            assert one.found >= 0.85, (one.chunking, one.missed)


def test_indexing_costs_little_beside_embedding(knowledge_figures: Figures) -> None:
    for one in knowledge_figures.retrievals:
        assert one.elapsed_s < 2 * one.embedding_s, one


def test_an_embedder_behind_a_slow_line_is_given_many_texts_at_once(knowledge_figures: Figures) -> None:
    assert knowledge_figures.far.elapsed_s < 4 * knowledge_figures.far.alone_s


def test_stores_find_nearly_all_that_is_nearest(knowledge_figures: Figures) -> None:
    for one in knowledge_figures.searches:
        assert one.recall >= (0.95 if one.store == "pgvector" else 0.999), one
