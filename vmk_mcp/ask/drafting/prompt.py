"""What a model is told: the rules of an answer, and the real schema with the words for it."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from msgspec import Struct

from vmk_mcp.ask.model import AskedSource, Draft, OpenColumn, OpenTable, Refusal

_LONGEST_PROMPT: Final = 60_000
_LONGEST_NOTE: Final = 300
_MOST_SHOWN_VALUES: Final = 25
_MOST_SYNONYMS: Final = 200


class Message(Struct, frozen=True):
    """One turn of a conversation; `role` is `user` or `assistant`."""

    role: str
    content: str


def write_system(source: AskedSource) -> str:
    """Write the rules and the schema; what is too much is left out, values first, then comments."""
    glossary, day = _show_glossary(source), f"Today is {source.today:%A}, {source.today.isoformat()}."
    for detail in (_show_fully, _show_described, _show_barely):
        tables = [detail(table, source.values) for table in source.schema.tables]
        prompt = "\n\n".join(filter(None, (_read_rules(), day, "Schema:\n" + "\n".join(tables), glossary)))
        if len(prompt) <= _LONGEST_PROMPT:
            return prompt
    return prompt[:_LONGEST_PROMPT]


def write_messages(question: str, refused: tuple[Draft, Refusal] | None) -> Sequence[Message]:
    """Write the turns: the question, and where a draft was refused, that draft and why."""
    asked = Message("user", question)
    if refused is None:
        return (asked,)
    draft, refusal = refused
    return (
        asked,
        Message("assistant", draft.sql or "(nothing)"),
        Message("user", f"That was not run: {refusal.reason} Answer again, in one of the three forms."),
    )


_Values = Mapping[str, Sequence[str]]
_Show = Callable[[OpenTable, OpenColumn], str]


def _show_fully(table: OpenTable, values: _Values) -> str:
    def show(owner: OpenTable, column: OpenColumn) -> str:
        known = values.get(f"{owner.name}.{column.name}", ())
        shown = ", ".join(repr(_one_line(value)) for value in known[:_MOST_SHOWN_VALUES])
        more = ", ..." if len(known) > _MOST_SHOWN_VALUES else ""
        return _describe(column) + (f" [values: {shown}{more}]" if shown else "")

    return _show_table(table, show)


def _show_described(table: OpenTable, values: _Values) -> str:
    del values
    return _show_table(table, lambda _, column: _describe(column))


def _show_barely(table: OpenTable, values: _Values) -> str:
    del values
    return f"{table.name}({', '.join(column.name for column in table.columns)})"


def _show_table(table: OpenTable, show: _Show) -> str:
    note = f": {_one_line(table.description)}" if table.description else ""
    lines = [f"table {table.name}, about {table.row_estimate} rows{note}"]
    lines += [f"  {show(table, column)}" for column in table.columns]
    if table.primary_key:
        lines.append(f"  primary key ({', '.join(table.primary_key)})")
    lines += [
        f"  ({', '.join(key.columns)}) refers to {key.table} ({', '.join(key.references)})"
        for key in table.foreign_keys
    ]
    return "\n".join(lines)


def _describe(column: OpenColumn) -> str:
    note = f" ({_one_line(column.description)})" if column.description else ""
    return f"{column.name} {column.type}{note}"


def _show_glossary(source: AskedSource) -> str:
    notes = [f"- {_one_line(note)}" for note in source.glossary.notes]
    words = list(source.glossary.synonyms.items())[:_MOST_SYNONYMS]
    shown = "; ".join(f"{word} = {meaning}" for word, meaning in words)
    return "\n".join(
        filter(None, ("Notes:\n" + "\n".join(notes) if notes else "", shown and f"Words: {shown}"))
    )


def _one_line(text: str) -> str:
    """Take a text of the database for a prompt: one line, so that it cannot look like a part of it."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_NOTE else f"{line[:_LONGEST_NOTE]}…"


@cache
def _read_rules() -> str:
    return files("vmk_mcp.ask.drafting").joinpath("rules.txt").read_text("utf-8").strip()
