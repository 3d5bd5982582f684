"""The spatial family's one service: places by name, and what is around a point."""

from typing import Final

from vmk_mcp.errors import VmkError
from vmk_mcp.spatial import answers
from vmk_mcp.spatial.answers import dress, note_limits, page_of, warn_of_audit
from vmk_mcp.spatial.arguments import (
    GridQuestion,
    PlaceSearch,
    PostSearch,
    RiskSearch,
    RouteSearch,
    SquadronQuestion,
    WaterSearch,
)
from vmk_mcp.spatial.framing import look_around, read_shapes
from vmk_mcp.spatial.model import Grid, Place, Post, Risk, Route, Squadron, Water
from vmk_mcp.spatial.ports import SpatialStore
from vmk_mcp.spatial.queries import (
    PlaceQuery,
    PointQuery,
    PostQuery,
    RiskQuery,
    RouteQuery,
    SquadronTotal,
    WaterQuery,
)
from vmk_mcp.spatial.results import (
    GridAnswer,
    PlaceAnswer,
    PostAnswer,
    RiskAnswer,
    RouteAnswer,
    SquadronAnswer,
    WaterAnswer,
)
from vmk_mcp.spatial.scope import Scope
from vmk_mcp.spatial.standing import LiveAudit
from vmk_mcp.spatial.tables import EVERY_KIND, Kind
from vmk_mcp.spatial.words import make_pairs, read_name, spell_town
from vmk_mcp.tool import Readiness

_GRIDS: Final[tuple[Kind, ...]] = ("fire_grid",)
_WATER: Final[tuple[Kind, ...]] = ("water_source", "water_tank")
_POSTS: Final[tuple[Kind, ...]] = ("check_station", "lookout")
_ROUTES: Final[tuple[Kind, ...]] = ("fire_passage",)
_MOST_NAMED: Final = 500
_RISKS: Final[tuple[Kind, ...]] = ("burial_ground", "forest_works")


