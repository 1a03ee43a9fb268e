"""What a patch would change: read by git, from the version it was made for, beside later edits."""

import os
from pathlib import Path

import pytest

from spark_tui.errors import SparkError, UsageError
from spark_tui.vcs.changes import ChangeStatus, FileVersions
from spark_tui.vcs.patch_images import PatchedFiles, patched_files
from spark_tui.vcs.repository import Repository
from tests.vcs.canary import plant, sung
from tests.vcs.repos import git, make_repo, write_files
from tests.vcs.test_changes import CRLF, EDITED, LINES, ODD, snapshot

LATER = LINES.replace(b"line 15\n", b"fifteen\n")
BOTH = EDITED.replace(b"line 15\n", b"fifteen\n")


def patched(root: Path, patch: bytes) -> PatchedFiles:
    return patched_files(Repository.discover(root), patch)


def seen(root: Path, patch: bytes) -> dict[str, FileVersions]:
    """The files that a patch changes, by path."""
    return {file.path: file for file in patched(root, patch).files}


def patch_of(root: Path, files: dict[str, bytes | None], *options: str) -> bytes:
    """The patch that makes files of those that are committed; the work tree stays as committed."""
    for path, data in files.items():
        if data is None:
            (root / path).unlink()
        else:
            write_files(root, {path: data})
    git(root, "-c", "core.autocrlf=false", "add", "--all")
    patch = git(root, "diff", "-M", *options, "HEAD")
    git(root, "reset", "--quiet", "--hard")
    return patch


def test_each_status_has_the_bytes_of_both_versions(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a.py": LINES, "gone.py": CRLF, "old.py": EDITED * 2})
    patch = patch_of(
        root,
        {
            "a.py": EDITED,
            "gone.py": None,
            "old.py": None,
            "new.py": EDITED * 2 + b"end\n",
            "more.py": b"x",
        },
    )
    before = snapshot(root / ".git")

    found = seen(root, patch)

    assert {path: (file.status, file.old_path) for path, file in found.items()} == {
        "a.py": (ChangeStatus.MODIFIED, "a.py"),
        "gone.py": (ChangeStatus.DELETED, "gone.py"),
        "more.py": (ChangeStatus.ADDED, "more.py"),
        "new.py": (ChangeStatus.RENAMED, "old.py"),
    }
    assert (found["a.py"].before, found["a.py"].after) == (LINES, EDITED)
    assert (found["gone.py"].before, found["gone.py"].after) == (CRLF, None)
    assert (found["more.py"].before, found["more.py"].after) == (None, b"x")
    assert found["new.py"].after == EDITED * 2 + b"end\n"
    assert snapshot(root / ".git") == before


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_is_the_name_that_git_has(tmp_path: Path, name: str) -> None:
    root = make_repo(tmp_path / "w", {name: LINES})
    found = seen(root, patch_of(root, {name: EDITED}))
    assert found[name].after == EDITED
    moved = seen(root, patch_of(root, {name: None, f"moved/{name}": EDITED}))
    assert moved[f"moved/{name}"].old_path == name


def test_text_around_a_patch_and_several_patches_in_one_file_are_read(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES, "b": LINES})
    for path, data in (("a", EDITED), ("a", BOTH), ("b", EDITED)):
        write_files(root, {path: data})
        git(root, "commit", "--quiet", "-am", f"edit {path}")
    mail = git(root, "format-patch", "--stdout", "HEAD~3")
    git(root, "reset", "--quiet", "--hard", "HEAD~3")
    found = seen(root, b"Hello,\n\nplease take this.\n\n" + mail + b"\nThanks\n")
    assert (found["a"].after, found["b"].after) == (BOTH, EDITED)


def test_a_patch_goes_beside_what_was_edited_since(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    patch = patch_of(root, {"a": EDITED})
    (root / "a").write_bytes(LATER)
    found = seen(root, patch)["a"]
    assert (found.before, found.after, found.clash) == (LATER, BOTH, None)
    git(root, "commit", "--quiet", "-am", "fifteen")
    assert seen(root, patch)["a"].after == BOTH


@pytest.mark.parametrize("with_index_line", [True, False])
def test_a_patch_of_lines_that_were_edited_since_clashes(
    tmp_path: Path, *, with_index_line: bool
) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES, "b": LINES})
    patch = patch_of(root, {"a": EDITED, "b": EDITED})
    if not with_index_line:
        patch = b"".join(x for x in patch.splitlines(keepends=True) if not x.startswith(b"index "))
    (root / "a").write_bytes(LINES.replace(b"line 7\n", b"sieben\n"))

    found = seen(root, patch)

    assert found["a"].clash is not None
    assert "nothing was written" in str(found["a"].clash)
    assert (found["b"].after, found["b"].clash) == (EDITED, None)


@pytest.mark.parametrize("name", ["a", "{a}"])
def test_a_plain_diff_without_gits_lines_is_read_from_the_file_as_it_is(
    tmp_path: Path, name: str
) -> None:
    root = make_repo(tmp_path / "w", {name: LINES})
    heading = f"--- a/{name}\n+++ b/{name}\n".encode()
    patch = heading + b"@@ -6,3 +6,3 @@\n line 5\n-line 6\n+six\n line 7\n"
    (root / name).write_bytes(b"above\n" + LINES)
    assert seen(root, patch)[name].after == b"above\n" + LINES.replace(b"line 6", b"six")


