"""What stays of a file when its bytes are replaced: attributes, owner, other names, links to
it; and who waits.
"""

import errno
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from spark_tui.errors import Conflict, FileError, UsageError
from spark_tui.vcs import extended_attributes
from spark_tui.vcs.atomic_write import FileChange, is_mixture
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.repository import Repository
from tests.vcs.benches import Hook
from tests.vcs.repos import tree

A, A2 = b"one\ntwo\nthree\n", b"one\n2\nthree\n"

# Source: linux/posix_acl_xattr.h: version 2, then tag, permissions, id: rw for owner and user 1234,
# r for others.
_ANYONE = 0xFFFFFFFF
ACL = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", *entry)
    for entry in [
        (1, 6, _ANYONE),
        (2, 6, 1234),
        (4, 4, _ANYONE),
        (0x10, 6, _ANYONE),
        (0x20, 4, _ANYONE),
    ]
)


@pytest.fixture
def batches(repo: Repository, state_dir: Path, told: list[str]) -> Batches:
    return Batches(repo, state_dir, tell=told.append)


def _set(path: Path, name: str, value: bytes) -> None:
    try:
        with _opened(path) as file:
            extended_attributes.write(file, name, value)
    except OSError as e:
        if e.errno == errno.EOPNOTSUPP:
            pytest.skip(f"no {name} on this file system")
        raise


def _attributes(path: Path) -> dict[str, bytes]:
    with _opened(path) as file:
        return extended_attributes.read(file)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    file = os.open(path, os.O_RDONLY)
    try:
        yield file
    finally:
        os.close(file)


def _accept(batches: Batches, path: str = "a.py") -> None:
    batches.accept([FileChange(path, A, A2)], "edit")


def _failing(call: str, code: int) -> Hook:
    def hook(name: str) -> None:
        if name == call:
            raise OSError(code, os.strerror(code))

    return hook


@pytest.mark.parametrize(
    ("name", "value"), [("user.note", b"mine\0"), ("system.posix_acl_access", ACL)]
)
def test_extended_attributes_and_access_lists_stay(
    root: Path, batches: Batches, told: list[str], name: str, value: bytes
) -> None:
    _set(root / "a.py", name, value)
    mode = (root / "a.py").stat().st_mode
    _accept(batches)

    assert _attributes(root / "a.py")[name] == value
    assert (root / "a.py").stat().st_mode == mode
    assert told == []


def test_a_file_gets_no_access_list_that_it_had_not(root: Path, batches: Batches) -> None:
    _set(root, "system.posix_acl_default", ACL)
    _accept(batches)

    assert _attributes(root / "a.py") == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_owner_and_group_stay(root: Path, batches: Batches) -> None:
    os.chown(root / "a.py", 1234, 5678)
    _accept(batches)

    status = (root / "a.py").stat()
    assert (status.st_uid, status.st_gid) == (1234, 5678)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("code", [errno.EPERM, errno.EINVAL])
def test_a_file_whose_owner_cannot_be_given_is_written_in_place_and_the_user_told(
    root: Path, repo: Repository, state_dir: Path, told: list[str], code: int
) -> None:
    os.chown(root / "a.py", 1234, 5678)
    inode = (root / "a.py").stat().st_ino
    _accept(Batches(repo, state_dir, disk=Disk(_failing("chown", code)), tell=told.append))

    status = (root / "a.py").stat()
    assert (status.st_uid, status.st_gid, status.st_ino) == (1234, 5678, inode)
    assert tree(root)["a.py"] == A2
    assert told == ["a.py is written in place, since it belongs to someone else"]


def test_attributes_that_cannot_be_given_have_the_file_written_in_place(
    root: Path, repo: Repository, state_dir: Path, told: list[str]
) -> None:
    _set(root / "a.py", "user.note", b"mine")
    inode = (root / "a.py").stat().st_ino
    _accept(
        Batches(repo, state_dir, disk=Disk(_failing("setxattr", errno.EPERM)), tell=told.append)
    )

    assert (root / "a.py").stat().st_ino == inode
    assert _attributes(root / "a.py") == {"user.note": b"mine"}
    assert tree(root) == {"a.py": A2, "pkg/b.py": b"x = 1\r\ny = 2\r\n"}
    assert told == [
        "a.py is written in place, since it has attributes that only the system may give"
    ]


def test_attributes_there_is_no_room_for_are_an_error(
    root: Path, repo: Repository, state_dir: Path
) -> None:
    _set(root / "a.py", "user.note", b"mine")
    with pytest.raises(
        FileError, match=r"cannot write next to a.py: No space left on device; free some space"
    ):
        _accept(Batches(repo, state_dir, disk=Disk(_failing("setxattr", errno.ENOSPC))))

    assert tree(root)["a.py"] == A


def test_all_names_of_a_file_stay_names_of_one_file(
    root: Path, batches: Batches, told: list[str]
) -> None:
    (root / "other.py").hardlink_to(root / "a.py")
    _accept(batches)

    assert (root / "other.py").samefile(root / "a.py")
    assert (root / "other.py").read_bytes() == A2
    assert told == ["a.py is written in place, since other hard links lead to it"]

    batches.undo()
    assert (root / "other.py").samefile(root / "a.py")
    assert (root / "other.py").read_bytes() == A


def test_one_file_under_two_names_is_not_changed_twice_in_a_batch(
    root: Path, batches: Batches
) -> None:
    (root / "other.py").hardlink_to(root / "a.py")
    (root / "link.py").symlink_to("a.py")
    for name, error in (("other.py", Conflict), ("link.py", UsageError)):
        with pytest.raises(error):
            batches.accept([FileChange(name, A, A + b"x\n"), FileChange("a.py", A, A2)], "twice")

    assert tree(root)["a.py"] == A


