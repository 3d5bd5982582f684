"""Source files: which database, which relations and columns of it, the words for them, and limits."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct, field

from vmk_mcp.ask.model import Glossary
from vmk_mcp.errors import SettingsError

SHIPPED: Final = ("municipal", "listings", "spatial")
"""Sources that come with the package; their databases are those of the settings."""

_SUFFIX: Final = ".toml"


class SourceLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of one source; None: those of the service.

    Attributes:
        rows: at most in one answer.
        large_table_rows: a table of more rows is not read whole without a condition.
        max_cost: highest cost that the planner may expect.
    """

    rows: int = 200
    large_table_rows: int | None = None
    max_cost: float | None = None


class SourceFile(Struct, frozen=True, forbid_unknown_fields=True):
    """One source as its file describes it.

    Attributes:
        dsn: of a login that may only read; it holds a password. Empty in shipped files.
        role: which that login takes on, such as vmk_ask; empty: none.
        schema: the Postgres schema that the relations lie in.
        open: open relations, each with its open columns, or none for all that the login may read; empty: all
            relations that it may read.
        needs_all_towns: only a token for all towns may ask it.
    """

    dsn: str = ""
    role: str = ""
    schema: str = "public"
    open: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    glossary: Glossary = Glossary()
    limits: SourceLimits = SourceLimits()
    needs_all_towns: bool = False

    def __repr__(self) -> str:
        return f"SourceFile({self.schema!r}, {sorted(self.open)})"

    def opens(self, relation: str, column: str) -> bool:
        """Say whether a column is on the list; the database has the last word."""
        if not self.open:
            return True
        columns = self.open.get(relation)
        return columns is not None and (not columns or column in columns)


def read_source(word: str) -> tuple[str, SourceFile]:
    """Read a shipped source by its name, or a file by its path; give the source's name with it.

    Raises:
        SettingsError: there is no such source, or the file cannot be read.
    """
    if word in SHIPPED:
        text = files("vmk_mcp.ask.sources").joinpath(f"{word}{_SUFFIX}").read_text("utf-8")
        return word, msgspec.toml.decode(text, type=SourceFile)
    path = Path(word)
    if path.suffix != _SUFFIX:
        raise SettingsError(
            f"ASK_SOURCES names {word!r}, which is no source.",
            hint=f"Take {', '.join(SHIPPED)}, or the path of a file that ends in {_SUFFIX}.",
        )
    return path.stem, _read_file(path)


def _read_file(path: Path) -> SourceFile:
    try:
        read = msgspec.toml.decode(path.read_bytes(), type=SourceFile)
    except OSError:
        raise SettingsError(
            f"The source file {path}, which ASK_SOURCES names, cannot be read.",
            hint="Mend the path, or make the file readable for this account.",
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        fault = str(error) if isinstance(error, msgspec.ValidationError) else "it is no TOML"
        raise SettingsError(
            f"The source file {path} cannot be used: {fault}.",
            hint="It may hold dsn, role, schema, and the tables open, glossary and limits.",
        ) from None
    if not read.dsn:
        raise SettingsError(
            f"The source file {path} names no database.", hint='Add a line such as dsn = "postgresql://...".'
        )
    return read
