import pytest

from tests.fakes import FakeClock
from tests.unit.web.door import ALICE, BOB, MAX_BODY_BYTES, ORIGIN, SLOW, KnownTokens, mcp_headers, scope_of
from vmk_mcp.tool import Caller
from vmk_mcp.web.guard import Guard, Site
from vmk_mcp.web.head import Head, read_head
from vmk_mcp.web.rates import RateLimits
from vmk_mcp.web.refusals import Refusal

TOKENS = KnownTokens({"alice-token": ALICE, "bob-token": BOB, "slow-token": SLOW})


def guard_of(site: Site | None = None, clock: FakeClock | None = None) -> Guard:
    return Guard(
        site or Site(origins=(ORIGIN, "null")), TOKENS, RateLimits(clock or FakeClock()), MAX_BODY_BYTES
    )


def head_of(peer: str = "192.0.2.7", **headers: str) -> Head:
    return read_head(scope_of("POST", "/mcp", mcp_headers(**headers), peer))


def refusal_of(answer: object) -> tuple[int, str]:
    assert isinstance(answer, Refusal)
    return answer.status, answer.code


def challenge_of(answer: object) -> bytes:
    assert isinstance(answer, Refusal)
    return dict(answer.headers)[b"www-authenticate"]


def test_a_known_token_is_let_in_as_its_caller() -> None:
    assert guard_of().admit(head_of()) is ALICE


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_taken_in_any_case(scheme: str) -> None:
    assert guard_of().admit(head_of(authorization=f"{scheme}  alice-token ")) is ALICE


@pytest.mark.parametrize("sent", ["", "Bearer", "Bearer ", "Basic YWxhZGRpbjpvcGVu", "alice-token"])
def test_no_bearer_token_is_401_without_an_error_in_the_challenge(sent: str) -> None:
    answer = guard_of().admit(head_of(authorization=sent))
    assert refusal_of(answer) == (401, "token_missing")
    assert challenge_of(answer) == b'Bearer realm="vmk-mcp"'


@pytest.mark.parametrize("token", ["wrong", "alice-token2", "tökén", "alice-token bob-token"])
def test_a_wrong_token_is_answered_with_401_and_says_invalid_token(token: str) -> None:
    answer = guard_of().admit(head_of(authorization=f"Bearer {token}"))
    assert refusal_of(answer) == (401, "invalid_token")
    assert challenge_of(answer) == b'Bearer realm="vmk-mcp", error="invalid_token"'
    assert isinstance(answer, Refusal)
    assert token not in answer.body("r").decode()


def test_two_authorization_headers_are_no_token() -> None:
    scope = scope_of("POST", "/mcp", mcp_headers())
    scope["headers"].append((b"authorization", b"Bearer bob-token"))
    assert refusal_of(guard_of().admit(read_head(scope))) == (401, "invalid_token")


def test_with_auth_off_everybody_is_the_one_caller() -> None:
    anyone = Caller(name="anyone")
    guard = Guard(Site(), anyone, RateLimits(FakeClock()), MAX_BODY_BYTES)
    assert guard.admit(head_of(authorization="")) is anyone


def test_no_origin_is_a_program_and_served() -> None:
    assert guard_of().check_site(head_of()) is None


def test_an_allowed_origin_is_served() -> None:
    assert guard_of().check_site(head_of(origin=ORIGIN)) is None


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "https://app.example.org:443",
        "http://app.example.org",
        "https://app.example.org.evil.net",
        "https://APP.example.org",
        "https://app.example.org/",
        f"{ORIGIN}, {ORIGIN}",
    ],
)
def test_any_other_origin_is_refused_even_null_that_was_allowed(origin: str) -> None:
    assert refusal_of(guard_of().check_site(head_of(origin=origin))) == (403, "origin_not_allowed")


def test_two_origins_are_refused_whichever_stands_last() -> None:
    scope = scope_of("POST", "/mcp", mcp_headers(origin="https://evil.net"))
    scope["headers"].append((b"origin", ORIGIN.encode()))
    assert refusal_of(guard_of().check_site(read_head(scope))) == (403, "origin_not_allowed")


def test_any_host_is_served_while_none_is_named() -> None:
    assert guard_of().check_site(head_of(host="mcp-upstream.internal:8080")) is None


@pytest.mark.parametrize("host", ["mcp.example.org", "MCP.example.org:8443", "[::1]:8080", "127.0.0.1:8080"])
def test_a_named_host_is_served_with_any_port_or_the_one_named(host: str) -> None:
    guard = guard_of(Site(hosts=("mcp.example.org", "[::1]", "127.0.0.1:8080")))
    assert guard.check_site(head_of(host=host)) is None


@pytest.mark.parametrize("host", ["evil.net", "127.0.0.1:9090", "mcp.example.org.evil.net", ""])
def test_another_host_is_refused(host: str) -> None:
    guard = guard_of(Site(hosts=("mcp.example.org", "127.0.0.1:8080")))
    assert refusal_of(guard.check_site(head_of(host=host))) == (403, "host_not_allowed")


