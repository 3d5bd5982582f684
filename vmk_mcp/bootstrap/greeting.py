"""What the person who started the service over HTTP is told once it listens."""

from collections.abc import Callable, Sequence

from msgspec import Struct


class Greeting(Struct, frozen=True):
    """Where the service is, and what it offers.

    Attributes:
        url: address of the endpoint.
        token: the token for this machine in the clear, or None where the service keeps none.
        tools: names of all tools.
    """

    url: str
    token: str | None
    tools: Sequence[str]


Greet = Callable[[Greeting], None]
