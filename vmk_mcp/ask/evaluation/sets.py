"""Sets of labelled questions: JSON lines, shipped ones by name, one's own by file."""

from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec

from vmk_mcp.ask.evaluation.model import Labelled
from vmk_mcp.errors import InvalidArguments

SHIPPED: Final = ("municipal", "listings")
"""Sets in the package; each asks the source of its name."""


def read_set(word: str) -> list[Labelled]:
    """Read the set of a name, else of a file.

    Raises:
        InvalidArguments: there is none, or a line is no labelled question; says which.
    """
    if word in SHIPPED:
        text = files("vmk_mcp.ask.evaluation").joinpath("sets", f"{word}.jsonl").read_text("utf-8")
    else:
        text = _read_file(Path(word))
    labelled = [
        _read_line(line, number, word) for number, line in enumerate(text.splitlines(), 1) if line.strip()
    ]
    if not labelled:
        raise InvalidArguments(f"The set {word} holds no questions.", hint="Write one JSON object a line.")
    return labelled


def _read_file(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise InvalidArguments(
            f"There is no set of questions at {path}, or it is no UTF-8 text.",
            hint=f"Name a file of JSON lines, or one of: {', '.join(SHIPPED)}.",
        ) from None


def _read_line(line: str, number: int, word: str) -> Labelled:
    try:
        labelled = msgspec.json.decode(line, type=Labelled)
    except msgspec.DecodeError as fault:
        raise InvalidArguments(
            f"Line {number} of the set {word} is no labelled question: {fault}.",
            hint="It needs id, question, difficulty, and either gold or refused.",
        ) from None
    if (labelled.gold is None) == (labelled.refused is None):
        raise InvalidArguments(
            f"Line {number} of the set {word} has both gold and refused, or neither.",
            hint="Give gold where the question has an answer, else refused.",
        )
    return labelled
