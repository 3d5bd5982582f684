"""What `vmk-mcp doctor` finds before any database is asked, and of indexes."""

import sys
from pathlib import Path
from typing import Final

import pytest

from tests.fakes import FakeEmbedder
from vmk_mcp.bootstrap.databases import FilledServer
from vmk_mcp.bootstrap.examining import examine
from vmk_mcp.bootstrap.findings import Finding
from vmk_mcp.client import ClientError, NotLetIn, ServerUnreachable
from vmk_mcp.client_messages import Health
from vmk_mcp.database.cluster import CLUSTER_FOLDER
from vmk_mcp.errors import StartError, StoreUnavailable
from vmk_mcp.listings.indexes import find_missing_indexes
from vmk_mcp.listings.queries import LiveIndex
from vmk_mcp.settings import read_settings
from vmk_mcp.web.local_access import AccessFolder

DEFINITIONS: Final = (
    "CREATE UNIQUE INDEX pk ON public.property_listings USING btree (id)",
    "CREATE INDEX v ON public.property_listings USING hnsw (embedding vector_cosine_ops)",
    "CREATE INDEX t ON public.property_listings USING gin (search_vector)",
    "CREATE INDEX s ON public.property_listings USING gin (title gin_trgm_ops, description gin_trgm_ops)",
)


@pytest.fixture(autouse=True)
def no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_nothing(*_: object) -> FilledServer:
        raise StartError("No server here.", hint="Start one.")

    monkeypatch.setattr("vmk_mcp.bootstrap.databases.open_embedded", open_nothing)
    monkeypatch.setattr("vmk_mcp.bootstrap.examining_listings.make_embedder", lambda *_: FakeEmbedder())
    monkeypatch.setattr("vmk_mcp.bootstrap.examining_beside.find_postgis_binaries", lambda _: None)
    monkeypatch.setattr("vmk_mcp.bootstrap.examining_beside.check_dimensions", embed_nothing)
    monkeypatch.setattr("vmk_mcp.bootstrap.examining.McpClient", FakeClient(ServerUnreachable("gone")))


async def embed_nothing(*_: object) -> None:
    """Stands for the probe that an embedder is asked for."""


def find(environ: dict[str, str], folder: Path) -> dict[str, Finding]:
    settings = read_settings({"DATA_DIR": str(folder), **environ})
    return {finding.subject: finding for finding in examine(settings, lambda line: None)}


def test_a_fresh_machine_is_told_what_the_first_start_does(tmp_path: Path) -> None:
    found = find({}, tmp_path / "not" / "yet")
    assert {subject: finding.verdict for subject, finding in found.items()} == {
        "settings": "ok",
        "data folder": "ok",
        "tokens": "ok",
        "server": "ok",
        "database": "ok",
        "embedder": "ok",
        "state database": "ok",
        "documents": "ok",
        "spatial database": "ok",
        "ask source municipal (default)": "ok",
        "ask source listings": "ok",
        "ask source spatial": "ok",
        "drafter": "ok",
    }
    assert found["tokens"].message == "The first start makes one."
    assert "the first start makes" in found["database"].message
    assert not list(tmp_path.iterdir())


def test_a_cluster_that_cannot_start_fails_and_the_embedder_is_looked_at_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "postgres" / CLUSTER_FOLDER).mkdir(parents=True)
    found = find({}, tmp_path)
    assert (found["database"].message, found["database"].advice) == ("No server here.", "Start one.")
    assert found["embedder"].verdict == "ok"


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (ConnectionRefusedError(), "Postgres at h:5999: nothing listens"),
        (TimeoutError(), "Postgres at h:5999: the host does not answer in time"),
    ],
)
def test_a_database_that_is_away_is_told_with_the_reason_and_the_others_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cause: OSError, words: str
) -> None:
    dsn = "postgresql://u:hunter2@h:5999/x"
    absent = AbsentDatabase(cause)
    monkeypatch.setattr("vmk_mcp.bootstrap.examining_listings.make_database", lambda *_: absent)
    found = find({"DATABASE_URL": dsn}, tmp_path)
    assert (found["database"].verdict, words in found["database"].message) == ("failed", True)
    assert "hunter2" not in str(found)
    assert found["embedder"].verdict == "ok"


def test_a_tokens_file_with_a_right_that_no_tool_has_fails_as_at_start(tmp_path: Path) -> None:
    line = f'[[token]]\nname = "bob"\nsha256 = "{"0" * 64}"\ntools = ["listngs"]\n'
    (tmp_path / "tokens.toml").write_text(line, encoding="utf-8")
    finding = find({"MCP_TOKENS_FILE": str(tmp_path / "tokens.toml")}, tmp_path)["tokens"]
    assert (finding.verdict, "listngs" in finding.message) == ("failed", True)


def test_a_misspelt_setting_is_a_warning(tmp_path: Path) -> None:
    finding = find({"MCP_PROT": "1"}, tmp_path)["settings"]
    assert (finding.verdict, finding.message.endswith("did you mean MCP_PORT?")) == ("warning", True)


