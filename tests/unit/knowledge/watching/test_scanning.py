"""What a look at a folder sees, and what it does not take for gone."""

import hashlib
import os
from pathlib import Path

import pytest

from vmk_mcp.knowledge.watching.model import SeenFile
from vmk_mcp.knowledge.watching.scanning import FolderScanner

LATER_NS = 10**20


def make_scanner(folder: Path, now_ns: int = LATER_NS, *, is_shared: bool = True) -> FolderScanner:
    return FolderScanner(folder, lambda: now_ns, is_shared=is_shared)


def test_files_are_found_at_every_depth_with_their_hashes(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for path, content in (("x.md", b"1"), ("a/y.txt", b""), ("a/b/назва з пробілом.md", b"2" * 3_000_000)):
        (tmp_path / path).write_bytes(content)
    scan = make_scanner(tmp_path).scan()
    assert set(scan.files) == {"x.md", "a/y.txt", "a/b/назва з пробілом.md"}
    assert scan.files["x.md"] == SeenFile(hashlib.sha256(b"1").hexdigest(), 1)
    assert scan.files["a/b/назва з пробілом.md"].size == 3_000_000
    assert not scan.hidden


def test_other_peoples_folders_and_hidden_entries_are_passed_over(tmp_path: Path) -> None:
    for path in ("users/7", ".git", "a/users"):
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "x.md").write_text("x")
    (tmp_path / ".x.md.swp").write_text("x")
    assert set(make_scanner(tmp_path).scan().files) == {"a/users/x.md"}
    assert set(make_scanner(tmp_path / "users" / "7", is_shared=False).scan().files) == {"x.md"}
    (tmp_path / "users" / "7" / "users").mkdir()
    (tmp_path / "users" / "7" / "users" / "x.md").write_text("x")
    assert "users/x.md" in make_scanner(tmp_path / "users" / "7", is_shared=False).scan().files


def test_what_is_no_text_by_its_name_is_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("film.mp4", "README", "notes.MD"):
        (tmp_path / name).write_text("x")
    refuse_reading(monkeypatch, tmp_path / "film.mp4", tmp_path / "README")
    scan = make_scanner(tmp_path).scan()
    assert (set(scan.files), scan.hidden) == ({"notes.MD"}, frozenset())


def test_a_file_too_large_to_be_indexed_is_known_by_its_size_and_time_alone(tmp_path: Path) -> None:
    huge = tmp_path / "huge.md"
    with huge.open("wb") as file:
        file.truncate(2**40)
    first = make_scanner(tmp_path).scan()
    assert make_scanner(tmp_path).scan() == first
    os.utime(huge, (1, 1))
    assert make_scanner(tmp_path).scan() != first


def test_links_loops_and_pipes_are_not_followed_and_block_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.md").write_text("x")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "link.md").symlink_to("a/x.md")
    (tmp_path / "gone.md").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.md")
    scan = make_scanner(tmp_path).scan()
    assert (set(scan.files), scan.hidden) == ({"a/x.md"}, frozenset())


def test_a_file_that_became_a_pipe_or_a_link_since_it_was_listed_is_not_read(tmp_path: Path) -> None:
    scanner = make_scanner(tmp_path)
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "link.md").symlink_to("pipe.md")
    assert scanner._look_at("pipe.md") is None
    with pytest.raises(OSError, match="symbolic links"):
        scanner._look_at("link.md")


def test_of_a_folder_that_is_not_there_nothing_is_known(tmp_path: Path) -> None:
    scan = make_scanner(tmp_path / "absent").scan()
    assert (scan.files, scan.hidden) == ({}, frozenset({""}))


def test_what_may_not_be_read_is_hidden_and_the_rest_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    for path in ("closed/x.md", "secret.md", "open.md"):
        (tmp_path / path).write_text("x")
    refuse_reading(monkeypatch, tmp_path / "closed", tmp_path / "secret.md")
    scan = make_scanner(tmp_path).scan()
    assert (set(scan.files), scan.hidden) == ({"open.md"}, frozenset({"closed", "secret.md"}))


def test_names_that_are_no_utf8_are_counted_and_names_with_line_breaks_are_kept(tmp_path: Path) -> None:
    Path(os.fsdecode(bytes(tmp_path) + b"/\xff\xfe.md")).write_text("x")
    (tmp_path / "two\nlines.md").write_text("x")
    scan = make_scanner(tmp_path).scan()
    assert (set(scan.files), scan.nameless) == ({"two\nlines.md"}, 1)


def test_what_has_not_changed_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.md").write_text("x")
    scanner = make_scanner(tmp_path)
    first = scanner.scan()
    refuse_reading(monkeypatch, tmp_path / "x.md")
    assert scanner.scan() == first


def test_a_change_that_keeps_size_and_time_of_change_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "x.md"
    file.write_text("one")
    os.utime(file, ns=(10**9, 10**9))
    scanner = make_scanner(tmp_path)
    first = scanner.scan()
    file.write_text("two")
    os.utime(file, ns=(10**9, 10**9))
    assert scanner.scan() != first


def test_a_file_changed_a_moment_ago_is_read_again_whichever_way_the_clock_jumps(tmp_path: Path) -> None:
    file = tmp_path / "x.md"
    file.write_text("one")
    changed_ns = file.stat().st_ctime_ns
    for now_ns, is_kept in ((changed_ns, False), (changed_ns - 10**9, False), (changed_ns - 10**12, True)):
        scanner = make_scanner(tmp_path, now_ns)
        scanner.scan()
        assert bool(scanner._hashes) is is_kept


def refuse_reading(monkeypatch: pytest.MonkeyPatch, *closed: Path) -> None:
    """Refuse to open or list these; the account of the tests may be one that may read everything."""
    real_open, real_scandir = os.open, os.scandir

    def open_unless_closed(path: Path, flags: int) -> int:
        if Path(path) in closed:
            raise PermissionError(13, "closed")
        return real_open(path, flags)

    def scandir_unless_closed(path: Path) -> object:
        if Path(path) in closed:
            raise PermissionError(13, "closed")
        return real_scandir(path)

    monkeypatch.setattr("vmk_mcp.knowledge.watching.scanning.os.open", open_unless_closed)
    monkeypatch.setattr("vmk_mcp.knowledge.watching.scanning.os.scandir", scandir_unless_closed)
