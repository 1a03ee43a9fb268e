import errno
import os
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from spark_tui.errors import Conflict, FileError, SparkError, UsageError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.safe_paths import check_path, read_each, read_file
from tests.vcs.benches import NEW, OLD, Bench
from tests.vcs.repos import make_repo, tree, write_files

OUTSIDE = [
    "",
    "/etc/passwd",
    "..",
    "../x.py",
    "a/../../x.py",
    "./a.py",
    "a//b.py",
    "a/",
    "a\0.py",
    "a/./b.py",
]
OF_GIT = [
    ".git",
    ".git/config",
    ".GIT/hooks/pre-commit",
    "pkg/.Git/config",
    "git~1/config",
    "GIT~1/config",
    ".git./config",
    ".git /config",
    ".git::$INDEX_ALLOCATION/config",
    ".git\\config",
    ".g\u200cit/config",
    "\ufeff.git/config",
    "a/.gI\u202et/config",
    "pkg\\.git\\config",
    "pkg\\GIT~1/config",
    ".git...  ./config",
    ".git:stream",
    "pkg/.git. :$DATA/config",
    "git~1.",
]


@pytest.mark.parametrize(
    "path",
    ["a.py", ".gitignore", ".github/x.yml", "git/a.py", "a b/\u00e9.py", "..a.py", "x.git/a"],
)
def test_ordinary_paths_pass(path: str) -> None:
    check_path(path)


@pytest.mark.parametrize("path", [*OUTSIDE, *OF_GIT])
def test_a_batch_with_such_a_path_writes_nothing(root: Path, batches: Batches, path: str) -> None:
    before = tree(root)
    config = (root / ".git" / "config").read_bytes()

    with pytest.raises(
        UsageError, match="belongs to git" if path in OF_GIT else "not a path inside the repository"
    ):
        batches.accept(
            [FileChange("a.py", b"one\ntwo\nthree\n", b"x\n"), FileChange(path, None, b"x\n")],
            "attack",
        )

    assert tree(root) == before
    assert (root / ".git" / "config").read_bytes() == config


@pytest.mark.parametrize(
    "path", ["link.py", "folder/b.py", "dangling.py", "pipe.py", "pkg", "sub/s.py"]
)
def test_what_is_not_a_regular_file_of_this_repository_is_never_written(
    root: Path, batches: Batches, tmp_path: Path, path: str
) -> None:
    write_files(tmp_path, {"outside.py": b"mine\n", "away/b.py": b"mine\n"})
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    (root / "folder").symlink_to(tmp_path / "away")
    (root / "dangling.py").symlink_to(tmp_path / "made.py")
    os.mkfifo(root / "pipe.py")
    make_repo(root / "sub", {"s.py": b"mine\n"})

    for before in (None, b"mine\n"):
        with pytest.raises(SparkError):
            batches.accept(
                [FileChange(path, before, b"x\n"), FileChange("new.py", None, b"x\n")], "attack"
            )

    assert tree(tmp_path / "away") == {"b.py": b"mine\n"}
    assert (tmp_path / "outside.py").read_bytes() == b"mine\n"
    assert not (tmp_path / "made.py").exists()
    assert not (root / "new.py").exists()
    assert not list(root.rglob("*.tmp"))
    assert batches.log() == ()


def test_a_folder_swapped_for_a_link_is_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "b.py").write_bytes(b"secret\n")
    (root / "pkg").rename(root / "moved")
    (root / "pkg").symlink_to(tmp_path / "away")

    with pytest.raises(FileError, match="pkg is not a plain folder"):
        read_file(root, "pkg/b.py")


