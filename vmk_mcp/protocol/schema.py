"""JSON Schemas (2020-12) of tools, made from their structs: one object at the top, nothing referred to.

Clients drop every tool over one odd schema, so there is no `$ref`, no composition at the top, and an optional
member is simply not required instead of nullable.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec.inspect as mi
from msgspec import NODEFAULT, Struct

from vmk_mcp.protocol.kinds import LIST_LIKE, WRITTEN_AS_TEXT, allows_null, choices_of, is_far, options_of
from vmk_mcp.tool import TERSE

JsonSchema = dict[str, Any]

_KEYWORDS: Final = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
}
_ANNOTATIONS: Final = ("title", "description", "examples")


def input_schema(arguments: type[Struct]) -> JsonSchema:
    """Write the schema of a tool's arguments, with descriptions, examples and defaults."""
    return _Writer(annotated=True).write(mi.type_info(arguments))


def output_schema(result: type[Struct], told_elsewhere: Sequence[str] = ()) -> JsonSchema:
    """Write the schema of a tool's result: types only, and null where a member may be null.

    Of the members `told_elsewhere` it says whether they are objects or lists of objects, and no more.
    """
    schema = _Writer(annotated=False).write(mi.type_info(result))
    for name in told_elsewhere:
        schema["properties"][name] = _outline(schema["properties"][name])
    return schema


class _Writer:
    """Walks a type; `annotated` for inputs, bare types and nulls for outputs; `terse` leaves types alone."""

    def __init__(self, *, annotated: bool, terse: bool = False) -> None:
        self._annotated = annotated
        self._terse = terse
        self._kinds: Mapping[type[mi.Type], Callable[[Any], JsonSchema]] = {
            **dict.fromkeys(LIST_LIKE, self._list),
            mi.StructType: self._struct,
            mi.DictType: self._dict,
            mi.LiteralType: self._enumerated,
            mi.EnumType: self._enumerated,
            mi.StrType: lambda kind: {"type": "string"} | self._limits(kind, "minLength", "maxLength"),
            mi.IntType: lambda kind: {"type": "integer"} | self._limits(kind),
            mi.FloatType: lambda kind: {"type": "number"} | self._limits(kind),
            mi.DecimalType: lambda _: {"type": "number"},
            mi.BoolType: lambda _: {"type": "boolean"},
        }

    def write(self, kind: mi.Type) -> JsonSchema:
        if self._annotated and not self._terse and _is_terse(kind):
            return _Writer(annotated=True, terse=True).write(kind) | _annotations(kind)
        schema = self._write_options(kind)
        if self._annotated:
            return schema if self._terse else schema | _annotations(kind)
        return _nullable(schema) if allows_null(kind) and schema else schema

    def _write_options(self, kind: mi.Type) -> JsonSchema:
        options = options_of(kind)
        if self._annotated:
            # A lone value where a list is expected is met by the mender, and advertised to nobody.
            lists = [one for one in options if isinstance(one, LIST_LIKE)]
            options = tuple(lists) or options
        return self._join([self._write_one(one) for one in options])

    def _write_one(self, kind: mi.Type) -> JsonSchema:
        written = self._kinds.get(type(kind))
        if written is not None:
            return written(kind)
        if type(kind) in WRITTEN_AS_TEXT:
            return {"type": "string", "format": WRITTEN_AS_TEXT[type(kind)][1]}
        return {}

    @staticmethod
    def _join(schemas: list[JsonSchema]) -> JsonSchema:
        if len(schemas) == 1:
            return schemas[0]
        if not all(schemas):
            return {}
        if all(set(schema) == {"type"} for schema in schemas):
            return {"type": list(dict.fromkeys(schema["type"] for schema in schemas))}
        return {"anyOf": schemas}

    def _struct(self, kind: mi.StructType) -> JsonSchema:
        properties = {} if kind.tag_field is None else {kind.tag_field: {"const": kind.tag}}
        required = list(properties)
        for field in kind.fields:
            properties[field.encode_name] = self._member(kind, field)
            if self._always_there(kind, field):
                required.append(field.encode_name)
        schema: JsonSchema = {"type": "object", "properties": properties, "additionalProperties": False}
        return schema | ({"required": required} if required else {})

    def _member(self, kind: mi.StructType, field: mi.Field) -> JsonSchema:
        if self._annotated:
            return self.write(field.type) | self._default(field)
        if field.default is None and kind.cls.__struct_config__.omit_defaults:
            return self._write_options(field.type)  # a null is absent here
        return self.write(field.type)

    def _always_there(self, kind: mi.StructType, field: mi.Field) -> bool:
        if self._annotated or field.required:
            return field.required
        # Of a member that is UNSET by default msgspec names no default; it is left out while unset.
        unset = field.default is NODEFAULT and field.default_factory is NODEFAULT
        return not unset and not kind.cls.__struct_config__.omit_defaults

    @staticmethod
    def _default(field: mi.Field) -> JsonSchema:
        # Only plain values: an object's members carry their own defaults, and an empty list says nothing.
        return {"default": field.default} if isinstance(field.default, str | int | float) else {}

    def _dict(self, kind: mi.DictType) -> JsonSchema:
        values = self.write(kind.value_type)
        return {"type": "object"} | ({"additionalProperties": values} if values else {})

    def _list(self, kind: mi.ListType) -> JsonSchema:
        items = self.write(kind.item_type)
        limits = self._limits(kind, "minItems", "maxItems")
        return {"type": "array"} | ({"items": items} if items else {}) | limits

    def _limits(self, kind: object, shortest: str = "", longest: str = "") -> JsonSchema:
        if self._terse:
            return {}
        named = _KEYWORDS | {"min_length": shortest, "max_length": longest}
        pairs = ((word, getattr(kind, name, None)) for name, word in named.items())
        return {word: limit for word, limit in pairs if limit is not None and not is_far(limit)}

    @staticmethod
    def _enumerated(kind: mi.LiteralType | mi.EnumType) -> JsonSchema:
        choices = list(choices_of(kind))
        word = "string" if all(isinstance(one, str) for one in choices) else "integer"
        return {"type": word, "enum": choices}


def _outline(schema: JsonSchema) -> JsonSchema:
    kept = {"type": schema["type"]}
    return kept | {"items": _outline(schema["items"])} if "items" in schema else kept


def _is_terse(kind: mi.Type) -> bool:
    return isinstance(kind, mi.Metadata) and TERSE.items() <= (kind.extra_json_schema or {}).items()


def _annotations(kind: mi.Type) -> JsonSchema:
    """Collect title, description and examples, the outer over the inner, out of a union with null too."""
    if isinstance(kind, mi.Metadata):
        own = kind.extra_json_schema or {}
        return _annotations(kind.type) | {word: own[word] for word in _ANNOTATIONS if word in own}
    if isinstance(kind, mi.UnionType):
        return {word: text for one in kind.types for word, text in _annotations(one).items()}
    return {}


def _nullable(schema: JsonSchema) -> JsonSchema:
    if "anyOf" in schema:
        return {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    enumerated = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return schema | {"type": [*types, "null"]} | enumerated
