"""The steps of the Containerfile run without an engine: each stage in a root of its own, made of mounts."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

_STEP_WITHIN_S: Final = 300
_PYTHON_IMAGE: Final = re.compile(r"python:(?P<version>\d+\.\d+)-slim")

# Of this machine and read-only: what the base image has of the system, and its Python where that lies there.
_SYSTEM: Final = ("usr", "etc")
_LINKED: Final = ("bin", "lib", "lib64", "sbin")
_KERNEL: Final = ("dev", "proc")

_MOUNT: Final = """\
set -eu
root=$1 python=$2 kind=$3; shift 3
mount --bind "$root" "$root"
for name in usr etc; do
  mount --bind "/$name" "$root/$name"; mount -o remount,bind,ro "$root/$name"
done
mount --bind "$python" "$root/usr/local"; mount -o remount,bind,ro "$root/usr/local"
# The base image has no Postgres.
if [ -d "$root/usr/lib/postgresql" ]; then mount -t tmpfs -o ro none "$root/usr/lib/postgresql"; fi
for name in dev proc; do mount --bind "/$name" "$root/$name"; done
while [ "$1" != -- ]; do
  if [ -f "$1" ]; then
    mount -t tmpfs -o mode=755 none "$root${2%/*}"; touch "$root$2"
  fi
  mount --bind "$1" "$root$2"
  if [ -f "$1" ]; then mount -o remount,bind,ro "$root$2"; fi
  shift 2
done
if [ "$kind" = sealed ]; then mount -o remount,bind,ro "$root"; fi
shift
exec "$@"
"""
"""Arguments: the root, where its Python lies here, `open` or `sealed` (read-only), pairs of what else
is mounted (a folder to be written, or a file to be read, and its place there), `--`, the command."""


class Step:
    """One instruction: its word and what follows it."""

    def __init__(self, line: str) -> None:
        self.word, _, self.rest = line.partition(" ")

    @property
    def pairs(self) -> dict[str, str]:
        """The names and values of an `ENV`."""
        return dict(pair.split("=", 1) for pair in shlex.split(self.rest))

    @property
    def command(self) -> list[str]:
        """The words of a command in its JSON form, in which no shell stands between."""
        words: list[str] = json.loads(self.rest[self.rest.index("[") :])
        return words


def read_stages(text: str) -> list[list[Step]]:
    """Give the steps of each stage, the first of which is its `FROM`."""
    stages: list[list[Step]] = []
    whole = re.sub(r"\\\n\s*", "", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    for step in (Step(line) for line in whole.splitlines() if line.strip()):
        if step.word == "FROM":
            stages.append([])
        stages[-1].append(step)
    return stages


class Stage:
    """A stage of the image: its files below `root`, and what its steps have set."""

    def __init__(self, root: Path, python: Path, context: Path, earlier: Mapping[str, "Stage"]) -> None:
        """Start it from the base image.

        Args:
            root: a new folder.
            python: the prefix of the Python that stands for the image's.
            context: what may be copied.
            earlier: stages by name.
        """
        self.root, self._python, self._context, self._earlier = root, python, context, earlier
        self.environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/"}
        # The image's Python lies where the linker looks.
        self.environ["LD_LIBRARY_PATH"] = "/usr/local/lib"
        self.folder, self.user, self.volumes = "/", "0:0", list[str]()
        self.said: dict[str, Step] = {}
        """What is kept for the running container, by its word."""
        for name in (*_SYSTEM, *_KERNEL, "opt", "tmp", "run/secrets", "var/lib"):
            (root / name).mkdir(parents=True)
        for name in _LINKED:
            (root / name).symlink_to(f"usr/{name}")
        # Below /tmp pip and Python unpack; the sealed root has nothing to be written there.
        (root / "tmp").chmod(0o1777)

    def take(self, step: Step) -> None:
        """Carry out a step, or keep what it says of the running container."""
        match step.word:
            case "ENV":
                self.environ |= {name: self._expand(value) for name, value in step.pairs.items()}
            case "WORKDIR":
                self.folder = step.rest
                (self.root / self.folder[1:]).mkdir(parents=True, exist_ok=True)
            case "COPY":
                self._copy(shlex.split(step.rest))
            case "RUN":
                done = self.run(["/bin/sh", "-c", step.rest])
                assert done.returncode == 0, f"{step.rest}\n{done.stdout}{done.stderr}"
            case "USER":
                self.user = step.rest
            case "VOLUME":
                self.volumes.append(step.rest)
            case _:
                self.said[step.word] = step

    def run(self, words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        """Run a command while the image is made, with the settings of the machine's package installer."""
        passed = re.compile(r"PIP_|SSL_CERT_|https?_proxy|no_proxy", re.IGNORECASE)
        environ = {name: value for name, value in os.environ.items() if passed.match(name)} | self.environ
        command = self._enter("open", environ, words)
        return subprocess.run(
            command, capture_output=True, text=True, timeout=_STEP_WITHIN_S, check=False, env={}
        )

    @contextmanager
    def running(
        self, log: Path, words: Sequence[str], mounts: Mapping[Path, str], **settings: str
    ) -> Iterator["subprocess.Popen[bytes]"]:
        """Run `words` as a container, its root read-only but for the volumes, until the end of the block.

        Args:
            log: takes what it says.
            words: the command, run by the image's user.
            mounts: files of here, read-only at their places there.
            settings: what is put into its environment.
        """
        command = self._enter("sealed", {**self.environ, **settings}, words, mounts)
        with log.open("wb") as said:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env={})
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(30)

    def _enter(
        self,
        kind: str,
        environ: Mapping[str, str],
        words: Sequence[str],
        mounts: Mapping[Path, str] | None = None,
    ) -> list[str]:
        """Give the command that runs `words` in the root, in the very process that is started."""
        volumes = [(f"{self.root}{place}", place) for place in self.volumes if kind == "sealed"]
        files = [(str(source), place) for source, place in (mounts or {}).items()]
        mounted = [word for pair in (*volumes, *files) for word in pair]
        pairs = [f"{name}={value}" for name, value in environ.items()]
        inside = ["/usr/bin/env", "-i", "-C", self.folder, *pairs, *words]
        rooted = ["/usr/sbin/chroot", f"--userspec={self.user}", "--groups=", str(self.root), *inside]
        arguments = [str(self.root), str(self._python), kind, *mounted, "--", *rooted]
        return ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", _MOUNT, "sh", *arguments]

    def _copy(self, words: Sequence[str]) -> None:
        source_root, (*sources, target) = self._context, words
        if sources[0].startswith("--from="):
            source_root = self._earlier[sources.pop(0).removeprefix("--from=")].root
        place = self.root / (Path(self.folder) / target).as_posix()[1:]
        for source in (source_root / name.lstrip("/") for name in sources):
            if source.is_dir():
                shutil.copytree(source, place, symlinks=True, dirs_exist_ok=True)
            else:
                shutil.copy(source, place)

    def _expand(self, value: str) -> str:
        return re.sub(r"\$(\w+)", lambda match: self.environ[match[1]], value)


