"""One flight for each text, and one request for all texts that arrive while another is under way."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextvars import Context
from functools import partial
from itertools import islice
from typing import Final

from vmk_mcp.embedding.failures import TextsRefused
from vmk_mcp.embedding.port import Embed, Vectors
from vmk_mcp.errors import EmbeddingUnavailable

Outcome = Vectors | BaseException

# So often the text that waits longest is overtaken by shorter ones: it waits, but never for good.
_OVERTAKEN_AT_MOST: Final = 7


class _Flight:
    """One text on its way to its vector, and how many callers wait for it."""

    __slots__ = ("landed", "waiters")

    def __init__(self) -> None:
        self.landed: asyncio.Future[Vectors] = asyncio.get_running_loop().create_future()
        self.waiters = 0


class Batches:
    """Gathers the texts of all callers into requests, one request at a time.

    What arrives in one turn of the event loop, or while a request is under way, goes into the next request.
    A caller that is cancelled leaves its texts to the others; a text that nobody waits for any more is
    dropped unless its request has left already.

    Args:
        embed: sends one request; called with different texts, at most `most`.
        keep: told each text's vector as it lands.
        most: texts in one request.
        shortest_first: the shortest text that waits goes next, not the one that came first.
    """

    def __init__(
        self,
        embed: Embed,
        keep: Callable[[str, Vectors], None],
        *,
        most: int,
        shortest_first: bool = False,
    ) -> None:
        self._embed = embed
        self._keep = keep
        self._most = most
        self._shortest_first = shortest_first
        self._overtaken = 0
        self._flights: dict[str, _Flight] = {}
        self._queue: deque[str] = deque()
        self._request: asyncio.Task[list[Outcome]] | None = None
        self._busy = False

    async def fetch(self, texts: Sequence[str]) -> list[Vectors]:
        """Give the vectors of `texts`, which are one or more, in their order; raises what `embed` raises."""
        flights = [self._board(text) for text in texts]
        try:
            done, _ = await asyncio.wait(
                {flight.landed for flight in flights}, return_when=asyncio.FIRST_EXCEPTION
            )
        finally:
            for flight in flights:
                flight.waiters -= 1
        for landed in done:
            landed.result()  # raises here where one failed; then others may not have landed
        return [flight.landed.result() for flight in flights]

    async def close(self) -> None:
        """Fail all who wait, and stop the request that is under way."""
        waiting = list(self._queue)
        self._queue.clear()
        self._land(waiting, [_stopped()] * len(waiting))
        if self._request is not None:
            self._request.cancel()
            await asyncio.wait({self._request})

    def _board(self, text: str) -> _Flight:
        flight = self._flights.get(text)
        if flight is None:
            flight = self._flights[text] = _Flight()
            self._queue.append(text)
            if not self._busy:
                self._busy = True
                asyncio.get_running_loop().call_soon(self._depart)
        flight.waiters += 1
        return flight

    def _depart(self) -> None:
        texts = list(islice(self._wanted(), self._most))
        if not texts:
            self._busy = False
            return
        # A context of its own: what happens for all is not to be booked on the caller that came first.
        self._request = asyncio.get_running_loop().create_task(self._fly(texts), context=Context())
        self._request.add_done_callback(partial(self._arrive, texts))

    def _wanted(self) -> Iterator[str]:
        while self._queue:
            text = self._take()
            if self._flights[text].waiters:
                yield text
            else:
                del self._flights[text]

    def _take(self) -> str:
        place = 0
        if self._shortest_first and self._overtaken < _OVERTAKEN_AT_MOST:
            place, _ = min(enumerate(self._queue), key=lambda waiting: len(waiting[1]))
        self._overtaken = self._overtaken + 1 if place else 0
        text = self._queue[place]
        del self._queue[place]
        return text

    async def _fly(self, texts: list[str]) -> list[Outcome]:
        """Give the outcome of each text; one text that is refused does not fail the others."""
        try:
            rows = await self._embed(texts)
        except TextsRefused as refusal:
            if len(texts) == 1:
                return [refusal]
            return [(await self._fly([text]))[0] for text in texts]
        return [row for _, row in zip(texts, rows, strict=True)]

    def _arrive(self, texts: list[str], request: asyncio.Task[list[Outcome]]) -> None:
        self._request = None
        if request.cancelled():
            self._land(texts, [_stopped()] * len(texts))
        elif (failure := request.exception()) is not None:
            self._land(texts, [failure] * len(texts))
        else:
            self._land(texts, request.result())
        self._depart()

    def _land(self, texts: Sequence[str], outcomes: Sequence[Outcome]) -> None:
        for text, outcome in zip(texts, outcomes, strict=True):
            landed = self._flights.pop(text).landed
            if isinstance(outcome, BaseException):
                landed.set_exception(outcome)
                landed.exception()  # seen: all who waited may have left
            else:
                self._keep(text, outcome)
                landed.set_result(outcome)


def _stopped() -> EmbeddingUnavailable:
    return EmbeddingUnavailable("The service is shutting down.", hint="Try again in a few seconds.")
