"""The rules of the house that no tool knows, tried on made-up breaches and held against all files."""

import importlib
import pkgutil
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import vmk_mcp
from tests.house import (
    EMPTY_WORDS,
    FORBIDDEN_IMPORTS,
    FUNCTION_LINES,
    MODULE_LINES,
    PACKAGE,
    ROOT,
    TESTS,
    TOP_LEVEL,
    import_breaches,
    length_breaches,
    name_breaches,
    python_files,
    sentence_breaches,
    silence_breaches,
    sleep_breaches,
    sql_breaches,
    text_breaches,
    text_files,
    top_level_names,
)
from vmk_mcp.client import ClientError
from vmk_mcp.errors import VmkError


def held(rule: Callable[[str], list[str]], paths: list[Path]) -> list[str]:
    """Hold `rule` against files; gives the breaches, with the file's place."""
    assert paths
    return [
        f"{path.relative_to(ROOT)}: {breach}"
        for path in paths
        for breach in rule(path.read_text(encoding="utf-8"))
    ]


def error_names() -> set[str]:
    """Name all errors with a code, the refusals of the guard, and what the shell is told."""
    for module in pkgutil.walk_packages(vmk_mcp.__path__, "vmk_mcp."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    kinds: list[type[Exception]] = [VmkError, ClientError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return {kind.__name__ for kind in kinds} | {"Refused", "Complaint"}


@pytest.mark.parametrize(
    "source",
    [
        'QUERY = "SELECT l.id FROM listings AS l"',
        'QUERY = "select 1"',
        'QUERY = "\\n  with near as (select 2) table near"',
        'async def f(db, n): await db.execute(f"SET statement_timeout = {n}")',
        'QUERY += " ORDER BY l.id"',
        'QUERY = "delete from listings where id = 1"',
        'QUERY = "Create Table t (id int)"',
    ],
)
def test_sql_in_python_is_found(source: str) -> None:
    assert sql_breaches(source)


@pytest.mark.parametrize(
    "source",
    [
        '"""SELECT is what this module never says."""',
        'TEXT = "Select a listing by its id"',
        'TEXT = "Delete from the index what is gone from the folder"',
        'TEXT = "with all apostrophes"',
        'TEXT = "Update of a listing"',
    ],
)
def test_prose_is_not_taken_for_sql(source: str) -> None:
    assert not sql_breaches(source)


def test_no_string_of_the_package_reads_as_sql() -> None:
    assert held(sql_breaches, python_files(PACKAGE)) == []


def test_a_module_and_a_function_past_their_limits_are_found() -> None:
    long_function = "def f():\n" + "    x = 1\n" * FUNCTION_LINES
    assert length_breaches(long_function) == [
        f"line 1: f has {FUNCTION_LINES + 1} lines; at most {FUNCTION_LINES}"
    ]
    assert length_breaches("x = 1\n" * (MODULE_LINES + 1)) == [
        f"{MODULE_LINES + 1} lines; at most {MODULE_LINES}"
    ]


def test_a_docstring_does_not_make_a_function_long() -> None:
    docstring = '    """Say much.\n' + "    more\n" * FUNCTION_LINES + '    """\n'
    assert length_breaches("def f():\n" + docstring + "    return 1\n") == []


def test_modules_and_functions_stay_short() -> None:
    assert held(length_breaches, python_files(PACKAGE) + python_files(TESTS)) == []


def test_no_module_is_named_by_a_word_that_says_nothing() -> None:
    paths = [*PACKAGE.rglob("*"), *TESTS.rglob("*.py")]
    named = {path.relative_to(ROOT): EMPTY_WORDS & set(path.stem.split("_")) for path in paths}
    assert {path: words for path, words in named.items() if words} == {}


@pytest.mark.parametrize("name", ["PoolManager", "Utils", "ListingData"])
def test_a_class_name_that_says_nothing_is_found(name: str) -> None:
    assert name_breaches(f"class {name}: pass")


def test_no_class_is_named_by_a_word_that_says_nothing() -> None:
    assert held(name_breaches, python_files(PACKAGE) + python_files(TESTS)) == []


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('raise NotFound("There is no listing 7.", hint="Take another.")', 0),
        ('raise errors.NotFound("there is no listing 7.", hint="take another")', 2),
        ('raise NotFound(f"There is no listing {number}")', 0),
        ('raise NotFound(f"{name} cannot be", field="filters.city")', 1),
        ('raise NotOffered("there is no listing")', 0),
    ],
)
def test_an_error_that_is_no_sentence_is_found(source: str, count: int) -> None:
    assert len(sentence_breaches(source, {"NotFound"})) == count


