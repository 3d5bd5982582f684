"""How the command line speaks: help with an example, failures in words, progress on stderr."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import IO, Any

import click

from vmk_mcp.errors import SettingsError, VmkError


class Complaint(click.ClickException):
    """Ends the command with status 1; says on stderr what is wrong and what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def show(self, file: IO[Any] | None = None) -> None:
        """See `click.ClickException`."""
        for line in filter(None, (f"Error: {self.message}", self.hint)):
            click.echo(line, file=file, err=file is None)


class Misuse(Complaint):
    """Ends the command with status 2: it was not told what it needs."""

    exit_code = 2


def complain_of(error: VmkError) -> Complaint:
    """Put a failure of ours into words; wrong settings are a misuse."""
    kind = Misuse if isinstance(error, SettingsError) else Complaint
    return kind(error.message, error.hint)


class _WithExample(click.Command):
    """A command whose help ends with lines to paste."""

    def __init__(self, *args: Any, example: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self._example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """See `click.Command`; the lines stay as they are: wrapped, they could not be pasted."""
        with formatter.section("Example"):
            for line in self._example.splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class ExampleCommand(_WithExample):
    """A command; `example` holds lines to paste."""


class ExampleGroup(_WithExample, click.Group):
    """A group of commands; `example` holds lines to paste."""


def tell(line: str) -> None:
    """Say on stderr what is being done."""
    click.echo(line, err=True)


def started_as() -> str:
    """Give the command by which this process was started, quoted for a shell.

    A bare `vmk-mcp` is given only where the shell's PATH finds this very file.
    """
    program = Path(sys.argv[0])
    if program.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m {program.parent.name}"
    found = shutil.which(program.name)
    if found is not None and Path(found).absolute() == program.absolute():
        return shlex.quote(program.name)
    return shlex.quote(sys.argv[0])
