"""Chunks as they are stored: their lines, their digests, and which of them are the same as before."""

import numpy as np

from vmk_mcp.knowledge.chunking.chunk import Chunk
from vmk_mcp.knowledge.drafts import compare_chunks, draft_chunks
from vmk_mcp.knowledge.records import ChunkDraft, KnownChunk


def drafts_of(text: str, *spans: tuple[int, int]) -> list[ChunkDraft]:
    return draft_chunks(text, [Chunk(start, start, end, ("a",)) for start, end in spans])


def test_lines_are_counted_by_any_line_end_and_blank_ones_around_are_left_out() -> None:
    text = "\r\n\n  one\r\ntwo\rthree\n\n\nfour"
    first, second = drafts_of(text, (0, 21), (21, len(text)))
    assert (first.text, first.start_line, first.end_line) == ("  one\r\ntwo\rthree", 3, 5)
    assert (second.text, second.start_line, second.end_line) == ("four", 8, 8)
    assert (first.ordinal, second.ordinal) == (0, 1)


def test_a_chunk_that_begins_in_the_middle_of_a_line_names_that_line() -> None:
    (draft,) = drafts_of("one two\nthree", (4, 13))
    assert (draft.text, draft.start_line, draft.end_line) == ("two\nthree", 1, 2)


def test_blank_chunks_are_left_out() -> None:
    assert drafts_of(" \n\t\n", (0, 2), (2, 4)) == []


def test_the_headings_belong_to_what_is_known_again() -> None:
    (one,) = draft_chunks("words", [Chunk(0, 0, 5, ("a",))])
    (other,) = draft_chunks("words", [Chunk(0, 0, 5, ("b",))])
    assert one.text == other.text
    assert one.text_hash != other.text_hash


def test_the_same_text_twice_is_two_chunks_and_each_is_kept_once() -> None:
    drafts = drafts_of("same\nsame\nnew", (0, 5), (5, 10), (10, 13))
    same, new = drafts[0].text_hash, drafts[2].text_hash
    known = [KnownChunk(7, same), KnownChunk(8, "gone"), KnownChunk(9, same)]
    vector = np.ones(3, np.float32)
    changes = compare_chunks(known, drafts, {same: vector, new: vector})
    assert [(id_, draft.ordinal) for id_, draft in changes.kept] == [(7, 0), (9, 1)]
    assert changes.removed == [8]
    assert [draft.ordinal for draft in changes.added] == [2]
    assert changes.vectors.shape == (1, 3)
