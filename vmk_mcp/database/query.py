"""A query is one SQL file with a checked header; this module loads it and binds structs to it."""

import re
from collections.abc import Callable, Sequence
from importlib import resources
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import Struct

HeadT = TypeVar("HeadT", bound=Struct)
RowT = TypeVar("RowT", bound=Struct)

_PLACEHOLDER: Final = re.compile(r"\$(\d+)(?:::([a-z0-9_]+(?:\[\])?))?")
_PARAMETER_LINE: Final = re.compile(r"^--   \$(\d+) ([a-z_0-9]+) +([a-z0-9_]+(?:\[\])?)(?:   .+)?$")
_COLUMN_LINE: Final = re.compile(r"^--   ([a-z_0-9]+|\"[A-Z ]+\") +([a-z0-9_]+(?:\[\])?)(?:   .+)?$")


class QueryFileError(Exception):
    """A SQL file whose header does not say what its body does: a mistake of ours, found when loaded."""


class Parameter(Struct, frozen=True):
    """One `$n`: the struct field that fills it, and its Postgres type."""

    name: str
    type: str


class Statement(Struct, frozen=True):
    """A row that is a statement which the server put together, with names and literals quoted by itself."""

    statement: str


class Column(Struct, frozen=True):
    """One column of the result: the row struct's field of the same place, and its Postgres type."""

    name: str
    type: str


class Query(Struct, Generic[RowT], frozen=True):
    """One fixed statement; only `load_query` makes it.

    Attributes:
        name: `family/verb_object`, which is also the file's place.
        sql: the statement, without the header.
        row: struct whose fields stand in the order of the columns.
        bind: takes the values of the parameters, in order, out of an argument struct.
    """

    name: str
    sql: str
    parameters: tuple[Parameter, ...]
    columns: tuple[Column, ...]
    row: type[RowT]
    bind: Callable[[object], Sequence[Any]]


class PageQuery(Struct, Generic[HeadT, RowT], frozen=True):
    """One fixed statement that gives a page: `head` of the whole answer, then rows; see `Query`."""

    name: str
    sql: str
    parameters: tuple[Parameter, ...]
    columns: tuple[Column, ...]
    head: type[HeadT]
    row: type[RowT]
    bind: Callable[[object], Sequence[Any]]


def load_query(name: str, row: type[RowT]) -> Query[RowT]:
    """Load `<family>/sql/<verb_object>.sql` and check its header.

    Args:
        name: `family/verb_object`.
        row: struct of one result row; its fields must be the header's columns, in order.

    Raises:
        QueryFileError: the header is ill-formed, or differs from the body or from `row`.
    """
    return parse_query(name, _read_file(name), row)


def parse_query(name: str, text: str, row: type[RowT]) -> Query[RowT]:
    """Check the text of a SQL file and make a `Query` of it; raises `QueryFileError`."""
    header, body = _split(name, text)
    parameters, columns = _read_header(name, header)
    _check_placeholders(name, body, parameters)
    _check_columns(name, columns, _fields(row))
    return Query(name, body, parameters, columns, row, _binder([parameter.name for parameter in parameters]))


def load_page_query(name: str, *, head: type[HeadT], row: type[RowT]) -> PageQuery[HeadT, RowT]:
    """Load a SQL file whose first columns say something of the whole answer and the others are one row.

    The statement gives at least one row; where the page is empty, that row's first column after the head is
    null. Raises `QueryFileError`, see `load_query`.
    """
    text = _read_file(name)
    header, body = _split(name, text)
    parameters, columns = _read_header(name, header)
    _check_placeholders(name, body, parameters)
    _check_columns(name, columns, [*_fields(head), *_fields(row)])
    bind = _binder([parameter.name for parameter in parameters])
    return PageQuery(name, body, parameters, columns, head, row, bind)


def _fields(struct: type[Struct]) -> list[str]:
    return [field.name for field in msgspec.structs.fields(struct)]


def _check_columns(name: str, columns: tuple[Column, ...], fields: list[str]) -> None:
    if (names := [_field_name(column.name) for column in columns]) != fields:
        raise QueryFileError(f"{name}: columns {names} differ from the fields of the structs: {fields}")


def _read_file(name: str) -> str:
    family, _, verb_object = name.partition("/")
    return resources.files("vmk_mcp").joinpath(family, "sql", f"{verb_object}.sql").read_text("utf-8")


def _split(name: str, text: str) -> tuple[list[str], str]:
    lines = text.splitlines()
    length = next((n for n, line in enumerate(lines) if not line.startswith("--")), len(lines))
    header, body = lines[:length], "\n".join(lines[length:]).strip()
    if not header or not header[0].startswith(f"-- {name}: ") or not header[0].endswith("."):
        raise QueryFileError(f"{name}: the first line must be `-- {name}: what it gives.`")
    if not body.endswith(";") or body.count(";") != 1:
        raise QueryFileError(f"{name}: one statement a file, ended by the only semicolon")
    return header, body.removesuffix(";")


def _read_header(name: str, header: list[str]) -> tuple[tuple[Parameter, ...], tuple[Column, ...]]:
    parameters: list[Parameter] = []
    columns: list[Column] = []
    section = ""
    for line in header[1:]:
        if line in {"-- parameters", "-- columns"}:
            section = line.removeprefix("-- ")
        elif section == "parameters" and (match := _PARAMETER_LINE.match(line)):
            if int(match[1]) != len(parameters) + 1:
                raise QueryFileError(f"{name}: parameter ${match[1]} is out of order")
            parameters.append(Parameter(match[2], match[3]))
        elif section == "columns" and (match := _COLUMN_LINE.match(line)):
            columns.append(Column(match[1].strip('"'), match[2]))
        elif section:
            raise QueryFileError(f"{name}: cannot read the header line {line!r}")
    if not columns:
        raise QueryFileError(f"{name}: the header names no columns")
    return tuple(parameters), tuple(columns)


def _check_placeholders(name: str, body: str, parameters: tuple[Parameter, ...]) -> None:
    seen: set[int] = set()
    for number, cast in _PLACEHOLDER.findall(body):
        place = int(number)
        if not 1 <= place <= len(parameters):
            raise QueryFileError(f"{name}: ${place} is not in the header")
        if cast != (due := parameters[place - 1].type):
            raise QueryFileError(f"{name}: ${place} must be cast, as ${place}::{due}")
        seen.add(place)
    if unused := [n for n in range(1, len(parameters) + 1) if n not in seen]:
        raise QueryFileError(f"{name}: the body does not use {', '.join(f'${n}' for n in unused)}")


def _field_name(column: str) -> str:
    return column.lower().replace(" ", "_")


def _binder(names: list[str]) -> Callable[[object], Sequence[Any]]:
    if not names:
        return lambda _: ()
    get = attrgetter(*names)
    if len(names) == 1:
        return lambda arguments: (get(arguments),)
    return get
