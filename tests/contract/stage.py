"""The service as the exchanges were recorded from it: all real but clock, rows and load."""

import hashlib
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette

from tests.contract.played_ask import make_ask_offer
from tests.contract.played_knowledge import make_knowledge_service
from tests.contract.played_listings import PlayedEmbedder, PlayedListingStore
from tests.contract.played_spatial import PlayedSpatialStore
from tests.fakes import FakeClock, RecordingObserver
from vmk_mcp.bootstrap.door import INSTRUCTIONS
from vmk_mcp.diagnostics.tools import OFFER as DIAGNOSTICS
from vmk_mcp.knowledge.tools import offer_knowledge
from vmk_mcp.listings.framing import ListingRules
from vmk_mcp.listings.money import ExchangeRates
from vmk_mcp.listings.service import ListingService
from vmk_mcp.listings.tools import offer_listings
from vmk_mcp.listings.values import LiveValues
from vmk_mcp.protocol.profiles import load_profiles
from vmk_mcp.protocol.server import Protocol
from vmk_mcp.protocol.work import Work
from vmk_mcp.running import Call, Running, Unfinished
from vmk_mcp.spatial.service import SpatialService
from vmk_mcp.spatial.standing import LiveAudit
from vmk_mcp.spatial.tools import offer_spatial
from vmk_mcp.tool import Caller, Offer, Progress, Readiness, ignore_progress
from vmk_mcp.web.app import Parts, create_app
from vmk_mcp.web.guard import Guard, Site
from vmk_mcp.web.metrics import MetricsObserver
from vmk_mcp.web.rates import RateLimits

CONTRACTS: Final = Path(__file__).parents[2] / "contracts"
SERVER_VERSION: Final = "0.0.0"
"""Not the package's: a new version alone changes no contract."""

HOST: Final = "vmk.example.org"
ORIGIN: Final = "https://app.example.org"
MAX_BODY_BYTES: Final = 1024 * 1024
MAX_RESPONSE_BYTES: Final = 64 * 1024

_CROWDED: Final = "crowded"
_RIGHTS: Final = frozenset({"listings", "diagnostics"})
CALLERS: Final = {
    "agent-token": Caller(name="agent", rights=frozenset({"listings"})),
    "platform-token": Caller(name="platform", profile="standard", rights=_RIGHTS, contacts=True),
    "probe-token": Caller(name="probe", rights=frozenset({"diagnostics"})),
    "bare-token": Caller(name="bare"),
    "county-token": Caller(name="county", rights=frozenset({"spatial"}), towns="all"),
    "town-token": Caller(name="town", rights=frozenset({"spatial"}), towns=frozenset({"榜头镇"})),
    "townless-token": Caller(name="townless", rights=frozenset({"spatial"})),
    "reader-token": Caller(name="reader", rights=frozenset({"knowledge"}), user_ids=frozenset({7})),
    "librarian-token": Caller(name="librarian", rights=frozenset({"knowledge"}), user_ids="all"),
    "indexer-token": Caller(name="indexer", rights=frozenset({"knowledge.index"}), user_ids="all"),
    "asker-token": Caller(name="asker", rights=frozenset({"ask"})),
    "analyst-token": Caller(name="analyst", rights=frozenset({"ask", "ask.run_sql", "ask.explain_sql"})),
    "spent-token": Caller(name="spent", rights=_RIGHTS, rate_per_minute=1),
    "crowded-token": Caller(name=_CROWDED, rights=_RIGHTS),
    "stray-token": Caller(name="stray", rights=_RIGHTS, profile="of no file"),
}
"""Made-up tokens; each opens, or brings on, what its name says."""


class KnownTokens:
    """See `Callers`."""

    _callers: Final = {hashlib.sha256(token.encode()).digest(): who for token, who in CALLERS.items()}

    def find(self, token: bytes) -> Caller | None:
        """See `Callers.find`."""
        return self._callers.get(hashlib.sha256(token).digest())


class CrowdedForSome(Running):
    """Has no place left for one of the callers."""

    async def run(self, work: Work, call: Call, progress: Progress = ignore_progress) -> Any:
        """See `Running.run`."""
        if work.caller.name == _CROWDED:
            return Unfinished.OVERLOADED
        return await super().run(work, call, progress)


def make_offers() -> tuple[Offer, ...]:
    """Make the offers of all families that contracts are written for, in the order of `tools/list`."""
    store, embedder = PlayedListingStore(), PlayedEmbedder()
    rules = ListingRules(
        max_limit=100,
        price_currency="USD",
        rates=ExchangeRates(date(2026, 5, 1), {"EUR": Decimal("0.9"), "UAH": Decimal("41.5")}),
        data_model=embedder.model,
        today=lambda: date(2026, 5, 26),
    )
    values = LiveValues(store, clock=FakeClock())
    listings = offer_listings(ListingService(store, values, embedder, embedder, rules), values)
    knowledge = offer_knowledge(make_knowledge_service())
    return listings, _make_spatial_offer(), knowledge, make_ask_offer(), DIAGNOSTICS


def _make_spatial_offer() -> Offer:
    store = PlayedSpatialStore()
    return offer_spatial(SpatialService(store, LiveAudit(store, clock=FakeClock())))


def make_app() -> Starlette:
    """Make the application, fresh: the token `spent` has used up its minute."""
    rates = RateLimits(FakeClock())
    rates.take(CALLERS["spent-token"])
    site = Site(origins=(ORIGIN,), hosts=(HOST,))
    offers = make_offers()
    return create_app(
        Parts(
            guard=Guard(site, KnownTokens(), rates, MAX_BODY_BYTES),
            protocol=Protocol(
                server_name="vmk-mcp",
                server_version=SERVER_VERSION,
                instructions=INSTRUCTIONS,
                offers=offers,
                profiles=load_profiles(CONTRACTS / "profiles"),
                max_response_bytes=MAX_RESPONSE_BYTES,
            ),
            running=CrowdedForSome(4, 4),
            observer=RecordingObserver(),
            registry=MetricsObserver().registry,
            families={offer.family: _stand_ready for offer in offers},
        )
    )


async def _stand_ready() -> Readiness:
    return Readiness("ok")
