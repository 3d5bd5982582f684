"""Kinds of settings: each says its type and limits, and turns a text into a value."""

import ipaddress
import math
import re
from collections.abc import Callable, Collection, Sequence
from datetime import date
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from vmk_mcp.configuration.dsn import BadDsn, Dsn, parse_dsn
from vmk_mcp.configuration.secret import Secret

_WORDS_OF_TRUTH: Final = {
    **dict.fromkeys(("on", "true", "yes", "1"), True),
    **dict.fromkeys(("off", "false", "no", "0"), False),
}
_WHOLE_NUMBER: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?")
_HOST_NAME: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?")
_CURRENCY: Final = re.compile(r"[A-Z]{3}")
_OLLAMA_PORT: Final = 11434

NumberT = TypeVar("NumberT", int, float)


class BadValue(ValueError):
    """The text is no value of the kind; says what it must be, and never shows the text."""


class Kind(Struct, frozen=True, kw_only=True):
    """One kind of setting.

    Attributes:
        type: as `contracts/settings.json` says it.
        parse: gives the value of a text; raises `BadValue`.
        minimum: lowest number, inclusive.
        maximum: highest number, inclusive.
        choices: all values, where they can be listed.
        is_raw: blanks around the text, and an empty text, mean something.
    """

    type: str
    parse: Callable[[str], object]
    minimum: int | float | None = None
    maximum: int | float | None = None
    choices: tuple[str, ...] = ()
    is_raw: bool = False


class FxRates(Struct, frozen=True):
    """Units of each currency for one US dollar, on a day."""

    date: date
    per_usd: dict[str, float]


def integer(minimum: int, maximum: int) -> Kind:
    """Whole number within limits, both inclusive."""

    def parse(text: str) -> int:
        if _WHOLE_NUMBER.fullmatch(text) is None:
            raise BadValue(f"must be a whole number from {minimum} to {maximum}")
        return _within(int(text), minimum, maximum)

    return Kind(type="integer", parse=parse, minimum=minimum, maximum=maximum)


def number(minimum: float, maximum: float) -> Kind:
    """Number within limits, both inclusive."""

    def parse(text: str) -> float:
        if _NUMBER.fullmatch(text) is None:
            raise BadValue(f"must be a number from {minimum:g} to {maximum:g}")
        return _within(float(text), minimum, maximum)

    return Kind(type="number", parse=parse, minimum=minimum, maximum=maximum)


def _within(value: NumberT, minimum: NumberT, maximum: NumberT) -> NumberT:
    if not minimum <= value <= maximum:
        raise BadValue(f"must be from {minimum:.15g} to {maximum:.15g}")
    return value


def _parse_switch(text: str) -> bool:
    value = _WORDS_OF_TRUTH.get(text.lower())
    if value is None:
        raise BadValue("must be on or off")
    return value


def only(value: str | bool, reason: str) -> Kind:
    """Accept one value alone; the setting exists because other servers have it."""
    shown = ("on" if value else "off") if isinstance(value, bool) else value

    def parse(text: str) -> str | bool:
        read = _parse_switch(text) if isinstance(value, bool) else text.lower()
        if read != value:
            raise BadValue(f"must be {shown}: {reason}")
        return value

    return Kind(type="switch" if isinstance(value, bool) else "choice", parse=parse, choices=(shown,))


def choice(*choices: str) -> Kind:
    """One of some words, in any case."""
    by_folded = {one.casefold(): one for one in choices}

    def parse(text: str) -> str:
        if text.casefold() not in by_folded:
            raise BadValue(f"must be one of {', '.join(choices)}")
        return by_folded[text.casefold()]

    return Kind(type="choice", parse=parse, choices=choices)


def choices_of(*choices: str, absent: Collection[str] = ()) -> Kind:
    """Several of some words, with commas between; `all` stands for all of them.

    `absent` are words that people know from elsewhere, and deserve an answer of their own.
    """
    one = choice(*choices)
    known = ", ".join(choices)

    def parse(text: str) -> tuple[object, ...]:
        if text.casefold() == "all":
            return choices
        words = _split(text)
        if not words:
            raise BadValue(f"must name at least one of {known}")
        lacking = [word for word in words if word.casefold() in absent]
        if lacking:
            raise BadValue(f"names {', '.join(lacking)}, which this build lacks; it has {known}")
        return tuple(dict.fromkeys(one.parse(word) for word in words))

    return Kind(type="list", parse=parse, choices=choices)


