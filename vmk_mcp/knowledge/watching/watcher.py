"""The watcher: looks at a folder, has the service do what differs, and remembers what it confirmed."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from msgspec import Struct

from vmk_mcp.client import ClientError, NotLetIn, ToolFailed
from vmk_mcp.errors import VmkError
from vmk_mcp.knowledge.watching.line import IndexLine, NotDone
from vmk_mcp.knowledge.watching.model import Batch, IndexStanding, Memory, Scan, Standing, Verdict
from vmk_mcp.knowledge.watching.planning import (
    compare,
    count,
    cut_batches,
    enter_generation,
    halve,
    note_sent,
    note_verdicts,
)
from vmk_mcp.knowledge.watching.report import (
    Say,
    ShowProgress,
    describe_batch,
    describe_plan,
    describe_verdicts,
)
from vmk_mcp.knowledge.watching.trigger import Reason

FULL_SCAN_S: Final = 300.0
"""Events may be missed (NFS, bind mounts), so that now and then all is looked at."""

FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0

# What is wrong with the call itself, which the same call would meet again; any other failure may pass.
_FAULTS_OF_THE_CALL: Final = frozenset({"invalid_arguments", "response_too_large", "not_found"})

Pause = Callable[[float], Awaitable[None]]
Wait = Callable[[float], Awaitable[Reason]]


class Scanner(Protocol):
    """Looks at the folder."""

    def scan(self) -> Scan:
        """Give what is there; blocks."""


class Keeper(Protocol):
    """Keeps the memory."""

    def save(self, memory: Memory) -> None:
        """Keep it; raises `VmkError` where that cannot be."""


class Voice(Struct, frozen=True):
    """How the watcher speaks: lines for a log, and progress for whoever looks on."""

    say: Say
    show: ShowProgress


class Watcher:
    """Keeps an index as its folder is; one operation at a time.

    Attributes:
        memory: what is remembered now.
        is_held_back: nothing lies in the folder, and what is remembered of it was left in the index.
    """

    def __init__(
        self, scanner: Scanner, line: IndexLine, keeper: Keeper, memory: Memory, voice: Voice
    ) -> None:
        self._scanner = scanner
        self._line = line
        self._keeper = keeper
        self._say = voice.say
        self._show = voice.show
        self._suspects: set[str] = set()
        self._unfinished: list[Verdict] = []
        self._is_open = False
        self.is_held_back = False
        self.memory = memory

    async def keep(self, wait: Wait, pause: Pause) -> None:
        """Look, settle, wait for the next look, for ever; a failure is told and tried again after a pause.

        Args:
            wait: waits for a reason to look, so many seconds at most.
            pause: waits so many seconds.
        """
        is_full, pause_s = True, FIRST_PAUSE_S
        while True:
            try:
                await self.settle(is_full=is_full)
            except NotDone as failure:
                # The service is well: changes go on being told of beside what it could not do yet.
                self._complain(failure, pause_s)
                is_full = await wait(pause_s) is Reason.ASKED
            except (ClientError, VmkError) as failure:
                self._complain(failure, pause_s)
                await pause(pause_s)
            else:
                is_full, pause_s = await wait(FULL_SCAN_S) is not Reason.CHANGE, FIRST_PAUSE_S
                continue
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    async def settle(self, *, is_full: bool) -> None:
        """Look at the folder and have the service do what differs, until nothing does.

        Args:
            is_full: what failed is tried again, and the index is counted.

        Raises:
            ClientError: a call came to nothing; what was confirmed before it is remembered.
            VmkError: the memory cannot be kept.
        """
        try:
            if not self._is_open:
                await self._line.open()
                self._is_open = True
            self._unfinished = []
            await self._go_round(is_full=is_full)
            if self._unfinished:
                first = self._unfinished[0]
                raise NotDone(f"{len(self._unfinished):,} files could not be indexed yet: {first.reason}")
        except ClientError:
            self._is_open = False
            raise
        finally:
            self._keeper.save(self.memory)

    def _complain(self, failure: ClientError | VmkError, pause_s: float) -> None:
        self._say(f"{failure.message.rstrip('.')}; tried again in {pause_s:.0f} s. {failure.hint}".rstrip())

    async def _go_round(self, *, is_full: bool) -> None:
        has_mended = False
        while True:
            self._enter(await self._line.read_standing())
            await self._send_differences(retries_failed=is_full and not has_mended)
            standing = await self._line.read_standing()
            if standing.generation != self.memory.generation:
                continue
            if has_mended or not is_full or not await self._mend(standing):
                return
            has_mended = True

    def _enter(self, standing: IndexStanding) -> None:
        if standing.generation == self.memory.generation:
            return
        if self.memory.generation:
            self._say("The index is another one than before, so that all files are sent to be compared.")
        self.memory = enter_generation(self.memory, standing.generation)

    async def _mend(self, standing: IndexStanding) -> bool:
        """Act where the index holds fewer or more files than were confirmed; says whether it did."""
        indexed, unsure = count(self.memory, Standing.INDEXED), count(self.memory, Standing.FAILED)
        if standing.files < indexed:
            self._say(f"The index holds {standing.files:,} files of {indexed:,}, so that all are sent again.")
            self.memory = enter_generation(self.memory, standing.generation)
            return True
        if standing.files > indexed + unsure:
            self._say(f"The index holds {standing.files:,} files instead of {indexed:,} and is gone over.")
            await self._line.reindex(self._tell_nothing)
            return True
        return False

    async def _send_differences(self, *, retries_failed: bool) -> None:
        scan = await asyncio.to_thread(self._scanner.scan)
        plan = compare(scan, self.memory, retries_failed=retries_failed)
        self.is_held_back = scan.is_bare and bool(self.memory.files)
        if plan.is_empty and not scan.hidden and not self.is_held_back:
            return
        self._say(describe_plan(scan, plan))
        total, done = len(plan.new) + len(plan.changed) + len(plan.gone), 0
        for batch in cut_batches(plan, scan.files, self._suspects):
            self._show(done, total, f"{done:,} of {total:,} files")
            await self._send(batch, scan)
            done += len(batch.paths)
        self._show(total, total, f"{total:,} files")

    async def _send(self, batch: Batch, scan: Scan) -> None:
        self._say(describe_batch(batch))
        self.memory = note_sent(self.memory, batch)
        self._keeper.save(self.memory)
        try:
            verdicts = await self._line.send(batch, self._tell_nothing)
        except ToolFailed as failure:
            if failure.code not in _FAULTS_OF_THE_CALL:
                self._suspects |= set(batch.paths)
                raise
            if len(batch.paths) > 1:
                for half in halve(batch):
                    await self._send(half, scan)
                return
            verdicts = [Verdict(batch.paths[0], Standing.FAILED, reason=failure.message)]
        except NotLetIn:
            raise
        except ClientError:
            self._suspects |= set(batch.paths)
            raise
        self._suspects -= set(batch.paths)
        self._unfinished += [one for one in verdicts if one.standing is Standing.SENT]
        self.memory = note_verdicts(self.memory, batch, verdicts, scan)
        for line in describe_verdicts(verdicts):
            self._say(line)

    async def _tell_nothing(self, done: float, total: float | None) -> None:
        """Ask for progress: it keeps the connection from falling silent while a large file is embedded."""
