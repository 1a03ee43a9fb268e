"""Patches written for a terminal: their colors are taken off, and escapes of the file are not."""

from pathlib import Path

import pytest

from spark_tui.errors import UsageError
from spark_tui.vcs.patch_colors import without_colors
from tests.vcs.repos import git, make_repo
from tests.vcs.test_changes import LINES

EDITED = (
    LINES.replace(b"line 3\n", b"\n").replace(b"line 7\n", b" \tseven  \n")
    .replace(b"line 9\n", b"nine\r\n").replace(b"line 10\n", b"").removesuffix(b"\n")
)  # fmt: skip
SETTINGS = (
    (),
    ("color.diff.new=bold yellow", "color.diff.old=#ff8800 ul", "color.diff.context=blue"),
    ("diff.colorMoved=zebra", "diff.wsErrorHighlight=all"),
    ("color.diff.func=green", "color.diff.whitespace=normal"),
)


def patches_of(root: Path, *settings: str) -> tuple[bytes, bytes]:
    """The patch of a work tree with colors and without."""
    options = [part for setting in settings for part in ("-c", setting)]
    return git(root, *options, "diff", "--color=always"), git(root, *options, "diff")


@pytest.mark.parametrize("settings", SETTINGS)
def test_without_its_colors_a_patch_is_as_git_writes_it_into_a_file(
    tmp_path: Path, settings: tuple[str, ...]
) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    (root / "a").write_bytes(EDITED)
    colored, plain = patches_of(root, *settings)
    assert b"\x1b[" in colored
    assert without_colors(colored) == plain


def test_escapes_in_the_lines_of_a_patch_without_colors_stay(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": b"\x1b[1mdiff --git \x1b[m\n"})
    (root / "a").write_bytes(b"\x1b[31m--- a\x1b[m\n")
    patch = git(root, "diff")
    assert without_colors(patch) == patch


@pytest.mark.parametrize(
    "line",
    [b"\x1b[31mred\x1b[0m", b"\x1b[mred", b"red\x1b[m", b"a \x1b[31mred\x1b[m b", b"\x1b[1m"],
)
def test_colors_that_may_be_the_files_own_are_refused(tmp_path: Path, line: bytes) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    (root / "a").write_bytes(LINES + line + b"\n")
    with pytest.raises(UsageError, match="line 9 of this patch has colors that may belong"):
        without_colors(patches_of(root)[0])


def test_no_line_of_an_uncolored_kind_is_guessed_at(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "w", {"a": LINES})
    (root / "a").write_bytes(LINES + b"\x1b[31mred\x1b[m\n")
    with pytest.raises(UsageError, match="--no-color"):
        without_colors(patches_of(root, "color.diff.new=normal")[0])
