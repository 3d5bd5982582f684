"""Labelled questions over the sample documents."""

import tomllib
from pathlib import Path

import msgspec
from msgspec import Struct


class Question(Struct, frozen=True):
    """What somebody asks, and the documents of which each answers it."""

    ask: str
    files: tuple[str, ...]


def read_questions() -> list[Question]:
    """Give the labelled questions."""
    text = Path(__file__).with_name("questions.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text)["question"], list[Question])
