import asyncio
import re
from collections.abc import Sequence

import pytest

from tests.unit.web.door import ORIGIN, PING, House, call_of, send, settle
from vmk_mcp.observe import Crashed, RequestRefused
from vmk_mcp.tool import Readiness
from vmk_mcp.web import health
from vmk_mcp.web.guard import Site

TOKEN = "Bearer alice-token"


class Family:
    """A family whose standing is set, and which counts how often it was asked."""

    def __init__(self, status: str, *reasons: str) -> None:
        self.readiness = Readiness(status, reasons)
        self.asked = 0

    async def check(self) -> Readiness:
        """Give the standing."""
        self.asked += 1
        return self.readiness


async def ready_of(*statuses: str) -> tuple[int, str]:
    families = {f"family{number}": Family(status, "why").check for number, status in enumerate(statuses)}
    reply = await House(families=families).get("/ready")
    return reply.status, reply.json["status"]


async def test_health_says_alive_to_anyone() -> None:
    reply = await House().get("/health")
    assert (reply.status, reply.json) == (200, {"status": "ok"})
    assert reply.header("cache-control") == "no-store"


async def test_health_tells_a_valid_token_its_tools_and_an_invalid_one_nothing() -> None:
    house = House()
    tools = (await house.get("/health", authorization="Bearer bob-token")).json["tools"]
    assert sorted(tools) == ["count", "crash", "fail", "search", "wait"]
    assert (await house.get("/health", authorization="Bearer wrong")).json == {"status": "ok"}


async def test_the_registry_tells_families_to_anyone_and_their_tools_to_a_valid_token() -> None:
    house = House()
    families = (await house.get("/registry/servers")).json["servers"]
    assert families
    assert all(set(family) == {"name"} for family in families)
    told = (await house.get("/registry/servers", authorization="Bearer bob-token")).json["servers"]
    assert [family["name"] for family in told] == [family["name"] for family in families]
    tools = [tool for family in told for tool in family["tools"]]
    assert sorted(tools) == ["count", "crash", "fail", "search", "wait"]


@pytest.mark.parametrize(
    ("statuses", "answer"),
    [
        ((), (200, "ok")),
        (("ok", "ok"), (200, "ok")),
        (("ok", "degraded"), (200, "degraded")),
        (("ok", "unavailable"), (200, "degraded")),
        (("degraded", "unavailable"), (200, "degraded")),
        (("unavailable", "unavailable"), (503, "unavailable")),
    ],
)
async def test_ready_is_503_only_when_no_family_can_serve(
    statuses: Sequence[str], answer: tuple[int, str]
) -> None:
    assert await ready_of(*statuses) == answer


async def test_ready_gives_status_words_to_anyone_and_reasons_to_a_valid_token() -> None:
    house = House(
        families={"listings": Family("degraded", "no vectors").check, "spatial": Family("ok").check}
    )
    words = {"status": "degraded", "families": {"listings": "degraded", "spatial": "ok"}}
    assert (await house.get("/ready")).json == words
    told = (await house.get("/ready", authorization=TOKEN)).json
    assert told == words | {"reasons": {"listings": ["no vectors"]}}


async def test_what_only_operators_may_see_is_told_to_a_token_that_names_metrics() -> None:
    family = Family("degraded")
    family.readiness = Readiness("degraded", ("31 records of st_2_x",), told=("some records",))
    house = House(families={"spatial": family.check})
    for token, reason in ((TOKEN, "31 records of st_2_x"), ("Bearer bob-token", "some records")):
        assert (await house.get("/ready", authorization=token)).json["reasons"] == {"spatial": [reason]}


async def test_ready_asks_the_families_at_most_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [100.0]
    monkeypatch.setattr("vmk_mcp.web.app.monotonic", lambda: now_s[0])
    family = Family("ok")
    house = House(families={"listings": family.check})
    await asyncio.gather(*(house.get("/ready") for _ in range(5)))
    assert family.asked == 1
    now_s[0] += 1.0
    await house.get("/ready")
    assert family.asked == 2


