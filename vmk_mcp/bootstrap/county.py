"""The PostGIS cluster with the made-up county, started beside the embedded server where it can be had."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from vmk_mcp.bootstrap.databases import run_apart
from vmk_mcp.database.binaries import find_postgis_binaries
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import POSTGIS_NAME, EmbeddedServer, find_maker, start_embedded
from vmk_mcp.database.prepare import prepare_database
from vmk_mcp.database.scripts import SPATIAL
from vmk_mcp.errors import VmkError
from vmk_mcp.sample.county.loading import load_county


class OpenCounty(Struct, frozen=True):
    """The county, to be read.

    Attributes:
        dsn: of the reader; holds a password.
        server: to be kept running and to be let go of at the end.
    """

    dsn: str
    server: EmbeddedServer


class NoCounty(Struct, frozen=True):
    """Why there is no county here, and what would bring it: each a sentence or two."""

    reason: str
    hint: str


def open_county(data_dir: Path, say: Callable[[str], None]) -> OpenCounty | NoCounty:
    """Start the PostGIS cluster in `data_dir`, or join it, and fill it; blocks until it can be read.

    Whatever keeps it from running is told, and given as a reason: the families that need no PostGIS go on.
    """
    county = _open(data_dir, say)
    if isinstance(county, NoCounty):
        say(f"The spatial family is left out. {county.reason} {county.hint}")
    return county


def _open(data_dir: Path, say: Callable[[str], None]) -> OpenCounty | NoCounty:
    try:
        binaries = find_postgis_binaries(find_maker(data_dir, POSTGIS_NAME))
        server = start_embedded(data_dir, binaries, say, name=POSTGIS_NAME)
    except VmkError as error:
        return NoCounty(error.message, error.hint)
    except OSError as error:
        return NoCounty(*_blame_files(data_dir, error))
    try:
        run_apart(fill_county(server, say))
    except VmkError as error:
        server.close()
        return NoCounty(error.message, error.hint)
    except BaseException:
        server.close()
        raise
    return OpenCounty(server.dsn(Role.READER, SPATIAL.database), server)


async def fill_county(server: EmbeddedServer, say: Callable[[str], None]) -> None:
    """Make or migrate the county's database and load the county, unless it is there whole.

    Raises:
        StartError: the database belongs to another version, or the server fails.
        StoreUnavailable: the server went away.
    """
    await prepare_database(server, SPATIAL, say)
    await load_county(server.dsn(Role.OWNER, SPATIAL.database), say)


def _blame_files(data_dir: Path, error: OSError) -> tuple[str, str]:
    cause = error.strerror or "the system refuses"
    return (
        f"The files of the PostGIS cluster in {data_dir} cannot be used: {cause}.",
        "Mend that, or set DATA_DIR to a folder of your own.",
    )
