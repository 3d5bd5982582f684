"""`vmk-mcp watch`."""

from pathlib import Path
from typing import Any, Final

import click
from msgspec import Struct

from vmk_mcp.bootstrap.watching import WatchOrder, settle_once
from vmk_mcp.bootstrap.watching import watch as keep_watching
from vmk_mcp.cli.call import complete_url
from vmk_mcp.cli.progress import shown_bar
from vmk_mcp.cli.speech import ExampleCommand, Misuse, tell
from vmk_mcp.knowledge.watching.watcher import Voice
from vmk_mcp.settings import Settings, read_settings
from vmk_mcp.web.local_access import AccessFolder

_EXAMPLE: Final = """\
vmk-mcp watch --root documents --url http://127.0.0.1:8080/mcp --token-file watcher.token
vmk-mcp watch --root /srv/documents --once"""

_STATE: Final = "vector_search_hashes"
_FOLDER = click.Path(file_okay=False, path_type=Path)
_FILE = click.Path(dir_okay=False, path_type=Path)


class _Given(Struct, kw_only=True):
    """What was said on the command line; None: nothing."""

    root: Path | None
    url: str | None
    token_file: Path | None
    user_id: int | None
    polls: bool
    lets_empty: bool
    state: Path | None


@click.command(cls=ExampleCommand, example=_EXAMPLE)
@click.option("--root", type=_FOLDER, help="Folder of the service's documents.  [default: KB_PATH]")
@click.option("--url", help="Address of the service.  [default: VMK_URL, or the service last started here]")
@click.option(
    "--token-file",
    type=_FILE,
    help="File that holds a token with the rights knowledge and knowledge.index.  "
    "[default: that of the service started here]",
)
@click.option("--user-id", type=int, help="Watch the documents of this user, not the shared ones.")
@click.option("--poll", "polls", is_flag=True, help="Look every second: network folders send no events.")
@click.option("--once", is_flag=True, help="Bring the index up to date and leave; for cron.")
@click.option(
    "--let-empty",
    "lets_empty",
    is_flag=True,
    help="Take all out of the index where nothing lies in the folder, as where it is not mounted.",
)
@click.option("--state", type=_FILE, help="File of what was confirmed.  [default: in DATA_DIR]")
@click.pass_context
def watch(ctx: click.Context, /, *, once: bool, **given: Any) -> None:
    """Keep the service's index as a folder of documents is, until Ctrl-C or SIGTERM.

    New, changed and removed files are told to the service as they come, and all files are compared every five
    minutes, or at once on SIGUSR1. What the service confirmed is remembered from start to start. With --once,
    status 1 says that some files could not be indexed.
    """
    order = _make_order(read_settings(), _Given(**given))
    with shown_bar("Indexing") as bar:
        voice = Voice(tell, bar.show)
        if not once:
            keep_watching(order, voice)
            return
        failed = settle_once(order, voice)
    if failed:
        tell(f"{failed:,} files could not be indexed.")
        ctx.exit(1)


def _make_order(settings: Settings, given: _Given) -> WatchOrder:
    """Give the order; what was left out is as it is set, else as a service started here has it."""
    root = given.root or settings.knowledge.folder
    if root is None:
        raise Misuse("No folder to watch is named.", "Name it with --root, or set KB_PATH.")
    own = AccessFolder(settings.data_dir).find_addresses(settings.server.host, settings.server.port)
    told = given.url or settings.client.url
    owner = "" if given.user_id is None else f".{given.user_id}"
    return WatchOrder(
        root=root,
        url=complete_url(told) if told else own[0],
        token_file=given.token_file or settings.data_dir / "token",
        memory_file=given.state or settings.data_dir / f"{_STATE}{owner}.json",
        user_id=given.user_id,
        polls=given.polls,
        lets_empty=given.lets_empty,
    )
