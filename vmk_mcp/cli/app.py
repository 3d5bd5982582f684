"""The command `vmk-mcp`: subcommands loaded when asked for, failures told in words with an exit status."""

import importlib
import signal
from collections.abc import Mapping
from typing import Any, Final

import click

from vmk_mcp import __version__
from vmk_mcp.cli.speech import ExampleGroup, complain_of
from vmk_mcp.errors import VmkError

_COMMANDS: Final[Mapping[str, str]] = {
    "serve": "Serve over HTTP.",
    "stdio": "Serve one client on stdin and stdout.",
    "call": "Call a tool of a running server.",
    "fixtures": "Serve recorded exchanges, for contract tests of clients.",
    "token": "Make, list and revoke tokens.",
    "doctor": "Check all that the service needs, and say what to do.",
    "audit": "Look into the tables of the spatial family.",
    "eval": "Ask labelled questions, and compare their rows with a gold query's.",
    "init-db": "Make the servers of our own ready, and leave.",
    "load": "Load listings of your own.",
    "embed": "Fill the vectors of listings.",
    "schema": "Show what can be asked.",
    "ask": "Ask a question of the data.",
    "rejection-report": "Count what was asked, and what was refused and why.",
    "watch": "Keep the knowledge index as a folder is.",
    "dsn": "Print the DSN of the embedded server.",
    "roles": "Print the script that makes our roles in a foreign database.",
}
"""Command -> what it does; the module and the function in it are named like it, with `_` for `-`."""

_EXAMPLE: Final = """\
vmk-mcp serve
vmk-mcp call search_similar_listings '{"query": "двокімнатна біля метро"}'"""


class LazyCommands(ExampleGroup):
    """A group that imports a command's module only when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """See `click.Group`; in the order in which people need them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """See `click.Group`."""
        if cmd_name not in _COMMANDS:
            return None
        from vmk_mcp.settings import calm_native_threads  # noqa: PLC0415 - the bare --help needs no settings

        if cmd_name == "watch":
            # Its modules take half a second, in which a signal that asks for a look would end it; the first
            # thing that it does is to look.
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        # Before a command's module imports numpy, which looks at the environment only then.
        calm_native_threads()
        word = cmd_name.replace("-", "_")
        command = getattr(importlib.import_module(f"vmk_mcp.cli.{word}"), word)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """See `click.Group`; imports nothing."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """See `click.Group`; what people can mend becomes words and an exit status."""
        try:
            return super().invoke(ctx)
        except VmkError as error:
            raise complain_of(error) from error


@click.command(cls=LazyCommands, example=_EXAMPLE, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vmk-mcp")
def main() -> None:
    """Read-only search over a real Postgres for AI agents, served over MCP."""