def test_removing_one_name_of_a_file_leaves_the_others(root: Path, batches: Batches) -> None:
    (root / "other.py").hardlink_to(root / "a.py")
    batches.accept([FileChange("a.py", A, None)], "remove")

    assert not (root / "a.py").exists()
    assert (root / "other.py").read_bytes() == A


@pytest.mark.parametrize("target", ["a.py", "./pkg/../a.py", "link2.py", "absolute"])
def test_an_edit_through_a_link_changes_the_file_it_points_to(
    root: Path, repo: Repository, batches: Batches, target: str
) -> None:
    (root / "link2.py").symlink_to("a.py")
    (root / "link.py").symlink_to(root / "a.py" if target == "absolute" else target)
    assert repo.read("link.py") == A
    _accept(batches, "link.py")

    assert (root / "link.py").is_symlink()
    assert (root / "a.py").read_bytes() == A2
    assert not (root / "a.py").is_symlink()
    batches.undo()
    assert (root / "a.py").read_bytes() == A


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("../outside.py", "a link out of the work tree"),
        ("/etc/hosts", "a link out of the work tree"),
        (".git/config", "belongs to git"),
        ("nothing.py", "a link to nothing"),
        ("link.py", "a link that cannot be followed: Too many levels"),
        ("pkg", "not a regular file"),
        ("/dev/null", "a link out of the work tree"),
    ],
)
def test_a_link_to_what_is_not_a_file_of_the_work_tree_is_refused(
    root: Path, repo: Repository, batches: Batches, target: str, words: str
) -> None:
    (root.parent / "outside.py").write_bytes(A)
    config = (root / ".git/config").read_bytes()
    (root / "link.py").symlink_to(target)

    for before in (None, A, config):
        with pytest.raises(FileError, match=words):
            batches.accept(
                [FileChange("link.py", before, A2), FileChange("new.py", None, A2)], "attack"
            )
    with pytest.raises(FileError, match=words):
        repo.read("link.py")
    assert (root.parent / "outside.py").read_bytes() == A
    assert (root / ".git/config").read_bytes() == config
    assert not (root / "new.py").exists()


def test_a_link_is_not_removed(root: Path, batches: Batches) -> None:
    (root / "link.py").symlink_to("a.py")
    with pytest.raises(FileError, match=r"link.py is a link to a.py; remove the link yourself"):
        batches.accept([FileChange("link.py", A, None)], "remove")

    assert (root / "link.py").read_bytes() == A


def test_a_file_that_another_program_has_open_for_writing_stays_as_it_is(
    root: Path, batches: Batches
) -> None:
    with (
        (root / "a.py").open("r+b"),
        pytest.raises(Conflict, match=r"a\.py was saved by another program"),
    ):
        _accept(batches)
    assert tree(root)["a.py"] == A

    with (root / "a.py").open("rb"):
        _accept(batches)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (b"abcdef", True),
        (b"abcXYZ", True),
        (b"abXY", True),
        (b"abXYef", True),
        (b"abXd\0\0", True),
        (b"abXd", True),
        (b"abcdXY", False),
        (b"ab\0def", False),
        (b"abc", False),
        (b"abcdefgh", False),
    ],
)
def test_a_file_cut_short_is_told_from_an_edited_one(found: bytes, expected: bool) -> None:
    one, other = b"abXY", b"abcdef"
    if found == b"abcXYZ":
        one, other = b"abcdef", b"uvwXYZ"
    assert is_mixture(found, one, other) is expected


@pytest.fixture
def mounted(root: Path, tmp_path: Path) -> Iterator[Path]:
    """A file that is mounted on `a.py`."""
    source = tmp_path / "source.py"
    source.write_bytes(A)
    mount = ["mount", "--bind", str(source), str(root / "a.py")]
    if (
        shutil.which("mount") is None
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("nothing can be mounted here")
    yield source
    subprocess.run(["umount", str(root / "a.py")], check=True)


def test_a_file_that_is_a_mount_is_written_in_place(
    mounted: Path, root: Path, batches: Batches, told: list[str]
) -> None:
    _accept(batches)
    assert mounted.read_bytes() == A2
    assert told == ["a.py is written in place, since something is mounted on it"]
    batches.undo()
    assert mounted.read_bytes() == A
    assert sorted(path.name for path in root.iterdir()) == [".git", "a.py", "pkg"]


def test_a_mount_that_the_system_does_not_tell_of_leaves_everything_as_it_was(
    root: Path, repo: Repository, state_dir: Path
) -> None:
    disk = Disk(_failing("exchange", errno.EBUSY))
    with pytest.raises(
        FileError, match=r"cannot replace a.py: Device or resource busy; something is mounted on it"
    ):
        _accept(Batches(repo, state_dir, disk=disk))
    assert tree(root)["a.py"] == A


@pytest.mark.parametrize("mode", [0o4755, 0o2775, 0o1777, 0o6711])
@pytest.mark.parametrize("names", [1, 2])
def test_bits_that_git_does_not_track_stay(
    root: Path, repo: Repository, state_dir: Path, mode: int, names: int
) -> None:
    (root / "a.py").chmod(mode)
    if names > 1:
        (root / "other.py").hardlink_to(root / "a.py")

    def take_bits(call: str) -> None:
        if call == "truncate":  # as the kernel does at any write, unless root writes
            (root / "a.py").chmod(mode & 0o777)

    batches = Batches(repo, state_dir, disk=Disk(take_bits))
    _accept(batches)
    assert (root / "a.py").stat().st_mode & 0o7777 == mode
    batches.undo()
    assert (root / "a.py").stat().st_mode & 0o7777 == mode
    assert (root / "a.py").read_bytes() == A
