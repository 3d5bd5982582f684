"""Journeys of the knowledge family: the sample at once, a folder kept fresh, kills, and who may do what."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.e2e.knowledge.embedding_server import EmbeddingServer, embedding_server
from tests.e2e.knowledge.watching import Watcher, await_true, hashes_of, watching, write_whole
from tests.e2e.service import HEADERS, Service, serving
from tests.integration.servers import open_folder

INDEXER_TOOLS: Final = {
    "add_vector_documents",
    "update_vector_documents",
    "delete_vector_documents",
    "reindex_vector",
}
SECTIONS: Final = 40


class Stage:
    """A folder of documents, a service over it that embeds at a fake, and a watcher."""

    def __init__(
        self, root: Path, service: Service, embedder: EmbeddingServer, settings: dict[str, str]
    ) -> None:
        self.root = root
        self.service = service
        self.embedder = embedder
        self.settings = settings
        self.port = service.url.rpartition(":")[2].removesuffix("/mcp")

    def write(self, path: str, text: str) -> None:
        write_whole(self.root / path, text.encode())

    def found(self, query: str, **arguments: object) -> list[dict[str, Any]]:
        result = self.service.call("vector_search", {"query": query, "top_k": 100, **arguments})
        rows: list[dict[str, Any]] = result["structuredContent"]["results"]
        return rows

    def await_settled(self, watcher: Watcher) -> None:
        """Wait until the watcher has what lies in the folder confirmed."""
        watcher.ask()
        await_true(lambda: watcher.confirmed() == hashes_of(self.root), lambda: watcher.log)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with open_folder() as folder, embedding_server() as embedder:
        root, data_dir = folder / "documents", folder / "data"
        for path in (root, data_dir):
            path.mkdir()
        # A folder in which nothing lies is taken for one that is not mounted.
        (root / ".keep").touch()
        settings = {"VMK_FAMILIES": "knowledge", "KB_PATH": str(root), **embedder.settings()}
        with serving(data_dir, **settings) as service:
            yield Stage(root, service, embedder, settings)


@pytest.fixture
def watcher(stage: Stage) -> Iterator[Watcher]:
    with watching(stage.root, stage.service) as running:
        yield running
    stage.service.run("token", "revoke", "watcher")


def test_a_new_file_a_change_a_rename_and_a_deletion_are_searched_by_themselves(
    stage: Stage, watcher: Watcher
) -> None:
    def paths() -> set[str]:
        return {row["file_path"] for row in stage.found("anything")}

    def told() -> str:
        return f"{watcher.log}\n{stage.service.log}"

    await_true(lambda: "Watching" in watcher.log, told)
    stage.write("новий файл.md", "# Heading\n\nfirst words\n")
    await_true(lambda: "новий файл.md" in paths(), told)
    stage.write("новий файл.md", "# Heading\n\nother words\n")
    await_true(lambda: "other words" in [row["text"].splitlines()[-1] for row in stage.found("x")], told)
    embedded = len(stage.embedder.texts)
    (stage.root / "новий файл.md").rename(stage.root / "renamed.md")
    await_true(lambda: paths() == {"renamed.md"}, told)
    documents = [text for text in stage.embedder.texts[embedded:] if "words" in text]
    assert documents == []
    (stage.root / "renamed.md").unlink()
    await_true(lambda: not paths(), told)
    assert "other words" not in watcher.log
    assert watcher.stop() == 0


def test_editing_one_paragraph_of_a_large_file_embeds_only_what_changed(
    stage: Stage, watcher: Watcher
) -> None:
    sections = [f"# Section {n}\n\n{f'words of section {n} ' * 60}\n" for n in range(SECTIONS)]
    stage.write("large.md", "\n".join(sections))
    stage.await_settled(watcher)
    stage.embedder.texts.clear()
    sections[17] = sections[17].replace("words of section 17 words", "an edit of section 17 words", 1)
    stage.write("large.md", "\n".join(sections))
    stage.await_settled(watcher)
    assert len(stage.embedder.texts) == 1
    assert "an edit of section 17" in stage.embedder.texts[0]
    (stage.root / "large.md").unlink()
    stage.await_settled(watcher)


def test_what_cannot_be_indexed_is_named_with_its_reason_and_holds_up_no_other(
    stage: Stage, watcher: Watcher
) -> None:
    (stage.root / "binary.md").write_bytes(b"\0" * 100)
    with (stage.root / "huge.md").open("wb") as file:
        file.truncate(2**30)
    stage.write("good.md", "good words\n")
    await_true(lambda: "good.md" in watcher.confirmed(), lambda: watcher.log)
    await_true(lambda: watcher.log.count("failed: ") >= 2, lambda: watcher.log)
    assert set(watcher.confirmed()) == {"good.md"}
    assert "failed: binary.md: The file holds NUL bytes" in watcher.log
    assert "failed: huge.md: The file is larger than 10 MiB" in watcher.log
    for name in ("binary.md", "huge.md", "good.md"):
        (stage.root / name).unlink()
    stage.await_settled(watcher)


def test_an_agents_token_neither_sees_nor_calls_what_changes_the_index(stage: Stage) -> None:
    made = stage.service.run("token", "new", "agent", "--tools", "knowledge")
    token = made.stdout.split()[-1]

    def ask(method: str, **params: object) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {**HEADERS, "Authorization": f"Bearer {token}"}
        answer: dict[str, Any] = httpx.post(stage.service.url, json=message, headers=headers).json()
        return answer

    def callable_tools() -> set[str]:
        address = stage.service.url.removesuffix("/mcp") + "/health"
        health = httpx.get(address, headers={"Authorization": f"Bearer {token}"}).json()
        return set(health.get("tools", ()))

    # The service looks at its tokens once a second.
    await_true(callable_tools, lambda: stage.service.log)
    listed = {tool["name"] for tool in ask("tools/list")["result"]["tools"]}
    assert listed == callable_tools() == {"vector_search", "get_index_stats"}
    for name in INDEXER_TOOLS:
        refused = ask("tools/call", name=name, arguments={"file_paths": ["a.md"]})
        assert refused["error"]["code"] == -32602
    result = ask("tools/call", name="kb_vector_search", arguments={"query": "x"})["result"]
    assert not result.get("isError")


def test_a_user_finds_only_what_lies_in_that_users_folder(stage: Stage) -> None:
    stage.write("shared.md", "shared words\n")
    for user in (7, 8):
        stage.write(f"users/{user}/own.md", f"words of {user}\n")
    with watching(stage.root, stage.service, "--user-id", "7", "--once") as once:
        assert once.process is not None
        assert once.process.wait(60) == 0, once.log
        token = once.token_file.read_text("ascii").strip()

        def texts(**arguments: object) -> list[str]:
            params = {"name": "vector_search", "arguments": {"query": "words", **arguments}}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            answer = stage.service.post(message, Authorization=f"Bearer {token}").json()
            return [row["text"] for row in answer["result"]["structuredContent"]["results"]]

        assert texts(user_id=7) == ["words of 7"]
        assert texts(user_id=8) == []
        assert texts() == []
    stage.service.run("token", "revoke", "watcher")
    refused = stage.service.call("vector_search", {"query": "words", "user_id": 7})
    assert refused["isError"] is True
    (stage.root / "shared.md").unlink()


def test_a_watcher_whose_token_was_revoked_goes_on_once_it_has_another(stage: Stage) -> None:
    with watching(stage.root, stage.service) as watcher:
        stage.await_settled(watcher)
        watcher.forget_log()
        stage.service.run("token", "revoke", "watcher")

        def is_refused() -> bool:
            watcher.signal(signal.SIGUSR1)
            # It is the call that is refused, or the look before it at what the token may call.
            return "HTTP 401" in watcher.log or "does not offer" in watcher.log

        await_true(is_refused, lambda: watcher.log)
        stage.write("written without a token.md", "words\n")
        assert "written without a token.md" not in watcher.confirmed()
        watcher.grant(stage.service)
        stage.await_settled(watcher)
        (stage.root / "written without a token.md").unlink()
        stage.await_settled(watcher)
    stage.service.run("token", "revoke", "watcher")


def test_a_folder_that_goes_and_comes_back_empties_no_index_and_is_watched_anew(
    stage: Stage, watcher: Watcher
) -> None:
    stage.write("kept.md", "words\n")
    stage.await_settled(watcher)
    away = stage.root.with_name("away")
    stage.root.rename(away)
    watcher.ask()
    await_true(lambda: "the folder itself cannot be read" in watcher.log, lambda: watcher.log)
    assert [row["file_path"] for row in stage.found("words")] == ["kept.md"]
    away.rename(stage.root)
    stage.write("later.md", "words\n")
    await_true(lambda: watcher.confirmed() == hashes_of(stage.root), lambda: watcher.log)
    # In its place an empty folder, as before a volume is mounted.
    stage.root.rename(away)
    stage.root.mkdir()
    watcher.ask()
    await_true(lambda: "perhaps it is not mounted" in watcher.log, lambda: watcher.log)
    assert {row["file_path"] for row in stage.found("words")} == {"kept.md", "later.md"}
    params = {"name": "reindex_vector", "arguments": {}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    token = watcher.token_file.read_text("ascii").strip()
    refused = stage.service.post(message, Authorization=f"Bearer {token}").json()["result"]
    assert refused["isError"]
    assert "perhaps it is not mounted" in refused["content"][0]["text"]
    stage.root.rmdir()
    away.rename(stage.root)
    for name in ("kept.md", "later.md"):
        (stage.root / name).unlink()
    stage.await_settled(watcher)


def test_a_service_killed_while_it_indexes_goes_on_where_it_was(stage: Stage, watcher: Watcher) -> None:
    embedded = len(stage.embedder.texts)
    stage.embedder.delay_s = 0.05
    for n in range(180):
        stage.write(f"{n}.md", f"# Title {n}\n\nwords {n}\n")
    await_true(lambda: len(stage.embedder.texts) > embedded + 100, lambda: watcher.log)
    stage.service.process.kill()
    stage.service.process.wait()
    stage.embedder.delay_s = 0.0
    with serving(stage.service.data_dir, **stage.settings, MCP_PORT=stage.port) as again:
        stage.await_settled(watcher)
        found = again.call("vector_search", {"query": "words", "top_k": 100})["structuredContent"]
        assert found["total_chunks"] == 180
        assert len({row["file_path"] for row in found["results"]}) == 100
        # What was at work, 32 files at a time, is embedded again; questions and the probes of a start come
        # beside it. To begin anew would take more than 280.
        assert len(stage.embedder.texts) - embedded <= 180 + 2 * 32 + 10


def test_the_sample_answers_at_once_by_the_local_embedder(service: Service) -> None:
    await_true(
        lambda: service.call("get_index_stats", {})["structuredContent"].get("generation"),
        lambda: service.log,
        within_s=200,
    )
    for query, path in (
        ("Що буде, якщо продавець передумав після завдатку?", "buying/03-deposit.md"),
        ("How do I revoke a token?", "service/04-tokens.md"),
    ):
        result = service.call("vector_search", {"query": query})["structuredContent"]
        assert path in [row["file_path"] for row in result["results"]]
