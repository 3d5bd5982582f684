"""What a family is made of and made into."""

from collections.abc import Callable

from msgspec import Struct, field

from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.embedding.local import LocalModel
from vmk_mcp.observe import Observers
from vmk_mcp.settings import Settings
from vmk_mcp.tool import Offer
from vmk_mcp.web.app import Lifespan
from vmk_mcp.web.health import CheckReadiness
from vmk_mcp.web.metrics import MetricsObserver


class Surroundings(Struct, frozen=True):
    """What every family may use.

    Attributes:
        sources: the databases; the first family that asks has the embedded server started.
        observers: told of all that happens.
        metrics: shows further figures of a family.
        local_model: one for all families that embed by it.
    """

    settings: Settings
    sources: LazySources
    observers: Observers
    metrics: MetricsObserver
    local_model: LocalModel = field(default_factory=LocalModel)


class Family(Struct, frozen=True):
    """One family, ready to be served.

    Attributes:
        check_readiness: None for a family that needs nothing: it must not make `/ready` look good.
        lifespan: opens and closes what the family needs.
    """

    offer: Offer
    check_readiness: CheckReadiness | None = None
    lifespan: Lifespan | None = None


class Room(Struct, frozen=True):
    """How one family is come by.

    Attributes:
        show: gives what it offers, to be looked at and not called; needs nothing and is done at once.
        make: makes the family; raises `StartError` where that cannot be.
        is_apart: `make` starts a server of its own, in a thread, while those of the others come up; rooms
            after it find it made.
    """

    show: Callable[[], Offer]
    make: Callable[[Surroundings], Family]
    is_apart: bool = False
