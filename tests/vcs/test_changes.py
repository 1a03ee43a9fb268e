"""What differs between a base and the work tree: each kind of change is told, and nothing runs."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_tui.errors import UsageError
from spark_tui.vcs import changes
from spark_tui.vcs.changes import ChangeStatus, FileVersions, changes_since
from spark_tui.vcs.repository import Repository
from tests.vcs.canary import plant, sung
from tests.vcs.repos import git, make_repo, write_files

LINES = b"".join(b"line %d\n" % number for number in range(20))
EDITED = LINES.replace(b"line 7\n", b"seven\n")
ODD = ("a b/ b.py", 'q"u\\o.py', "line\nfeed.py", "caf\udce9.py", "tab\t.py", "-x.py", ":(top)y.py")


def seen(root: Path, base: str = "HEAD") -> dict[str, FileVersions]:
    """The files that differ, by path."""
    found = changes_since(Repository.discover(root), base)
    return {file.path: file for file in found.files}


def snapshot(folder: Path) -> dict[str, bytes]:
    """All files of a git directory."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def test_each_status_has_the_bytes_of_both_versions(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a.py": LINES, "gone.py": LINES, "old.py": EDITED * 2})
    (root / "a.py").write_bytes(EDITED)
    (root / "gone.py").unlink()
    (root / "old.py").rename(root / "new.py")
    (root / "more.py").write_bytes(b"x = 1\n")

    found = seen(root)

    assert {path: (file.status, file.old_path) for path, file in found.items()} == {
        "a.py": (ChangeStatus.MODIFIED, "a.py"),
        "gone.py": (ChangeStatus.DELETED, "gone.py"),
        "more.py": (ChangeStatus.ADDED, "more.py"),
        "new.py": (ChangeStatus.RENAMED, "old.py"),
    }
    assert (found["a.py"].before, found["a.py"].after) == (LINES, EDITED)
    assert (found["gone.py"].before, found["gone.py"].after) == (LINES, None)
    assert (found["more.py"].before, found["more.py"].after) == (None, b"x = 1\n")
    assert found["more.py"].untracked


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_is_the_name_that_the_disk_has(tmp_path: Path, name: str) -> None:
    root = make_repo(tmp_path / "w", {name: LINES})
    (root / name).write_bytes(EDITED)
    assert seen(root)[name].after == EDITED
    os.renames(root / name, root / "moved" / name)
    assert seen(root)[f"moved/{name}"].old_path == name


