"""From names and texts to typed values: layers, aliases, misspelt names, and every fault at once."""

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from dotenv.parser import parse_stream
from msgspec import Struct, field

from vmk_mcp.configuration.declaration import Declaration
from vmk_mcp.configuration.dsn import BadDsn, Dsn, dsn_of_parts
from vmk_mcp.configuration.kinds import BadValue
from vmk_mcp.configuration.serving import BUILT_FAMILIES, FAMILIES
from vmk_mcp.configuration.table import SETTINGS

_OWN_PREFIXES: Final = ("MCP_", "VMK_", "VECTOR_", "KB_", "ASK_", "EMBED_", "PRICE_", "FX_")
# Other programs use these too, so only a name that nearly is one of ours is worth a word.
_SHARED_PREFIXES: Final = (
    "DB_",
    "OLLAMA_",
    "MAX_",
    "DATABASE_",
    "SPATIAL_",
    "STATE_",
    "DATA_",
    "QUERY_",
    "LOG_",
)
# Keys that people have in their environment for other programs: no sign that a family of ours is wanted.
_OTHERS_PREFIXES: Final = ("ANTHROPIC_", "OPENAI_")
_NEAR: Final = 0.8
_NEAR_OWN: Final = 0.7
"""A name that can only be meant for us gets a hint from further away."""
_SHOWN_LENGTH: Final = 60


class Reading(Struct):
    """What was read, and what was wrong with it.

    Attributes:
        values: by field path; only what somebody set.
        faults: each a sentence that names the setting; none holds a secret.
        warnings: what an operator should know, though it stops nothing.
    """

    values: dict[str, object] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read_values(environ: Mapping[str, str], dotenv: Mapping[str, str]) -> Reading:
    """Read every declared setting; a name in `environ` hides all of that setting's names in `dotenv`."""
    reading = Reading()
    for declaration in SETTINGS:
        texts = _given(declaration, environ, dotenv)
        values = [(name, _parse(declaration, name, text, reading)) for name, text in texts.items()]
        if declaration.parts:
            values += _read_parts(declaration, _given_parts(declaration, environ, dotenv), values, reading)
        _settle(declaration, values, reading)
    reading.warnings += _find_unknown({**dotenv, **environ})
    return reading


def read_dotenv(path: Path) -> tuple[dict[str, str], list[str]]:
    """Read a `.env` file as it stands, with no `${...}` expanded, for a password may hold that.

    Returns:
        Texts by name, and the faults of the file.
    """
    try:
        with path.open(encoding="utf-8-sig") as stream:
            bindings = list(parse_stream(stream))
    except OSError:
        return {}, [f"{path} cannot be read; check its rights"]
    except UnicodeDecodeError:
        return {}, [f"{path} is not UTF-8 text"]
    faults = [f"{path} line {one.original.line} is not NAME=value" for one in bindings if one.error]
    return {one.key: one.value or "" for one in bindings if one.key is not None}, faults


def _given(declaration: Declaration, environ: Mapping[str, str], dotenv: Mapping[str, str]) -> dict[str, str]:
    """Give the texts that count, by the name under which each was given."""
    for layer in (environ, dotenv):
        names = [
            name for name in (declaration.name, *declaration.aliases) if _counts(declaration, layer.get(name))
        ]
        if names:
            return {name: layer[name] for name in names}
        if any(layer.get(part) for part in declaration.parts):
            return {}
    return {}


def _counts(declaration: Declaration, text: str | None) -> bool:
    return text is not None and (declaration.kind.is_raw or bool(text.strip()))


def _given_parts(
    declaration: Declaration, environ: Mapping[str, str], dotenv: Mapping[str, str]
) -> dict[str, str]:
    layers = (environ,) if environ.get(declaration.name) else (dotenv, environ)
    return {part: layer[part] for layer in layers for part in declaration.parts if layer.get(part)}


def _parse(declaration: Declaration, name: str, text: str, reading: Reading) -> object:
    """Give the value, or None after noting the fault."""
    try:
        return declaration.kind.parse(text if declaration.kind.is_raw else text.strip())
    except BadValue as bad:
        shown = "" if declaration.is_secret else f" (it is {_shorten(text)!r})"
        reading.faults.append(f"{name} {bad}{shown}")
        return None


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN_LENGTH else text[:_SHOWN_LENGTH] + "..."


def _settle(declaration: Declaration, values: Iterable[tuple[str, object]], reading: Reading) -> None:
    """Keep the one value; two names with two values are a contradiction."""
    good = [(name, value) for name, value in values if value is not None]
    if not good:
        return
    first, value = good[0]
    for name, other in good[1:]:
        if other != value:
            reading.faults.append(f"{name} and {first} contradict each other; set one of them")
    reading.values[declaration.field] = value
    families = _families_of(declaration)
    if families and not set(families) & set(BUILT_FAMILIES) and not first.startswith(_OTHERS_PREFIXES):
        reading.warnings.append(f"{first} has no effect: this build has no family {' or '.join(families)}")
    if isinstance(value, Dsn) and value.dropped:
        reading.warnings.append(f"{first}: {', '.join(value.dropped)} is for libpq only and was left out")


def _families_of(declaration: Declaration) -> tuple[str, ...]:
    """Give the only families that use a setting; none for one that is the server's own."""
    subject = declaration.field.partition(".")[0]
    return (subject,) if subject in FAMILIES else declaration.families


def _read_parts(
    declaration: Declaration, parts: Mapping[str, str], whole: list[tuple[str, object]], reading: Reading
) -> list[tuple[str, object]]:
    """Make a DSN of `DB_HOST` and its like, or hold those that are given against the whole DSN."""
    if not parts:
        return []
    host, port, database, user, password = (parts.get(name) for name in declaration.parts)
    if whole:
        given = (host, port, database, user, password)
        dsns = [value for _, value in whole if isinstance(value, Dsn)]
        wrong = [
            name for dsn in dsns for name in _differing(dict(zip(declaration.parts, given, strict=True)), dsn)
        ]
        reading.faults += [
            f"{name} and {declaration.name} contradict each other; set one of them" for name in wrong
        ]
        return []
    if not host:
        reading.faults.append(f"{declaration.parts[0]} is missing beside {', '.join(parts)}")
        return []
    try:
        dsn = dsn_of_parts(
            host, port=port, database=database or "vmk_data", user=user or "postgres", password=password
        )
    except BadDsn as bad:
        reading.faults.append(f"{declaration.parts[0]}, {declaration.parts[1]}: {bad}")
        return []
    return [(declaration.parts[0], dsn)]


def _differing(given: Mapping[str, str | None], dsn: Dsn) -> list[str]:
    parts = dsn.parts
    password = parts.password.reveal() if parts.password else None
    ports = ",".join(str(host.port) for host in dict.fromkeys(parts.hosts))
    hosts = ",".join(host.host for host in parts.hosts)
    actual = (hosts, ports, parts.database, parts.user, password)
    return [name for (name, text), value in zip(given.items(), actual, strict=True) if text and text != value]


def _find_unknown(given: Mapping[str, str]) -> list[str]:
    known = [name for declaration in SETTINGS for name in declaration.names]
    warnings = []
    for name in sorted(set(given) - set(known)):
        is_own = name.startswith(_OWN_PREFIXES)
        near = difflib.get_close_matches(name, known, n=1, cutoff=_NEAR_OWN if is_own else _NEAR)
        if is_own or (near and name.startswith(_SHARED_PREFIXES)):
            hint = f"; did you mean {near[0]}?" if near else "."
            warnings.append(f"{name} is not a setting and was ignored{hint}")
    return warnings
