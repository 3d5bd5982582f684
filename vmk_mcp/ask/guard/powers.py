"""Exact numbers of thousands of digits: what makes them is held to a small exponent."""

import math
import re
from typing import Final

from vmk_mcp.ask.guard.extents import Extent, as_number, number
from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.refusing import Refused, show_name

_EXPONENT: Final = re.compile(r"e([+-]?\d+)$", re.IGNORECASE)


def check_constant(written: str, limits: GuardLimits) -> Extent:
    """Read a constant number.

    Raises:
        Refused: `too_expensive` for an exponent past the limit.
    """
    found = _EXPONENT.search(written.replace("_", ""))
    if found and abs(int(found[1])) > limits.exponent:
        raise Refused("too_expensive", f"The number {show_name(written)} is too large to reckon with.")
    try:
        value = float(written)
    except ValueError:
        # Hexadecimal, octal and binary ones past eight bytes.
        value = math.inf
    return number(value) if math.isfinite(value) else Extent()


def check_power(base: Extent, exponent: Extent, limits: GuardLimits) -> Extent:
    """Hold a power to an exponent within the limit, unless its base is a floating-point number.

    An exponent that only the rows know is let through: the server itself bounds what then comes of it.

    Raises:
        Refused: `too_expensive`.
    """
    base, exponent = as_number(base), as_number(exponent)
    if base.is_double or exponent.is_double:
        return Extent(is_double=True)
    known = [bound for bound in (exponent.low, exponent.high) if math.isfinite(bound)]
    if any(abs(bound) > limits.exponent for bound in known):
        raise Refused(
            "too_expensive",
            f"An exponent past {limits.exponent} makes numbers of thousands of digits: write a smaller one, "
            "or cast the base to double precision.",
        )
    if not (base.is_known and exponent.is_known) or base.low <= 0:
        return Extent(size=_digits(base) * max(exponent.reach, 1.0) if exponent.is_known else Extent().size)
    try:
        ends = [one**other for one in (base.low, base.high) for other in (exponent.low, exponent.high)]
    except OverflowError:
        raise Refused(
            "too_expensive", "This power has hundreds of digits: cast its base to double precision."
        ) from None
    return Extent(low=min(ends), high=max(ends))


def _digits(base: Extent) -> float:
    return math.log10(base.reach + 10) if base.is_known else base.size
