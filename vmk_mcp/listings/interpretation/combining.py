"""All findings of one text brought together: lists grow, kinds of property narrow, contradictions go."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from vmk_mcp.listings.filters import RANGES
from vmk_mcp.listings.interpretation.lexicon import load_lexicon
from vmk_mcp.listings.interpretation.outcome import FilterValue, Ignored
from vmk_mcp.listings.interpretation.readings import Fields
from vmk_mcp.listings.interpretation.scanning import Finding, Scan
from vmk_mcp.listings.values import ValueIndex

CONTRADICTORY: Final = "said in two ways that contradict each other"

SUBJECTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("currency", "min_price", "max_price"), "price"),
    **dict.fromkeys(("rooms_count", "min_rooms", "max_rooms"), "rooms"),
    **dict.fromkeys(("min_total_area", "max_total_area"), "area"),
    **dict.fromkeys(("floor", "min_floor", "max_floor", "not_first_floor", "not_last_floor"), "floor"),
}
"""What a filter is about, where several filters are about one thing; another is its own subject."""

_ROOMLESS: Final = frozenset({"garage", "parking"})
"""Beside a number of rooms they are what a flat comes with, not what is sought."""

_LEAST_OF_SALES: Final = {"USD": 20_000, "EUR": 20_000, "UAH": 800_000}
"""So much is asked for no month's rent: «2к до 60000 $» brought flats to let, for each of them costs less."""

_JOINTS: Final = ("or", "and", "comma", "slash")


def subject_of(name: str) -> str:
    """Give what the filter `name` is about."""
    return SUBJECTS.get(name, name)


class Combined(Struct):
    """Filters so far, and the words that each came from."""

    values: Fields = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)

    def drop(self, subject: str) -> str:
        """Take back all that was understood of `subject`; gives its words."""
        names = [name for name in self.values if subject_of(name) == subject]
        said = [word for name in names for word in self.words[name]]
        for name in names:
            del self.values[name], self.words[name]
        return "; ".join(dict.fromkeys(said))


def combine(scan: Scan, values: ValueIndex) -> Combined:
    """Bring the findings of `scan` together and remove from it those that came to nothing."""
    scan.findings.sort(key=lambda finding: finding.first)
    _settle_towns(scan)
    _settle_deals(scan)
    _settle_kinds(scan, values)
    combined = Combined()
    contradictory: set[str] = set()
    for finding in scan.findings:
        for name, value in finding.fields.items():
            contradictory |= _add(combined, name, value, scan.words(finding.first, finding.end))
    contradictory |= {subject_of(low) for low, high in RANGES if _is_reversed(combined.values, low, high)}
    for subject in sorted(contradictory):
        _withdraw(scan, combined, subject)
    return combined


def _add(combined: Combined, name: str, value: FilterValue, words: str) -> set[str]:
    """Add one value; gives its subject when it contradicts what is there."""
    known = combined.values.get(name, value)
    if isinstance(known, list) and isinstance(value, list):
        combined.values[name] = [*known, *(item for item in value if item not in known)]
    elif known != value:
        return {subject_of(name)}
    else:
        combined.values[name] = value
    combined.words.setdefault(name, []).append(words)
    return set()


def _is_reversed(values: Fields, low: str, high: str) -> bool:
    lower, upper = values.get(low), values.get(high)
    return isinstance(lower, int | float) and isinstance(upper, int | float) and lower > upper


def _withdraw(scan: Scan, combined: Combined, subject: str) -> None:
    scan.ignored.append(Ignored(combined.drop(subject), CONTRADICTORY))
    scan.findings = [
        finding for finding in scan.findings if subject not in {subject_of(name) for name in finding.fields}
    ]


def _settle_towns(scan: Scan) -> None:
    """Let the everyday name of a district bring its town along, or go where another town is named."""
    named = {town for finding in scan.findings for town in _texts(finding, "city")}
    settled: list[Finding] = []
    for finding in scan.findings:
        town = finding.implied_city
        if town is None or town in named:
            settled.append(finding)
        elif not named:
            settled.append(replace(finding, fields={**finding.fields, "city": [town]}))
    scan.findings = settled