class SpatialService:
    """Answers the family's tools; see their descriptions in `tools.py` for what each promises.

    Every method takes the caller's towns, and raises `InvalidArguments`, `NotOffered` while a fault of the
    tables closes the family, `StoreUnavailable` or `TooSlow`.
    """

    def __init__(self, store: SpatialStore, audit: LiveAudit) -> None:
        """Join the ports."""
        self._store = store
        self._audit = audit

    async def readiness(self) -> Readiness:
        """Say how the family stands now; never raises `VmkError`."""
        try:
            return (await self._audit.get_fresh()).readiness()
        except VmkError as error:
            return Readiness("unavailable", (error.message,))

    async def list_towns(self, scope: Scope) -> list[str]:
        """Give the caller's towns that have records, the one with most first."""
        return (await self._audit.get()).list_towns(scope)

    async def list_names(self, beginning: str, scope: Scope) -> list[str]:
        """Give names of records that begin so, at most some hundreds of them, the shortest first."""
        name = read_name(beginning, "name")
        (await self._audit.get()).require_open()
        query = PlaceQuery(
            all_towns=scope.all_towns,
            towns=sorted(scope.towns),
            wanted=name.lower(),
            pairs=make_pairs(name),
            spellings=None,
            kind=None,
            limit=_MOST_NAMED,
            offset=0,
        )
        _, rows = await self._store.search_places(query)
        names = (row.name for row in rows if row.matched == "name" and row.match != "similar")
        return list(dict.fromkeys(name for name in names if name))

    async def search_places(self, search: PlaceSearch, scope: Scope) -> PlaceAnswer:
        """Find records by name, village or town."""
        name = read_name(search.name, "name")
        town = None if search.town is None else read_name(search.town, "town")
        audit = await self._audit.get()
        audit.require_open()
        query = PlaceQuery(
            all_towns=scope.all_towns,
            towns=sorted(scope.towns),
            wanted=name.lower(),
            pairs=make_pairs(name),
            spellings=None if town is None else spell_town(town),
            kind=search.kind,
            limit=search.limit,
            offset=search.offset,
        )
        found, rows = await self._store.search_places(query)
        return PlaceAnswer(
            data=dress(rows, Place, await read_shapes(self._store, search, rows, scope)),
            **page_of(len(rows), found.total, search.offset),
            warnings=warn_of_audit(audit, (search.kind,) if search.kind else EVERY_KIND, scope),
            notes=[answers.REPRESENTATIVE, *note_limits(scope, draws=bool(search.geometry))],
        )

    async def get_grid_context(self, question: GridQuestion, scope: Scope) -> GridAnswer:
        """Give the fire grids that cover a point."""
        around = await look_around(question, scope, self._audit)
        found, rows = await self._store.get_grid_context(PointQuery(**around.part))
        notes = [answers.GRIDS_ARE_RECORDS, *([] if found.total else [answers.NO_GRID])]
        return GridAnswer(
            data=dress(rows, Grid, await read_shapes(self._store, question, rows, scope)),
            **around.tell(rows, found.total, _GRIDS, notes),
        )

    async def find_responsible_squadron(self, question: SquadronQuestion, scope: Scope) -> SquadronAnswer:
        """Give the squadrons of the grids that cover a point, or else of the nearest."""
        around = await look_around(question, scope, self._audit)
        found, rows = await self._store.find_responsible_squadron(PointQuery(**around.part))
        notes = [answers.GRIDS_ARE_RECORDS, *_note_squadrons(found)]
        return SquadronAnswer(
            data=dress(rows, Squadron, await read_shapes(self._store, question, rows, scope)),
            **around.tell(rows, found.total, _GRIDS, notes),
        )

    async def find_water_sources(self, search: WaterSearch, scope: Scope) -> WaterAnswer:
        """Give water sources and tanks, nearest first."""
        around = await look_around(search, scope, self._audit)
        query = WaterQuery(
            **around.part,
            radius_m=search.radius_m,
            kind=search.kind,
            min_capacity_m3=search.min_capacity_m3,
        )
        found, rows = await self._store.find_water_sources(query)
        return WaterAnswer(
            data=dress(rows, Water, await read_shapes(self._store, search, rows, scope)),
            **around.tell(rows, found.total, (search.kind,) if search.kind else _WATER),
        )

    async def find_command_posts(self, search: PostSearch, scope: Scope) -> PostAnswer:
        """Give check stations and lookout posts, nearest first."""
        around = await look_around(search, scope, self._audit)
        query = PostQuery(**around.part, radius_m=search.radius_m, kind=search.kind)
        found, rows = await self._store.find_command_posts(query)
        return PostAnswer(
            data=dress(rows, Post, await read_shapes(self._store, search, rows, scope)),
            **around.tell(rows, found.total, (search.kind,) if search.kind else _POSTS, [answers.CANDIDATES]),
        )

    async def find_access_routes(self, search: RouteSearch, scope: Scope) -> RouteAnswer:
        """Give fire passages, nearest first."""
        around = await look_around(search, scope, self._audit)
        query = RouteQuery(**around.part, radius_m=search.radius_m, min_width_m=search.min_width_m)
        found, rows = await self._store.find_access_routes(query)
        return RouteAnswer(
            data=dress(rows, Route, await read_shapes(self._store, search, rows, scope)),
            **around.tell(rows, found.total, _ROUTES, [answers.NEAREST_POINT]),
        )

    async def find_risk_areas(self, search: RiskSearch, scope: Scope) -> RiskAnswer:
        """Give burial grounds and works that cover a point or lie near it, nearest first."""
        around = await look_around(search, scope, self._audit)
        found, rows = await self._store.find_risk_areas(RiskQuery(**around.part, radius_m=search.radius_m))
        return RiskAnswer(
            data=dress(rows, Risk, await read_shapes(self._store, search, rows, scope)),
            **around.tell(rows, found.total, _RISKS, [answers.NOT_EVERY_RISK]),
        )


def _note_squadrons(found: SquadronTotal) -> list[str]:
    if found.covering:
        return [] if found.total else [answers.NO_SQUADRON]
    return [answers.NEAREST_SQUADRON] if found.total else []
