"""How many calls a minute each token may make in this process."""

import math
from collections.abc import Callable

from vmk_mcp.tool import Caller
from vmk_mcp.web.refusals import Refusal, rate_limited


class _Bucket:
    """Calls left to a token; refilled evenly, never above a minute's worth."""

    __slots__ = ("left", "per_minute", "seen_at")

    def __init__(self, per_minute: int, now_s: float) -> None:
        self.per_minute = per_minute
        self.left = float(per_minute)
        self.seen_at = now_s


class RateLimits:
    """A token bucket for each token that has a rate, by the token's name."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Start with full buckets; `clock` gives seconds that never go back."""
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def take(self, caller: Caller) -> Refusal | None:
        """Count one call of `caller`, or refuse it, uncounted, with the whole seconds to wait."""
        per_minute = caller.rate_per_minute
        if per_minute is None:
            return None
        now_s = self._clock()
        bucket = self._buckets.get(caller.name)
        if bucket is None or bucket.per_minute != per_minute:
            bucket = self._buckets[caller.name] = _Bucket(per_minute, now_s)
        per_second = per_minute / 60
        bucket.left = min(float(per_minute), bucket.left + (now_s - bucket.seen_at) * per_second)
        bucket.seen_at = now_s
        if bucket.left < 1.0:
            return rate_limited(per_minute, math.ceil((1.0 - bucket.left) / per_second))
        bucket.left -= 1.0
        return None
