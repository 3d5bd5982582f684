"""Texts of tokens files, and the words that they may use."""

import hashlib

from vmk_mcp.web.vocabulary import Vocabulary

WORDS = Vocabulary(
    families=("listings", "spatial", "ask", "knowledge"),
    rights={"listings": {"listings.find"}, "knowledge": {"knowledge.find", "knowledge.index"}},
    profiles={"fixed", "standard"},
)


def hash_of(token: str) -> str:
    """Give the hash that stands for a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def entry(name: str, token: str, *lines: str) -> str:
    """Write an entry; `lines` come beneath its name and hash."""
    return "\n".join(["[[token]]", f'name = "{name}"', f'sha256 = "{hash_of(token)}"', *lines, ""])