def _open_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_many_files_are_read_as_each_is_read_alone(root: Path, tmp_path: Path) -> None:
    write_files(root, {"pkg/c.py": b"c\n", "pkg/deep/d.py": b"", "large.py": b"0123456789"})
    make_repo(root / "inner", {"x.py": b"x\n"})
    write_files(tmp_path, {"outside.py": b"secret\n"})
    (root / "pkg" / "link.py").symlink_to(tmp_path / "outside.py")
    (root / "linked").symlink_to(tmp_path)
    os.mkfifo(root / "pkg" / "pipe.py")
    paths = ["gone.py", "large.py", "pkg/b.py", "pkg/c.py", "pkg/deep/d.py", "pkg/gone.py"]
    odd = ["inner/x.py", "linked/outside.py", "pkg/link.py", "pkg/pipe.py", "pkg", ".git/config"]

    expected = [(path, read_file(root, path, 5)) for path in paths]
    assert list(read_each(root, paths, 5)) == expected
    assert list(read_each(root, odd, 5)) == [(path, None) for path in odd]


@pytest.mark.parametrize("refused", range(8))
def test_of_many_files_one_that_cannot_be_read_costs_no_other(
    root: Path, monkeypatch: pytest.MonkeyPatch, refused: int
) -> None:
    write_files(root, {"pkg/c.py": b"c\n"})
    real, opened = os.open, count()

    def refuses(*args: Any, **options: Any) -> int:
        if next(opened) == refused:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(*args, **options)

    monkeypatch.setattr(os, "open", refuses)
    files = dict(read_each(root, ["a.py", "pkg/b.py", "pkg/c.py"], 1000))
    monkeypatch.undo()

    assert list(files) == ["a.py", "pkg/b.py", "pkg/c.py"]
    right = {path: read_file(root, path) for path in files}
    assert all(data in {None, right[path]} for path, data in files.items())
    assert refused < next(opened) or files == right


def test_no_descriptor_is_left_open(root: Path) -> None:
    before = _open_descriptors()
    for path in ("a.py", "pkg", "pkg/b.py", "pkg/none.py", "none/none.py", "a.py/x"):
        try:
            read_file(root, path)
        except FileError:
            continue

    assert _open_descriptors() == before


def test_a_git_directory_by_any_name_is_never_written(root: Path, batches: Batches) -> None:
    (root / ".git").rename(root / "meta")
    (root / ".git").write_text("gitdir: meta\n")
    (root / "link.py").symlink_to("meta/config")
    config = (root / "meta/config").read_bytes()

    for path in ("meta/hooks/pre-commit", "link.py"):
        with pytest.raises(FileError, match="inside a git directory, meta"):
            batches.accept(
                [FileChange(path, None if path != "link.py" else config, b"x\n")], "attack"
            )
    assert (root / "meta/config").read_bytes() == config


@pytest.mark.parametrize("swap", ["link", "folder"])
def test_a_folder_that_is_swapped_while_a_batch_is_written_is_not_followed(
    tmp_path: Path, swap: str
) -> None:
    away = tmp_path / "away"
    for number in count():
        bench = Bench(tmp_path / str(number))
        calls: list[str] = []

        def hook(
            call: str, bench: Bench = bench, calls: list[str] = calls, number: int = number
        ) -> None:
            if len(calls) == number:
                (bench.root / "z").rename(bench.root / "moved")
                away.mkdir(exist_ok=True)
                (away / "last.py").write_bytes(OLD["z/last.py"])
                if swap == "link":
                    (bench.root / "z").symlink_to(away)
                else:
                    away.rename(bench.root / "z")
            calls.append(call)

        try:
            bench.accept(hook)
        except (FileError, Conflict):
            bench.recover()
            assert bench.files()["a.py"] == OLD["a.py"]
        moved = bench.root / ("moved" if (bench.root / "moved").exists() else "z")
        assert (moved / "last.py").read_bytes() in {OLD["z/last.py"], NEW["z/last.py"]}
        assert (bench.root / "z/last.py").read_bytes() in {OLD["z/last.py"], NEW["z/last.py"]}
        if swap == "link" and away.exists():
            assert tree(away) == {"last.py": OLD["z/last.py"]}
        if len(calls) <= number:
            break
