"""The built wheel, installed beside what a lock pins, and run from another folder with no setting at all."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import Struct

from tests.e2e.installs import UV, find_pythons, installed_with_lock, run
from tests.e2e.service import Service, environment, running
from tests.e2e.test_fixtures import recorded, serving_fixtures
from tests.integration.servers import open_folder
from vmk_mcp.database.binaries import find_postgis_binaries
from vmk_mcp.errors import StartError

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "vmk_mcp"
SERVED_CONTRACTS: Final = ("exchanges", "profiles")
PYTHONS: Final = find_pythons("3.13", "3.12")
"""Not that of the other journeys, where others can be had; the first makes what the next goes on with."""

_FIND_DATA_DIR: Final = "import platformdirs; print(platformdirs.user_data_path('vmk-mcp', appauthor=False))"


class Installed(Struct, frozen=True):
    """The programs of an environment that has the wheel, and the home of the one who runs them."""

    programs: Path
    home: Path

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run a command of the wheel from that home."""
        return run([self.program, *words], self.home, cwd=self.home)

    @property
    def program(self) -> str:
        """The program `vmk-mcp`."""
        return str(self.programs / "vmk-mcp")

    @contextmanager
    def serving(self, **settings: str) -> Iterator[Service]:
        """Serve on the data folder that a user has by default."""
        found = run([str(self.programs / "python"), "-c", _FIND_DATA_DIR], self.home)
        data_dir = Path(found.stdout.strip())
        data_dir.parent.mkdir(parents=True, exist_ok=True)
        environ = {**environment(data_dir), "HOME": str(self.home), "MCP_PORT": "0", **settings}
        del environ["DATA_DIR"]
        with running([self.program, "serve"], environ, data_dir, self.home) as service:
            yield service


def build(*options: str, source: Path, into: Path) -> Path:
    """Build `source` with what the environment has, without a registry, and give the one file made."""
    environment_of_ours = ["--python", sys.executable, "--no-build-isolation", "--offline"]
    command = [UV, "build", "--quiet", *environment_of_ours, *options, "--out-dir", str(into), str(source)]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    (made,) = (path for path in into.iterdir() if path.suffix in {".whl", ".gz"})
    return made


def files_in(wheel: Path) -> dict[str, bytes]:
    """Give the files that `wheel` installs, without those that describe it."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return build("--wheel", source=ROOT, into=tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """The home of one who has installed the wheel, and nothing else of ours."""
    with open_folder() as folder:
        yield folder


@pytest.fixture(scope="module", params=PYTHONS.values(), ids=list(PYTHONS))
def installed(request: pytest.FixtureRequest, wheel: Path, home: Path) -> Installed:
    """The wheel beside all that `make run` installs, by one Python after another."""
    return Installed(installed_with_lock(ROOT / "requirements.lock", request.param, wheel), home)


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel without any extra, as in a container."""
    python = next(iter(PYTHONS.values()))
    programs = installed_with_lock(ROOT / "requirements-container.lock", python, wheel)
    return Installed(programs, tmp_path_factory.mktemp("bare"))


@pytest.fixture(scope="module")
def served(installed: Installed) -> Iterator[Service]:
    """`vmk-mcp serve` with all families."""
    with installed.serving() as service:
        yield service


def ask(service: Service, tool: str, **arguments: object) -> Any:
    """Call a tool that answers and give its answer."""
    result = service.call(tool, arguments)
    assert not result["isError"], result
    return result["structuredContent"]


def test_the_wheel_holds_the_package_and_the_contracts_that_it_serves_and_no_more(wheel: Path) -> None:
    paths = [*PACKAGE.rglob("*")]
    for name in SERVED_CONTRACTS:
        paths += (ROOT / "contracts" / name).rglob("*")
    wanted = {
        path.relative_to(ROOT).as_posix().replace("contracts/", "vmk_mcp/contracts/"): path.read_bytes()
        for path in paths
        if path.is_file() and "__pycache__" not in path.parts
    }
    held = files_in(wheel)
    assert sorted(held) == sorted(wanted)
    assert [name for name in held if held[name] != wanted[name]] == []