def _make_link(root: Path) -> None:
    (root / "a").unlink()
    (root / "a").symlink_to("b")


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (lambda root: (root / "a").write_bytes(b"\0"), "is binary"),
        (lambda root: (root / "a").write_bytes("é".encode("utf-16")), "is binary"),
        (lambda root: (root / "a").chmod(0o755), "has another mode only: 100644 to 100755"),
        (_make_link, "is a symbolic link in one version and a file in the other"),
        (lambda root: (root / "a").write_bytes(LINES * 70_000), "is larger than 8 MiB"),
        (lambda root: git(root, "rm", "--quiet", "link"), "is a symbolic link"),
        (lambda root: (root / "big").write_bytes(b"x" * (9 << 20)), "is larger than 8 MiB"),
        (lambda root: os.mkfifo(root / "pipe"), ""),
        (lambda root: git(root, "init", "--quiet", "inner"), "is another repository"),
        (lambda root: (root / "git~1").write_bytes(b"x"), "has a name that belongs to git"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_reviewed_by_hunk_is_told_with_its_reason(
    tmp_path: Path, edit: Callable[[Path], object], reason: str
) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    (root / "link").symlink_to("a")
    git(root, "add", "link")
    git(root, "commit", "--quiet", "--message=link")
    edit(root)

    found = list(seen(root).values())

    assert [file.reason for file in found] == ([reason] if reason else [])
    assert all(file.before is None and file.after is None for file in found) or "mode" in reason


def test_a_submodule_that_moved_is_told_and_nothing_is_started_in_it(tmp_path: Path) -> None:
    inner = make_repo(tmp_path / "inner", {"a": b"1\n"})
    root = make_repo(tmp_path / "w", {"a": LINES})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    git(root, "commit", "--quiet", "--message=sub")
    canary = tmp_path / "canary"
    git(root / "sub", "config", "core.fsmonitor", f"touch {canary}; false")
    (root / "sub" / "a").write_bytes(b"2\n")
    assert seen(root) == {}
    git(root / "sub", "-c", "core.fsmonitor=false", "commit", "--quiet", "-am", "two")
    assert {path: file.reason for path, file in seen(root).items()} == {"sub": "is a submodule"}
    assert not canary.exists()


def test_the_mode_is_told_beside_the_hunks(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    (root / "a").write_bytes(EDITED)
    (root / "a").chmod(0o755)
    file = seen(root)["a"]
    assert (file.old_mode, file.new_mode, file.changes_mode) == (0o100644, 0o100755, True)
    assert not file.reason


def test_ignored_files_are_left_out(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {".gitignore": b"*.log\n"})
    write_files(root, {"x.log": b"x", "x.py": b"x"})
    assert list(seen(root)) == ["x.py"]


def test_a_file_that_git_no_longer_tracks_but_the_disk_has_is_one_change(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES, "same": LINES})
    git(root, "rm", "--quiet", "--cached", "a", "same")
    (root / "a").write_bytes(EDITED)
    found = seen(root)
    assert list(found) == ["a"]
    assert (found["a"].status, found["a"].before) == (ChangeStatus.MODIFIED, LINES)


def test_staged_and_unstaged_edits_are_one_change(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    (root / "a").write_bytes(EDITED)
    git(root, "add", "a")
    (root / "a").write_bytes(EDITED + b"end\n")
    file = seen(root)["a"]
    assert (file.before, file.after) == (LINES, EDITED + b"end\n")
    (root / "a").write_bytes(LINES)
    assert seen(root) == {}


def test_a_file_with_merge_conflicts_is_compared_as_it_is(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    git(root, "checkout", "--quiet", "-b", "other")
    (root / "a").write_bytes(EDITED)
    git(root, "commit", "--quiet", "-am", "seven")
    git(root, "checkout", "--quiet", "main")
    (root / "a").write_bytes(LINES.replace(b"line 7\n", b"sieben\n"))
    git(root, "commit", "--quiet", "-am", "sieben")
    with pytest.raises(Exception, match="merge"):
        git(root, "merge", "other")
    file = seen(root)["a"]
    assert file.after == (root / "a").read_bytes()
    assert b"<<<<<<<" in file.after


def test_before_the_first_commit_everything_is_added(tmp_path: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    git(root, "init", "--quiet")
    write_files(root, {"a": LINES, "b": b""})
    git(root, "add", "a")
    assert {path: file.status for path, file in seen(root).items()} == {
        "a": ChangeStatus.ADDED,
        "b": ChangeStatus.ADDED,
    }


def test_the_base_may_be_a_commit_a_branch_or_a_tag(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    git(root, "tag", "first")
    git(root, "branch", "earlier")
    (root / "a").write_bytes(EDITED)
    git(root, "commit", "--quiet", "-am", "two")
    for base in ("HEAD~1", "first", "earlier", git(root, "rev-parse", "HEAD^").decode().strip()):
        assert seen(root, base)["a"].before == LINES
    assert seen(root) == {}


def test_the_base_may_be_another_work_tree_as_it_is_on_disk(tmp_path: Path) -> None:
    files = {"a": LINES, "same": LINES, "gone": b"1\n", "here": b"2\n"}
    root = make_repo(tmp_path / "w", files)
    other = tmp_path / "other"
    git(root, "worktree", "add", "--quiet", "--detach", str(other))
    (other / "a").write_bytes(EDITED)
    (other / "untracked").write_bytes(b"u\n")
    (other / "gone").unlink()
    (other / "link").symlink_to("a")
    before = snapshot(root / ".git")

    found = seen(root, str(other))

    assert {path: file.status for path, file in found.items()} == {
        "a": ChangeStatus.MODIFIED,
        "gone": ChangeStatus.ADDED,
        "link": ChangeStatus.DELETED,
        "untracked": ChangeStatus.DELETED,
    }
    assert (found["a"].before, found["untracked"].before) == (EDITED, b"u\n")
    assert snapshot(root / ".git") == before
    assert set(seen(other, str(root))) == set(found)


@pytest.mark.parametrize("base", ["nothing", "", "--output=x", "HEAD:a", "..", "\udcff"])
def test_a_base_that_is_none_is_refused_with_what_to_name(tmp_path: Path, base: str) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    with pytest.raises(UsageError, match="is no commit, branch or work tree here"):
        changes_since(Repository.discover(root), base, tmp_path / "elsewhere")


def test_a_work_tree_of_another_repository_and_this_one_itself_are_refused(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    make_repo(tmp_path / "other", {"a": LINES})
    with pytest.raises(UsageError, match="belongs to another repository"):
        seen(root, str(tmp_path / "other"))
    with pytest.raises(UsageError, match="this work tree itself"):
        seen(root, str(root))


CRLF = LINES.replace(b"\n", b"\r\n")


@pytest.mark.parametrize(
    ("setting", "attributes", "now"),
    [
        ("core.autocrlf=true", b"", CRLF),
        ("core.autocrlf=true", b"", LINES),
        ("core.autocrlf=input", b"", CRLF),
        ("core.eol=crlf", b"* text=auto\n", CRLF),
        ("core.autocrlf=false", b"* text eol=crlf\n", CRLF),
        ("core.autocrlf=false", b"* text eol=lf\n", CRLF),
    ],
)
def test_endings_that_git_converts_are_no_change(
    tmp_path: Path, setting: str, attributes: bytes, now: bytes
) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES, "gone": LINES, ".gitattributes": attributes})
    git(root, "config", *setting.split("="))
    after = now.replace(b"line 7", b"seven")
    (root / "a").write_bytes(after)
    (root / "gone").unlink()

    found = seen(root)

    assert (found["a"].before, found["a"].after) == (now, after)
    is_crlf = setting in {"core.autocrlf=true", "core.eol=crlf"} or b"eol=crlf" in attributes
    assert found["gone"].before == (CRLF if is_crlf else LINES)


def test_endings_that_git_does_not_convert_are_a_change(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES, "b": CRLF, ".gitattributes": b"b -text\n"})
    git(root, "config", "core.autocrlf", "false")
    (root / "a").write_bytes(CRLF)
    (root / "b").write_bytes(LINES)
    found = seen(root)
    assert (found["a"].before, found["b"].before) == (LINES, CRLF)


def test_a_file_that_passes_through_a_filter_is_told_and_the_filter_not_run(
    tmp_path: Path,
) -> None:
    attributes = b"a filter=x\nb filter=none\n* working-tree-encoding=UTF-16\n"
    root = make_repo(tmp_path / "w", {"a": LINES, "b": LINES})
    git(root, "config", "filter.x.clean", f"touch {tmp_path}/ran; cat")
    write_files(root, {"a": EDITED, "b": EDITED})
    (root / ".git" / "info" / "attributes").write_bytes(attributes.partition(b"*")[0])
    assert {path: file.reason for path, file in seen(root).items()} == {
        "a": "passes through the filter x, which spark does not run",
        "b": "",
    }
    (root / ".git" / "info" / "attributes").write_bytes(b"* working-tree-encoding=UTF-16\n")
    assert {file.reason for file in seen(root).values()} == {"is kept in UTF-16 in the work tree"}
    assert not (tmp_path / "ran").exists()


def test_no_program_of_the_repository_runs_and_its_git_directory_stays_as_it_is(
    tmp_path: Path,
) -> None:
    canary = tmp_path / "canary"
    root = plant(tmp_path / "w", canary)
    write_files(root, {"a.py": EDITED, "pkg/b.py": EDITED, "c.bin": b"\0\1", "new": b"x\n"})
    canary.unlink(missing_ok=True)
    before = snapshot(root / ".git")

    assert {"a.py", "pkg/b.py", "new"} <= set(seen(root))

    assert sung(canary) == set()
    assert snapshot(root / ".git") == before


@pytest.mark.parametrize(
    "setting",
    [
        "diff.orderFile=/nowhere",
        "diff.relative=true",
        "diff.renames=false",
        "diff.noprefix=true",
        "diff.ignoreSubmodules=all",
        "core.quotePath=true",
        "core.splitIndex=true",
        "core.untrackedCache=true",
        "index.sparse=true",
    ],
)
def test_a_setting_of_the_repository_changes_nothing(tmp_path: Path, setting: str) -> None:
    root = make_repo(tmp_path / "w", {"pkg/é.py": LINES, "old.py": EDITED * 2})
    git(root, "config", *setting.split("="))
    git(root, "update-index", "--force-write-index")
    (root / "pkg" / "é.py").write_bytes(EDITED)
    (root / "old.py").rename(root / "new.py")
    found = seen(root)
    assert {path: file.old_path for path, file in found.items()} == {
        "pkg/é.py": "pkg/é.py",
        "new.py": "old.py",
    }


def test_a_repository_with_names_of_sha_256_is_compared(tmp_path: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    git(root, "init", "--quiet", "--object-format=sha256")
    write_files(root, {"a": LINES, "b": LINES})
    git(root, "add", "a", "b")
    git(root, "commit", "--quiet", "--message=first")
    other = tmp_path / "other"
    git(root, "worktree", "add", "--quiet", "--detach", str(other))
    write_files(root, {"a": EDITED, "new": b"x\n"})
    write_files(other, {"b": EDITED})
    assert set(seen(root)) == {"a", "new"}
    assert set(seen(root, str(other))) == {"a", "b", "new"}


def test_a_version_that_a_partial_clone_lacks_is_told(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES, "b": b"1\n"})
    blob = git(root, "rev-parse", "HEAD:a").decode().strip()
    (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    write_files(root, {"a": EDITED, "b": b"2\n"})
    found = seen(root)
    assert "git does not have here" in found["a"].reason
    assert found["b"].before == b"1\n"


def test_untracked_files_that_take_too_long_to_list_are_left_out_and_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    write_files(root, {"a": EDITED, "new": b"x\n"})
    monkeypatch.setattr(changes, "LISTING_SECONDS", 0.0)
    found = changes_since(Repository.discover(root))
    assert [file.path for file in found.files] == ["a"]
    assert "left out" in found.notes[0]
