"""The lock files against `pyproject.toml` and each other: complete, hashed, and of one mind."""

import re
import tomllib
from collections.abc import Iterable
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house import ROOT

PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUNTIME: Final = PROJECT["project"]["dependencies"]
LOCAL: Final = PROJECT["project"]["optional-dependencies"]["local"]
GROUPS: Final = PROJECT["dependency-groups"]
DEV: Final = [entry for entry in GROUPS["dev"] if isinstance(entry, str)]

WANTED: Final = {
    "requirements.lock": [*RUNTIME, *LOCAL, *GROUPS["build"]],
    "requirements-container.lock": [*RUNTIME, *GROUPS["build"]],
    "requirements-ukrainian.lock": GROUPS["ukrainian"],
    "requirements-dev.lock": [*RUNTIME, *LOCAL, *GROUPS["build"], *DEV],
}

_PIN: Final = re.compile(
    r"^([a-z0-9-]+)==(\S+)(?: ;.*?)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE
)


def pins(text: str) -> dict[str, set[str]]:
    """Give the hashed versions of each package that a lock pins; several where they differ by Python."""
    found: dict[str, set[str]] = {}
    for name, version, _ in _PIN.findall(text):
        found.setdefault(name, set()).add(version)
    return found


def unmet(wanted: Iterable[str], locked: dict[str, set[str]]) -> list[str]:
    """Give the requirements that no pinned version satisfies."""
    requirements = [Requirement(text) for text in wanted]
    return [
        str(requirement)
        for requirement in requirements
        if not any(map(requirement.specifier.contains, locked.get(canonicalize_name(requirement.name), ())))
    ]


def read_lock(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_a_missing_and_an_outgrown_pin_are_found() -> None:
    locked = pins("click==8.1.0 \\\n    --hash=sha256:" + "0" * 64 + "\n")
    assert unmet(["click>=8,<9"], locked) == []
    assert unmet(["click>=9"], locked) == ["click>=9"]
    assert unmet(["rich"], locked) == ["rich"]


@pytest.mark.parametrize("name", WANTED)
def test_a_lock_meets_what_the_project_asks_for(name: str) -> None:
    assert unmet(WANTED[name], pins(read_lock(name))) == []


@pytest.mark.parametrize("name", WANTED)
def test_every_line_of_a_lock_is_a_pin_a_hash_or_its_origin(name: str) -> None:
    text = read_lock(name)
    assert len(re.findall("^[^ #]", text, re.MULTILINE)) == len(_PIN.findall(text))


@pytest.mark.parametrize("name", ["requirements-container.lock", "requirements-dev.lock"])
def test_locks_agree_on_every_version_with_the_one_that_people_run(name: str) -> None:
    run, other = pins(read_lock("requirements.lock")), pins(read_lock(name))
    assert {
        package: (run[package], other[package])
        for package in run.keys() & other
        if run[package] != other[package]
    } == {}
