"""A listings service over any store, with an embedder, a clock and rules that tests set."""

from collections.abc import Sequence
from datetime import date

from tests.fakes import FakeClock, FakeEmbedder
from vmk_mcp.listings.framing import ListingRules
from vmk_mcp.listings.money import ExchangeRates
from vmk_mcp.listings.ports import ListingStore, QueryEmbedder
from vmk_mcp.listings.service import ListingService
from vmk_mcp.listings.values import LiveValues

TODAY = date(2026, 1, 20)


class FakeStanding:
    """See `Standing`."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def reasons(self) -> Sequence[str]:
        """See `Standing.reasons`."""
        return self.said


def make_rules(*, max_limit: int = 100, rates: ExchangeRates | None = None) -> ListingRules:
    return ListingRules(
        max_limit=max_limit,
        price_currency="USD",
        rates=rates,
        data_model="fake-model",
        today=lambda: TODAY,
    )


def make_service(
    store: ListingStore,
    *,
    rules: ListingRules | None = None,
    embedder: QueryEmbedder | None = None,
    standing: FakeStanding | None = None,
) -> ListingService:
    return ListingService(
        store,
        LiveValues(store, clock=FakeClock()),
        embedder or FakeEmbedder(),
        standing or FakeStanding(),
        rules or make_rules(),
    )
