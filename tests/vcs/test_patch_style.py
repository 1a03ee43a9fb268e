"""Names of a patch with other prefixes than git's, or without any: each means one file, or is
refused. Every file here has a twin in another folder, which a wrong reading would write.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from spark_tui.errors import UsageError
from spark_tui.vcs.patch_images import patched_files
from spark_tui.vcs.repository import Repository
from tests.vcs.repos import git, make_repo, write_files
from tests.vcs.test_changes import EDITED, LINES

FOLDERS = ("", "pkg/", "pkg/sub dir/")
NAMES = ("conf.ini", "with blank.ini", 'q"uo\\te.ini', "ümlaut.ini")
STYLES = (
    ("--no-prefix",),
    ("--no-prefix", "-U0"),
    ("--no-prefix", "--color=always"),
    ("--src-prefix=c/", "--dst-prefix=w/"),
    ("--src-prefix=old/", "--dst-prefix=new/"),
    ("--src-prefix=v1.0/", "--dst-prefix=v2.0/"),
    ("-R", "--no-prefix"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository in which each file has twins in other folders."""
    return make_repo(tmp_path / "w", {f"{x}{name}": LINES for x in FOLDERS for name in NAMES})


def found(root: Path, patch: bytes) -> dict[str, tuple[bytes | None, bytes | None]]:
    """The bytes before and after of the files that a patch changes."""
    files = patched_files(Repository.discover(root), patch).files
    assert [file.clash for file in files] == [None] * len(files)
    return {file.path: (file.before, file.after) for file in files}


def plain(patch: bytes) -> bytes:
    """A patch as `diff -u` writes it: without the lines that only git has."""
    return b"".join(
        line
        for line in patch.splitlines(keepends=True)
        if line.startswith((b"---", b"+++", b"@@", b" ", b"+", b"-"))
    )


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_patch_of_any_style_means_the_file_that_it_was_made_of(
    root: Path, folder: str, style: tuple[str, ...]
) -> None:
    write_files(root, {f"{folder}{name}": EDITED for name in NAMES})
    patch = git(root, "diff", *style)
    wanted = {f"{folder}{name}": (LINES, EDITED) for name in NAMES}
    if "-R" in style:
        wanted = dict.fromkeys(wanted, (EDITED, LINES))
    else:
        git(root, "checkout", "--quiet", ".")
    assert found(root, patch) == wanted


@pytest.mark.parametrize("style", [STYLES[0], STYLES[3], STYLES[4]])
@pytest.mark.parametrize("folder", FOLDERS)
def test_created_and_deleted_files_are_the_right_ones(
    root: Path, folder: str, style: tuple[str, ...]
) -> None:
    for name in NAMES[:3]:
        (root / folder / name).unlink()
    write_files(root, {f"{folder}new a.ini": b"x\n", f"{folder}empty": b""})
    git(root, "add", "--all")
    patch = git(root, "diff", "--no-renames", *style, "HEAD")
    git(root, "reset", "--quiet", "--hard")

    assert found(root, patch) == {
        **{f"{folder}{name}": (LINES, None) for name in NAMES[:3]},
        f"{folder}new a.ini": (None, b"x\n"),
        f"{folder}empty": (None, b""),
    }


@pytest.mark.parametrize("style", [STYLES[0], STYLES[3], STYLES[4]])
@pytest.mark.parametrize("after", [LINES, EDITED])
@pytest.mark.parametrize("folder", FOLDERS[::2])
def test_a_renamed_file_is_the_right_one(
    root: Path, folder: str, after: bytes, style: tuple[str, ...]
) -> None:
    moves = {NAMES[0]: "moved b.ini", NAMES[2]: "other.ini"}
    for old, new in moves.items():
        (root / "other" / folder).mkdir(parents=True, exist_ok=True)
        git(root, "mv", f"{folder}{old}", f"other/{folder}{new}")
        (root / "other" / folder / new).write_bytes(after)
    patch = git(root, "diff", "-M", *style, "HEAD")
    git(root, "reset", "--quiet", "--hard")
    assert found(root, patch) == {f"other/{folder}{new}": (LINES, after) for new in moves.values()}


