"""Chunks as they are stored: with their lines, and the digest by which they are known again."""

import bisect
import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from vmk_mcp.knowledge.chunking.chunk import Chunk, embedded_text
from vmk_mcp.knowledge.chunking.tokens import count_tokens
from vmk_mcp.knowledge.records import ChunkChanges, ChunkDraft, KnownChunk, Vectors

_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_BLANK_LINES: Final = re.compile(r"(?:[^\S\r\n]*(?:\r\n|\n|\r))*")


def draft_chunks(text: str, chunks: Sequence[Chunk]) -> list[ChunkDraft]:
    """Give the chunks of `text` as they are stored: without blank lines around them, none of them blank."""
    ends = [match.end() for match in _LINE_END.finditer(text)]
    drafts: list[ChunkDraft] = []
    for chunk in chunks:
        kept = text[chunk.start : chunk.end].rstrip()
        if not kept:
            continue
        blank = _BLANK_LINES.match(kept)
        start = chunk.start + (blank.end() if blank is not None else 0)
        end = chunk.start + len(kept)
        shown, path = text[start:end], list(chunk.heading_path)
        drafts.append(
            ChunkDraft(
                ordinal=len(drafts),
                text=shown,
                text_hash=_digest(embedded_text(path, shown)),
                heading_path=path,
                start_line=bisect.bisect_right(ends, start) + 1,
                end_line=bisect.bisect_right(ends, end - 1) + 1,
                tokens=count_tokens(shown),
            )
        )
    return drafts


def compare_chunks(
    known: Sequence[KnownChunk], drafts: Sequence[ChunkDraft], vectors: Mapping[str, Vectors]
) -> ChunkChanges:
    """Say what becomes of the chunks of a file.

    Args:
        known: as they are stored.
        drafts: as they are to be.
        vectors: of every draft, by `text_hash`.
    """
    by_hash: defaultdict[str, list[int]] = defaultdict(list)
    for chunk in reversed(known):
        by_hash[chunk.text_hash].append(chunk.id)
    kept: list[tuple[int, ChunkDraft]] = []
    added: list[ChunkDraft] = []
    for draft in drafts:
        if ids := by_hash[draft.text_hash]:
            kept.append((ids.pop(), draft))
        else:
            added.append(draft)
    removed = sorted(id_ for ids in by_hash.values() for id_ in ids)
    return ChunkChanges(kept, removed, added, np.array([vectors[one.text_hash] for one in added], np.float32))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