def test_a_collector_is_named_and_without_the_extra_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
    assert "spans" not in find({}, tmp_path)
    assert (
        find(collector, tmp_path)["spans"].message == "Each call is shown as a span at http://127.0.0.1:4318."
    )
    monkeypatch.setitem(sys.modules, "vmk_mcp.web.spans", None)
    finding = find(collector, tmp_path)["spans"]
    assert (finding.verdict, finding.advice) == ("warning", "Install vmk-mcp[opentelemetry].")


def test_a_folder_that_is_a_file_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    finding = find({}, tmp_path / "file")["data folder"]
    assert (finding.verdict, "DATA_DIR" in finding.advice) == ("failed", True)


def test_a_folder_that_nothing_needs_is_only_warned_of(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "tokens.toml").write_text("token = []\n", encoding="utf-8")
    foreign = {"DATABASE_URL": "postgresql://h/x", "MCP_TOKENS_FILE": str(tmp_path / "tokens.toml")}
    finding = find(foreign | {"VMK_FAMILIES": "listings"}, tmp_path / "file")["data folder"]
    assert (finding.verdict, "vmk-mcp call" in finding.advice) == ("warning", True)


def test_where_no_family_needs_a_database_none_is_looked_at(tmp_path: Path) -> None:
    finding = find({"VMK_FAMILIES": "diagnostics"}, tmp_path)["database"]
    assert (finding.verdict, finding.message) == ("ok", "No family that is served needs one.")


def test_a_tokens_file_that_is_missing_fails_with_the_command_that_makes_it(tmp_path: Path) -> None:
    finding = find({"MCP_TOKENS_FILE": str(tmp_path / "none.toml")}, tmp_path)["tokens"]
    assert (finding.verdict, "vmk-mcp token new" in finding.advice) == ("failed", True)


def test_a_tokens_file_that_lets_nobody_in_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "tokens.toml").write_text("token = []\n", encoding="utf-8")
    assert find({"MCP_TOKENS_FILE": str(tmp_path / "tokens.toml")}, tmp_path)["tokens"].verdict == "warning"


def test_a_broken_tokens_file_fails_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "tokens.toml").write_text("[[token]\n", encoding="utf-8")
    finding = find({"MCP_TOKENS_FILE": str(tmp_path / "tokens.toml")}, tmp_path)["tokens"]
    assert (finding.verdict, "line 1" in finding.message) == ("failed", True)


def test_a_server_without_tokens_is_a_warning(tmp_path: Path) -> None:
    assert find({"MCP_AUTH": "off"}, tmp_path)["tokens"].verdict == "warning"


class AbsentDatabase:
    """Stands for a `Database` that no connection leads to."""

    def __init__(self, cause: OSError) -> None:
        self._cause = cause

    async def open(self) -> None:
        """See `Database.open`."""

    async def close(self) -> None:
        """See `Database.close`."""

    async def fetch_all(self, *_: object) -> list[object]:
        """See `Database.fetch_all`."""
        raise StoreUnavailable("the database cannot be reached at the moment") from self._cause

    fetch_one = fetch_all


class FakeClient:
    """Stands for `McpClient` of one server, which is there, gone, or does not know the token."""

    def __init__(self, problem: ClientError | None) -> None:
        self._problem = problem

    def __call__(self, url: str, token: str | None) -> "FakeClient":
        return self

    async def __aenter__(self) -> "FakeClient":
        return self

    async def __aexit__(self, *error: object) -> None:
        return

    async def ping(self) -> None:
        """See `McpClient.ping`."""
        if self._problem is not None:
            raise self._problem

    async def health(self) -> Health:
        """See `McpClient.health`."""
        return Health("ok", ("echo", "add"))


@pytest.mark.parametrize(
    ("problem", "verdict", "words"),
    [
        (None, "ok", "opens 2 tools"),
        (ServerUnreachable("gone"), "ok", "None runs now"),
        (NotLetIn("HTTP 401: no.", hint="Make one."), "warning", "but HTTP 401: no.|"),
    ],
)
def test_the_server_last_started_here_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, problem: ClientError | None, verdict: str, words: str
) -> None:
    monkeypatch.setattr("vmk_mcp.bootstrap.examining.McpClient", FakeClient(problem))
    AccessFolder(tmp_path).note_address("http://127.0.0.1:8080/mcp")
    finding = find({}, tmp_path)["server"]
    assert (finding.verdict, words in f"{finding.message}|") == (verdict, True)


def indexes(*definitions: str, table: str = "property_listings") -> list[LiveIndex]:
    return [LiveIndex(table, f"i{number}", text) for number, text in enumerate(definitions)]


def test_with_every_index_nothing_is_missing() -> None:
    assert find_missing_indexes(indexes(*DEFINITIONS)) == []


@pytest.mark.parametrize(
    ("place", "word"), [(0, "id"), (1, "HNSW"), (2, "search_vector"), (3, "gin_trgm_ops")]
)
def test_a_missing_index_is_named_with_what_is_slow_without_it(place: int, word: str) -> None:
    (sentence,) = find_missing_indexes(indexes(*DEFINITIONS[:place], *DEFINITIONS[place + 1 :]))
    assert word in sentence.partition(":")[0]


def test_an_index_of_another_table_does_not_count() -> None:
    assert len(find_missing_indexes(indexes(*DEFINITIONS, table="property_types"))) == 4