def _split(text: str) -> list[str]:
    return [word for word in re.split(r"[,\s]+", text) if word]


def _parse_words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_split(text)))


def _parse_text(text: str) -> str:
    if not text.isprintable():
        raise BadValue("must be one line of printable text")
    return text


def _parse_path(text: str) -> Path:
    if "\0" in text:
        raise BadValue("must be a path")
    return Path(text).expanduser().absolute()


def _parse_dsn(text: str) -> Dsn:
    try:
        return parse_dsn(text)
    except BadDsn as error:
        raise BadValue(f"is no usable DSN: {error}") from None


def parse_url(text: str) -> str:
    """Read an HTTP address with no login, query or fragment; a slash at the end goes."""
    try:
        parts = urlsplit(text)
        proper = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        proper = False
    if not proper:
        raise BadValue("must be an address such as http://127.0.0.1:11434")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise BadValue("must be an address without user, password, ? or #")
    return text.rstrip("/")


def _parse_ollama_url(text: str) -> str:
    """Ollama's own `OLLAMA_HOST` may be a bare host, with or without port."""
    if "://" in text:
        return parse_url(text)
    has_port = re.search(r":[0-9]+$", text) is not None
    return parse_url(f"http://{text}" if has_port else f"http://{text}:{_OLLAMA_PORT}")


def _parse_host(text: str) -> str:
    bare = text.strip("[]")
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        if _HOST_NAME.fullmatch(text) is None:
            raise BadValue("must be an address or a host name, with no scheme and no port") from None
        return text.lower()


def _parse_origins(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_parse_origin(word) for word in _split(text)))


def _parse_origin(text: str) -> str:
    try:
        parts = urlsplit(text)
        proper = bool(parts.scheme and parts.hostname) and parts.port != 0
    except ValueError:
        proper = False
    if not proper or text != f"{parts.scheme}://{parts.netloc}" or "@" in parts.netloc or "*" in text:
        raise BadValue(
            "must be origins such as https://app.example.org, each scheme, host and port, no path and no *"
        )
    return text.lower()


def _parse_networks(text: str) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(str(ipaddress.ip_network(word)) for word in _split(text)))
    except ValueError:
        raise BadValue("must be addresses or networks such as 10.0.0.0/8") from None


def _parse_rates(text: str) -> FxRates:
    try:
        fields = msgspec.json.decode(text.encode(), type=dict[str, str | float])
        day = date.fromisoformat(str(fields.pop("date")))
    except (msgspec.MsgspecError, ValueError, KeyError):
        raise BadValue('must be JSON such as {"date": "2026-01-31", "UAH": 42.5, "EUR": 0.92}') from None
    rates = {name: float(value) for name, value in fields.items() if isinstance(value, int | float)}
    if not rates or len(rates) != len(fields) or not all(map(_is_rate, rates.items())):
        raise BadValue("must give a currency's three capital letters and its units per dollar, above 0")
    return FxRates(date=day, per_usd=rates)


def _is_rate(rate: tuple[str, float]) -> bool:
    currency, units = rate
    return _CURRENCY.fullmatch(currency) is not None and math.isfinite(units) and units > 0


def seconds(minimum: float = 0.001, maximum: float = 3600) -> Kind:
    """Time in seconds."""
    return number(minimum, maximum)


def of_type(type_name: str, parse: Callable[[str], object], choices: Sequence[str] = ()) -> Kind:
    """Make a kind of a parser."""
    return Kind(type=type_name, parse=parse, choices=tuple(choices))


SWITCH: Final = of_type("switch", _parse_switch, ("on", "off"))
TEXT: Final = of_type("text", _parse_text)
RAW_TEXT: Final = Kind(type="text", parse=_parse_text, is_raw=True)
WORDS: Final = of_type("list", _parse_words)
PATH: Final = of_type("path", _parse_path)
SECRET: Final = of_type("secret", Secret)
DSN: Final = of_type("dsn", _parse_dsn)
URL: Final = of_type("url", parse_url)
OLLAMA_URL: Final = of_type("url", _parse_ollama_url)
HOST: Final = of_type("host", _parse_host)
ORIGINS: Final = of_type("list", _parse_origins)
NETWORKS: Final = of_type("list", _parse_networks)
RATES: Final = of_type("json", _parse_rates)
