"""What looks after the embedded server: when it starts it, how long it pauses, and what it tells."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from tests.fakes import RecordingObserver
from vmk_mcp.database.supervision import keep_running
from vmk_mcp.errors import StartError
from vmk_mcp.observe import Crashed, Warned

TAKEN = StartError("Its port is taken.", hint="Stop what listens there.")


class EndOfStory(Exception):
    """Ends what would run for ever."""


class FakeServer:
    """A server that is killed when told; each start has the next of the played outcomes, or succeeds."""

    title = "embedded Postgres"

    def __init__(self, outcomes: Sequence[Exception]) -> None:
        self.runs = True
        self.starts = 0
        self.threads: set[int] = set()
        self._outcomes = list(outcomes)

    def is_running(self) -> bool:
        return self.runs

    def start_again(self) -> None:
        self.starts += 1
        self.threads.add(threading.get_ident())
        if self._outcomes:
            raise self._outcomes.pop(0)
        self.runs = True


class Watch:
    """The supervision of one server, for as many pauses as are played; it is killed in the second one."""

    def __init__(self, *outcomes: Exception) -> None:
        self.server = FakeServer(outcomes)
        self.observer = RecordingObserver()
        self.pauses_s: list[float] = []

    async def run(self, pauses: int) -> None:
        async def pause(seconds: float) -> None:
            if len(self.pauses_s) == pauses:
                raise EndOfStory
            self.pauses_s.append(seconds)
            if len(self.pauses_s) == 2:
                self.server.runs = False

        with pytest.raises(EndOfStory):
            await keep_running(self.server, self.observer, pause)

    @property
    def told(self) -> list[str]:
        assert {event.subject for event in self.observer.of(Warned)} <= {"database"}
        return [event.message for event in self.observer.of(Warned)]


async def test_a_server_that_runs_is_left_alone_and_no_news() -> None:
    watch = Watch()
    await watch.run(pauses=1)
    assert (watch.server.starts, watch.observer.events) == (0, [])


async def test_a_server_that_is_gone_is_started_once_and_told_of_before_and_after() -> None:
    watch = Watch()
    await watch.run(pauses=6)
    assert watch.server.starts == 1
    assert watch.pauses_s == [1] * 6
    assert watch.told == [
        "The embedded Postgres is gone; it is being started again.",
        "The embedded Postgres runs again.",
    ]


async def test_the_event_loop_is_not_kept_waiting_by_a_start() -> None:
    watch = Watch()
    await watch.run(pauses=3)
    assert threading.get_ident() not in watch.server.threads


async def test_pauses_between_starts_double_up_to_half_a_minute_and_one_trouble_is_told_once() -> None:
    watch = Watch(*[TAKEN] * 7)
    await watch.run(pauses=10)
    assert watch.pauses_s == [1, 1, 1, 2, 4, 8, 16, 30, 30, 1]
    assert watch.told[1:-1] == [
        "The embedded Postgres is not back yet: Its port is taken. Stop what listens there."
    ]
    assert watch.told[-1] == "The embedded Postgres runs again."


async def test_a_second_loss_is_met_at_once_again() -> None:
    watch = Watch(TAKEN)
    await watch.run(pauses=3)
    watch.pauses_s.clear()
    await watch.run(pauses=3)
    assert watch.pauses_s == [1, 1, 1]
    assert watch.server.starts == 3


async def test_a_foreign_error_is_tried_again_and_its_text_is_told_to_nobody() -> None:
    watch = Watch(FileNotFoundError(2, "No such file", "/secret"))
    await watch.run(pauses=5)
    assert watch.server.runs
    assert "secret" not in " ".join(watch.told)


async def test_a_bug_is_told_with_its_exception_and_ends_no_supervision() -> None:
    bug = ZeroDivisionError()
    watch = Watch(bug)
    await watch.run(pauses=5)
    assert [crashed.error for crashed in watch.observer.of(Crashed)] == [bug]
    assert watch.server.runs


async def test_it_ends_when_it_is_cancelled() -> None:
    watching = asyncio.create_task(keep_running(FakeServer([]), RecordingObserver()))
    await asyncio.sleep(0)
    watching.cancel()
    await asyncio.wait([watching])
    assert watching.cancelled()