def make_context(root: Path, target: Path) -> None:
    """Copy what `.dockerignore` leaves of the checkout, which is what it takes back from leaving out all."""
    everything, *patterns = [
        line for line in (root / ".dockerignore").read_text("utf-8").splitlines() if line[:1] not in {"", "#"}
    ]
    assert everything == "*"
    left_out = shutil.ignore_patterns(*(line.removeprefix("**/") for line in patterns if line[0] != "!"))
    for name in (line[1:] for line in patterns if line[0] == "!"):
        if (root / name).is_dir():
            shutil.copytree(root / name, target / name, ignore=left_out)
        else:
            shutil.copy(root / name, target / name)


def build_image(containerfile: Path, folder: Path, pythons: Mapping[str, str]) -> Stage:
    """Carry out all steps below `folder` and give the last stage; `pythons` stand for the base image's."""
    context = folder / "context"
    context.mkdir()
    make_context(containerfile.parent, context)
    stages: dict[str, Stage] = {}
    for start, *steps in read_stages(containerfile.read_text("utf-8")):
        image, _, name = start.rest.partition(" AS ")
        wanted = _PYTHON_IMAGE.fullmatch(image)
        assert wanted is not None, f"{image} is not known here"
        python = pythons.get(wanted["version"], next(iter(pythons.values())))
        stage = Stage(folder / f"stage-{len(stages)}", find_prefix(python), context, stages)
        for step in steps:
            stage.take(step)
        stages[name or str(len(stages))] = stage
    return stage


def find_prefix(python: str) -> Path:
    """Give the folder of a Python, to be mounted elsewhere; the test is skipped where it is the system's."""
    code = "import sys; print(sys.base_prefix)"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    prefix = Path(done.stdout.strip())
    if prefix == Path("/usr") or not (prefix / "bin" / "python").exists():
        pytest.skip("The steps of the Containerfile need a Python in a folder of its own.")
    return prefix
