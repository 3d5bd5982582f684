"""Programs of others in environments of their own, pinned, kept between runs in the folder of ours."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

_KEPT: Final = Path(sys.prefix) / "clients"
UV: Final = str(Path(sys.executable).with_name("uv"))
_INSTALL_WITHIN_S: Final = 300
_RUN_WITHIN_S: Final = 60


def python_with(*pins: str) -> list[str]:
    """Give the command of a Python that has the packages `pins`, such as `mcp==2.3.0`."""

    def install(folder: Path) -> None:
        _install([UV, "venv", "--quiet", "--python", sys.executable, str(folder)])
        _install([*_into(folder), *pins])

    return [str(_kept(pins, install) / "bin" / "python")]


def node_with(*pins: str) -> Path:
    """Give a folder whose `node_modules` hold the packages `pins`, such as `mcp-remote@0.1.2`."""

    def install(folder: Path) -> None:
        folder.mkdir()
        quiet = ("--silent", "--no-audit", "--no-fund", "--ignore-scripts")
        _install(["npm", "install", *quiet, "--prefix", str(folder), *pins])

    return _kept(pins, install)


def find_pythons(*versions: str) -> dict[str, str]:
    """Give those of `versions`, such as `3.13`, that are on the path or in pyenv; else that of the tests."""
    found = {version: python for version in versions if (python := _find_python(version))}
    return found or {f"{sys.version_info.major}.{sys.version_info.minor}": sys.executable}


def installed_with_lock(lock: Path, python: str, wheel: Path) -> Path:
    """Give the folder of the programs of an environment of `python` that holds `wheel` and what `lock` pins.

    The packages are kept between runs; the wheel is installed anew.
    """

    def install(folder: Path) -> None:
        _install([UV, "venv", "--quiet", "--python", python, str(folder)])
        _install([*_into(folder), "--require-hashes", "-r", str(lock)])

    folder = _kept([lock.name, python, lock.read_text("utf-8")], install)
    _install([*_into(folder), "--offline", "--no-deps", "--reinstall", str(wheel)])
    return folder / "bin"


def _find_python(version: str) -> str | None:
    name = f"python{version}"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    # A shim of pyenv is on the path, but runs only what its user has chosen.
    for candidate in (shutil.which(name), *pyenv.glob(f"versions/{version}.*/bin/{name}")):
        if (
            candidate
            and subprocess.run([candidate, "-c", ""], capture_output=True, check=False).returncode == 0
        ):
            return str(candidate)
    return None


def _into(folder: Path) -> list[str]:
    return [UV, "pip", "install", "--quiet", "--python", str(folder / "bin" / "python")]


def run(command: Sequence[str], home: Path, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Run a program of others, which finds a `home` of its own and nothing of this test run's environment."""
    return subprocess.run(
        command,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=_RUN_WITHIN_S,
        check=False,
        **options,
    )


def ask_client(program: Sequence[str] | Path, script: Path, task: Mapping[str, object], home: Path) -> Any:
    """Have `script` do `task`, by a Python (its command) or in a folder with `node_modules`."""
    words = json.dumps(task, ensure_ascii=False)
    if isinstance(program, Path):
        # A module read from stdin finds packages from the working directory on.
        node = ["node", "--input-type=module", "-", words]
        done = run(node, home, cwd=program, input=script.read_text(encoding="utf-8"))
    else:
        done = run([*program, str(script), words], home)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _kept(pins: Sequence[str], install: Callable[[Path], None]) -> Path:
    key = hashlib.sha256(json.dumps([sys.version, *pins]).encode()).hexdigest()[:8]
    folder = _KEPT / f"{re.sub(r'[^a-z0-9.]+', '-', pins[0]).strip('-')}-{key}"
    whole = folder / ".whole"
    if not whole.exists():
        shutil.rmtree(folder, ignore_errors=True)
        _KEPT.mkdir(exist_ok=True)
        install(folder)
        whole.touch()
    return folder


def _install(command: Sequence[str]) -> None:
    """Run an installer; where it or the registry is missing the test is skipped, but never in CI."""
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=_INSTALL_WITHIN_S)
    except (OSError, subprocess.SubprocessError) as problem:
        said = f"cannot be installed here: {problem} {getattr(problem, 'stderr', '')}"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(said)
