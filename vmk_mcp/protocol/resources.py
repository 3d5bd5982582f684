"""Resource URIs: fixed ones and RFC 6570 level 1 templates, matched with traversal refused."""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import unquote_to_bytes

from vmk_mcp.tool import Resource

_VARIABLE: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
# Level 1 writes reserved characters percent-encoded, so that a bare one ends the variable.
_VALUE: Final = r"[^/?#\\\s{}]+"
_LONGEST_URI: Final = 8192
"""Longer than any that a client builds of a template; decoding one of a megabyte takes 0.1 s."""
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f\\]")


def is_template(resource: Resource) -> bool:
    """Say whether the resource stands for many."""
    return "{" in resource.uri


class ResourceMap:
    """Finds the resource that a URI names."""

    def __init__(self, resources: Sequence[Resource]) -> None:
        self._fixed = {one.uri: one for one in resources if not is_template(one)}
        self._templates = [(_compile(one.uri), one) for one in resources if is_template(one)]

    def find(self, uri: str) -> tuple[Resource, Mapping[str, str]] | None:
        """Give the resource and its variables, decoded; None where nothing has that URI."""
        if len(uri) > _LONGEST_URI:
            return None
        fixed = self._fixed.get(uri)
        if fixed is not None:
            return fixed, {}
        for pattern, resource in self._templates:
            match = pattern.fullmatch(uri)
            if match is not None:
                variables = {name: _decode(text) for name, text in match.groupdict().items()}
                safe = {name: text for name, text in variables.items() if text is not None}
                return (resource, safe) if len(safe) == len(variables) else None
        return None


def _compile(template: str) -> re.Pattern[str]:
    parts = _VARIABLE.split(template)
    return re.compile(
        "".join(f"(?P<{part}>{_VALUE})" if place % 2 else re.escape(part) for place, part in enumerate(parts))
    )


def _decode(text: str) -> str | None:
    """Undo percent-encoding; None for what could lead out of the place that the template names."""
    try:
        value = unquote_to_bytes(text).decode()
    except UnicodeError:
        return None
    climbs = any(segment in ("", ".", "..") for segment in value.split("/"))
    return None if climbs or _UNSAFE.search(value) else value
