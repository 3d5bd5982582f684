"""A `config.yaml` as the knowledge service's forerunner had it, read into settings' own names.

Of YAML only what such a file holds is read: keys, plain or quoted values, comments, one level inside another.
The part `vector_search` counts, and what else the file holds is others'.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

_NAMES: Final[Mapping[tuple[str, ...], str]] = {
    ("enabled",): "VECTOR_SEARCH_ENABLED",
    ("embedding", "provider"): "VECTOR_EMBEDDING_PROVIDER",
    ("embedding", "model"): "VECTOR_EMBEDDING_MODEL",
    ("vector_store", "provider"): "VECTOR_STORE_PROVIDER",
    ("chunking", "strategy"): "VECTOR_CHUNKING_STRATEGY",
    ("chunking", "chunk_size"): "VECTOR_CHUNK_SIZE",
    ("chunking", "chunk_overlap"): "VECTOR_CHUNK_OVERLAP",
    ("chunking", "respect_headers"): "VECTOR_RESPECT_HEADERS",
    ("search", "top_k"): "VECTOR_SEARCH_TOP_K",
}
_PART: Final = "vector_search"
_LINE: Final = re.compile(r"( *)([A-Za-z_][A-Za-z0-9_-]*):(?:[ \t]+(.*?))?[ \t]*$")
_COMMENT: Final = re.compile(r"(?:^|[ \t])#.*$")
_QUOTED: Final = re.compile(r"\"([^\"]*)\"|'([^']*)'")


def read_seed_file(path: Path) -> tuple[dict[str, str], list[str]]:
    """Read the file.

    Returns:
        Texts by setting's name, and the faults of the file, each a sentence that names the line.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except OSError:
        return {}, [f"{path} cannot be read; check that it is there, and its rights"]
    except UnicodeDecodeError:
        return {}, [f"{path} is not UTF-8 text"]
    texts: dict[str, str] = {}
    faults: list[str] = []
    for number, keys, value in _walk(lines):
        name = _NAMES.get(keys)
        if name is not None and value is not None:
            texts[name] = value
        elif name is None and value is not None:
            faults.append(f"{path} line {number}: {_PART}.{'.'.join(keys) or '?'} is not known here")
    return texts, faults


def _walk(lines: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...], str | None]]:
    """Give line number, keys and value of each line of the part; a line that is no key has no keys."""
    above: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        bare = _strip_comment(line)
        if not bare.strip() or bare.strip() == "---":
            continue
        found = _LINE.match(bare)
        indent = len(bare) - len(bare.lstrip(" "))
        above = [(depth, key) for depth, key in above if depth < indent]
        if found is not None:
            above.append((indent, found[2]))
        keys = tuple(key for _, key in above)
        if keys[:1] != (_PART,) or (len(keys) == 1 and found is not None and not found[3]):
            continue
        yield number, keys[1:] if found is not None else (), _unquote(found[3]) if found is not None else ""


def _strip_comment(line: str) -> str:
    return line if _QUOTED.search(line) else _COMMENT.sub("", line)


def _unquote(value: str | None) -> str | None:
    if not value:
        return None
    quoted = _QUOTED.match(value)
    return value if quoted is None else quoted[1] if quoted[1] is not None else quoted[2]
