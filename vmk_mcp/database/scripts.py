"""Schema scripts: which belong to a database, in which order, and which of them are still to be applied."""

import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.errors import StartError


class Script(Struct, frozen=True):
    """One SQL script under `database/schema`.

    Attributes:
        repeatable: it may be run again, and is after any other script; otherwise it is a migration: it
            runs once, and its wording is settled.
        when_late: what to say when it comes to a database that already has tables.
    """

    name: str
    repeatable: bool = False
    when_late: str = ""

    @property
    def text(self) -> str:
        """The script itself."""
        return (
            resources.files("vmk_mcp").joinpath("database", "schema", f"{self.name}.sql").read_text("utf-8")
        )

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()


class Blueprint(Struct, frozen=True):
    """A database of ours: its name and its scripts, in order."""

    database: str
    scripts: tuple[Script, ...]

    def without(self, *scripts: str) -> "Blueprint":
        """Give the same without some scripts, to be applied later."""
        return msgspec.structs.replace(self, scripts=tuple(s for s in self.scripts if s.name not in scripts))


_TEXT_SEARCH: Final = Script(
    "listings_text_search",
    when_late="Words are now found in their inflections; listings loaded before only once they are loaded "
    "again.",
)

LISTINGS_AFTER_LOAD: Final = ("listings_002_indexes", "listings_003_statistics")
"""Applied after a first load: an index over rows that are there is built in a third of the time."""

CLUSTER: Final = Script("cluster", repeatable=True)
LEDGER: Final = Script("ledger", repeatable=True)

STATE: Final = Blueprint(
    "vmk_state",
    (
        Script("state_001_extensions"),
        Script("state_002_knowledge"),
        Script("state_003_query_log"),
        Script("state_004_knowledge_identity"),
        Script("state_005_knowledge_room"),
        Script("state_knowledge_functions", repeatable=True),
        Script("roles_state", repeatable=True),
        Script("private", repeatable=True),
    ),
)


SPATIAL: Final = Blueprint(
    "vmk_spatial",
    (
        Script("spatial_001_tables"),
        Script("spatial_002_indexes"),
        Script("roles_spatial", repeatable=True),
        Script("private", repeatable=True),
    ),
)
"""The county's places, in a cluster that has PostGIS."""

MUNICIPAL: Final = Blueprint(
    "vmk_municipal",
    (
        Script("municipal_001_tables"),
        Script("roles_municipal", repeatable=True),
        Script("private", repeatable=True),
    ),
)
"""The sample that questions in words are tried on."""


def blueprint_listings(*, has_dictionary: bool) -> Blueprint:
    """Give the database of listings; without the Ukrainian dictionary it has no configuration `ukrainian`."""
    return Blueprint(
        "vmk_data",
        (
            Script("listings_001_tables"),
            *map(Script, LISTINGS_AFTER_LOAD),
            *((_TEXT_SEARCH,) if has_dictionary else ()),
            Script("roles_listings", repeatable=True),
            Script("private", repeatable=True),
            Script("private_listings", repeatable=True),
        ),
    )


def find_pending(scripts: Sequence[Script], applied: Mapping[str, str]) -> list[Script]:
    """Give the scripts that are to be applied, in order: none when nothing has changed.

    Args:
        scripts: all scripts of a database, in order.
        applied: the checksum of each script that the database has seen, by name.

    Raises:
        StartError: a migration was applied in another wording.
    """
    changed = [script for script in scripts if applied.get(script.name) != script.checksum]
    for script in changed:
        if script.name in applied and not script.repeatable:
            raise StartError(
                f"The database was made with another wording of the migration {script.name}.",
                hint="It belongs to another version of vmk-mcp: use that one, or a DATA_DIR of its own.",
            )
    return [script for script in scripts if script.repeatable or script in changed] if changed else []


def print_roles(database: str) -> str:
    """Give the script that a DBA runs in a foreign database: `listings`, `spatial` or `state`."""
    return Script(f"roles_{database}", repeatable=True).text
