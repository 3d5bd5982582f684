"""What every search begins and ends with: the live table looked at, filters resolved, the answer made."""

import asyncio
from collections.abc import Callable
from datetime import date

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from vmk_mcp.listings.arguments import Pagination
from vmk_mcp.listings.criteria import Resolved, resolve_filters
from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.interpretation.interpreter import interpret
from vmk_mcp.listings.interpretation.merging import QueryInterpretation, merge_filters
from vmk_mcp.listings.live import LiveSchema
from vmk_mcp.listings.model import PriceBasis
from vmk_mcp.listings.money import RATES_GROW_OLD_AFTER_DAYS, ExchangeRates
from vmk_mcp.listings.normalize import drop_unreadable
from vmk_mcp.listings.page import Found, Slice, find_next, take_slice
from vmk_mcp.listings.ports import ListingStore
from vmk_mcp.listings.queries import UnpricedQuery
from vmk_mcp.listings.results import SearchResult
from vmk_mcp.listings.values import LiveValues, ValueIndex


class ListingRules(Struct, frozen=True):
    """What the operator decides.

    Attributes:
        max_limit: most rows on one page.
        price_currency: the currency of price bounds that name none, and of price order.
        rates: exchange rates, or None where none are known.
        data_model: name of the model that made the stored vectors.
        today: gives the current day, by which rates are judged.
    """

    max_limit: int
    price_currency: str
    rates: ExchangeRates | None
    data_model: str
    today: Callable[[], date]


class Wishes(Struct, frozen=True):
    """A query and its filters after what the query says of filters has become some.

    Attributes:
        text: the query, without what it says is not wanted.
        rest: its words that became no filter; they may be none.
        account: what was understood, where anything was.
    """

    filters: Filters
    text: str
    rest: str
    account: QueryInterpretation | UnsetType = UNSET


class SearchFrame:
    """The first and the last steps of every search."""

    def __init__(self, store: ListingStore, values: LiveValues, rules: ListingRules) -> None:
        self._store = store
        self._values = values
        self._live: LiveSchema | None = None
        self._looked_with: ValueIndex | None = None
        self.rules = rules

    async def inspect(self) -> LiveSchema:
        """Compare the live tables, as they are now, with the declared ones; later calls go by it."""
        features, columns = await asyncio.gather(self._store.inspect_server(), self._store.list_columns())
        live = LiveSchema(features, columns)
        # Tables that cannot be read yet are looked at again with the next call.
        self._live = None if live.readiness().status == "unavailable" else live
        return live

    async def live(self) -> LiveSchema:
        """Give what was found when the tables were last looked at: no longer ago than the values are old."""
        values = await self._values.get()
        if self._live is None or values is not self._looked_with:
            self._looked_with = values
            return await self.inspect()
        return self._live

    async def read_wishes(self, query: str, filters: Filters, *, interpreted: bool) -> Wishes:
        """Read the query as filters, where that is wanted and the live table can serve all of them."""
        text = drop_unreadable(query).strip()
        if not (interpreted and text):
            return Wishes(filters, text, text)
        values, live = await self._values.get(), await self.live()
        interpretation = interpret(text, values)
        if not all(live.serves_filter(entry.field) for entry in interpretation.understood):
            return Wishes(filters, text, text)
        merged, account = merge_filters(filters, interpretation)
        # A kind of property alone, «квартири», is a word to be found in every form rather than a filter.
        is_one_word = not interpretation.rest and account.applied.keys() <= {"property_type"}
        if is_one_word or not (account.applied or account.ignored):
            return Wishes(filters, text, text)
        return Wishes(merged, interpretation.asked, interpretation.rest, account)

    async def begin(self, filters: Filters, pagination: Pagination) -> tuple[LiveSchema, Slice]:
        """Check the page and that the live table can serve the filters.

        Raises:
            InvalidArguments: more rows are asked for than the operator allows.
            NotOffered: a filter reads a column that the table lacks.
        """
        page = take_slice(pagination, self.rules.max_limit)
        return await self.check_filters(filters), page

    async def check_filters(self, filters: Filters) -> LiveSchema:
        """Raise `NotOffered` where a filter reads a column that the live table lacks."""
        live = await self.live()
        live.require_filters(
            [name for name in filters.__struct_fields__ if getattr(filters, name) is not None]
        )
        return live

    async def resolve(self, filters: Filters, live: LiveSchema) -> Resolved:
        """Turn filters into what SQL compares; see `resolve_filters`."""
        return resolve_filters(
            filters,
            await self._values.get(),
            price_currency=self.rules.price_currency,
            rates=self.rules.rates,
            has_status=live.has("listing_status"),
        )

    async def is_large(self, resolved: Resolved, live: LiveSchema) -> bool:
        """Say whether more rows pass than are worth counting, as far as the planner can tell."""
        if (await self._values.get()).total <= live.exact_bound:
            return False
        return await self._store.estimate_matching(resolved.criteria) > live.exact_bound

    async def finish(
        self,
        found: Found,
        page: Slice,
        resolved: Resolved,
        account: QueryInterpretation | UnsetType = UNSET,
    ) -> SearchResult:
        """Put the answer together; `account` says what the query was taken to mean."""
        next_offset, page_hints = find_next(found, page)
        said = [
            *resolved.hints,
            *found.hints,
            *_interpretation_hints(found, account),
            *page_hints,
            *self.rate_hints(resolved.basis),
        ]
        return SearchResult(
            total=found.total,
            total_relation="eq" if found.is_complete else "gte",
            limit=page.limit,
            offset=page.offset,
            has_more=next_offset is not UNSET,
            search_path=found.path,
            match=found.match,
            listings=found.listings,
            next_offset=next_offset,
            price_basis=await self.complete_basis(resolved) or UNSET,
            text_search=found.text_search,
            query_interpretation=account,
            degraded=found.degraded,
            hints=said or UNSET,
        )

    def rate_hints(self, basis: PriceBasis | None) -> list[str]:
        """Warn of old exchange rates where a price bound was converted by them."""
        if basis is None or basis.rates_date is UNSET:
            return []
        age = (self.rules.today() - basis.rates_date).days
        if age <= RATES_GROW_OLD_AFTER_DAYS:
            return []
        return [f"prices were converted with rates that are {age} days old ({basis.rates_date})"]

    async def complete_basis(self, resolved: Resolved) -> PriceBasis | None:
        """Count what a price bound left out for want of a rate."""
        basis = resolved.basis
        if basis is None or resolved.criteria.currency is not None:
            return basis
        if not set((await self._values.get()).stored("currency")) - set(basis.currencies):
            return basis
        unbounded = replace(resolved.criteria, price_currencies=None, price_minima=None, price_maxima=None)
        query = UnpricedQuery(**asdict(unbounded), priced_currencies=basis.currencies)
        return replace(basis, left_out=await self._store.count_unpriced(query))


def _interpretation_hints(found: Found, account: QueryInterpretation | UnsetType) -> list[str]:
    """Say what filters that came out of the query may have kept away."""
    if account is UNSET or not account.applied:
        return []
    if not found.total:
        read = "; ".join(f"«{words}» as {name}" for name, words in account.words.items())
        return [
            f"nothing passes what the query was read as: {read}; with interpret: false its words are searched"
        ]
    if "currency" in account.applied:
        only = account.applied["currency"]
        return [
            f"only listings priced in {only} were searched; a bound in filters without currency reaches the "
            "others by their rate"
        ]
    return []
