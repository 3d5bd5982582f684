"""What operators ask of a running service: is it alive, can it serve, what has it done."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from vmk_mcp.observe import Crashed, Observer
from vmk_mcp.tool import Caller, Readiness
from vmk_mcp.web.guard import Guard
from vmk_mcp.web.head import Head
from vmk_mcp.web.pages import PageBody
from vmk_mcp.web.refusals import INSUFFICIENT_SCOPE, Refusal
from vmk_mcp.web.vocabulary import METRICS

CheckReadiness = Callable[[], Awaitable[Readiness]]

_OK: Final = "ok"
_DEGRADED: Final = "degraded"
_UNAVAILABLE: Final = "unavailable"
_CHECK_WITHIN_S: Final = 3.0
_GOOD_FOR_S: Final = 1.0


class _Health(Struct, omit_defaults=True):
    status: str
    tools: Sequence[str] | None = None


class _Server(Struct, omit_defaults=True):
    name: str
    tools: Sequence[str] | None = None


class _Registry(Struct):
    servers: Sequence[_Server]


class _Ready(Struct, omit_defaults=True):
    status: str
    families: Mapping[str, str]
    reasons: Mapping[str, Sequence[str]] = {}


class HealthPage:
    """`/health`: the process is alive; to a valid token also the tools that it may call."""

    def __init__(self, guard: Guard, tool_names: Callable[[Caller], Sequence[str]]) -> None:
        self._guard = guard
        self._tool_names = tool_names

    async def render(self, head: Head) -> PageBody | Refusal:
        """Answer 200 whoever asks."""
        caller = self._guard.identify(head)
        tools = None if isinstance(caller, Refusal) else self._tool_names(caller)
        return PageBody(200, msgspec.json.encode(_Health(_OK, tools)))


class RegistryPage:
    """`/registry/servers`: the families as servers; to a valid token also their tools that it may call."""

    def __init__(
        self, guard: Guard, tools_of: Callable[[Caller | None], Mapping[str, Sequence[str]]]
    ) -> None:
        self._guard = guard
        self._tools_of = tools_of

    async def render(self, head: Head) -> PageBody | Refusal:
        """Answer 200 whoever asks."""
        caller = self._guard.identify(head)
        known = None if isinstance(caller, Refusal) else caller
        servers = [
            _Server(name, tools if known is not None else None)
            for name, tools in self._tools_of(known).items()
        ]
        return PageBody(200, msgspec.json.encode(_Registry(servers)))


class ReadyPage:
    """`/ready`: how each family stands; why only to a valid token, all of it to one that names `metrics`."""

    def __init__(
        self,
        guard: Guard,
        families: Mapping[str, CheckReadiness],
        observer: Observer,
        clock: Callable[[], float],
    ) -> None:
        """Ask `families`, at most once a second by `clock` (s): the page is open to all."""
        self._guard = guard
        self._families = families
        self._observer = observer
        self._clock = clock
        self._asking = asyncio.Lock()
        self._asked_at = float("-inf")
        self._standing: Mapping[str, Readiness] = {}

    async def render(self, head: Head) -> PageBody | Refusal:
        """Answer 200, or 503 when no family can serve."""
        async with self._asking:
            if self._clock() - self._asked_at >= _GOOD_FOR_S:
                self._standing = await self._ask(head.request_id)
                self._asked_at = self._clock()
        words = {family: readiness.status for family, readiness in self._standing.items()}
        status = _sum_up(words.values())
        caller = self._guard.identify(head)
        reasons = {} if isinstance(caller, Refusal) else _explain(self._standing, caller)
        body = msgspec.json.encode(_Ready(status, words, reasons))
        return PageBody(503 if status == _UNAVAILABLE else 200, body)

    async def _ask(self, request_id: str) -> Mapping[str, Readiness]:
        found = await asyncio.gather(*(self._ask_one(check, request_id) for check in self._families.values()))
        return dict(zip(self._families, found, strict=True))

    async def _ask_one(self, check: CheckReadiness, request_id: str) -> Readiness:
        try:
            async with asyncio.timeout(_CHECK_WITHIN_S):
                return await check()
        except TimeoutError:
            return Readiness(_UNAVAILABLE, (f"gave no answer within {_CHECK_WITHIN_S:.0f} s",))
        except Exception as bug:  # noqa: BLE001  (one family's bug must not hide how the others stand)
            self._observer.observe(Crashed(request_id, bug))
            return Readiness(_UNAVAILABLE, ("its check failed; the log says why",))


class MetricsPage:
    """`/metrics` in Prometheus' or OpenMetrics' text form, for a token that names `metrics`."""

    def __init__(self, guard: Guard, registry: CollectorRegistry) -> None:
        self._guard = guard
        self._registry = registry

    async def render(self, head: Head) -> PageBody | Refusal:
        """Answer with all series, or refuse the token."""
        caller = self._guard.identify(head)
        if isinstance(caller, Refusal):
            return caller
        if METRICS not in caller.rights:
            return INSUFFICIENT_SCOPE
        write, content_type = choose_encoder(head.headers.get(b"accept", b"").decode("latin-1"))
        return PageBody(200, write(self._registry), ((b"content-type", content_type.encode()),))


def _explain(standing: Mapping[str, Readiness], caller: Caller) -> Mapping[str, Sequence[str]]:
    is_operator = METRICS in caller.rights
    told = {
        family: one.reasons if is_operator or one.told is None else one.told
        for family, one in standing.items()
    }
    return {family: reasons for family, reasons in told.items() if reasons}


def _sum_up(words: Collection[str]) -> str:
    if all(word == _OK for word in words):
        return _OK
    return _UNAVAILABLE if all(word == _UNAVAILABLE for word in words) else _DEGRADED
