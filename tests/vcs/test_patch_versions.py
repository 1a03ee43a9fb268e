"""Patches whose names begin in a folder of the repository: the versions in them tell the file."""

from pathlib import Path

import pytest

from spark_tui.errors import UsageError
from spark_tui.vcs.patch_images import patched_files
from spark_tui.vcs.repository import Repository
from tests.vcs.repos import git, make_repo, write_files
from tests.vcs.test_changes import EDITED, LINES

TWIN = LINES + b"of the twin\n"
ODD = 'a "b.ini'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with files whose twins differ in their last line."""
    files = dict.fromkeys(("a.ini", ODD, "lib/a.ini"), TWIN)
    return make_repo(tmp_path / "w", {**files, "pkg/a.ini": LINES, f"pkg/{ODD}": LINES})


def files_of(root: Path, patch: bytes) -> list[str]:
    return [file.path for file in patched_files(Repository.discover(root), patch).files]


def relative(root: Path, *options: str) -> bytes:
    """The patch of all changes in pkg/, which is as committed afterwards."""
    git(root, "add", "--all")
    patch = git(root, "diff", "--relative=pkg", "-M", *options, "HEAD")
    git(root, "reset", "--quiet", "--hard")
    return patch


@pytest.mark.parametrize("name", ["a.ini", ODD])
@pytest.mark.parametrize("options", [(), ("--no-prefix",), ("--full-index",)])
def test_names_from_a_folder_on_do_not_lead_to_a_twin(
    root: Path, name: str, options: tuple[str, ...]
) -> None:
    (root / "pkg" / name).write_bytes(EDITED)
    with pytest.raises(UsageError, match=rf"names {name}, but begins with a version of pkg/{name}"):
        files_of(root, relative(root, *options))


def test_nor_do_names_of_renamed_and_deleted_files(root: Path) -> None:
    git(root, "mv", "pkg/a.ini", "pkg/moved.ini")
    (root / "pkg/moved.ini").write_bytes(EDITED)
    with pytest.raises(UsageError, match=r"begins with a version of pkg/a.ini"):
        files_of(root, relative(root))
    (root / "pkg/a.ini").unlink()
    with pytest.raises(UsageError, match=r"begins with a version of pkg/a.ini"):
        files_of(root, relative(root))


def test_nor_does_a_prefix_of_two_folders(root: Path) -> None:
    write_files(root, {"x.ini": TWIN, "pkg/x.ini": LINES})
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=x")
    (root / "x.ini").write_bytes(EDITED)
    patch = git(root, "diff", "--src-prefix=a/pkg/", "--dst-prefix=b/pkg/")
    git(root, "checkout", "--quiet", ".")
    with pytest.raises(UsageError, match=r"names pkg/x.ini, but begins with a version of x.ini"):
        files_of(root, patch)


def test_a_file_whose_former_version_is_now_that_of_another_is_itself(root: Path) -> None:
    (root / "a.ini").write_bytes(EDITED + b"of the twin\n")
    patch = git(root, "diff")
    git(root, "checkout", "--quiet", ".")
    write_files(root, {"a.ini": b"above\n" + TWIN, "pkg/a.ini": TWIN})
    git(root, "commit", "--quiet", "-am", "later")
    assert files_of(root, patch) == ["a.ini"]


def test_a_version_that_nobody_has_here_says_nothing(root: Path) -> None:
    (root / "a.ini").write_bytes(EDITED + b"of the twin\n")
    (heading, index, *rest) = git(root, "diff").splitlines(keepends=True)
    git(root, "checkout", "--quiet", ".")
    assert index.startswith(b"index ")
    patch = b"".join([heading, b"index 1234567..89abcde 100644\n", *rest])
    assert files_of(root, patch) == ["a.ini"]
