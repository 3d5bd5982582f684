"""How far the work on many files has come, and doing it on several of them at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Final, TypeVar

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

TellShare = Callable[[float], Awaitable[None]]
"""Told which share of one file is done, from 0 to 1."""

TellPercent = Callable[[int], Awaitable[None]]
"""Told which part of all is done, each time that a whole percent is reached, up to 100."""

# While the embedder works on the texts of some files, others are read and written; and their texts go to it
# together, in requests of 32 where it takes several.
_AT_ONCE: Final = 32

_ROUNDING: Final = 1e-6


async def tell_nobody(share: float) -> None:
    """Take a share that nobody asked for."""


class Headway:
    """Adds up how far each of `total` files is; none of them ever goes back."""

    def __init__(self, total: int, tell: TellPercent) -> None:
        self._tell = tell
        self._shares = [0.0] * total
        self._sum = 0.0
        self._told = 0
        # A slow listener is told of one percent after the other all the same.
        self._turn = asyncio.Lock()

    def of(self, place: int) -> TellShare:
        """Give what is told of the file of that place."""
        return partial(self._reach, place)

    async def _reach(self, place: int, share: float) -> None:
        async with self._turn:
            self._sum += max(0.0, share - self._shares[place])
            self._shares[place] = max(share, self._shares[place])
            percent = int(100 * self._sum / len(self._shares) + _ROUNDING)
            if percent > self._told:
                self._told = percent
                await self._tell(percent)


async def do_each(
    act: Callable[[ItemT], Awaitable[ResultT]], items: Iterable[ItemT], at_once: int = _AT_ONCE
) -> list[ResultT]:
    """Do something with each item, with several at a time, and give the results in the items' order.

    The first that fails is raised, after those under way beside it have been cancelled.
    """
    results: dict[int, ResultT] = {}
    waiting = iter(enumerate(items))

    async def work() -> None:
        for place, item in waiting:
            results[place] = await act(item)

    workers = [asyncio.create_task(work()) for _ in range(at_once)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.wait(workers)
    return [results[place] for place in sorted(results)]
