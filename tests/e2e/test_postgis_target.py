"""`make postgis` with a stand-in for apt-get: what it says, asks for and leaves behind."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec import Struct

ROOT = Path(__file__).parents[2]
_MAKE = shutil.which("make") or "make"
LINE = "create_main_cluster = false"
SHIPPED = "ssl = on\n"

# It notes its call and what the two files hold meanwhile, and puts PostGIS where it is looked for.
APT_GET = """\
#!/bin/sh
exec >> "$SYSTEM/log"
echo "apt-get $*"
cat "$SYSTEM/createcluster.conf"
"$SYSTEM/policy-rc.d" || echo "start: $?"
case "$*" in install*) touch "$SYSTEM/postgis" ;; esac
"""


class System(Struct, frozen=True):
    """A made-up system below one folder, in which root is who runs the tests."""

    folder: Path

    def make(self, *settings: str, has_apt: bool = True) -> subprocess.CompletedProcess[str]:
        """Run `make postgis` there."""
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}" if has_apt else str(self.folder / "bare")
        return subprocess.run(
            [
                *(_MAKE, "-o", ".venv/.runtime", "postgis", "SHELL=/bin/sh"),
                f"HAS_POSTGIS=test -e {self.folder / 'postgis'}",
                f"CREATE_CLUSTER={self.folder / 'createcluster.conf'}",
                f"SHIPPED={self.folder / 'shipped.conf'}",
                f"POLICY={self.folder / 'policy-rc.d'}",
                *settings,
            ],
            cwd=ROOT,
            env={"PATH": path, "SYSTEM": str(self.folder), "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
        )

    def read(self, name: str) -> str | None:
        """Give a file's text, or None where there is none."""
        path = self.folder / name
        return path.read_text() if path.exists() else None


def add_program(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def system(tmp_path: Path) -> System:
    add_program(tmp_path / "bin/apt-get", APT_GET)
    # Whoever runs the tests: to the target, root.
    add_program(tmp_path / "bin/id", "#!/bin/sh\necho 0\n")
    (tmp_path / "shipped.conf").write_text(SHIPPED)
    return System(tmp_path)


def test_it_says_what_it_does_and_keeps_servers_from_being_made_or_started_while_apt_runs(
    system: System,
) -> None:
    done = system.make()
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "Installing PostGIS with apt-get (postgresql-postgis); POSTGIS=no leaves that out.",
        "No PostgreSQL server of the system is made or started by it.",
    ]
    assert (system.read("log") or "").splitlines() == [
        *("apt-get update -qq", LINE, "start: 101"),
        *("apt-get install -y -qq --no-install-recommends postgresql-postgis", LINE, "start: 101"),
    ]


def test_afterwards_the_system_is_as_its_packages_make_it(system: System) -> None:
    system.make()
    assert system.read("createcluster.conf") == SHIPPED
    assert system.read("policy-rc.d") is None


def test_what_an_administrator_wrote_stays(system: System) -> None:
    add_program(system.folder / "policy-rc.d", "#!/bin/sh\nexit 0\n")
    (system.folder / "createcluster.conf").write_text("ssl = off\n")
    system.make()
    assert system.read("createcluster.conf") == "ssl = off\n"
    assert system.read("policy-rc.d") == "#!/bin/sh\nexit 0\n"


def test_an_administrators_word_on_clusters_counts(system: System) -> None:
    (system.folder / "createcluster.conf").write_text("create_main_cluster = true\n")
    system.make()
    assert system.read("createcluster.conf") == "create_main_cluster = true\n"
    assert LINE not in (system.read("log") or "")


def test_a_failed_installation_fails_and_leaves_nothing_behind(system: System) -> None:
    add_program(system.folder / "bin/apt-get", f"{APT_GET}exit 100\n")
    assert system.make().returncode != 0
    assert system.read("policy-rc.d") is None
    assert LINE not in (system.read("createcluster.conf") or "")


def test_postgis_that_is_there_is_left_alone(system: System) -> None:
    (system.folder / "postgis").touch()
    assert system.make().returncode == 0
    assert system.read("log") is None


def test_who_says_no_is_heard(system: System) -> None:
    done = system.make("POSTGIS=no")
    assert done.returncode != 0
    assert "POSTGIS=no" in done.stderr
    assert system.read("log") is None


def test_another_system_gets_a_clear_word(system: System) -> None:
    bare = system.folder / "bare"
    bare.mkdir()
    (bare / "sh").symlink_to("/bin/sh")
    done = system.make(has_apt=False)
    assert done.returncode != 0
    assert "only Debian and Ubuntu are known here" in done.stderr
    assert "SPATIAL_DATABASE_URL" in done.stderr


def test_without_root_or_sudo_it_says_what_root_would_run(system: System) -> None:
    add_program(system.folder / "bin/id", "#!/bin/sh\necho 1000\n")
    add_program(system.folder / "bin/sudo", "#!/bin/sh\nexit 1\n")
    done = system.make()
    assert done.returncode != 0
    assert "apt-get install postgresql-postgis" in done.stderr
    assert system.read("log") is None


def test_with_sudo_everything_that_needs_root_goes_through_it(system: System) -> None:
    add_program(system.folder / "bin/id", "#!/bin/sh\necho 1000\n")
    add_program(system.folder / "bin/sudo", '#!/bin/sh\nshift\necho "$1" >> "$SYSTEM/asked"\nexec "$@"\n')
    assert system.make().returncode == 0
    assert {"true", "mkdir", "tee", "chmod", "apt-get", "env", "cp", "rm"} == set(
        (system.read("asked") or "").split()
    )