def test_a_patch_for_an_unknown_version_that_fits_nowhere_is_told(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    patch = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-other\n+new\n"
    patch += b"--- a/none\n+++ b/none\n@@ -1 +1 @@\n-other\n+new\n"
    found = seen(root, patch)
    assert found["a"].reason.startswith("does not fit the patch")
    assert found["a"].clash is not None
    assert found["none"].clash is not None


@pytest.mark.parametrize(
    ("files", "now", "words"),
    [
        ({"new": b"1\n"}, {"new": b"2\n"}, "exists already"),
        ({"a": None}, {"a": EDITED}, "was edited since"),
        ({"a": EDITED}, {"a": None}, "is gone"),
        ({"a": None, "moved": LINES}, {"moved": b"2\n"}, "exists already"),
    ],
)
def test_a_file_that_is_in_the_way_or_gone_clashes(
    tmp_path: Path, files: dict[str, bytes | None], now: dict[str, bytes | None], words: str
) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    patch = patch_of(root, files)
    for path, data in now.items():
        if data is None:
            (root / path).unlink()
        else:
            (root / path).write_bytes(data)
    (file,) = patched(root, patch).files
    assert file.clash is not None
    assert words in str(file.clash)


def test_what_is_applied_already_is_told_apart(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES, "b": LINES, "c": b"\0", "d": LINES})
    files: dict[str, bytes | None] = {"a": EDITED, "b": None, "c": b"\0\1", "d": EDITED}
    patch = patch_of(root, files, "--binary")
    (root / "a").write_bytes(EDITED)
    (root / "b").unlink()
    (root / "c").write_bytes(b"\0\1")
    found = patched(root, patch)
    assert ([file.path for file in found.files], found.applied) == (["d"], ("a", "b", "c"))


@pytest.mark.parametrize("now", [CRLF, LINES])
def test_endings_that_git_converts_stay_as_they_are(tmp_path: Path, now: bytes) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES, ".gitattributes": b"* text eol=crlf\n"})
    patch = patch_of(root, {"a": EDITED.replace(b"\n", b"\r\n"), "new": CRLF})
    assert b"\r" not in patch
    (root / "a").write_bytes(now)
    found = seen(root, patch)
    assert (found["a"].before, found["a"].after) == (now, now.replace(b"line 7", b"seven"))
    assert found["new"].after == CRLF


def test_what_cannot_be_reviewed_by_hunk_is_told_with_its_reason(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"mode": LINES, "bin": b"\0", "to": LINES})
    (root / "mode").chmod(0o755)
    (root / "to").unlink()
    (root / "to").symlink_to("mode")
    (root / "link").symlink_to("mode")
    patch = patch_of(root, {"bin": b"\0\1", "big": LINES * 70_000}, "--binary")
    assert {path: file.reason for path, file in seen(root, patch).items()} == {
        "mode": "has another mode only: 100644 to 100755",
        "bin": "is binary",
        "to": "is a symbolic link in one version and a file in the other",
        "link": "is a symbolic link",
        "big": "is larger than 8 MiB",
    }


@pytest.mark.parametrize("path", ["../out", ".git/config", "/etc/x", "a/../../out", ".GIT/hooks/x"])
def test_a_patch_that_leads_out_of_the_work_tree_is_refused(tmp_path: Path, path: str) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    patch = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n".encode()
    with pytest.raises(UsageError):
        patched(root, patch)


def test_a_path_behind_a_link_is_told(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"d/a": LINES})
    patch = patch_of(root, {"d/a": EDITED})
    os.renames(root / "d", tmp_path / "elsewhere")
    (root / "d").symlink_to(tmp_path / "elsewhere")
    assert "cannot be written" in seen(root, patch)["d/a"].reason


@pytest.mark.parametrize(
    "text", [b"hello\n", b"\0\0\0", b"diff --git a/a b/a\n", b"@@ -1 +1 @@\n-x\n"]
)
def test_what_is_no_patch_is_refused(tmp_path: Path, text: bytes) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    with pytest.raises(UsageError, match="give it what `git diff` wrote"):
        patched(root, text)


def test_an_empty_patch_changes_nothing(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    assert patched(root, b"\n") == PatchedFiles((), ())


def test_a_patch_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    with pytest.raises(SparkError):
        patched(root, patch_of(root, {"a": EDITED})[:-20])


def test_before_the_first_commit_a_patch_adds_files(tmp_path: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    git(root, "init", "--quiet")
    patch = b"--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n"
    assert seen(root, patch)["a"].after == b"x\n"


def test_names_of_sha_256_are_known(tmp_path: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    git(root, "init", "--quiet", "--object-format=sha256")
    write_files(root, {"a": LINES})
    git(root, "add", "a")
    git(root, "commit", "--quiet", "--message=first")
    patch = patch_of(root, {"a": EDITED, "new": b"x\n"})
    (root / "a").write_bytes(LATER)
    assert seen(root, patch)["a"].after == BOTH


def test_no_program_of_the_repository_runs_and_its_git_directory_stays_as_it_is(
    tmp_path: Path,
) -> None:
    canary = tmp_path / "canary"
    other = make_repo(tmp_path / "o", {"a.py": b"line 3\n", "new.py": b""})
    patch = patch_of(other, {"a.py": b"three\n", "new.py": b"x\n"})
    root = plant(tmp_path / "w", canary)
    canary.unlink(missing_ok=True)
    before = snapshot(root / ".git")
    assert set(seen(root, patch)) == {"a.py", "new.py"}
    assert sung(canary) == set()
    assert snapshot(root / ".git") == before
