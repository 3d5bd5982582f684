"""Reading documents: what is refused, what is read, and that nobody is led out of the folder."""

import errno
import os
from pathlib import Path

import pytest

from vmk_mcp.knowledge.documents import MAX_BYTES, is_document
from vmk_mcp.knowledge.folders import DocumentFolder, Refused, list_users


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "documents"
    (root / "users" / "7").mkdir(parents=True)
    (root / "guides").mkdir()
    (root / "guides" / "rent.md").write_text("слова", "utf-8")
    (root / "users" / "7" / "mine.md").write_text("мої", "utf-8")
    (tmp_path / "secret.md").write_text("секрет", "utf-8")
    return root


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../secret.md", "guides/../../secret.md", "guides/..", "a\0b.md", "..",
     "users/7/mine.md", "users", ".", "a" * 300 + "/" + "b" * 5000 + ".md", "\udcff.md"],
)  # fmt: skip
def test_a_path_that_leads_out_is_refused(root: Path, path: str) -> None:
    with pytest.raises(Refused):
        DocumentFolder(root, None).read(DocumentFolder(root, None).locate(path))


def test_a_path_that_no_index_can_keep_is_refused_by_its_length(root: Path) -> None:
    folder = DocumentFolder(root, None)
    assert folder.locate("я/" * 600 + "a.md")
    with pytest.raises(Refused, match="longer than 2,000 bytes"):
        folder.locate("я/" * 700 + "a.md")


@pytest.mark.parametrize("path", ["guides/rent.md", "./guides//rent.md", "guides/./rent.md"])
def test_one_file_has_one_path(root: Path, path: str) -> None:
    folder = DocumentFolder(root, None)
    assert folder.locate(path) == "guides/rent.md"
    assert folder.read("guides/rent.md").content == "слова".encode()


def test_a_link_inside_stands_for_its_file_and_one_that_leads_out_is_refused(root: Path) -> None:
    (root / "inside.md").symlink_to("guides/rent.md")
    (root / "outside.md").symlink_to(root.parent / "secret.md")
    (root / "away").symlink_to(root.parent)
    (root / "private.md").symlink_to("users/7/mine.md")
    (root / "round.md").symlink_to("round.md")
    (root / "whirl").symlink_to("whirl")
    folder = DocumentFolder(root, None)
    assert folder.locate("inside.md") == "guides/rent.md"
    for path in ("outside.md", "away/secret.md", "private.md", "round.md", "whirl/rent.md"):
        with pytest.raises(Refused):
            folder.locate(path)
        assert not folder.has_file(path)
    assert folder.list_documents().paths == ("guides/rent.md",)


def test_a_link_that_is_put_there_after_the_look_is_not_followed(root: Path) -> None:
    folder = DocumentFolder(root, None)
    located = folder.locate("guides/rent.md")
    (root / "guides").rename(root / "elsewhere")
    (root / "guides").symlink_to(root.parent)
    (root.parent / "rent.md").write_text("секрет", "utf-8")
    with pytest.raises(Refused):
        folder.read(located)
    (root / "guides").unlink()
    (root / "guides").mkdir()
    (root / "guides" / "rent.md").symlink_to(root.parent / "secret.md")
    with pytest.raises(Refused):
        folder.read(located)


def test_a_users_folder_that_is_a_link_is_nobodys(root: Path) -> None:
    (root / "users" / "8").symlink_to("7")
    with pytest.raises(Refused):
        DocumentFolder(root, 8).locate("mine.md")
    with pytest.raises(Refused):
        DocumentFolder(root, 8).list_documents()
    assert DocumentFolder(root, 7).locate("mine.md") == "mine.md"
    with pytest.raises(Refused):
        DocumentFolder(root, 7).locate("../../guides/rent.md")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("pipe.md", "a pipe, a socket or a device"),
        ("guides", "The path is a folder"),
        ("device.md", "leads out"),
        ("huge.md", "larger than 10 MiB"),
        ("gone.md", "no such file"),
        ("guides/rent.md/x.md", "no such file"),
    ],
)
def test_what_is_no_file_of_a_fair_size_is_refused_at_once(root: Path, path: str, reason: str) -> None:
    os.mkfifo(root / "pipe.md")
    (root / "device.md").symlink_to("/dev/zero")
    with (root / "huge.md").open("wb") as file:
        file.truncate(1 << 30)
    folder = DocumentFolder(root, None)
    with pytest.raises(Refused, match=reason) as refused:
        folder.read(folder.locate(path))
    assert not refused.value.is_retryable


def test_a_file_of_just_the_cap_is_read(root: Path) -> None:
    (root / "large.md").write_bytes(b"x" * MAX_BYTES)
    assert len(DocumentFolder(root, None).read("large.md").content) == MAX_BYTES
    (root / "large.md").write_bytes(b"x" * (MAX_BYTES + 1))
    with pytest.raises(Refused, match="10 MiB"):
        DocumentFolder(root, None).read("large.md")


def test_a_root_that_is_not_there_is_told_as_such(root: Path) -> None:
    folder = DocumentFolder(root / "nowhere", None)
    with pytest.raises(Refused) as refused:
        folder.list_documents()
    assert refused.value.is_retryable


def test_hidden_files_and_users_are_passed_over(root: Path) -> None:
    for path in (".git/notes.md", ".draft.md", "guides/.cache/a.md", "guides/photo.png", "b.txt"):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("x", "utf-8")
    assert DocumentFolder(root, None).list_documents().paths == ("b.txt", "guides/rent.md")
    assert DocumentFolder(root, 7).list_documents().paths == ("mine.md",)


def test_only_names_that_are_written_as_numbers_are_users(root: Path) -> None:
    for name in ("07", "-5", "0", "-0", "x", "9999999999999999999", "٣"):
        (root / "users" / name).mkdir()
    (root / "users" / "12").write_text("a file", "utf-8")
    assert list_users(root) == [-5, 0, 7]


def test_files_below_a_closed_folder_are_not_taken_for_gone(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan = os.scandir

    def refuse_guides(path: str) -> object:
        if path.endswith("guides"):
            raise PermissionError(errno.EACCES, "closed", path)
        return scan(path)

    monkeypatch.setattr("os.scandir", refuse_guides)
    listing = DocumentFolder(root, None).list_documents()
    assert listing.paths == ()
    assert listing.may_hold("guides/rent.md")
    assert not listing.may_hold("other.md")


@pytest.mark.parametrize(
    ("path", "answer"),
    [("a.md", True), ("a.MD", True), ("dir/a.txt", True), ("a.markdown", True), ("a.rst", False),
     ("a", False), (".a.md", False), (".git/a.md", False), ("md", False)],
)  # fmt: skip
def test_a_document_is_known_by_its_path(path: str, answer: bool) -> None:
    assert is_document(path) is answer
