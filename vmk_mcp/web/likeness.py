"""Which exchange on record a request is, and which is nearest to one that is none."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from msgspec import Struct

from vmk_mcp.web.head import admits_an_answer, is_json
from vmk_mcp.web.records import NoJson, Record, Request, canonical, is_id

_COMPARED_AS_THEY_ARE: Final = (
    "access-control-request-headers",
    "access-control-request-method",
    "content-encoding",
    "mcp-protocol-version",
    "origin",
)
_SPOKEN_VERSION: Final = ("mcp-protocol-version", "2025-06-18")
_STREAM: Final = "text/event-stream"
_ABSENT: Final = "absent"
_WEIGHTS: Final = {
    "path": 16,
    "method": 8,
    "body.method": 8,
    "body.params.name": 4,
    "body.params.uri": 4,
    "body.params.ref.name": 4,
}
"""What makes a request another one altogether; any other difference weighs 1.

A word that is nearly the same weighs the less for it: a misspelt tool is nearest to its own records.
"""

Features = Mapping[str, str]
"""All that tells requests apart: the name of a part, such as `body.params.name`, and what it says."""


class Nearest(Struct, frozen=True):
    """The record that is nearest to a request; `differences` say what is otherwise there, in words."""

    record: Record
    differences: Sequence[str]


class Library:
    """The exchanges on record, to be asked for the one that a request is."""

    def __init__(self, records: Sequence[Record]) -> None:
        """Hold `records`, of which there is at least one."""
        hosts = Counter(record.request.headers.get("host", "") for record in records)
        own_host, _ = hosts.most_common(1)[0]
        # Whatever name this service is reached by stands for its own, but for those that are refused.
        self._refused_hosts = frozenset(hosts) - {own_host}
        self._records = [(record, self._features(record.request)) for record in records]

    def find(self, request: Request) -> Record | None:
        """Give the record that `request` is, or is but for id and progress token; exact texts come first."""
        features = self._features(request)
        same = [record for record, recorded in self._records if recorded == features]
        streams = [record for record in same if record.is_stream]
        bodies = [record for record in same if not record.is_stream]
        told = streams and not _missing_for_stream(request)
        return max(
            streams if told else bodies,
            key=lambda record: _exactness(record.request, request),
            default=None,
        )

    def find_nearest(self, request: Request) -> Nearest:
        """Give the record that differs least from a `request` that is none, and in what."""
        features = self._features(request)

        def distance(entry: tuple[Record, Features]) -> float:
            return sum(
                _weigh(part, value, features.get(part, _ABSENT))
                for part, value in _differences(entry, request, features)
            )

        nearest = min(self._records, key=distance)
        told = [f"{part} is {value}" for part, value in _differences(nearest, request, features)]
        return Nearest(nearest[0], told)

    def _features(self, request: Request) -> Features:
        """Read what the service looks at: requests of the same features get the same, but for the id.

        Left out are most headers, who a client says that it is, and `_meta`: whether progress is told is
        another question.
        """
        features = {"method": request.method, "path": "/mcp" if request.path == "/mcp/" else request.path}
        features.update((f"header {name}", value) for name, value in self._headers_that_count(request))
        if request.body is None:
            return features | {"body": "larger than is read"}
        return features | dict(_flatten(_without_chatter(request.message), "body"))

    def _headers_that_count(self, request: Request) -> Iterator[tuple[str, str]]:
        headers = request.headers
        if headers.get("host", "") in self._refused_hosts:
            yield "host", headers["host"]
        if "authorization" in headers:
            scheme, _, token = headers["authorization"].partition(" ")
            yield "authorization", f"{scheme.capitalize()} {token.strip()}"
        if not admits_an_answer(_bytes_of(headers, "accept")):
            yield "accept", "neither JSON nor an event stream"
        if request.method == "POST" and not is_json(_bytes_of(headers, "content-type")):
            yield "content-type", "not application/json"
        for name in _COMPARED_AS_THEY_ARE:
            # Clients that have initialized send the version with each request, to no effect.
            if name in headers and (name, headers[name]) != _SPOKEN_VERSION:
                yield name, headers[name]


def _exactness(recorded: Request, request: Request) -> tuple[bool, bool, int]:
    equal_headers = sum(request.headers.get(name) == value for name, value in recorded.headers.items())
    return (
        recorded.body == request.body,
        canonical(recorded.id) == canonical(request.id),
        equal_headers + (recorded.path == request.path),
    )


def _weigh(part: str, recorded: str, sent: str) -> float:
    if part not in _WEIGHTS:
        return 1
    return _WEIGHTS[part] * (1 - SequenceMatcher(None, recorded, sent, autojunk=False).ratio())


def _differences(
    entry: tuple[Record, Features], request: Request, features: Features
) -> Iterator[tuple[str, str]]:
    """Give the parts in which a request differs from a record, and what the record has there."""
    record, recorded = entry
    for part in (*recorded, *(name for name in features if name not in recorded)):
        if recorded.get(part) != features.get(part):
            yield part, recorded.get(part, _ABSENT)
    if record.is_stream:
        yield from _missing_for_stream(request).items()


def _missing_for_stream(request: Request) -> Mapping[str, str]:
    """Give what a request lacks to be answered by a stream of events."""
    missing: dict[str, str] = {}
    if _STREAM not in request.headers.get("accept", "").lower():
        missing["header accept"] = _STREAM
    if request.progress_token is None:
        missing["body.params._meta.progressToken"] = "given"
    return missing


def _bytes_of(headers: Mapping[str, str], name: str) -> bytes | None:
    return headers[name].encode("latin-1", "replace") if name in headers else None


def _without_chatter(message: object) -> object:
    """Leave out of a JSON-RPC message what changes nothing in the answer but its id."""
    if not isinstance(message, dict):
        return message
    kept = dict(message)
    params = kept.get("params")
    if isinstance(params, dict):
        # MCP 2025-06-18: whatever version is asked for, by whomever, this one version is answered.
        told = {} if kept.get("method") == "initialize" else {**params}
        told.pop("_meta", None)
        del kept["params"]
        kept |= {"params": told} if told else {}
    if is_id(kept.get("id")):
        kept["id"] = "any"
    return kept


def _flatten(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            step = f".{name}" if name.isidentifier() else f"[{canonical(name)}]"
            yield from _flatten(inner, path + step)
    else:
        yield path, value if isinstance(value, NoJson) else canonical(value)
