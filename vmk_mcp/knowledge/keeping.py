"""Brings the index up to date once the service runs, and makes sure that it stays the one for this folder."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from vmk_mcp.errors import VmkError
from vmk_mcp.knowledge.folders import Refused
from vmk_mcp.knowledge.index import KnowledgeIndex
from vmk_mcp.observe import Crashed, Observer, Warned

_SUBJECT: Final = "knowledge"
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 60.0

# A claim is lost with its connection, as where Postgres is restarted, and whoever comes next may have it.
_CONFIRMED_AFTER_S: Final = 15.0


class IndexKeeper:
    """See `Standing`: remembers what keeps the index from being brought up to date."""

    def __init__(
        self,
        index: KnowledgeIndex,
        observer: Observer,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Keep `index`; `observer` is warned of trouble, of the same kind once; `pause` waits in seconds."""
        self._index = index
        self._observer = observer
        self._pause = pause
        self._trouble = ""
        self._is_due = True
        self.settled = asyncio.Event()
        """Set as soon as the index has been brought up to date once."""

    def reasons(self) -> Sequence[str]:
        """See `Standing.reasons`."""
        return (self._trouble,) if self._trouble else ()

    async def keep(self) -> None:
        """Settle the index, and again as soon as its claim is lost, for ever; never raises.

        Ends at once where it is kept for another folder: to take it as soon as that service is started anew
        would take out what that one has indexed.
        """
        await self.settle()
        while not self._index.is_refused:
            await self._pause(_CONFIRMED_AFTER_S)
            await self.settle()

    async def settle(self) -> None:
        """Claim the index and reconcile it with the folders, until that is done or it is another folder's."""
        pause_s = _FIRST_PAUSE_S
        while not await self._try() and not self._index.is_refused:
            await self._pause(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    async def _try(self) -> bool:
        try:
            self._is_due = await self._index.claim() or self._is_due
            if self._is_due:
                await self._index.reconcile()
        except Refused as refused:
            self._note(f"{refused.reason} Look at KB_PATH; what is indexed stays so.")
        except VmkError as error:
            self._note(f"The index is not up to date: {error.message}")
        except Exception as bug:  # noqa: BLE001 (nobody awaits the outcome; searches go on)
            self._observer.observe(Crashed("", bug))
            self._note("The index is not up to date; the log says why.")
        else:
            self._is_due, self._trouble = False, ""
            self.settled.set()
            return True
        return False

    def _note(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._observer.observe(Warned(_SUBJECT, trouble))