async def test_a_check_that_fails_makes_its_family_unavailable_and_is_logged() -> None:
    async def check() -> Readiness:
        raise ZeroDivisionError("secret")

    house = House(families={"listings": check, "spatial": Family("ok").check})
    reply = await house.get("/ready", authorization=TOKEN)
    assert reply.json["families"] == {"listings": "unavailable", "spatial": "ok"}
    assert b"secret" not in reply.body
    assert isinstance(house.observer.of(Crashed)[0].error, ZeroDivisionError)


async def test_a_check_that_hangs_makes_its_family_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check() -> Readiness:
        await asyncio.Event().wait()
        return Readiness("ok")

    monkeypatch.setattr(health, "_CHECK_WITHIN_S", 0.0)
    reply = await House(families={"listings": check}).get("/ready")
    assert (reply.status, reply.json["families"]) == (503, {"listings": "unavailable"})


async def test_metrics_need_a_token_that_names_them() -> None:
    house = House()
    assert (await house.get("/metrics")).status == 401
    refused = await house.get("/metrics", authorization="Bearer bob-token")
    assert (refused.status, refused.json["error"]) == (403, "insufficient_scope")
    assert 'error="insufficient_scope"' in (refused.header("www-authenticate") or "")
    shown = await house.get("/metrics", authorization=TOKEN)
    assert (shown.status, b"vmk_calls" in shown.body) == (200, True)
    assert (shown.header("content-type") or "").startswith("text/plain")


async def test_metrics_speak_openmetrics_to_those_who_ask() -> None:
    reply = await House().get(
        "/metrics", authorization=TOKEN, accept="application/openmetrics-text; version=1.0.0"
    )
    assert (reply.header("content-type") or "").startswith("application/openmetrics-text")
    assert reply.body.endswith(b"# EOF\n")


@pytest.mark.parametrize("path", ["/health", "/ready", "/metrics"])
async def test_the_pages_refuse_other_methods_and_origins(path: str) -> None:
    house = House(site=Site(origins=(ORIGIN,), hosts=("mcp.example.org",)))
    named = {"host": "mcp.example.org", "authorization": TOKEN}
    assert (await send(house.app, "GET", path, named)).status == 200
    assert (await send(house.app, "HEAD", path, named)).status == 200
    assert (await send(house.app, "POST", path, named)).header("allow") == "GET, HEAD"
    assert (await send(house.app, "GET", path, named | {"origin": "https://evil.net"})).status == 403
    assert [event.code for event in house.observer.of(RequestRefused)] == [
        "method_not_allowed",
        "origin_not_allowed",
    ]


async def test_probes_may_come_by_any_host_name_but_metrics_may_not() -> None:
    house = House(site=Site(hosts=("mcp.example.org",)))
    by_address = {"host": "10.0.0.4:8080", "authorization": TOKEN}
    statuses = [
        (await send(house.app, "GET", path, by_address)).status for path in ("/health", "/ready", "/metrics")
    ]
    assert statuses == [200, 200, 403]


async def test_the_queue_shows_in_the_metrics() -> None:
    house = House(places=(1, 1))
    calls = [asyncio.create_task(house.post(call_of("wait", id_=number))) for number in range(2)]
    await settle()
    text = (await house.get("/metrics", authorization=TOKEN)).body.decode()
    assert "vmk_calls_running 1.0" in text
    assert "vmk_calls_waiting 1.0" in text
    assert re.search(r"^vmk_tasks [1-9]", text, re.MULTILINE)
    house.waiting.release.set()
    await asyncio.gather(*calls)


async def test_a_call_shows_in_the_metrics() -> None:
    house = House()
    await house.post(PING)
    await house.post(call_of("fail"))
    for event in house.observer.events:
        house.metrics.observe(event)
    text = (await house.get("/metrics", authorization=TOKEN)).body.decode()
    assert 'vmk_calls_total{code="ok",method="ping",tool=""} 1.0' in text
    assert 'vmk_calls_total{code="store_unavailable",method="tools/call",tool="fail"} 1.0' in text


async def test_a_bug_of_a_page_is_answered_in_our_words_and_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "choose_encoder", None)
    house = House()
    reply = await house.get("/metrics", authorization=TOKEN)
    assert (reply.status, reply.json["error"]) == (500, "internal_error")
    assert [type(event.error) for event in house.observer.of(Crashed)] == [TypeError]