def test_a_trusted_proxys_own_word_on_the_host_counts() -> None:
    guard = guard_of(Site(hosts=("mcp.example.org",), proxies=("10.0.0.0/8", "::1")))
    named = {"host": "upstream", "x_forwarded_host": "evil.net, mcp.example.org"}
    assert guard.check_site(head_of("10.1.2.3", **named)) is None
    assert guard.check_site(head_of("::1", **named)) is None
    spoofed = {"host": "upstream", "x_forwarded_host": "mcp.example.org, evil.net"}
    assert refusal_of(guard.check_site(head_of("10.1.2.3", **spoofed))) == (403, "host_not_allowed")


@pytest.mark.parametrize("peer", ["192.0.2.7", ""])
def test_nobody_else_is_believed_what_host_was_asked_for(peer: str) -> None:
    guard = guard_of(Site(hosts=("mcp.example.org",), proxies=("10.0.0.0/8",)))
    head = head_of(peer, host="upstream", x_forwarded_host="mcp.example.org")
    assert refusal_of(guard.check_site(head)) == (403, "host_not_allowed")


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "*/*",
        "application/*",
        "application/json;q=0.5",
        "text/html, */*;q=0.1",
        "text/event-stream",
        "*/*;q=odd",
    ],
)
def test_an_accept_that_leaves_json_or_a_stream_is_served(accept: str) -> None:
    assert guard_of().admit(head_of(accept=accept)) is ALICE


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "image/*",
        "application/json;q=0",
        "application/json; q=0.000, text/event-stream;q=0, */*",
        "application/xml, text/plain",
    ],
)
def test_an_accept_that_excludes_both_is_406(accept: str) -> None:
    assert refusal_of(guard_of().admit(head_of(accept=accept))) == (406, "not_acceptable")


@pytest.mark.parametrize(
    "sent", ["application/json;charset=utf-8", "Application/JSON", "application/json ; x=y"]
)
def test_json_with_parameters_is_json(sent: str) -> None:
    assert guard_of().admit(head_of(content_type=sent)) is ALICE


@pytest.mark.parametrize("sent", ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
def test_another_content_type_is_415(sent: str) -> None:
    assert refusal_of(guard_of().admit(head_of(content_type=sent))) == (415, "unsupported_media_type")


def test_a_compressed_body_is_415() -> None:
    assert refusal_of(guard_of().admit(head_of(content_encoding="gzip"))) == (415, "unsupported_encoding")
    assert guard_of().admit(head_of(content_encoding="Identity")) is ALICE


def test_a_transfer_coding_beside_chunked_is_415() -> None:
    for coding in ("gzip, chunked", "gzip", "identity"):
        refusal = guard_of().admit(head_of(transfer_encoding=coding))
        assert refusal_of(refusal) == (415, "unsupported_encoding")
    assert guard_of().admit(head_of(transfer_encoding="Chunked")) is ALICE


@pytest.mark.parametrize("length", [str(MAX_BODY_BYTES + 1), "9" * 5000])
def test_a_declared_length_above_the_limit_is_413(length: str) -> None:
    assert refusal_of(guard_of().admit(head_of(content_length=length))) == (413, "body_too_large")


def test_the_token_is_looked_at_before_anything_that_comes_after_it() -> None:
    head = head_of(authorization="", content_type="text/plain", accept="text/html", content_length="9999")
    assert refusal_of(guard_of().admit(head)) == (401, "token_missing")


def test_a_token_over_its_rate_is_429_until_a_call_is_due_again() -> None:
    clock = FakeClock()
    guard = guard_of(clock=clock)
    head = head_of(authorization="Bearer slow-token")
    assert guard.admit(head) is SLOW
    assert guard.admit(head) is SLOW
    refused = guard.admit(head)
    assert refusal_of(refused) == (429, "rate_limited")
    assert isinstance(refused, Refusal)
    assert dict(refused.headers)[b"retry-after"] == b"30"
    clock.advance(29.0)
    assert refusal_of(guard.admit(head)) == (429, "rate_limited")
    clock.advance(1.0)
    assert guard.admit(head) is SLOW


def test_one_tokens_rate_is_not_anothers() -> None:
    guard = guard_of()
    for _ in range(3):
        guard.admit(head_of(authorization="Bearer slow-token"))
    assert guard.admit(head_of()) is ALICE


def test_a_refused_request_does_not_count_against_the_rate() -> None:
    guard = guard_of()
    for _ in range(5):
        guard.admit(head_of(authorization="Bearer slow-token", content_type="text/plain"))
    assert guard.admit(head_of(authorization="Bearer slow-token")) is SLOW


def test_idle_time_saves_up_no_more_than_a_minutes_calls() -> None:
    clock = FakeClock()
    limits = RateLimits(clock)
    limits.take(SLOW)
    clock.advance(3600.0)
    assert [limits.take(SLOW) is None for _ in range(3)] == [True, True, False]


def test_a_changed_rate_is_in_force_at_once() -> None:
    limits = RateLimits(FakeClock())
    while limits.take(SLOW) is None:
        pass
    faster = Caller(name="slow", rate_per_minute=600)
    assert limits.take(faster) is None


def test_a_clock_that_stands_still_refills_nothing() -> None:
    limits = RateLimits(FakeClock())
    assert [limits.take(SLOW) is None for _ in range(4)] == [True, True, False, False]


def test_accept_headers_sent_twice_are_read_together() -> None:
    scope = scope_of("POST", "/mcp", mcp_headers(accept="application/json"))
    scope["headers"].append((b"accept", b"text/html"))
    assert guard_of().admit(read_head(scope)) is ALICE
