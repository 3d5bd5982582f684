"""Mutations of the corpus: words, signs and pieces of statements put where they were not."""

from itertools import pairwise
from random import Random
from typing import Final

from postgast import PgQueryError, scan

from tests.unit.ask.guard.open_city import read_cases

_SPICE: Final = (
    "@",
    "::regclass",
    'U&"pg_sl\\0065ep"',
    "/*",
    "*/",
    "--\n",
    "$$",
    '"',
    "'",
    ";",
    "pg_sleep(0)",
    ".row_to_json",
    "OPERATOR(pg_catalog.=)",
    "VARIADIC",
    "FOR UPDATE",
    "INTO t",
    "TABLE api_tokens",
    "private.app_users",
    "p.*",
    "p",
    "(p)",
    "ctid",
    "NATURAL",
    "LATERAL",
    "ONLY",
    "ROWS FROM",
    "WITH ORDINALITY",
    "UNION ALL",
    "current_user",
    "E'\\''",
    "version()",
    "pg_catalog.",
    "public.",
    "AS",
    ",",
    "(",
    ")",
    "*",
    "[1]",
    'COLLATE "C"',
    "query_to_xml('SELECT 1')",
)


class Mutator:
    """Makes statements out of pieces of the corpus, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 - no secret hangs on it, and the same seed must give the same
        self._honest = [case.sql for case in read_cases("legitimate")]
        self._all = self._honest + [case.sql for case in read_cases("attacks") if len(case.sql) < 2_000]
        self._pieces = [piece for sql in self._all for piece in split_pieces(sql)]

    def make(self) -> str:
        """Make one statement."""
        pieces = split_pieces(self._random.choice(self._honest if self._random.random() < 0.8 else self._all))
        for _ in range(self._random.randint(1, 3)):
            self._change(pieces)
        return "".join(pieces)

    def _change(self, pieces: list[str]) -> None:
        place = self._random.randrange(len(pieces) + 1)
        way = self._random.random()
        if way < 0.3:
            pieces.insert(place, f" {self._random.choice(_SPICE)} ")
        elif way < 0.6:
            pieces[place : place + 1] = [self._random.choice(self._pieces)]
        elif way < 0.75:
            del pieces[place : place + 1]
        elif way < 0.85:
            other = self._random.randrange(len(pieces) + 1)
            pieces[place:place] = pieces[other : other + self._random.randint(1, 6)]
        else:
            pieces.insert(place, f" ({self._random.choice(self._honest).rstrip(';')}) ")


def split_pieces(sql: str) -> list[str]:
    """Cut a statement into its tokens, each with the blanks before it."""
    raw = sql.encode()
    try:
        tokens = scan(sql).tokens
    except PgQueryError:
        return [sql]
    ends = [0, *(token.end for token in tokens)]
    return [raw[start:end].decode() for start, end in pairwise(ends)]
