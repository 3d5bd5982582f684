import asyncio
import os
import signal
import threading
from pathlib import Path

import pytest

from tests.fakes import RecordingObserver
from tests.unit.web.door import settle
from tests.unit.web.token_texts import WORDS, entry, hash_of
from vmk_mcp.errors import SettingsError
from vmk_mcp.observe import Crashed, Warned
from vmk_mcp.tool import Caller
from vmk_mcp.web import tokens as tokens_module
from vmk_mcp.web.tokens import TokenFile, watch_tokens


@pytest.fixture
def observer() -> RecordingObserver:
    return RecordingObserver()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "tokens.toml"
    file.write_text(entry("one", "t1"), encoding="utf-8")
    return file


def replace(path: Path, text: str) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def test_a_known_token_is_found_and_no_other(path: Path, observer: RecordingObserver) -> None:
    tokens = TokenFile(path, WORDS, observer)
    assert tokens.find(b"t1") == Caller(name="one")
    assert tokens.find(b"t2") is None
    assert tokens.find(hash_of("t1").encode()) is None


def test_a_missing_file_is_a_fault_at_start(tmp_path: Path, observer: RecordingObserver) -> None:
    with pytest.raises(SettingsError, match="cannot read"):
        TokenFile(tmp_path / "none.toml", WORDS, observer)


def refresh(tokens: TokenFile) -> None:
    """Look at the file once."""
    asyncio.run(tokens.refresh())


def test_a_changed_file_is_read_again(path: Path, observer: RecordingObserver) -> None:
    tokens = TokenFile(path, WORDS, observer)
    replace(path, entry("two", "t2"))
    refresh(tokens)
    assert (tokens.find(b"t1"), tokens.find(b"t2")) == (None, Caller(name="two"))
    assert observer.events == []


def test_a_file_replaced_by_one_of_the_same_size_and_time_is_read_again(
    path: Path, observer: RecordingObserver
) -> None:
    tokens = TokenFile(path, WORDS, observer)
    before = path.stat()
    replace(path, entry("two", "t2"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    refresh(tokens)
    assert tokens.find(b"t2") == Caller(name="two")


def test_an_unchanged_file_is_not_read_again(path: Path, observer: RecordingObserver) -> None:
    tokens = TokenFile(path, WORDS, observer)
    before = tokens.find(b"t1")
    refresh(tokens)
    assert tokens.find(b"t1") is before


@pytest.mark.parametrize("broken", ["[[token]\n", "", '[[token]]\nname = "a"\n'])
def test_a_file_that_breaks_while_running_changes_nothing_and_warns_once(
    path: Path, observer: RecordingObserver, broken: str
) -> None:
    tokens = TokenFile(path, WORDS, observer)
    replace(path, broken)
    refresh(tokens)
    refresh(tokens)
    assert tokens.find(b"t1") == Caller(name="one")
    (warned,) = observer.of(Warned)
    assert warned.subject == "tokens"
    assert warned.message.endswith("The tokens read before stay in force.")
    replace(path, entry("two", "t2"))
    refresh(tokens)
    assert tokens.find(b"t1") is None


def test_a_file_that_vanishes_keeps_its_tokens_until_it_is_back(
    path: Path, observer: RecordingObserver
) -> None:
    tokens = TokenFile(path, WORDS, observer)
    path.unlink()
    refresh(tokens)
    assert tokens.find(b"t1") == Caller(name="one")
    assert len(observer.of(Warned)) == 1
    path.write_text(entry("two", "t2"), encoding="utf-8")
    refresh(tokens)
    assert tokens.find(b"t2") == Caller(name="two")


async def found(tokens: TokenFile, token: bytes) -> Caller:
    """Wait until a token is known."""
    async with asyncio.timeout(10):
        while (caller := tokens.find(token)) is None:
            await settle()
    return caller


async def test_a_file_that_no_parser_gets_through_is_broken_and_the_next_one_is_read(
    path: Path, observer: RecordingObserver
) -> None:
    tokens = TokenFile(path, WORDS, observer)
    replace(path, "token = " + "[" * 5_000)
    await tokens.refresh()
    assert "nested too deeply" in observer.of(Warned)[0].message
    replace(path, entry("two", "t2"))
    await tokens.refresh()
    assert tokens.find(b"t2") == Caller(name="two")


async def test_a_file_above_a_mebibyte_is_broken(path: Path, observer: RecordingObserver) -> None:
    tokens = TokenFile(path, WORDS, observer)
    replace(path, "#" * (1024 * 1024 + 1))
    await tokens.refresh()
    assert "larger than 1 MiB" in observer.of(Warned)[0].message
    assert tokens.find(b"t1") == Caller(name="one")


async def test_the_file_is_read_outside_the_event_loop(
    path: Path, observer: RecordingObserver, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = TokenFile(path, WORDS, observer)
    readers = []

    def read_aside(*arguments: object) -> dict[bytes, Caller]:
        readers.append(threading.current_thread())
        return {}

    monkeypatch.setattr(tokens_module, "read_tokens", read_aside)
    replace(path, entry("two", "t2"))
    await tokens.refresh()
    assert len(readers) == 1
    assert readers != [threading.current_thread()]


async def test_the_file_is_looked_at_while_watched(
    path: Path, observer: RecordingObserver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens_module, "_LOOK_EVERY_S", 0.0)
    tokens = TokenFile(path, WORDS, observer)
    async with watch_tokens(tokens):
        replace(path, entry("two", "t2"))
        assert await found(tokens, b"t2") == Caller(name="two")


async def test_sighup_has_the_file_read_at_once(
    path: Path, observer: RecordingObserver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens_module, "_LOOK_EVERY_S", 3600.0)
    tokens = TokenFile(path, WORDS, observer)
    async with watch_tokens(tokens):
        replace(path, entry("two", "t2"))
        signal.raise_signal(signal.SIGHUP)
        assert await found(tokens, b"t2") == Caller(name="two")


async def test_sighup_has_even_a_file_that_looks_the_same_read(
    path: Path, observer: RecordingObserver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens_module, "_LOOK_EVERY_S", 3600.0)
    monkeypatch.setattr(tokens_module, "_stamp_of", lambda path: None)
    tokens = TokenFile(path, WORDS, observer)
    async with watch_tokens(tokens):
        replace(path, entry("two", "t2"))
        signal.raise_signal(signal.SIGHUP)
        assert await found(tokens, b"t2") == Caller(name="two")


async def test_a_bug_in_reading_is_told_and_the_file_is_looked_at_again(
    path: Path, observer: RecordingObserver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens_module, "_LOOK_EVERY_S", 0.0)
    tokens = TokenFile(path, WORDS, observer)
    with monkeypatch.context() as broken:
        broken.setattr(tokens_module, "read_tokens", None)
        async with asyncio.timeout(10), watch_tokens(tokens):
            replace(path, entry("two", "t2"))
            while not observer.of(Crashed):
                await settle()
            broken.undo()
            monkeypatch.setattr(tokens_module, "_LOOK_EVERY_S", 0.0)
            replace(path, entry("three", "t3"))
            assert await found(tokens, b"t3") == Caller(name="three")
    assert isinstance(observer.of(Crashed)[0].error, TypeError)


async def test_nobody_looks_at_the_file_after_the_end(path: Path, observer: RecordingObserver) -> None:
    tasks = asyncio.all_tasks()
    async with watch_tokens(TokenFile(path, WORDS, observer)):
        assert len(asyncio.all_tasks()) == len(tasks) + 1
    assert asyncio.all_tasks() == tasks