def test_each_error_begins_with_a_capital_and_ends_with_a_full_stop() -> None:
    names = error_names()
    assert held(partial(sentence_breaches, errors=names), python_files(PACKAGE)) == []
    assert held(partial(sentence_breaches, errors={"Refusal"}), python_files(PACKAGE / "web")) == []


def test_a_rule_switched_off_without_a_reason_is_found() -> None:
    # The marks are put together here, so that they switch nothing off in this file.
    mark, ignore = "# no" + "qa: ", "# type: " + "ignore"
    assert silence_breaches(f"x = 1  {mark}S101")
    assert silence_breaches(f"x = 1  {mark}S101, E501")
    assert silence_breaches(f"x = 1  {ignore}[attr-defined]")
    assert not silence_breaches(f"x = 1  {mark}S101 - the caller checked it")
    assert not silence_breaches(f"x = 1  {ignore}[attr-defined]  # the stubs lack it")


def test_each_rule_switched_off_carries_its_reason() -> None:
    assert held(silence_breaches, python_files(PACKAGE) + python_files(TESTS)) == []


def test_a_forbidden_import_is_found() -> None:
    assert import_breaches("import asyncpg.exceptions", {"asyncpg"})
    assert import_breaches("from vmk_mcp import web", {"vmk_mcp.web"})
    assert not import_breaches("import asyncpg_stubs", {"asyncpg"})


@pytest.mark.parametrize("folder", FORBIDDEN_IMPORTS)
def test_tests_import_only_what_their_folder_may_touch(folder: str) -> None:
    forbidden = FORBIDDEN_IMPORTS[folder]
    assert [
        f"{path.relative_to(ROOT)}: {breach}"
        for path in python_files(TESTS / folder)
        for breach in import_breaches(path.read_text(encoding="utf-8"), forbidden)
    ] == []


def test_a_sleeping_test_is_found() -> None:
    assert sleep_breaches("async def f(): await asyncio.sleep(0.1)")
    assert not sleep_breaches("async def f(): await asyncio.sleep(0)")


def test_unit_tests_never_sleep() -> None:
    assert held(sleep_breaches, python_files(TESTS / "unit")) == []


def test_each_sql_file_is_loaded_somewhere() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in python_files(PACKAGE))
    names = {f"{path.parent.parent.name}/{path.stem}" for path in PACKAGE.glob("*/sql/*.sql")}
    assert names
    assert sorted(name for name in names if f'"{name}"' not in source) == []


def test_sql_files_are_named_by_verb_and_object() -> None:
    stems = [path.stem for path in PACKAGE.glob("*/sql/*.sql")]
    assert [stem for stem in stems if not re.fullmatch(r"[a-z]+(?:_[a-z0-9]+)+", stem)] == []


def test_each_module_can_be_imported_alone() -> None:
    """Loading a module also checks the header and the one statement of each SQL file that it names."""
    names = [module.name for module in pkgutil.walk_packages(vmk_mcp.__path__, "vmk_mcp.")]
    assert names
    for name in names:
        if not name.endswith("__main__"):
            importlib.import_module(name)


def test_the_top_level_holds_what_it_should_and_no_more() -> None:
    assert top_level_names(ROOT) == TOP_LEVEL


def test_without_git_the_top_level_is_what_lies_there(tmp_path: Path) -> None:
    for name in ("README.md", "listings.csv", ".env"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert top_level_names(tmp_path) == {"README.md", "listings.csv"}


def test_foreign_hosts_machine_paths_and_torn_last_lines_are_found() -> None:
    host, folder = ".".join(["pypi", "org"]), "/".join(["", "home", "me"])
    assert text_breaches(f"--index-url {host}\n")
    assert text_breaches(f"see {folder}/project\n")
    assert text_breaches("no newline")
    assert text_breaches("a line\r\n")
    assert not text_breaches("plain\n")


def test_committed_texts_speak_of_no_machine_and_end_in_a_newline() -> None:
    assert held(text_breaches, list(text_files())) == []
