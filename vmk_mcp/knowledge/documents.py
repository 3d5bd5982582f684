"""What is a document, by its path; the service and the watcher go by the same rule."""

from pathlib import PurePosixPath
from typing import Final

MARKDOWN_ENDINGS: Final = frozenset({".md", ".markdown", ".mdown", ".mkd"})
TEXT_ENDINGS: Final = frozenset({".txt", ".text"})

USERS_FOLDER: Final = "users"
"""Folder of the root whose folders belong to one user each; all else is shared."""

MAX_BYTES: Final = 10 * 1024 * 1024
"""A larger file is no document."""


def is_markdown(path: str) -> bool:
    """Say whether the path ends as Markdown does."""
    return PurePosixPath(path).suffix.lower() in MARKDOWN_ENDINGS


def is_document(path: str) -> bool:
    """Say whether a file of that path, relative to its folder, is indexed: a text that is not hidden."""
    pure = PurePosixPath(path)
    if any(part.startswith(".") for part in pure.parts):
        return False
    return pure.suffix.lower() in MARKDOWN_ENDINGS | TEXT_ENDINGS
