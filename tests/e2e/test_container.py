"""The image as the Containerfile makes it, and the service in it: not root, on a read-only file system."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.e2e.container import Stage, build_image
from tests.e2e.installs import find_pythons
from tests.e2e.service import HEADERS, Service
from tests.integration.pgbouncer import find_free_port
from tests.integration.servers import open_folder

ROOT: Final = Path(__file__).parents[2]
README: Final = ROOT / "README.md"
TOKENS: Final = "/run/secrets/vmk-mcp-tokens.toml"
STATE: Final = "/var/lib/vmk-mcp"
USER: Final = 10001
READY_WITHIN_S: Final = 30


def require_mounts() -> None:
    """Skip the test where mounts of our own may not be made, but never in CI."""
    done = subprocess.run(["/bin/sh", "-c", "unshare --mount true"], capture_output=True, check=False)
    if done.returncode:
        said = "The steps of the Containerfile need mounts, which root may make on Linux."
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(said)


@pytest.fixture(scope="module")
def image() -> Iterator[Stage]:
    """The last stage, after all steps of the file."""
    require_mounts()
    with open_folder() as folder:
        yield build_image(ROOT / "Containerfile", folder, find_pythons("3.12"))


@contextmanager
def running(
    image: Stage, words: list[str], mounts: Mapping[Path, str] | None = None, **settings: str
) -> Iterator[tuple["subprocess.Popen[bytes]", Path]]:
    """Run a command in the image; gives the process and the file of what it says."""
    with open_folder() as folder:
        log = folder / "log"
        with image.running(log, words, mounts or {}, **settings) as process:
            yield process, log


def run(image: Stage, *words: str, **settings: str) -> tuple[int, str]:
    """Run a command in the image to its end; gives its status and what it said."""
    with running(image, [*words], None, **settings) as (process, log):
        return process.wait(READY_WITHIN_S), log.read_text("utf-8")


def compose_file() -> str:
    """Give the README's compose file."""
    found = re.search(r"^```yaml\n(services:.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None, "the README has no compose file"
    return found[1]


@pytest.fixture(scope="module")
def container(image: Stage, service: Service) -> Iterator[tuple["subprocess.Popen[bytes]", str, str]]:
    """The service by the README's compose file, on a Postgres elsewhere; gives process, address, token."""
    with open_folder() as folder:
        tokens = folder / "tokens.toml"
        made = service.run("token", "new", "agent", "--tools", "listings", "--file", str(tokens))
        assert made.returncode == 0, made.stderr
        tokens.chmod(0o644)
        port = str(find_free_port())
        settings = dict(re.findall(r"^      ([A-Z_]+): (\S+)$", compose_file(), re.MULTILINE))
        assert {"DATABASE_URL", "OLLAMA_BASE_URL"} <= settings.keys()
        settings |= {
            "DATABASE_URL": service.run("dsn").stdout.strip(),
            "OLLAMA_BASE_URL": "http://127.0.0.1:9",
        }
        settings["MCP_PORT"] = port
        command = image.said["CMD"].command
        with running(image, command, {tokens: TOKENS}, **settings) as (process, log):
            address = f"http://127.0.0.1:{port}"
            deadline = time.monotonic() + READY_WITHIN_S
            while "Serving at" not in (said := log.read_text("utf-8")):
                assert process.poll() is None, said
                assert time.monotonic() < deadline, said
                time.sleep(0.1)
            yield process, address, made.stdout.strip()


def test_the_service_answers_from_a_postgres_elsewhere(container: tuple[Any, str, str]) -> None:
    _, address, token = container
    call = {"name": "search_by_metadata", "arguments": {"query": "квартира"}}
    answer = httpx.post(
        f"{address}/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        headers={**HEADERS, "Authorization": f"Bearer {token}"},
        timeout=30,
    )
    assert answer.json()["result"]["structuredContent"]["total"] > 0
    ready = httpx.get(f"{address}/ready", timeout=30)
    # Search by meaning waits for Ollama.
    assert (ready.status_code, ready.json()["families"]) == (200, {"listings": "degraded"})


def test_the_health_check_passes_while_it_serves_and_fails_where_nothing_does(
    image: Stage, container: tuple[Any, str, str]
) -> None:
    check = image.said["HEALTHCHECK"].command
    port = container[1].rpartition(":")[2]
    assert run(image, *check, MCP_PORT=port) == (0, "")
    status, _ = run(image, *check, MCP_PORT=str(find_free_port()))
    assert status == 1


def test_it_runs_as_nobody_of_this_machine(image: Stage, container: tuple[Any, str, str]) -> None:
    assert image.user == f"{USER}:{USER}"
    status = Path(f"/proc/{container[0].pid}/status").read_text("utf-8")
    assert re.findall(r"^(?:Uid|Gid):\t(.*)$", status, re.MULTILINE) == ["\t".join([str(USER)] * 4)] * 2
    assert re.findall(r"^Groups:\t *(.*?) *$", status, re.MULTILINE) == [""]


def test_nothing_but_the_data_folder_can_be_written(image: Stage) -> None:
    places = (STATE, "/opt/vmk-mcp", "/tmp", "/run/secrets", "/")  # noqa: S108 (a place of the image)
    script = 'for place; do if touch "$place/written" 2>/dev/null; then echo "$place"; fi; done'
    assert run(image, "/bin/sh", "-c", script, "sh", *places) == (0, f"{STATE}\n")
    assert image.volumes == [STATE]


def test_the_compose_file_seals_the_image_and_mounts_what_it_wants() -> None:
    text = compose_file()
    assert "dockerfile: Containerfile" in text
    assert "read_only: true" in text
    assert f'["state:{STATE}", "./tokens.toml:{TOKENS}:ro"]' in text


def test_without_a_tokens_file_it_refuses_to_start_and_says_which_is_missing(image: Stage) -> None:
    status, said = run(image, *image.said["CMD"].command)
    assert status == 2
    assert f"MCP_TOKENS_FILE: cannot read {TOKENS}" in said


def test_without_a_database_the_extra_that_the_image_lacks_is_named(image: Stage, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.toml"
    tokens.write_text("token = []\n", "utf-8")
    with running(image, image.said["CMD"].command, {tokens: TOKENS}) as (process, log):
        assert process.wait(READY_WITHIN_S) == 1
        assert "vmk-mcp[local]" in log.read_text("utf-8")


def test_the_image_holds_the_package_and_no_installer_of_the_checkout(image: Stage) -> None:
    status, said = run(image, "python", "-c", "import vmk_mcp; print(vmk_mcp.__file__)")
    assert (status, said.startswith("/opt/vmk-mcp/lib/")) == (0, True)
    assert not (image.root / "build").exists()


def test_the_signal_of_the_image_ends_it_cleanly(image: Stage, container: tuple[Any, str, str]) -> None:
    process, *_ = container
    process.send_signal(signal.Signals[image.said["STOPSIGNAL"].rest])
    assert process.wait(READY_WITHIN_S) == 0
