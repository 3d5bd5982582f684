"""Patterns whose matching could take for ever, and formats that pad without end."""

import re
from typing import Final

from vmk_mcp.ask.guard.extents import Extent
from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.refusing import Refused

_PATTERN_LENGTH: Final = 500
_REPETITION: Final = 100
_WILDCARDS: Final = 20

_ESCAPED: Final = re.compile(r"\\.", re.DOTALL)
_CLASS: Final = re.compile(r"\[\^?\]?[^\]]*\]")
_BACK_REFERENCE: Final = re.compile(r"\\[1-9]")
_COUNT: Final = re.compile(r"\{(\d+)(?:,(\d*))?\}")
_GROUP: Final = re.compile(r"\((?:\?[:=!]|\?<[=!])?([^()]*)\)([*+]|\{\d+,?\d*\})?")
# Pieces that may all match the same letters: each is an atom that repeats, or a group that does within.
_LOOSE: Final = re.compile(r"(?:\0[*+?]?|.(?:[*+?]|\{\d+,?\d*\})\??)+")
_REPEATED: Final = re.compile(r"[*+\0]|\{\d+,?\d*\}")
# Comments and the expanded syntax hide from us what repeats what.
_HIDING: Final = re.compile(r"^\*\*\*|\(\?#|\(\?[a-z]*x[a-z]*\)")
# In a JSON path a letter may be written by its code, or behind a stroke that says nothing.
_CODED: Final = re.compile(r"\\[ux]")
_STROKE: Final = re.compile(r"\\(.)", re.DOTALL)
_DIRECTIVE: Final = re.compile(r"%(?:\d+\$)?-*(\*(?:\d+\$)?|\d+)?[sIL%]")


def check_pattern(pattern: Extent) -> None:
    """Hold a regular expression to one that is matched in a time that grows with the text alone.

    Raises:
        Refused: `too_expensive`.
    """
    if pattern.text is None:
        raise Refused("too_expensive", "A regular expression must be written out as a constant text.")
    check_pattern_text(pattern.text)


def check_pattern_text(pattern: str) -> None:
    """Do what `check_pattern` does for its text.

    Raises:
        Refused: `too_expensive`.
    """
    if len(pattern) > _PATTERN_LENGTH:
        raise Refused("too_expensive", f"A regular expression may have {_PATTERN_LENGTH} characters.")
    if _HIDING.search(pattern):
        raise Refused(
            "too_expensive", "A regular expression may not begin with *** or hold comments or (?x)."
        )
    if _BACK_REFERENCE.search(pattern):
        raise Refused("too_expensive", r"A regular expression may not refer back to a group (\1).")
    counts = [int(number) for found in _COUNT.findall(pattern) for number in found if number]
    if any(count > _REPETITION for count in counts):
        raise Refused("too_expensive", f"A regular expression may repeat a part {_REPETITION} times at most.")
    if _repeats_within_repeats(pattern):
        raise Refused(
            "too_expensive", "A regular expression may not repeat a part that repeats itself, such as (a+)+."
        )


def _repeats_within_repeats(pattern: str) -> bool:
    plain = _CLASS.sub("c", _ESCAPED.sub("e", pattern))
    while found := _GROUP.search(plain):
        is_loose = any(
            _LOOSE.fullmatch(branch) and _REPEATED.search(branch) for branch in found[1].split("|")
        )
        if found[2] and is_loose:
            return True
        plain = (
            plain[: found.start()] + ("\0" if is_loose else "g") + plain[found.end() - len(found[2] or "") :]
        )
    return False


def check_path(path: Extent) -> None:
    """Hold a JSON path to a constant, and the regular expressions within it to what `check_pattern` allows.

    Raises:
        Refused: `too_expensive`.
    """
    if path.text is None:
        raise Refused("too_expensive", "A JSON path must be written out as a constant text.")
    if _CODED.search(path.text):
        raise Refused("too_expensive", r"A JSON path may not write letters by their codes (\u0061, \x61).")
    plain = _STROKE.sub(r"\1", path.text)
    if "like_regex" in plain:
        check_pattern_text(plain)


def check_like(pattern: Extent) -> None:
    """Hold a LIKE pattern that is constant to a number of wildcards.

    Raises:
        Refused: `too_expensive`.
    """
    if pattern.text is not None and pattern.text.count("%") > _WILDCARDS:
        raise Refused("too_expensive", f"A LIKE pattern may have {_WILDCARDS} % signs at most.")


def check_format(template: Extent, limits: GuardLimits) -> float:
    """Hold the first argument of `format` to a constant with small widths; gives what it adds to a text.

    Raises:
        Refused: `too_expensive`.
    """
    if template.text is None:
        raise Refused("too_expensive", "The first argument of format must be written out as a constant text.")
    widths = [found[1] for found in _DIRECTIVE.finditer(template.text) if found[1]]
    if any(width.startswith("*") or int(width) > limits.text_length for width in widths):
        raise Refused(
            "too_expensive", f"A width in format must be a number of {limits.text_length} at most, not *."
        )
    return len(template.text) + float(sum(int(width) for width in widths))
