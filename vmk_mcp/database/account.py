"""Which account runs the embedded server, and which folder that account can reach."""

import hashlib
import os
import pwd
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from vmk_mcp.errors import StartError

# Where clusters go that root starts for a folder which the server's account cannot enter.
_SHARED_ROOT: Final = Path("/var/lib/vmk-mcp")
_CANDIDATES: Final = ("postgres", "nobody")


class Account(Struct, frozen=True):
    """The account that owns the cluster and runs the server.

    Attributes:
        dropped: it is another account than ours, which is root.
    """

    name: str
    uid: int
    gid: int
    dropped: bool

    def own(self, path: Path) -> None:
        """Hand `path` to this account."""
        if self.dropped:
            os.chown(path, self.uid, self.gid)


def choose_account(cluster: Path) -> Account:
    """Choose who runs the server: us, or, as Postgres refuses root, someone with less power.

    Args:
        cluster: folder of the cluster; if it exists, its owner goes on running it.

    Raises:
        StartError: we are root and there is no account to drop to.
    """
    if os.geteuid() != 0:
        return Account("", os.geteuid(), os.getegid(), dropped=False)
    if cluster.exists() and (owner := cluster.stat()).st_uid != 0:
        return Account(str(owner.st_uid), owner.st_uid, owner.st_gid, dropped=True)
    for name in _CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid, dropped=True)
    raise StartError(
        "Postgres does not run as root, and there is neither an account `postgres` nor `nobody`.",
        hint="Start vmk-mcp as another user, or set DATABASE_URL.",
    )


def can_enter(folder: Path, account: Account) -> bool:
    """Say whether `account` may pass through `folder` and all folders above it, by their modes."""
    for step in (folder, *folder.parents):
        state = step.stat()
        if state.st_uid == account.uid:
            bit = 0o100
        elif state.st_gid == account.gid:
            bit = 0o010
        else:
            bit = 0o001
        if not state.st_mode & bit:
            return False
    return True


def find_home(data_dir: Path, name: str) -> Path:
    """Give the folder of the cluster `name`: in `data_dir`, or where an earlier start moved it."""
    note = _note(data_dir, name)
    if note.exists():
        return Path(note.read_text("utf-8").strip())
    return data_dir / name


def place_home(data_dir: Path, name: str, say: Callable[[str], None]) -> Path:
    """Make the folder of the cluster `name`, out of `data_dir` where the server could not enter that.

    No mode of a folder that exists is changed; the other place is noted in `data_dir`.
    """
    _make_folder(data_dir)
    home = find_home(data_dir, name)
    if home == data_dir / name and not home.exists():
        account = choose_account(home)
        if account.dropped and not can_enter(data_dir, account):
            home = _SHARED_ROOT / hashlib.sha256(str(data_dir).encode()).hexdigest()[:12] / name
            _note(data_dir, name).write_text(f"{home}\n", "utf-8")
            say(f"{data_dir} is closed to the account {account.name}; the cluster lies in {home}")
    _make_folder(home)
    return home


def _make_folder(path: Path) -> None:
    for folder in (*reversed(path.parents), path):
        if not folder.exists():
            folder.mkdir()
            # Under root's umask of 077 the server could not enter what we just made.
            folder.chmod(0o755)


def _note(data_dir: Path, name: str) -> Path:
    return data_dir / f"{name}.location"
