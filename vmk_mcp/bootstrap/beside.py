"""Work that goes on beside a block for as long as the block lasts."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager


@asynccontextmanager
async def beside(work: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """Run `work` beside the block, and let it end before the block's own things are closed."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
