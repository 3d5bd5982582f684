"""Made-up vectors that lie as a real model's do: those of the same place, kind and wording near each other.

The shape is that of the sample's vectors, which a real model (multilingual-e5-small) made: all around one
mean, a spectrum that falls off slowly, a third of the variance explained by the place, a seventh by the
kind of property; over 3,200 listings the cosines are .82 to .86 for half of the pairs, .94 to the nearest
and .91 to the tenth, and the dimension around a point is 15. `describe` tells the same of any vectors, and
the page shows it.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.listings.queries import Vector, Vectors

DIMENSIONS: Final = 768

_SEED: Final = 20_261
_MEAN_LENGTH: Final = 0.90
# Share of the variance in the first 1, 2, 4, ... directions; what many listings share adds to the first.
_CUMULATED: Final = (0.025, 0.045, 0.085, 0.15, 0.25, 0.40, 0.59, 0.80, 0.95, 1.0)
# How much of the variance comes from what; the rest is each listing's own.
_SHARES: Final = {
    "place": 0.30, "kind": 0.13, "deal": 0.05, "renovation": 0.03, "rooms": 0.06, "building": 0.03,
    "style": 0.20,
}  # fmt: skip
_OWN: Final = 1.0 - sum(_SHARES.values())
_OWN_SCALE: Final = float(np.log(_OWN) / 2)
_OWN_SPREAD: Final = 0.5
_STYLES: Final = 150
_DOUBLES: Final = 0.12
_DOUBLE_SPREAD: Final = 0.15
# A query lies a little apart from all listings, as a short text of another kind does.
_ASKED_LENGTH: Final = 0.2
# Of a query's variance, which says less of itself than a listing: what it does not say is not there.
_SAID: Final = ("place", "kind", "deal", "rooms")


class Likeness(Struct, frozen=True):
    """How a set of vectors lies: quartiles of the cosines, medians to the n-th nearest, local dimension."""

    quartiles: tuple[float, float, float]
    nearest: float
    tenth: float
    local_dimension: float


class Space:
    """The space of one made-up model: a direction for each thing that can be said of a listing."""

    def __init__(self, seed: int = _SEED) -> None:
        self._seed = seed
        self._rng = np.random.default_rng(seed)
        rotation, _ = np.linalg.qr(self._rng.standard_normal((DIMENSIONS, DIMENSIONS)))
        scales = np.sqrt(_spectrum() * (1.0 - _MEAN_LENGTH**2))
        self._basis: NDArray[np.float32] = (scales[:, None] * rotation).astype(np.float32)
        mean = self._rng.standard_normal(DIMENSIONS)
        self._mean = (mean * (_MEAN_LENGTH / np.linalg.norm(mean))).astype(np.float32)
        asked = self._rng.standard_normal(DIMENSIONS)
        self._asked = (asked * (_ASKED_LENGTH / np.linalg.norm(asked))).astype(np.float32)
        self._directions: dict[tuple[str, Hashable], Vector] = {}

    def vectors_of(self, records: Sequence[ListingRecord]) -> Vectors:
        """Give the vectors of listings: `(n, 768) float32, unit rows`; the same for the same first id."""
        rng = np.random.default_rng((self._seed, records[0].id))
        own = np.exp(rng.normal(_OWN_SCALE, _OWN_SPREAD, (len(records), 1))).astype(np.float32)
        found = own * self._draw(rng, len(records))
        styles = rng.integers(_STYLES, size=len(records))
        for place, (record, style) in enumerate(zip(records, styles, strict=True)):
            found[place] += self._say(_facts(record, int(style)))
        found += self._mean
        doubles = np.flatnonzero(rng.random(len(records)) < _DOUBLES)[1:]
        found[doubles] = found[doubles - 1] + _DOUBLE_SPREAD * self._draw(rng, len(doubles))
        return _unit(found)

    def queries_for(self, record: ListingRecord, count: int, seed: int) -> Vectors:
        """Give vectors of `count` queries of someone who looks for the like of `record`."""
        rng = np.random.default_rng((self._seed, record.id, seed))
        found = np.sqrt(_OWN + _SHARES["style"]) * self._draw(rng, count)
        found += self._say({name: value for name, value in _facts(record, 0).items() if name in _SAID})
        return _unit(found + self._mean + self._asked)

    def _say(self, facts: Mapping[str, Hashable]) -> Vector:
        said: Vector = np.zeros(DIMENSIONS, dtype=np.float32)
        for name, value in facts.items():
            said += np.sqrt(_SHARES[name]) * self._direction(name, value)
        return said

    def _direction(self, name: str, value: Hashable) -> Vector:
        key = (name, value)
        if key not in self._directions:
            digest = int.from_bytes(repr(key).encode(), "big") % 2**63
            self._directions[key] = self._draw(np.random.default_rng((self._seed, digest)), 1)[0]
        return self._directions[key]

    def _draw(self, rng: np.random.Generator, count: int) -> Vectors:
        return rng.standard_normal((count, DIMENSIONS), dtype=np.float32) @ self._basis


def describe(vectors: Vectors, seed: int = 1) -> Likeness:
    """Say how up to 3,200 of the vectors lie; the local dimension is Levina and Bickel's, over 20 nearest."""
    rng = np.random.default_rng(seed)
    chosen = vectors[rng.permutation(len(vectors))[:3200]]
    cosines = chosen @ chosen.T
    pairs = cosines[np.triu_indices(len(chosen), 1)]
    np.fill_diagonal(cosines, -1.0)
    nearest = -np.sort(-cosines, axis=1)[:, :20]
    distances = np.sqrt(np.maximum(2.0 - 2.0 * nearest, 1e-9))
    dimension = 1.0 / np.mean(np.log(distances[:, -1:] / distances[:, :-1]), axis=1)
    low, middle, high = np.percentile(pairs, [25, 50, 75])
    return Likeness(
        (float(low), float(middle), float(high)),
        float(np.median(nearest[:, 0])),
        float(np.median(nearest[:, 9])),
        float(np.median(dimension)),
    )


def _spectrum() -> NDArray[np.float64]:
    """Give the share of each direction, from the shares of octaves."""
    shares = np.empty(DIMENSIONS)
    start, before = 0, 0.0
    for octave, cumulated in enumerate(_CUMULATED):
        end = min(2**octave, DIMENSIONS) if octave < len(_CUMULATED) - 1 else DIMENSIONS
        shares[start:end] = (cumulated - before) / (end - start)
        start, before = end, cumulated
    return shares


def _facts(record: ListingRecord, style: int) -> dict[str, Hashable]:
    return {
        "place": (record.city, record.district),
        "kind": record.property_type_id,
        "deal": record.deal_type,
        "renovation": record.renovation_status,
        "rooms": record.rooms_count,
        "building": record.building_type,
        "style": style,
    }


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = np.divide(vectors, np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
    return unit