def test_the_source_archive_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    archive = build("--sdist", source=ROOT, into=tmp_path / "source")
    again = build("--wheel", source=archive, into=tmp_path / "wheel")
    assert files_in(again) == files_in(wheel)


def test_listings_answer_from_the_wheel(served: Service) -> None:
    flats = ask(served, "hybrid_search", query="двокімнатна квартира біля метро", city="Київ")
    # Its word lists read the wish, its dictionary the words, its model the meaning.
    assert flats["query_interpretation"]["applied"]["rooms_count"] == [2]
    assert (flats["match"], flats["total"] > 0) == ("hybrid", True)
    assert ask(served, "describe_schema")["tables"]


def test_documents_answer_from_the_wheel(served: Service) -> None:
    (first, *_) = ask(served, "vector_search", query="як повернути завдаток")["results"]
    assert first["file_path"] == "buying/03-deposit.md"


def test_questions_are_answered_from_the_wheel(served: Service) -> None:
    answer = ask(served, "ask", question="How many permits does each contractor hold?")
    assert (answer["rejected"], answer["row_count"]) == (False, 50)


def test_the_county_answers_from_the_wheel_where_postgis_is(served: Service) -> None:
    try:
        find_postgis_binaries()
    except StartError:
        pytest.skip("PostGIS is not installed.")
    found = ask(served, "find_water_sources", longitude=118.69, latitude=25.36, crs="gcj02", radius_m=2000)
    assert found["result_count"] > 0


def test_commands_beside_the_service_work_from_the_wheel(served: Service, installed: Installed) -> None:
    helped = installed.run("--help")
    assert (helped.returncode, "serve" in helped.stdout) == (0, True)
    script = installed.run("roles")
    assert (script.returncode, "vmk_reader" in script.stdout) == (0, True)
    schema = installed.run("schema", "--source", "municipal")
    assert (schema.returncode, "permits" in schema.stdout) == (0, True), schema.stderr
    called = installed.run("call", "search_by_metadata", '{"query": "квартира"}', "--json")
    has_dictionary = Path("/usr/share/hunspell/uk_UA.dic").exists()
    assert json.loads(called.stdout)["text_search"] == ("ukrainian" if has_dictionary else "simple")


def test_records_are_served_from_the_wheel(installed: Installed, tmp_path: Path) -> None:
    (exchange,) = (one.values[0] for one in recorded() if one.id == "echo")
    with serving_fixtures(installed.program, tmp_path) as fixtures:
        status, _, _ = fixtures.ask(exchange["request"])
    assert status == exchange["response"]["status"] == 200


def test_without_any_extra_the_commands_name_the_one_that_they_need(bare: Installed) -> None:
    served = bare.run("serve")
    assert (served.returncode, "vmk-mcp[local]" in served.stderr) == (1, True), served.stderr
    asked = bare.run("ask", "How many permits are there?")
    assert (asked.returncode, "embedded Postgres is not installed" in asked.stderr) == (1, True), asked.stderr
    examined = bare.run("doctor")
    assert (examined.returncode, "extra `local`" in examined.stdout) == (1, True), examined.stdout


def test_a_file_that_needs_another_extra_is_refused_with_its_name(bare: Installed) -> None:
    (bare.home / "listings.parquet").write_bytes(b"PAR1")
    refused = bare.run("load", "--dsn", "postgresql://u:p@127.0.0.1:9/x", "listings.parquet")
    assert (refused.returncode, "vmk-mcp[parquet]" in refused.stderr) == (1, True), refused.stderr


@pytest.mark.parametrize(
    ("setting", "extra"),
    [
        ("STORE_PROVIDER=faiss", "faiss"),
        ("STORE_PROVIDER=qdrant", "qdrant"),
        ("EMBEDDING_PROVIDER=sentence_transformers", "sentence-transformers"),
    ],
)
def test_the_doctor_names_the_extra_that_a_setting_asks_for(
    bare: Installed, setting: str, extra: str
) -> None:
    settings = ("VMK_FAMILIES=knowledge", "VECTOR_EMBEDDING_PROVIDER=ollama", f"VECTOR_{setting}")
    examined = run(["env", *settings, bare.program, "doctor"], bare.home)
    assert (examined.returncode, f"vmk-mcp[{extra}]" in examined.stdout) == (1, True), examined.stdout
