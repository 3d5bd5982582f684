"""Brings the index up to date once the service runs, and goes on trying where that does not come about."""

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
        self.settled = asyncio.Event()
        """Set as soon as the index has been brought up to date once."""

    def reasons(self) -> Sequence[str]:
        """See `Standing.reasons`."""
        return (self._trouble,) if self._trouble else ()

    async def keep(self) -> None:
        """Claim the index and reconcile it with the folders, until that has been done once; never raises.

        Ends at once where it is kept for another folder: to take it as soon as that service is started anew
        would take out what that one has indexed.
        """
        pause_s = _FIRST_PAUSE_S
        while not self.settled.is_set():
            try:
                await self._index.claim()
                await self._index.reconcile()
                self._trouble = ""
                self.settled.set()
            except Refused as refused:
                self._note(f"{refused.reason} Look at KB_PATH; what is indexed stays so.")
            except VmkError as error:
                self._note(f"The index is not up to date: {error.message}")
            except Exception as bug:  # noqa: BLE001 (nobody awaits the outcome; searches go on)
                self._observer.observe(Crashed("", bug))
                self._note("The index is not up to date; the log says why.")
            if self._index.is_refused:
                return
            if not self.settled.is_set():
                await self._pause(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _note(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._observer.observe(Warned(_SUBJECT, trouble))
