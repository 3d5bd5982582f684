"""What a tokens file says: TOML `[[token]]` tables into callers, with every fault named by line and field."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from vmk_mcp.errors import SettingsError
from vmk_mcp.tool import ALL, Caller
from vmk_mcp.web.vocabulary import Vocabulary

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}")
_HEADER: Final = re.compile(r"\s*\[\[\s*token\s*\]\]")
_TOML_PLACE: Final = re.compile(r"line (\d+), column (\d+)")


class Fault(Struct, frozen=True):
    """One thing that is wrong with a tokens file.

    Attributes:
        problem: what is wrong, in words that follow `field`.
        place: such as "line 4", or "" where it is the whole file.
        field: of the entry, or "".
    """

    problem: str
    place: str = ""
    field: str = ""

    def __str__(self) -> str:
        return f"{self.place}{': ' if self.place else ''}{self.claim}"

    @property
    def claim(self) -> str:
        """What is wrong, without its place."""
        return f"{self.field} {self.problem}".lstrip()


class BrokenTokens(SettingsError):
    """A tokens file cannot be used; `faults` are all that is wrong with it."""

    def __init__(self, file_name: str, faults: Sequence[Fault]) -> None:
        super().__init__(
            f"MCP_TOKENS_FILE: {file_name} cannot be used: {'; '.join(map(str, faults))}.",
            hint="Mend the lines named; `vmk-mcp token new NAME --tools ...` writes a sound entry.",
            field="MCP_TOKENS_FILE",
        )
        self.faults = faults


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def _is_sha256(value: object) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word for word in value)


def _are_towns(value: object) -> bool:
    return value == ALL or (_are_words(value) and ALL not in _words(value))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _are_user_ids(value: object) -> bool:
    return value == ALL or (isinstance(value, list) and all(_is_whole(one) for one in value))


def _is_rate(value: object) -> bool:
    return isinstance(value, int) and _is_whole(value) and value >= 1


def _is_claim(value: object) -> bool:
    return isinstance(value, bool)


_FIELDS: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "name": (_is_name, "up to 64 Latin letters, digits, '.', '_', '@' or '-'"),
    "sha256": (_is_sha256, "64 hexadecimal digits, the SHA-256 of the token"),
    "profile": (_is_text, "the name of a profile"),
    "tools": (_are_words, 'a list of families and tools, such as ["listings", "diagnostics.echo"]'),
    "towns": (_are_towns, 'a list of town names, or the word "all" by itself'),
    "contacts": (_is_claim, "true or false"),
    "rate_per_minute": (_is_rate, "an integer of at least 1"),
    "user_ids": (_are_user_ids, 'a list of integers, or the word "all" by itself'),
}
_REQUIRED: Final = ("name", "sha256")


def read_tokens(content: bytes, file_name: str, vocabulary: Vocabulary | None = None) -> dict[bytes, Caller]:
    """Read a tokens file into callers by the SHA-256 digest of their tokens.

    A file without any entry lets nobody in, but an empty one is refused: it is one that an editor is about to
    write, or has lost. Without a `vocabulary`, any words will do for rights and profiles.

    Raises:
        BrokenTokens: anything in the file is not as it should be; the message names all of it.
    """
    text, entries = _parse(content, file_name)
    reader = _Reader(text, vocabulary)
    for number, entry in enumerate(entries):
        reader.read(number, entry)
    if reader.faults:
        raise BrokenTokens(file_name, reader.faults)
    return reader.callers


class _Reader:
    """Reads entries one by one, and gathers what is wrong with them."""

    def __init__(self, text: str, vocabulary: Vocabulary | None) -> None:
        self.callers: dict[bytes, Caller] = {}
        self.faults: list[Fault] = []
        self._names: set[str] = set()
        self._lines = text.splitlines()
        self._starts = [number for number, line in enumerate(self._lines) if _HEADER.match(line)]
        self._vocabulary = vocabulary

    def read(self, number: int, entry: Mapping[str, object]) -> None:
        """Read the entry of that number, counted from 0."""
        faults = [*_shape_faults(entry), *self._word_faults(entry), *self._repeated(entry)]
        self.faults += [Fault(problem, self._place(number, field), field) for field, problem in faults]
        if not faults:
            self.callers[bytes.fromhex(str(entry["sha256"]))] = _caller(entry)
            self._names.add(str(entry["name"]))

    def _word_faults(self, entry: Mapping[str, object]) -> list[tuple[str, str]]:
        words = self._vocabulary
        if words is None:
            return []
        told = [(word, words.fault_of_right(word)) for word in _words(entry.get("tools"))]
        faults = [("tools", f'names "{word}", which {fault}') for word, fault in told if fault]
        profile = entry.get("profile", "fixed")
        if isinstance(profile, str) and (fault := words.fault_of_profile(profile)):
            faults.append(("profile", f'names "{profile}"; {fault}'))
        return faults

    def _repeated(self, entry: Mapping[str, object]) -> list[tuple[str, str]]:
        faults = []
        if _is_name(name := entry.get("name")) and name in self._names:
            faults.append(("name", f'"{name}" is taken by an entry above'))
        if _is_sha256(entry.get("sha256")) and bytes.fromhex(str(entry["sha256"])) in self.callers:
            faults.append(("sha256", "is that of an entry above; give each its own token"))
        return faults

    def _place(self, number: int, field: str) -> str:
        if number >= len(self._starts):  # written as an inline array
            return f"token {number + 1}"
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self._lines)
        written = re.compile(rf'\s*"?{re.escape(field)}"?\s*=')
        at = next((line for line in range(start, end) if written.match(self._lines[line])), start)
        return f"line {at + 1}"


def _shape_faults(entry: Mapping[str, object]) -> list[tuple[str, str]]:
    faults = [(field, "is missing") for field in _REQUIRED if field not in entry]
    for field, value in entry.items():
        if field not in _FIELDS:
            faults.append((field, f"is no field of a token; there are {', '.join(_FIELDS)}"))
            continue
        holds, due = _FIELDS[field]
        if not holds(value):
            faults.append((field, f"must be {due}"))
    return faults


def _caller(entry: Mapping[str, object]) -> Caller:
    towns, user_ids, rate = entry.get("towns", []), entry.get("user_ids", []), entry.get("rate_per_minute")
    return Caller(
        name=str(entry["name"]),
        profile=str(entry.get("profile", "fixed")),
        rights=frozenset(_words(entry.get("tools"))),
        towns=ALL if towns == ALL else frozenset(_words(towns)),
        contacts=entry.get("contacts") is True,
        user_ids=ALL if user_ids == ALL else frozenset(_wholes(user_ids)),
        rate_per_minute=rate if isinstance(rate, int) else None,
    )


def _words(value: object) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


def _wholes(value: object) -> list[int]:
    return [one for one in value if isinstance(one, int)] if isinstance(value, list) else []


def _parse(content: bytes, file_name: str) -> tuple[str, list[Mapping[str, object]]]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise BrokenTokens(file_name, [Fault("it is not UTF-8 text")]) from None
    if not text.strip():
        raise BrokenTokens(file_name, [Fault("it is empty; write `token = []` to let nobody in")])
    try:
        parsed = tomllib.loads(text)
    except RecursionError:
        raise BrokenTokens(file_name, [Fault("it is nested too deeply")]) from None
    except ValueError as fault:  # tomllib's own error, and Python's for a number of thousands of digits
        place = _TOML_PLACE.search(str(fault))
        where = f"line {place[1]}, column {place[2]}" if place else "its end"
        raise BrokenTokens(file_name, [Fault("not valid TOML", where)]) from None
    entries = parsed.pop("token", [])
    if parsed:
        raise BrokenTokens(file_name, [Fault("only [[token]] tables belong here", ", ".join(parsed))])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BrokenTokens(file_name, [Fault("write each as a [[token]] table", "token")])
    return text, entries
