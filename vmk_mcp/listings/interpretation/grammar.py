"""The rules of `grammar.toml` as regular expressions over one character a word."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.listings.interpretation.lexicon import load_lexicon

_MACRO: Final = re.compile(r"\{(\w*[a-z_]\w*)\}")
_KINDS: Final = re.compile(r"<([a-z0-9_|]+)>")


class Rule(Struct, frozen=True):
    """One way of saying something about `subject`; `reads` says what its values make.

    `keeps` tells that the words say more than the filter.
    """

    subject: str
    reads: str
    pattern: re.Pattern[str]
    keeps: bool


class _Row(Struct, frozen=True, forbid_unknown_fields=True):
    subject: str
    reads: str
    signs: list[str]
    keeps: bool = False


class _Tables(Struct, frozen=True, forbid_unknown_fields=True):
    macros: dict[str, str]
    rule: list[_Row]


@cache
def load_grammar() -> tuple[Rule, ...]:
    """Read `grammar.toml`; raises `KeyError` for an unknown macro or kind."""
    text = files("vmk_mcp.listings.interpretation").joinpath("grammar.toml").read_text("utf-8")
    tables = msgspec.toml.decode(text, type=_Tables)
    signs = load_lexicon().signs
    return tuple(
        Rule(rule.subject, rule.reads, _compile(rule.signs, tables.macros, signs), rule.keeps)
        for rule in tables.rule
    )


def _compile(patterns: list[str], macros: Mapping[str, str], signs: Mapping[str, str]) -> re.Pattern[str]:
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    while _MACRO.search(joined):
        joined = _MACRO.sub(lambda match: f"(?:{macros[match[1]]})", joined)
    joined = _KINDS.sub(lambda match: f"[{''.join(signs[kind] for kind in match[1].split('|'))}]", joined)
    return re.compile(joined.replace(" ", ""))
