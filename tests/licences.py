"""What the locks pin, what needs it, and under which licence the installed packages say that they are."""

import importlib.metadata
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house import ROOT

_ENTRY: Final = re.compile(r"^([a-z0-9-]+)==.*\n(?:    (?!#).*\n)*((?:    #.*\n)*)", re.MULTILINE)
_PERMISSIVE: Final = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "CNRI-Python",
    "ISC",
    "MIT",
    "PSF-2.0",
    "PostgreSQL",
    "Zlib",
}
_FILE_BY_FILE: Final = {"MPL-2.0"}
"""Asks for the source of its own files where they are changed, which we do not, and for nothing else."""

# What packages write that have no expression of their own yet.
_SPELLINGS: Final = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD License": "BSD-3-Clause",
    "GPL-3.0": "GPL-3.0-only",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "The MIT License (MIT)": "MIT",
}


def read_needs(lock: str) -> dict[str, set[str]]:
    """Give the packages that a lock pins, and the packages for which each is there."""
    needs: dict[str, set[str]] = {}
    for name, comments in _ENTRY.findall((ROOT / lock).read_text("utf-8")):
        words = {line.strip(" #").removeprefix("via").strip() for line in comments.splitlines()}
        needs.setdefault(name, set()).update(words)
    return needs


def close(roots: Sequence[str], needs: Mapping[str, set[str]]) -> set[str]:
    """Give the packages of the requirements `roots`, and all that they need in turn."""
    held = {str(canonicalize_name(Requirement(root).name)) for root in roots} & needs.keys()
    while more := {name for name, by in needs.items() if name not in held and by & held}:
        held |= more
    return held


def find_uses() -> dict[str, str]:
    """Give for each locked package the first use that it has: `service`, an extra, `building`, or `tests`."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"]
    run, developed = read_needs("requirements.lock"), read_needs("requirements-dev.lock")
    developed |= read_needs("requirements-ukrainian.lock")
    uses = dict.fromkeys(developed, "tests")
    uses |= dict.fromkeys(close(project["dependency-groups"]["build"], run), "building")
    for extra in sorted(extras, reverse=True):
        uses |= dict.fromkeys(close(extras[extra], developed), extra)
    uses |= dict.fromkeys(close(extras["local"], run), "local")
    return uses | dict.fromkeys(close(project["project"]["dependencies"], run), "service")


def read_declared(name: str) -> str | None:
    """Give the licence that a package declares, as an expression; None where it is not installed."""
    try:
        said = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return None
    classified = [
        line.rpartition(" :: ")[2] for line in said.get_all("Classifier") or () if line.startswith("License")
    ]
    expressed, named = (said.get_all(field) or () for field in ("License-Expression", "License"))
    # Some put the whole text there, whose first line is the name.
    written = [*expressed, *(text.strip().partition("\n")[0] for text in named), *classified]
    first = next((text for text in written if text not in {"", "UNKNOWN"}), "")
    return _SPELLINGS.get(first, first)


def leaves_others_free(expression: str) -> bool:
    """Say whether what uses a package under `expression` may be under MIT, and all around it closed."""
    free = _PERMISSIVE | _FILE_BY_FILE
    return all(
        any(word.strip(" ()") in free for word in part.split(" OR ")) for part in expression.split(" AND ")
    )
