"""Phrase banks: templates by language, aspect and case, and the choice of one whose slots are all known."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from random import Random
from string import Formatter

import msgspec

Slots = Mapping[str, str]
Bank = dict[str, dict[str, tuple[str, ...]]]


@cache
def read_bank(language: str) -> Bank:
    """Give all templates of a language: `uk` or `ru`."""
    text = files("vmk_mcp.sample.realty").joinpath(f"phrases_{language}.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=Bank)


def fill_phrase(rng: Random, templates: tuple[str, ...], slots: Slots) -> str | None:
    """Fill one of the templates whose slots are all in `slots`; None where there is none."""
    usable = [template for template in templates if _slots_of(template) <= slots.keys()]
    return rng.choice(usable).format_map(slots) if usable else None


@cache
def _slots_of(template: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in Formatter().parse(template) if name)
