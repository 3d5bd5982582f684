"""From what a model wrote to a draft or a refusal: fences, chatter and the two words are understood."""

import re
from typing import Final

from vmk_mcp.ask.model import Draft, Refusal

_LONGEST_REASON: Final = 500
_FENCE: Final = re.compile(r"```[ \t]*([A-Za-z]*)[ \t]*\r?\n(.*?)(?:\r?\n[ \t]*```|\Z)", re.DOTALL)
_SAYING: Final = re.compile(
    r"^[\s>*#`_\-\"']*(AMBIGUOUS|UNANSWERABLE)[*_`]*\s*[:：]\s*(.*)", re.DOTALL | re.MULTILINE
)
_BEGINNING: Final = re.compile(r"^[ \t]*(?=(?:select|with)\b)", re.IGNORECASE | re.MULTILINE)
# What only writes opens a statement too: it is the guard that refuses it, by its name.
_OPENING: Final = re.compile(
    r"\s*(?:\(\s*)*(?:select|with|values|table|insert|update|delete|merge|create|alter|drop|truncate|grant|copy)\b",
    re.IGNORECASE,
)
_SQL_FENCES: Final = frozenset({"", "sql", "postgres", "postgresql", "pgsql", "psql"})
_CODES: Final = {"AMBIGUOUS": "ambiguous_question", "UNANSWERABLE": "unanswerable"}
_NO_REASON: Final = {
    "AMBIGUOUS": "The question can be meant in several ways: say which records and which period.",
    "UNANSWERABLE": "The data does not hold what is asked for.",
}


def read_answer(text: str) -> Draft | Refusal:
    """Read one answer.

    Of several fenced statements the first counts. A bare statement is taken with all that follows it: what
    does not belong to it is the guard's to refuse.
    """
    fenced = _find_fenced(text)
    saying = _SAYING.search(text)
    if saying is not None and (fenced is None or saying.start() <= fenced.start()):
        return _refuse(saying[1], saying[2])
    if fenced is not None:
        return Draft(fenced[2].strip())
    if _OPENING.match(text):
        return Draft(text.strip())
    if (found := _BEGINNING.search(text)) is not None:
        return Draft(_until_prose(text[found.end() :]))
    return Refusal(
        "generation_failed", "The model answered without a statement: ask again, or in other words."
    )


def _find_fenced(text: str) -> "re.Match[str] | None":
    for fence in _FENCE.finditer(text):
        if fence[1].lower() in _SQL_FENCES and not _SAYING.match(fence[2]) and fence[2].strip():
            return fence
    return None


def _until_prose(text: str) -> str:
    """Give the statement up to the blank line behind it, where explanations begin."""
    return re.split(r"\n[ \t]*\r?\n", text, maxsplit=1)[0].strip()


def _refuse(word: str, said: str) -> Refusal:
    reason = " ".join("".join(letter if letter.isprintable() else " " for letter in said).split()).strip(
        "`*\"' "
    )
    if len(reason) > _LONGEST_REASON:
        reason = f"{reason[:_LONGEST_REASON]}…"
    return Refusal(_CODES[word], reason or _NO_REASON[word])
