"""Puts the watcher together and runs it until it is told to end, or once."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from vmk_mcp.bootstrap.beside import beside
from vmk_mcp.client import ClientError, McpClient
from vmk_mcp.errors import SettingsError, StartError
from vmk_mcp.knowledge.documents import USERS_FOLDER
from vmk_mcp.knowledge.watching.line import McpIndexLine
from vmk_mcp.knowledge.watching.memory import MemoryFile
from vmk_mcp.knowledge.watching.model import Scope, Standing
from vmk_mcp.knowledge.watching.planning import count
from vmk_mcp.knowledge.watching.scanning import FolderScanner
from vmk_mcp.knowledge.watching.trigger import Trigger, watch_folder
from vmk_mcp.knowledge.watching.watcher import FIRST_PAUSE_S, Voice, Watcher

# A job of cron that waited longer for the service would meet the next one.
_PATIENCE_S: Final = 60.0
# A large file is embedded within one call, chunk by chunk, and nothing is heard of it meanwhile.
_CALL_TIMEOUT_S: Final = 3600.0
_ENDING: Final = (signal.SIGTERM, signal.SIGINT)
_OPEN_TO_OTHERS: Final = 0o077


class WatchOrder(Struct, frozen=True, kw_only=True):
    """What is to be watched, for which service, and where that is remembered.

    Attributes:
        root: folder of all documents; a user's are in `users/<user_id>` below it.
        token_file: holds the token on one line; None: none is shown.
        polls: the folder sends no events.
        lets_empty: where nothing lies in the folder, all is taken out of the index.
    """

    root: Path
    url: str
    token_file: Path | None
    memory_file: Path
    user_id: int | None = None
    polls: bool = False
    lets_empty: bool = False


def watch(order: WatchOrder, voice: Voice) -> None:
    """Keep the index as the folder is until SIGTERM or SIGINT; SIGUSR1 has all looked at now.

    Raises:
        SettingsError: the folder or the token cannot be read.
        StartError: another watcher keeps its memory in the same file, or it cannot be written.
    """
    asyncio.run(_watch(order, voice))


def settle_once(order: WatchOrder, voice: Voice) -> int:
    """Bring the index up to date, wait a minute at most for the service, and give how many files failed.

    Raises:
        SettingsError: the folder or the token cannot be read.
        StartError: see `watch`; or the service could not be reached in time, or nothing lies in the folder.
    """
    return asyncio.run(_settle_once(order, voice))


async def _watch(order: WatchOrder, voice: Voice) -> None:
    trigger = Trigger()
    async with _made_ready(order, voice) as watcher:
        loop, work = asyncio.get_running_loop(), asyncio.current_task()
        for number in _ENDING:
            loop.add_signal_handler(number, work.cancel if work else trigger.ask)
        loop.add_signal_handler(signal.SIGUSR1, trigger.ask)
        voice.say(f"Watching {order.root} for {order.url} [{os.getpid()}].")
        events = watch_folder(_folder_of(order), trigger, voice.say, polls=order.polls)
        with suppress(asyncio.CancelledError):
            async with beside(events):
                await watcher.keep(trigger.wait, trigger.pause)
    voice.say("Ended; what was confirmed is remembered.")


async def _settle_once(order: WatchOrder, voice: Voice) -> int:
    deadline, pause_s = time.monotonic() + _PATIENCE_S, FIRST_PAUSE_S
    async with _made_ready(order, voice) as watcher:
        while True:
            try:
                await watcher.settle(is_full=True)
                if watcher.is_held_back:
                    raise StartError(
                        "The folder is empty while files of it are indexed; perhaps it is not mounted.",
                        hint="Nothing was taken out of the index; --let-empty does so.",
                    )
                return count(watcher.memory, Standing.FAILED)
            except ClientError as failure:
                if time.monotonic() + pause_s > deadline:
                    raise StartError(failure.message, hint=failure.hint) from None
                await asyncio.sleep(pause_s)
                pause_s *= 2


@asynccontextmanager
async def _made_ready(order: WatchOrder, voice: Voice) -> AsyncIterator[Watcher]:
    """Give a watcher that alone keeps the memory file."""
    folder = _folder_of(order)
    if not folder.is_dir():
        raise SettingsError(f"There is no folder {folder} to watch.", hint="Name another with --root.")
    _warn_of_open_token(order, voice)
    read_token_file(order.token_file)
    keeper = MemoryFile(order.memory_file)
    keeper.take()
    line = McpIndexLine(
        lambda: McpClient(order.url, read_token_file(order.token_file), timeout_s=_CALL_TIMEOUT_S),
        order.user_id,
    )
    try:
        memory, why_empty = keeper.load(Scope(str(folder.resolve()), order.url, order.user_id))
        if why_empty:
            voice.say(why_empty)
        is_shared = order.user_id is None
        scanner = FolderScanner(
            folder, time.time_ns, is_shared=is_shared, may_be_empty=order.lets_empty or not is_shared
        )
        yield Watcher(scanner, line, keeper, memory, voice)
    finally:
        await line.close()
        keeper.release()


def read_token_file(path: Path | None) -> str | None:
    """Give the token in `path`; raises `SettingsError` where there is none."""
    if path is None:
        return None
    try:
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        token = ""
    if not token:
        raise SettingsError(
            f"No token can be read from {path}.",
            hint="`vmk-mcp token new watcher --tools knowledge,knowledge.index` makes one.",
        )
    return token


def _warn_of_open_token(order: WatchOrder, voice: Voice) -> None:
    if order.token_file is None:
        return
    with suppress(OSError):
        if order.token_file.stat().st_mode & _OPEN_TO_OTHERS:
            voice.say(f"Warning: others on this machine may read {order.token_file}; chmod 600 closes it.")


def _folder_of(order: WatchOrder) -> Path:
    return order.root if order.user_id is None else order.root / USERS_FOLDER / str(order.user_id)
