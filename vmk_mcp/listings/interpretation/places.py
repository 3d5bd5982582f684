"""Which names in a text are places: what stands around a name decides whether it is meant as one."""

from typing import Final

from vmk_mcp.listings.interpretation.names import Match, PlaceNames, load_places
from vmk_mcp.listings.interpretation.scanning import Finding, Scan

_KINDS: Final = {"city": "city", "district": "district", "metro_station": "station"}
_JOINTS: Final = ("or", "and", "comma", "slash")

_ELSEWHERE: Final = (
    "near", "from", "up_to", "with", "under", "for", "by", "through", "behind", "far", "between",
    "street", "venue", "view", "outside",
)  # fmt: skip
"""Before a name: what is sought lies not in that place, or the name is that of something else."""

_OPEN: Final = (
    "taken", "city", "district", "station", "comma", "punct", "slash", "dash", "quote", "or", "and", "number",
    "flat", "house", "in_house", "room", "land", "property", "deal", "rent_word", "ready", "short",
    "rooms_word", "rooms", "rooms_few", "k", "kv", "new", "fitting", "price_word",
    "city_word", "district_word", "not", "except",
)  # fmt: skip
"""Before a bare name of a district: kinds of words that it does not belong to."""

_SETTLED: Final = ("taken", "void", "city", "district", "station")

_ADJECTIVE: Final = ("ий", "ой", "ыи")


def find_places(scan: Scan, names: PlaceNames) -> None:
    """Take the towns, districts and stations of the text, and those joined to them by «або» or a comma."""
    first = 0
    while first < len(scan.tokens):
        match = _accepted(scan, names, first)
        if match is None:
            first += 1
            continue
        _take(scan, first, match)
        first = match.end
        while (joined := _joined(scan, names, first, match.place.field)) is not None:
            first, match = joined
            _take(scan, first, match)
            first = match.end


def _take(scan: Scan, first: int, match: Match) -> None:
    place = match.place
    found = Finding(first, match.end, {place.field: [place.value]}, place.city, keeps_words=place.is_part)
    scan.take(found, _KINDS[place.field])


def _joined(scan: Scan, names: PlaceNames, end: int, field: str) -> tuple[int, Match] | None:
    """Give the next of a list of names of one field: «метро Позняки або Осокорки»."""
    first = end
    while scan.is_kind(first, *_JOINTS):
        first += 1
    if first == end or first >= len(scan.tokens):
        return None
    if field == "metro_station" and scan.is_kind(first, "metro"):
        first += 1
    matches = names.matches(scan.tokens, first)
    if field == "metro_station" and _of_field(matches, "city"):
        return None
    found = _of_field(matches, field)
    return (first, found) if found and not _is_ordinary(found) else None


def _accepted(scan: Scan, names: PlaceNames, first: int) -> Match | None:
    matches = names.matches(scan.tokens, first)
    if not matches or any(scan.is_kind(index, *_SETTLED) for index in range(first, matches[0].end)):
        return None
    station, district, city = (_of_field(matches, field) for field in ("metro_station", "district", "city"))
    if station and _follows_metro(scan, first, is_town=city is not None):
        return station
    if district and _is_named_district(scan, names, first, district):
        return district
    if city and _is_town(scan, first, city):
        return city
    return district if district and _is_bare_district(scan, first, district) else None


def _of_field(matches: list[Match], field: str) -> Match | None:
    return next((match for match in matches if match.place.field == field), None)


def _is_ordinary(match: Match) -> bool:
    ordinary = load_places().ordinary
    value = match.place.value
    return value in ordinary.capital or value in ordinary.district or value in ordinary.district_word


def _before(scan: Scan, first: int) -> int:
    """Give the token before a name, past an opening quote."""
    return first - 2 if scan.is_kind(first - 1, "quote") else first - 1


def _follows_metro(scan: Scan, first: int, *, is_town: bool) -> bool:
    before = _before(scan, first)
    if scan.is_kind(before, "m"):
        # «ст. м. Дніпро» is a station, «м. Дніпро» the town, «500 м» a way.
        return scan.is_kind(before - 1, "station_word") or not (is_town or scan.is_kind(before - 1, "number"))
    return scan.is_kind(before, "metro", "station_word")


def _is_named_district(scan: Scan, names: PlaceNames, first: int, match: Match) -> bool:
    said = scan.is_kind(first - 1, "district_word") or _leads_to_district_word(scan, names, match.end)
    ordinary = load_places().ordinary
    if match.place.value in ordinary.district | ordinary.district_word:
        return said and _is_capital(scan, first)
    return said


def _leads_to_district_word(scan: Scan, names: PlaceNames, end: int) -> bool:
    """Say whether «район» follows, past more names: «Печерського або Шевченківського району»."""
    while not scan.is_kind(end, "district_word"):
        first = end
        while scan.is_kind(first, *_JOINTS):
            first += 1
        if first == end or first >= len(scan.tokens):
            return False
        following = _of_field(names.matches(scan.tokens, first), "district")
        if following is None:
            return False
        end = following.end
    return True


def _is_bare_district(scan: Scan, first: int, match: Match) -> bool:
    ordinary = load_places().ordinary
    value = match.place.value
    located = scan.is_kind(first - 1, "in", "on")
    if scan.is_kind(match.end, "street", "venue") or value in ordinary.district_word:
        return False
    if match.place.names[-1].endswith(_ADJECTIVE) and scan.is_kind(match.end, "word", "street", "venue"):
        return False
    if value in ordinary.district:
        return located and _is_capital(scan, first)
    if located:
        return True
    before = _before(scan, first)
    # «Аркадія» is no everyday word, whatever the district is called.
    is_named = value in ordinary.named and match.place.city is None
    return match.is_base and not is_named and (before < 0 or scan.is_kind(before, *_OPEN))


def _is_town(scan: Scan, first: int, match: Match) -> bool:
    before = _before(scan, first)
    if _is_hyphenated(scan, first, match.end):
        return False
    if scan.is_kind(before, "city_word") or (
        scan.is_kind(before, "m", "g") and not scan.is_kind(before - 1, "number", "metro")
    ):
        return True
    if scan.was_kind(before, "on", *_ELSEWHERE):
        return False
    ordinary = load_places().ordinary
    if match.place.value in ordinary.capital and not (
        (match.is_base or scan.is_kind(before, "in"))
        and _is_capital(scan, first, or_opening_before=match.end)
    ):
        return False
    return match.place.value not in ordinary.as_stored or match.is_base or scan.is_kind(before, "in")


def _is_hyphenated(scan: Scan, first: int, end: int) -> bool:
    """Say whether the name is half of a compound: «траса Київ-Одеса», «Київ-Люкс»."""
    tokens = scan.tokens
    before = scan.is_kind(first - 1, "dash") and tokens[first - 1].end == tokens[first].start
    after = scan.is_kind(end, "dash") and tokens[end].start == tokens[end - 1].end
    return before or (after and end + 1 < len(tokens) and tokens[end + 1].start == tokens[end].end)


def _is_capital(scan: Scan, first: int, *, or_opening_before: int | None = None) -> bool:
    """Say whether a capital letter marks a name: not where all letters are, and not in the first word.

    With `or_opening_before` the first word counts where what follows that token is no plain word.
    """
    if not scan.text[scan.tokens[first].start].isupper() or scan.text.isupper():
        return False
    if first > 0:
        return True
    return or_opening_before is not None and scan.is_kind(or_opening_before, *_OPEN)
