"""Draws that give the same on every machine and Python version."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def draw_weighted(rng: Random, weights: Mapping[T, float]) -> T:
    """Give one key, each as likely as its weight, in the order of the mapping."""
    return rng.choices(tuple(weights), tuple(weights.values()))[0]


def draw_within(rng: Random, bounds: tuple[float, float]) -> float:
    """Give a number of `bounds`, rounded to a tenth: the last bits of a float may differ between machines."""
    return round(rng.uniform(*bounds), 1)


def draw_count(rng: Random, bounds: tuple[int, int]) -> int:
    """Give an integer of `bounds`, both ends included."""
    return rng.randint(*bounds)


def happens(rng: Random, probability: float) -> bool:
    """Say yes with `probability`."""
    return rng.random() < probability


def draw_some(rng: Random, items: Sequence[T], count: int) -> list[T]:
    """Give at most `count` different items in their own order."""
    chosen = sorted(rng.sample(range(len(items)), min(count, len(items))))
    return [items[position] for position in chosen]
