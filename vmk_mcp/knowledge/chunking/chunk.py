"""A chunk of a document, and the headings above it in one line."""

from collections.abc import Sequence

from msgspec import Struct

from vmk_mcp.knowledge.chunking.tokens import count_tokens


class Chunk(Struct, frozen=True):
    """A stretch of a document's text.

    Attributes:
        start: where its text begins, what it repeats of the chunk before included.
        own_start: where that ends: the chunks' own parts make up the whole text, without gap or double.
        heading_path: the headings above it, outermost first, cut to what the limit leaves room for.
    """

    start: int
    own_start: int
    end: int
    heading_path: tuple[str, ...]


def embedded_text(heading_path: Sequence[str], text: str) -> str:
    """Give what is embedded for a chunk: its headings say what the text alone may not."""
    return f"{join_path(heading_path)}\n{text}" if heading_path else text


def join_path(heading_path: Sequence[str]) -> str:
    """Give a heading path in one line, as it is embedded."""
    return " > ".join(heading_path)


def shorten_path(heading_path: Sequence[str], tokens: int) -> tuple[str, ...]:
    """Give as many of the innermost headings as have at most `tokens` when joined."""
    path = tuple(heading_path)
    while path and count_tokens(join_path(path)) > tokens:
        path = path[1:]
    return path
