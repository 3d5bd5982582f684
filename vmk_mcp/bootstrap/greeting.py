"""What the person who started the service over HTTP is told once it listens."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from vmk_mcp.observe import Event, StoreChanged


class Greeting(Struct, frozen=True, kw_only=True):
    """Where the service is, and what it offers.

    Attributes:
        url: address of the endpoint, as this machine reaches it.
        token: the token for this machine in the clear, or None where the service keeps none.
        tools: names of all tools.
        asks_token: a call without a token is refused.
        absent_postgres: HOST:PORT of a Postgres that does not answer, or "".
    """

    url: str
    token: str | None
    tools: Sequence[str]
    asks_token: bool = True
    absent_postgres: str = ""


Greet = Callable[[Greeting], None]


class LostStores:
    """An observer that knows whether a database is away."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def observe(self, event: Event) -> None:
        """See `Observer`."""
        if isinstance(event, StoreChanged):
            change = self._names.discard if event.reachable else self._names.add
            change(event.store)

    def __bool__(self) -> bool:
        return bool(self._names)