def test_modes_and_binary_files_without_prefixes_are_told_of_the_right_file(root: Path) -> None:
    (root / "pkg/conf.ini").chmod(0o755)
    (root / "pkg/with blank.ini").write_bytes(b"\0")
    patch = git(root, "diff", "--no-prefix", "--binary")
    git(root, "reset", "--quiet", "--hard")
    files = patched_files(Repository.discover(root), patch).files
    assert [file.path for file in files] == ["pkg/conf.ini", "pkg/with blank.ini"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_that_git_did_not_write_are_read_alike(root: Path, folder: str) -> None:
    write_files(root, {f"{folder}{name}": EDITED for name in NAMES})
    patch = plain(git(root, "diff", "--no-prefix"))
    git(root, "checkout", "--quiet", ".")
    assert set(found(root, patch)) == {f"{folder}{name}" for name in NAMES}


@pytest.mark.parametrize("backup", ["conf.ini.orig", "conf.ini~"])
def test_a_diff_against_a_backup_means_the_file(root: Path, backup: str) -> None:
    patch = plain(edit_of(root, "pkg/conf.ini", "--no-prefix"))
    patch = patch.replace(b"--- pkg/conf.ini", f"--- pkg/{backup}".encode())
    assert set(found(root, patch)) == {"pkg/conf.ini"}


def edit_of(root: Path, path: str, *options: str) -> bytes:
    """The patch of an edit of one file; the file is as committed."""
    (root / path).write_bytes(EDITED)
    patch = git(root, "diff", *options)
    git(root, "checkout", "--quiet", ".")
    return patch


def prefixes(old: str, new: str) -> Callable[[Path], bytes]:
    """Make a patch of pkg/conf.ini with other prefixes."""
    return lambda root: edit_of(root, "pkg/conf.ini", f"--src-prefix={old}", f"--dst-prefix={new}")


def of_two_styles(root: Path) -> bytes:
    return edit_of(root, "pkg/conf.ini", "--no-prefix") + edit_of(root, "pkg/with blank.ini")


def of_two_files(root: Path) -> bytes:
    """A comparison of two files, as `git diff --no-index` makes it."""
    patch = edit_of(root, "pkg/conf.ini")
    return patch.replace(b"a/pkg/conf.ini", b"a/conf.ini")


def of_one_name(name: str, *, gone: bool = False) -> Callable[[Path], bytes]:
    """Make a patch by which a file comes, or is gone, as other programs write it."""
    if gone:
        return lambda _: f"--- {name}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n".encode()
    return lambda _: f"--- /dev/null\n+++ {name}\n@@ -0,0 +1 @@\n+x\n".encode()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (prefixes("x-", "y-"), "may mean conf.ini or pkg/conf.ini"),
        (prefixes("old-", "cold-"), "may mean conf.ini or pkg/conf.ini"),
        (prefixes("", "b/"), "names both pkg/conf.ini and b/pkg/conf.ini"),
        (prefixes("a/", ""), "names both a/pkg/conf.ini and pkg/conf.ini"),
        (prefixes("a/x/", "b/y/"), "names both a/x/pkg/conf.ini and b/y/pkg/conf.ini"),
        (prefixes("a/", "a/"), "may mean a/pkg/conf.ini or pkg/conf.ini"),
        (of_two_styles, "pkg/conf.ini has no prefix in this patch"),
        (of_two_files, "names both a/conf.ini and b/pkg/conf.ini"),
        (of_one_name("other/new.ini"), "may mean other/new.ini or new.ini"),
        (of_one_name("other/conf.ini", gone=True), "may mean other/conf.ini or conf.ini"),
    ],
)
def test_where_two_readings_are_possible_both_are_named(
    root: Path, make: Callable[[Path], bytes], words: str
) -> None:
    patch = make(root)
    with pytest.raises(UsageError, match=words):
        found(root, patch)


def test_the_prefix_of_a_lone_name_is_no_prefix_where_it_is_a_folder(root: Path) -> None:
    assert found(root, of_one_name("pkg/new.ini")(root)) == {"pkg/new.ini": (None, b"x\n")}
    assert found(root, of_one_name("new.ini")(root)) == {"new.ini": (None, b"x\n")}
    assert found(root, of_one_name("b/pkg/new.ini")(root)) == {"pkg/new.ini": (None, b"x\n")}


def test_a_file_without_a_prefix_that_is_gone_is_no_other_file(root: Path) -> None:
    patch = edit_of(root, "pkg/conf.ini", "--no-prefix")
    (root / "pkg/conf.ini").unlink()
    (file,) = patched_files(Repository.discover(root), patch).files
    assert "pkg/conf.ini is gone" in str(file.clash)


@pytest.mark.parametrize("style", ["--no-prefix", "--src-prefix=i/"])
@pytest.mark.parametrize("options", [(), ("-U0",)])
def test_lines_that_look_like_headings_are_lines(
    root: Path, style: str, options: tuple[str, ...]
) -> None:
    before = b"-- i/conf.ini\n" + LINES
    after = b"++ b/conf.ini\n" + LINES.replace(b"line 15\n", b"diff --git x x\n")
    write_files(root, {"pkg/conf.ini": before, "conf.ini": before})
    git(root, "commit", "--quiet", "-am", "remarks")
    (root / "pkg/conf.ini").write_bytes(after)
    patch = git(root, "diff", style, *options)
    git(root, "checkout", "--quiet", ".")
    assert found(root, patch) == {"pkg/conf.ini": (before, after)}
    if not options:
        assert found(root, plain(patch)) == {"pkg/conf.ini": (before, after)}


def test_without_context_a_line_like_the_changed_one_is_not_taken_for_it(tmp_path: Path) -> None:
    # Git itself takes a last hunk without context for one at the end of the file.
    lines = b"x\na\nx\nb\nx\n"
    wanted = b"x\na\ny\nb\nx\n"
    root = make_repo(tmp_path / "w", {"a": lines})
    (root / "a").write_bytes(wanted)
    patch = git(root, "diff", "-U0")
    git(root, "checkout", "--quiet", ".")
    assert found(root, patch) == {"a": (lines, wanted)}
    (root / "a").write_bytes(b"above\n" + lines)
    assert found(root, patch) == {"a": (b"above\n" + lines, b"above\n" + wanted)}

    (file,) = patched_files(Repository.discover(root), plain(patch)).files

    assert "hunks without context" in str(file.clash)
    assert "git diff -U3" in str(file.clash)
