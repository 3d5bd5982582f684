"""The service behind nginx and Caddy, each with the README's own lines."""

import json
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx
import pytest

from tests.e2e.service import HEADERS, Service, diagnostics_service
from tests.integration.pgbouncer import find_free_port, find_program, wait_until_it_listens
from tests.integration.servers import open_folder

README: Final = Path(__file__).parents[2] / "README.md"
PUBLIC: Final = "mcp.example.org"
PAGE: Final = "https://desk.example.org"
MOST_BYTES: Final = 1024 * 1024
PING: Final = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

# What stands around a location on any machine; the rest is as nginx has it by itself.
_AROUND_NGINX: Final = """\
daemon off;
pid {folder}/nginx.pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    server {{
        listen 127.0.0.1:{port};
        {location}
    }}
}}
"""


def example(language: str, service: Service) -> str:
    """Give the README's example in `language`, with the running service's address."""
    found = re.search(rf"^```{language}\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None, f"the README has no example in {language}"
    assert "127.0.0.1:8080" in found[1]
    return found[1].replace("127.0.0.1:8080", urlsplit(service.url).netloc)


@contextmanager
def running(command: list[str], folder: Path, port: int) -> Iterator[str]:
    """Run a proxy until the end of the block, and give the address of MCP behind it."""
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={"HOME": str(folder)}
        )
    try:
        wait_until_it_listens(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(10)


@contextmanager
def nginx(service: Service, **changes: str) -> Iterator[str]:
    """Run nginx; `changes` puts other values in the place of the README's."""
    program, port = find_program("nginx"), find_free_port()
    location = example("nginx", service)
    for name, value in changes.items():
        location, count = re.subn(rf"\b{name} \S+;", f"{name} {value};", location)
        assert count == 1
    with open_folder() as folder:
        text = _AROUND_NGINX.format(folder=folder, port=port, location=location)
        (folder / "nginx.conf").write_text(text, "utf-8")
        command = [program, "-e", f"{folder}/errors", "-p", str(folder), "-c", f"{folder}/nginx.conf"]
        with running(command, folder, port) as url:
            yield url


@contextmanager
def caddy(service: Service) -> Iterator[str]:
    """Run Caddy without TLS, for which it would want a real name."""
    program, port = find_program("caddy"), find_free_port()
    site = example("caddy", service).replace(f"{PUBLIC} {{", f"http://:{port} {{\nbind 127.0.0.1")
    with open_folder() as folder:
        (folder / "Caddyfile").write_text(f"{{\nadmin off\n}}\n{site}", "utf-8")
        command = [program, "run", "--adapter", "caddyfile", "--config", f"{folder}/Caddyfile"]
        with running(command, folder, port) as url:
            yield url


@pytest.fixture(scope="module")
def behind() -> Iterator[Service]:
    """The service as it stands behind a proxy."""
    with diagnostics_service(
        MCP_ALLOWED_HOSTS=PUBLIC,
        MCP_ALLOWED_ORIGINS=PAGE,
        MCP_TRUSTED_PROXIES="127.0.0.1",
        MCP_GET_STREAM="on",
    ) as service:
        yield service


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def url(request: pytest.FixtureRequest, behind: Service) -> Iterator[str]:
    """The address of the service behind one proxy after another."""
    with request.param(behind) as address:
        yield address


def post(url: str, service: Service, message: object, **headers: str) -> httpx.Response:
    """Post as the client of a proxy does; `headers` take the place of the usual ones."""
    due = {**HEADERS, "Host": PUBLIC, "Authorization": f"Bearer {service.token}", **headers}
    return httpx.post(url, json=message, headers=due, timeout=30)


def test_a_call_goes_through_with_its_token_and_without_one_is_refused(url: str, behind: Service) -> None:
    assert post(url, behind, PING).json() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    refused = post(url, behind, PING, Authorization="Bearer wrong")
    assert (refused.status_code, refused.json()["error"]) == (401, "invalid_token")
    assert "Bearer" in refused.headers["WWW-Authenticate"]


def test_another_host_is_refused_even_when_the_client_claims_it_was_forwarded(
    url: str, behind: Service
) -> None:
    claims = {"Host": "elsewhere.example.org", "X-Forwarded-Host": PUBLIC}
    refused = post(url, behind, PING, **claims)
    assert (refused.status_code, refused.json()["error"]) == (403, "host_not_allowed")


def test_pages_are_told_apart_by_their_origin(url: str, behind: Service) -> None:
    ours = post(url, behind, PING, Origin=PAGE)
    assert (ours.status_code, ours.headers["Access-Control-Allow-Origin"]) == (200, PAGE)
    assert post(url, behind, PING, Origin="https://evil.example.org").status_code == 403


def test_bodies_are_bounded(url: str, behind: Service) -> None:
    room = MOST_BYTES - len(json.dumps({**PING, "params": {"_meta": {"x": ""}}}).encode())
    fits = {**PING, "params": {"_meta": {"x": "x" * room}}}
    assert post(url, behind, fits).status_code == 200
    assert post(url, behind, {**PING, "params": {"_meta": {"x": "x" * (room + 100)}}}).status_code == 413


def test_events_are_not_held_back(url: str, behind: Service) -> None:
    asks = {"Host": PUBLIC, "Accept": "text/event-stream", "Authorization": f"Bearer {behind.token}"}
    with httpx.stream("GET", url, headers=asks, timeout=10) as stream:
        # The next line comes only after many seconds, and the stream goes on without end.
        assert next(stream.iter_lines()).startswith(": ")


def test_a_body_that_never_ends_is_given_up(behind: Service) -> None:
    with nginx(behind, client_body_timeout="1s") as url:
        place = urlsplit(url)
        with socket.create_connection((place.hostname, place.port), timeout=20) as stalling:
            stalling.sendall(f"POST /mcp HTTP/1.1\r\nHost: {PUBLIC}\r\nContent-Length: 9\r\n\r\n1".encode())
            assert stalling.recv(4096)[:12] in {b"", b"HTTP/1.1 408"}


def test_nothing_else_is_reached_from_outside(behind: Service) -> None:
    with nginx(behind) as url:
        assert httpx.get(url.replace("/mcp", "/metrics"), headers={"Host": PUBLIC}).status_code == 404
