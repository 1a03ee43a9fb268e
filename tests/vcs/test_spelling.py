"""A file of several spellings is one file, by the spelling that git has for it."""

import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from spark_tui.errors import Conflict, RepoError
from spark_tui.vcs import spelling
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.staging import Stager
from tests.vcs.repos import git, make_repo, write_files

COMPOSED = "Ünïcode.py"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)
OLD, NEW = b"a = 1\nb = 2\n", b"a = 1\nb = 22\n"
FILES = {"README.md": b"hello\n", "src/a.py": OLD, COMPOSED: OLD}


class _Trusting(Trust):
    """A user who trusts every repository."""

    def __init__(self) -> None:
        """Look at none."""

    def require(self, what: str) -> None:
        """Refuse nothing."""


@pytest.fixture
def folding_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls that look at names, as on a disk that ignores case and how accents are written."""
    look, names = os.lstat, os.listdir

    def listed(path: str) -> str:
        found = Path("/")
        for name in Path(path).parts[1:]:
            entries = names(found) if found.is_dir() else []
            same = [each for each in entries if _key(each) == _key(name)]
            found /= name if name in same or not same else same[0]
        return str(found)

    def lstat(path: Any, **options: Any) -> os.stat_result:
        if options.get("dir_fd") is None and not isinstance(path, int):
            return look(listed(os.fsdecode(path)))
        return look(path, **options)

    monkeypatch.setattr(os, "lstat", lstat)
    monkeypatch.setattr(os, "listdir", lambda path=".": names(listed(os.fsdecode(path))))


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        ("readme.md", "README.md"),
        ("SRC/A.PY", "src/a.py"),
        ("SRC/new.py", "src/new.py"),
        (DECOMPOSED.lower(), COMPOSED),
        ("other.md", "other.md"),
    ],
)
@pytest.mark.usefixtures("folding_calls")
def test_a_path_is_spelled_as_git_has_it(tmp_path: Path, typed: str, known: str) -> None:
    repo = Repository.discover(make_repo(tmp_path / "work", FILES))

    assert repo.resolve(typed, start=repo.root) == known


@pytest.mark.parametrize("name", ["readme.md", DECOMPOSED])
def test_where_names_differ_each_is_a_file_of_its_own(tmp_path: Path, name: str) -> None:
    root = make_repo(tmp_path / "work", FILES)
    write_files(root, {name: b"another\n"})
    repo = Repository.discover(root)

    assert repo.resolve(name, start=root) == name
    assert set(repo.files()) == {*FILES, name}
    assert not spelling.ignores_case(root)


@pytest.mark.usefixtures("folding_calls")
def test_what_the_disk_spells_in_another_way_than_git_is_listed_once(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "work", FILES)
    (root / "README.md").rename(root / "Readme.md")
    (root / COMPOSED).rename(root / DECOMPOSED)

    assert set(Repository.discover(root).names()) == set(FILES)


@pytest.mark.usefixtures("folding_calls")
def test_of_two_tracked_spellings_the_one_on_the_disk_is_listed(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "work", {"README.md": b"one\n", "readme.md": b"two\n"})
    (root / "README.md").unlink()

    assert Repository.discover(root).names() == ("readme.md",)


@pytest.mark.usefixtures("folding_calls")
def test_a_repository_is_found_by_any_spelling_of_its_folder(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "Work", FILES)

    assert spelling.on_disk(tmp_path / "WORK") == root
    assert spelling.on_disk(tmp_path / "gone") == tmp_path / "gone"


# On such a disk, with git's own view of it


def _names(folder: Path) -> set[str]:
    return {place.name for place in folder.iterdir()}


def _make_repo(folder: Path) -> Path:
    """A repository whose index has composed names, as git on macOS writes them."""
    root = make_repo(folder, FILES)
    blob = git(root, "hash-object", COMPOSED)
    git(root, "rm", "--quiet", "--cached", "--ignore-unmatch", "--", COMPOSED, DECOMPOSED)
    git(root, "update-index", "--add", "--cacheinfo", f"100644,{blob.decode().strip()},{COMPOSED}")
    git(root, "commit", "--quiet", "--allow-empty", "--message=composed")
    return root


def test_git_and_spark_list_the_same_on_such_a_disk(folding_folder: Path) -> None:
    root = _make_repo(folding_folder / "Work")
    repo = Repository.discover(folding_folder / "work")

    assert repo.root == root
    assert repo.ignores_case
    assert set(repo.names()) == set(FILES)
    assert git(root, "ls-files", "-z").decode().rstrip("\0").split("\0") == sorted(FILES)
    assert repo.resolve("Readme.MD", start=root) == "README.md"


def test_git_may_spell_the_work_tree_in_another_way(folding_folder: Path) -> None:
    root = _make_repo(folding_folder / "work")
    git(root, "config", "core.worktree", str(folding_folder / "WORK"))
    make_repo(folding_folder / "other", {})
    repo = Repository.discover(root)
    git(root, "config", "core.worktree", str(folding_folder / "OTHER"))

    assert repo.root == root
    with pytest.raises(RepoError, match="to another folder"):
        Repository.discover(root)


@pytest.mark.parametrize("ignores", ["true", "false"])
def test_a_repository_from_elsewhere_has_each_file_once(folding_folder: Path, ignores: str) -> None:
    root = _make_repo(folding_folder / "work")
    git(root, "config", "core.ignorecase", ignores)
    (root / "README.md").rename(root / "readme.md")

    assert "readme.md" in _names(root)
    assert set(Repository.discover(root).names()) == set(FILES)


@pytest.mark.parametrize("typed", [COMPOSED, DECOMPOSED, COMPOSED.lower()])
def test_a_file_by_any_spelling_is_accepted_undone_and_redone(
    folding_folder: Path,
    tmp_path: Path,
    typed: str,
) -> None:
    root = _make_repo(folding_folder / "work")
    listed = _names(root)
    repo = Repository.discover(root)
    batches = Batches(repo, tmp_path / "state")
    path = repo.resolve(typed, start=root)

    batches.accept([FileChange(path, OLD, NEW)], "accept")
    assert (root / COMPOSED).read_bytes() == NEW
    batches.undo()
    assert (root / COMPOSED).read_bytes() == OLD
    batches.redo()
    assert (root / COMPOSED).read_bytes() == NEW
    assert _names(root) == listed


@pytest.mark.parametrize("typed", [DECOMPOSED, "SRC/A.py"])
def test_what_is_staged_goes_into_the_entry_that_git_has(
    folding_folder: Path,
    tmp_path: Path,
    typed: str,
) -> None:
    root = _make_repo(folding_folder / "work")
    entries = git(root, "ls-files", "-z")
    repo = Repository.discover(root)
    path = repo.resolve(typed, start=root)
    (root / path).write_bytes(NEW)

    Stager(repo, _Trusting(), tmp_path / "state").stage([FileChange(path, OLD, NEW)])

    assert git(root, "ls-files", "-z") == entries
    assert git(root, "cat-file", "blob", f":{path}") == NEW
    assert git(root, "diff", "--name-only") == b""


def test_an_edit_is_taken_back_after_a_rename_by_case_alone(
    folding_folder: Path,
    tmp_path: Path,
) -> None:
    root = _make_repo(folding_folder / "work")
    batches = Batches(Repository.discover(root), tmp_path / "state")
    batches.accept([FileChange("README.md", b"hello\n", b"bye\n")], "accept")
    (root / "README.md").rename(root / "ReadMe.md")

    batches.undo()

    assert (root / "ReadMe.md").read_bytes() == b"hello\n"
    assert "ReadMe.md" in _names(root)


def test_two_spellings_of_one_file_are_no_two_files_of_a_batch(
    folding_folder: Path,
    tmp_path: Path,
) -> None:
    root = _make_repo(folding_folder / "work")
    batches = Batches(Repository.discover(root), tmp_path / "state")
    twice = [FileChange(path, b"hello\n", b"bye\n") for path in ("README.md", "readme.md")]

    with pytest.raises(Conflict, match="are one file"):
        batches.accept(twice, "twice")
    with pytest.raises(Conflict, match="nothing was written"):
        batches.accept([FileChange("readme.md", None, b"new\n")], "new")

    assert (root / "README.md").read_bytes() == b"hello\n"
