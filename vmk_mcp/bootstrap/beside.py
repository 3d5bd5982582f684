"""Work that goes on beside a block for as long as the block lasts, and things opened side by side."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager


@asynccontextmanager
async def beside(work: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """Run `work` beside the block, and let it end before the block's own things are closed."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


@asynccontextmanager
async def opened_together(
    lifespans: Iterable[Callable[[], AbstractAsyncContextManager[object]]],
) -> AsyncIterator[None]:
    """Open what needs nothing of one another side by side, and close it one after the other at the end.

    Raises:
        ExceptionGroup: some could not be opened; those that were are closed.
    """
    async with AsyncExitStack() as stack:
        async with asyncio.TaskGroup() as opening:
            for lifespan in lifespans:
                opening.create_task(stack.enter_async_context(lifespan()))
        yield
