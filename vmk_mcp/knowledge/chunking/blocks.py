"""A document as sections under headings, and blocks in them; every character belongs to exactly one block."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
# CommonMark 0.31: 4.2 ATX headings, 4.3 setext headings, 4.5 fenced code blocks; GFM: 4.10 tables. No pattern
# may try two ways over one run of characters: a line can be megabytes long and written by an enemy.
_ATX: Final = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_SETEXT: Final = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*$")
_MARGIN: Final = re.compile(r"([ \t]*)(?:>[ \t]*)*")
_FENCE: Final = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")
_LIST_ITEM: Final = re.compile(r"([ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)\S")
_DELIMITER_CELL: Final = re.compile(r":?-+:?")
_METADATA: Final = re.compile(r"[^\s:#][^:]{0,99}:(?:\s|$)")
_FRONT_MATTER: Final = frozenset({"---", "..."})
_MOST_FRONT_MATTER: Final = 200
"""Lines: what is longer is text between two rules."""
_INDENT: Final = 3
_MOST_HEADING: Final = 300
"""Characters of a heading that are kept in a path."""


class Block(Struct, frozen=True):
    """A stretch of text, `start` to `end`, that is better not torn; `is_whole` where it must not be."""

    start: int
    end: int
    is_whole: bool = False


class Section(Struct, frozen=True):
    """The blocks under one heading, and the headings above them, outermost first."""

    heading_path: tuple[str, ...]
    blocks: tuple[Block, ...]


class _Line(Struct, frozen=True):
    start: int
    end: int
    text: str

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


def read_paragraphs(text: str) -> list[Section]:
    """Give a plain text as one section whose blocks are its paragraphs."""
    return _Reader(_lines(text), knows_markdown=False).read() if text else []


def read_markdown(text: str, *, by_headings: bool) -> list[Section]:
    """Give a Markdown text as sections, or as one where it is not to be divided by headings.

    A heading without a text of its own stays with the next one. Code fences, tables and front matter are
    whole blocks; a fence that is not closed ends with the text.
    """
    sections = _Reader(_lines(text), knows_markdown=True).read() if text else []
    if by_headings or not sections:
        return sections
    return [Section((), tuple(block for section in sections for block in section.blocks))]


def _lines(text: str) -> list[_Line]:
    return [_Line(m.start(), m.end(), m[0].rstrip("\r\n")) for m in _LINE.finditer(text)]


class _Reader:
    """Goes through the lines once; each method that opens a block gives the number of the line after it."""

    def __init__(self, lines: Sequence[_Line], *, knows_markdown: bool) -> None:
        self._lines = lines
        self._knows_markdown = knows_markdown
        self._sections: list[Section] = []
        self._blocks: list[Block] = []
        self._headings: list[tuple[int, str]] = []
        self._path: tuple[str, ...] = ()
        self._has_body = False
        self._list_indent = 0

    def read(self) -> list[Section]:
        number = self._front_matter() if self._knows_markdown else 0
        while number < len(self._lines):
            number = self._markdown(number) if self._knows_markdown else self._paragraph(number)
        self._close_section()
        return self._sections

    def _markdown(self, number: int) -> int:
        line = self._lines[number]
        if (opened := self._opens_fence(line)) is not None:
            return self._add(number, self._end_of_fence(number, opened), is_whole=True)
        if (heading := _ATX.match(line.text)) is not None:
            title = _strip_closing(line.text[heading.end() :])
            return self._heading(number, number + 1, len(heading[1]), title)
        if self._is_table(number):
            return self._add(number, self._end_of_paragraph(number + 2, in_table=True), is_whole=True)
        return self._paragraph(number)

    def _front_matter(self) -> int:
        opening, *others = self._lines[:_MOST_FRONT_MATTER]
        if opening.text.rstrip() != "---" or not others or not _METADATA.match(others[0].text):
            return 0
        for number, line in enumerate(others, start=1):
            if line.text.rstrip() in _FRONT_MATTER:
                return self._add(0, self._skip_blank(number + 1), is_whole=True)
        return 0

    def _paragraph(self, number: int) -> int:
        if self._knows_markdown and _SETEXT.match(self._lines[number].text):
            return self._add(number, self._skip_blank(number + 1))
        end = self._end_of_paragraph(number + 1)
        if self._knows_markdown and (below := self._find_underline(number, end)) is not None:
            level = 1 if "=" in self._lines[below].text else 2
            title = " ".join(line.text.strip() for line in self._lines[number:below])
            return self._heading(number, below + 1, level, title)
        if (item := _LIST_ITEM.match(self._lines[number].text)) is not None:
            self._list_indent = len(item[1].expandtabs(4))
        elif not self._lines[number].text.startswith((" ", "\t")):
            self._list_indent = 0
        return self._add(number, end)

    def _find_underline(self, number: int, end: int) -> int | None:
        if self._lines[number].is_blank or _LIST_ITEM.match(self._lines[number].text):
            return None
        # A paragraph ends where its underline does, so only its last line can be one.
        last = next((n for n in range(end - 1, number, -1) if not self._lines[n].is_blank), number)
        return last if last > number and _SETEXT.match(self._lines[last].text) else None

    def _end_of_paragraph(self, number: int, *, in_table: bool = False) -> int:
        """Give the number of the line after a paragraph and the blank lines that follow it."""
        while number < len(self._lines) and not self._lines[number].is_blank:
            line = self._lines[number]
            if self._knows_markdown and not in_table and self._interrupts(number):
                return number
            number += 1
            if self._knows_markdown and not in_table and _SETEXT.match(line.text):
                break
        return self._skip_blank(number)

    def _interrupts(self, number: int) -> bool:
        line = self._lines[number]
        if _ATX.match(line.text) or self._opens_fence(line) is not None or self._is_table(number):
            return True
        return _LIST_ITEM.match(line.text) is not None

    def _skip_blank(self, number: int) -> int:
        while number < len(self._lines) and self._lines[number].is_blank:
            number += 1
        return number

    def _opens_fence(self, line: _Line) -> str | None:
        margin = _MARGIN.match(line.text)
        found = _FENCE.match(line.text, margin.end() if margin is not None else 0)
        if found is None or margin is None or len(margin[1].expandtabs(4)) > self._list_indent + _INDENT:
            return None
        return found[0]

    def _end_of_fence(self, number: int, opened: str) -> int:
        closing = re.compile(rf"[ \t>]*{re.escape(opened[0])}{{{len(opened)},}}[ \t]*$")
        for later in range(number + 1, len(self._lines)):
            if closing.match(self._lines[later].text):
                return self._skip_blank(later + 1)
        return len(self._lines)

    def _is_table(self, number: int) -> bool:
        if number + 1 >= len(self._lines) or "|" not in self._lines[number].text:
            return False
        below = self._lines[number + 1].text.strip()
        if "|" not in below or "-" not in below:
            return False
        cells = below.removeprefix("|").removesuffix("|").split("|")
        return all(_DELIMITER_CELL.fullmatch(cell.strip()) for cell in cells)

    def _heading(self, number: int, end: int, level: int, title: str) -> int:
        if self._has_body:
            self._close_section()
        self._headings = [one for one in self._headings if one[0] < level]
        self._headings.append((level, " ".join(title.split())[:_MOST_HEADING]))
        self._path = tuple(words for _, words in self._headings if words)
        self._list_indent = 0
        following = self._skip_blank(end)
        self._blocks.append(Block(self._lines[number].start, self._lines[following - 1].end))
        return following

    def _add(self, number: int, end: int, *, is_whole: bool = False) -> int:
        start, stop = self._lines[number].start, self._lines[end - 1].end
        self._blocks.append(Block(start, stop, is_whole))
        self._has_body = self._has_body or any(not line.is_blank for line in self._lines[number:end])
        return end

    def _close_section(self) -> None:
        if self._blocks:
            self._sections.append(Section(self._path, tuple(self._blocks)))
        self._blocks, self._has_body = [], False


def _strip_closing(title: str) -> str:
    """Give an ATX heading's words without the signs that may close it."""
    words = title.strip()
    opened = words.rstrip("#")
    return opened.rstrip() if not opened or opened[-1] in " \t" else words


def iterate_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Give where each line between `start` and `end` begins and ends, its line end included."""
    for match in _LINE.finditer(text, start, end):
        yield match.start(), match.end()
