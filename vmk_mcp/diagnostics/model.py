"""Arguments and results of the tools that contract tests and benchmarks call."""

from typing import Annotated, Final

from msgspec import Meta, Struct

_EXACT: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly."""

ExactInt = Annotated[int, Meta(ge=-_EXACT, le=_EXACT)]


class Echo(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `echo`."""

    text: Annotated[str, Meta(description="Any text; it comes back unchanged.", examples=["привіт"])]


class Echoed(Struct, frozen=True):
    """Result of `echo`."""

    text: str


class Add(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `add`."""

    a: Annotated[ExactInt, Meta(description="First summand.", examples=[2])]
    b: Annotated[ExactInt, Meta(description="Second summand.", examples=[3])]


class Added(Struct, frozen=True):
    """Result of `add`."""

    sum: int


class NestedFilter(Struct, frozen=True, forbid_unknown_fields=True):
    """The object inside the arguments of `nested`."""

    q: Annotated[str, Meta(description="Any text.")]


class Nested(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Arguments of `nested`, and its result: what came in goes out."""

    filter: Annotated[NestedFilter, Meta(description='An object, such as {"q": "x"}.')]
    ids: Annotated[tuple[int, ...] | None, Meta(description="Integers, such as [1, 2].")] = None


class NoArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments and result of `noargs`: none."""