def _settle_deals(scan: Scan) -> None:
    """Let «подобово» say what «зняти» leaves open, and several deals stand only where «або» joins them.

    Where no deal is named, a sum may tell that it is no rent.
    """
    deals = [finding for finding in scan.findings if "deal_type" in finding.fields]
    if not deals:
        scan.findings = [
            replace(finding, fields={**finding.fields, "deal_type": ["sale"]})
            if _is_sale(finding)
            else finding
            for finding in scan.findings
        ]
        return
    kinds = {deal for finding in deals for deal in _texts(finding, "deal_type")}
    if len(kinds) <= 1 or all(_are_joined(scan, a, b, *_JOINTS) for a, b in pairwise(deals)):
        return
    if kinds == {"rent_long", "rent_short"}:
        scan.findings = [
            replace(finding, fields={**finding.fields, "deal_type": ["rent_short"]})
            if finding in deals
            else finding
            for finding in scan.findings
        ]
        return
    scan.ignored += [Ignored(scan.words(finding.first, finding.end), CONTRADICTORY) for finding in deals]
    scan.findings = [
        replace(
            finding, fields={name: value for name, value in finding.fields.items() if name != "deal_type"}
        )
        if len(finding.fields) > 1
        else finding
        for finding in scan.findings
        if finding not in deals or len(finding.fields) > 1
    ]


def _is_sale(finding: Finding) -> bool:
    """Say whether a price of so much can only be that of a sale."""
    least = _LEAST_OF_SALES.get(str(finding.fields.get("currency")))
    sums = [finding.fields[name] for name in ("min_price", "max_price") if name in finding.fields]
    return least is not None and any(isinstance(amount, float) and amount >= least for amount in sums)


def _settle_kinds(scan: Scan, values: ValueIndex) -> None:
    """Turn meanings into stored kinds: one narrows another, «або» adds one, any later one is an aside."""
    settled: list[Finding] = []
    allowed: list[str] = []
    latest: Finding | None = None
    for finding in _without_extras(scan.findings):
        if "property_type" not in finding.fields:
            settled.append(finding)
            continue
        kinds = _stored_kinds(_texts(finding, "property_type"), values)
        if not kinds:
            continue
        if latest is None:
            allowed = kinds
        elif narrowed := [kind for kind in allowed if kind in kinds]:
            allowed = narrowed
        elif _are_joined(scan, latest, finding, "or", "slash"):
            allowed = [*allowed, *kinds]
        latest = finding
        settled.append(finding)
    if allowed and allowed == _stored_kinds(["room"], values):
        # «кімната в двокімнатній квартирі»: the rooms are those of the flat around it.
        settled = [finding for finding in settled if "rooms_count" not in finding.fields]
    scan.findings = [
        replace(finding, fields={**finding.fields, "property_type": list[str](allowed)})
        if "property_type" in finding.fields
        else finding
        for finding in settled
    ]


def _without_extras(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Leave out the garage that a flat of so many rooms comes with."""
    if not any("rooms" in map(subject_of, finding.fields) for finding in findings):
        return findings
    return [
        finding
        for finding in findings
        if "property_type" not in finding.fields or not _ROOMLESS.issuperset(_texts(finding, "property_type"))
    ]


def _stored_kinds(meanings: Sequence[str], values: ValueIndex) -> list[str]:
    """Give the stored kinds that the meanings can be, each by its slug where it has one."""
    slugs = load_lexicon().slugs
    ids = [values.property_type_id(word) for meaning in meanings for word in slugs[meaning]]
    names = {kind.id: kind.slug or kind.name for kind in values.property_types}
    return list(dict.fromkeys(names[kind] for kind in ids if kind is not None))


def _are_joined(scan: Scan, one: Finding, other: Finding, *joints: str) -> bool:
    between = range(one.end, other.first)
    return bool(between) and all(scan.is_kind(index, *joints) for index in between)


def _texts(finding: Finding, name: str) -> list[str]:
    value = finding.fields.get(name, [])
    return [str(item) for item in value] if isinstance(value, list) else []
