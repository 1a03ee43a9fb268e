"""The write protocol on a disk that refuses: an error means that every file is as it was, and
says what to do.
"""

import ctypes
import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from spark_tui.errors import Conflict, FileError
from spark_tui.vcs import disk
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.journal import BatchPhase
from tests.vcs.benches import NEW, OLD, PATHS, Bench, Hook, calls_of, fails_at

REFUSALS = [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES, errno.EROFS, errno.EPERM]


def told(run: Callable[[], None]) -> str:
    """The words of the file error that `run` ends in; none when it succeeds."""
    try:
        run()
    except FileError as e:
        return str(e)
    return ""


@pytest.mark.parametrize("code", REFUSALS)
def test_a_call_that_fails_changes_no_file_and_is_told_in_one_line(
    benches: Iterator[Bench], code: int
) -> None:
    calls = calls_of(next(benches).accept)
    for number, call in enumerate(calls):
        bench = next(benches)
        words = told(partial(bench.accept, fails_at(number, code)))
        # Files that cannot be given away or whose attributes cannot be set are written in place; a
        # folder may stay.
        assert bench.files() == (OLD if words else NEW), (call, words)
        assert not words or (os.strerror(code) in words and ";" in words and "\n" not in words)
        assert words or number >= calls.index("exchange") or call == "chmod"
        bench.recover()
        bench.check_settled()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_fails_from_then_on_leaves_nothing_the_next_start_does_not_set_right(
    benches: Iterator[Bench], code: int
) -> None:
    adding = {"create", "write", "mkdir", "setxattr"} if code == errno.ENOSPC else None
    for number in range(len(calls_of(next(benches).accept))):
        bench = next(benches)
        words = told(partial(bench.accept, fails_at(number, code, calls=adding, lasting=True)))
        assert not words or os.strerror(code) in words
        if adding and words:
            assert {
                path: data for path, data in bench.files().items() if not path.endswith(".tmp")
            } == OLD
        bench.recover()
        bench.check_settled()
        assert bench.files() == (OLD if words else NEW), number


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC])
@pytest.mark.parametrize("call", ["fsync", "unlink", "pwrite", "rename", "rmdir"])
def test_where_one_kind_of_call_fails_the_next_start_makes_all_files_old_or_new(
    benches: Iterator[Bench], call: str, code: int, lasting: bool
) -> None:
    numbers = [at for at, name in enumerate(calls_of(next(benches).accept)) if name == call]
    assert numbers or call == "rmdir"
    for number in numbers:
        bench = next(benches)
        words = told(partial(bench.accept, fails_at(number, code, calls={call}, lasting=lasting)))
        assert not words or os.strerror(code) in words
        if not lasting:
            assert bench.files() == (OLD if words else NEW), number
        if bench.files() not in (OLD, NEW):
            assert any("`spark log`" in sentence for sentence in bench.told), number
        bench.recover()
        bench.check_settled()
        assert bench.files() == (OLD if words else NEW), number


@pytest.mark.parametrize("code", [errno.EIO, errno.EACCES])
def test_a_copy_that_cannot_be_removed_is_told(benches: Iterator[Bench], code: int) -> None:
    calls = calls_of(next(benches).accept)
    last = len(calls) - 1 - calls[::-1].index("unlink")
    bench = next(benches)
    bench.accept(fails_at(last, code))
    assert bench.files() == NEW
    assert any("could not tidy up" in sentence for sentence in bench.told)
    bench.recover()
    bench.check_settled()


def test_a_file_that_cannot_be_replaced_takes_the_others_back(benches: Iterator[Bench]) -> None:
    exchanges = [at for at, call in enumerate(calls_of(next(benches).accept)) if call == "exchange"]
    bench = next(benches)
    with pytest.raises(
        FileError, match=r"cannot replace z/last\.py: Operation not permitted; .*lsattr"
    ):
        bench.accept(fails_at(exchanges[-1], errno.EPERM))

    assert bench.phase is BatchPhase.ABORTED
    bench.check_settled()


@pytest.mark.parametrize("at_once", [1, 3])
def test_writes_that_take_only_some_bytes_are_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    write, pwrite = os.write, os.pwrite
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:at_once]))
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: pwrite(file, data[:at_once], at))
    disk = Disk()
    file = disk.create(str(tmp_path / "file"), 0o600)
    disk.write(file, b"0123456789")
    disk.write_at(file, b"abcdefg", 2)
    disk.truncate(file, 8)
    os.close(file)

    assert (tmp_path / "file").read_bytes() == b"01abcdef"


def test_a_write_that_takes_nothing_is_an_error_not_a_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "write", lambda _file, _data: 0)
    file = Disk().create(str(tmp_path / "file"), 0o600)
    with pytest.raises(OSError, match="Input/output error"):
        Disk().write(file, b"x")
    os.close(file)


def test_a_rename_that_a_signal_interrupts_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    real, tries = disk._system_call, count()  # noqa: SLF001

    def interrupted_once(*arguments: object) -> int:
        if next(tries) == 0:
            ctypes.set_errno(errno.EINTR)
            return -1
        return int(real(*arguments))  # type: ignore[misc]

    monkeypatch.setattr(disk, "_system_call", interrupted_once)
    folder = os.open(tmp_path, os.O_RDONLY)
    Disk().exchange("a", "b", folder=folder)
    os.close(folder)

    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"b", b"a")
    assert next(tries) == 2


@pytest.mark.parametrize("code", sorted(disk.UNSUPPORTED))
def test_without_exchange_files_are_renamed_after_one_more_look_and_the_user_is_told(
    tmp_path: Path, code: int
) -> None:
    bench = Bench(tmp_path)
    bench.accept(_without_exchange(code))

    bench.check_settled()
    assert bench.files() == NEW
    assert any("a.py: this file system cannot swap two files" in words for words in bench.told)


@pytest.mark.parametrize("path", PATHS)
def test_without_exchange_a_batch_that_fails_puts_every_file_back(
    benches: Iterator[Bench], path: str
) -> None:
    def saves(call: str) -> None:
        _without_exchange(errno.ENOSYS)(call)
        if (
            call == "truncate" and path != "h/linked.py"
        ):  # the file before the last one is being written
            (bench.root / path).parent.mkdir(exist_ok=True, parents=True)
            (bench.root / path).write_bytes(b"mine\n")

    bench = next(benches)
    if path == "z/last.py":
        with pytest.raises(Conflict, match=r"z/last\.py has changed on disk"):
            bench.accept(saves)
        assert bench.files() == {**OLD, path: b"mine\n"}
        assert bench.phase is BatchPhase.ABORTED
    else:
        bench.accept(saves)
        assert path == "h/linked.py" or bench.files()[path] == b"mine\n"


def test_without_exchange_a_file_that_goes_back_is_told_of_once(benches: Iterator[Bench]) -> None:
    truncated = count()

    def fails(call: str) -> None:
        _without_exchange(errno.ENOSYS)(call)
        if call == "truncate" and next(truncated) == 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    bench = next(benches)
    with pytest.raises(FileError):
        bench.accept(fails)
    assert bench.files() == OLD
    assert len([words for words in bench.told if words.startswith("a.py: ")]) == 1


def _without_exchange(code: int) -> Hook:
    def hook(call: str) -> None:
        if call in {"exchange", "move"}:
            raise OSError(code, os.strerror(code))

    return hook


def _vanish(path: Path) -> None:
    path.unlink(missing_ok=True)


def _to_a_folder(path: Path) -> None:
    _vanish(path)
    path.mkdir(parents=True)


def _to_a_pipe(path: Path) -> None:
    _vanish(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


def _to_a_link(path: Path) -> None:
    _vanish(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("/etc/hosts")


@pytest.mark.parametrize("become", [_vanish, _to_a_folder, _to_a_pipe, _to_a_link])
@pytest.mark.parametrize("path", ["a.py", "h/linked.py", "pkg/b.py", "new/deep/c.py"])
def test_a_file_that_turns_into_something_else_meanwhile_is_left_so_and_the_others_are_whole(
    benches: Iterator[Bench], become: Callable[[Path], None], path: str
) -> None:
    for number in range(0, len(calls_of(next(benches).accept)), 4):
        bench = next(benches)
        calls = count()

        def hook(
            _call: str, bench: Bench = bench, calls: Iterator[int] = calls, number: int = number
        ) -> None:
            if next(calls) == number:
                become(bench.root / path)

        try:
            bench.accept(hook)
            done = True
        except (Conflict, FileError):
            done = False
        bench.recover()
        files = {name: data for name, data in bench.files().items() if not name.startswith(path)}
        for other in set(PATHS) - {path}:
            expected = NEW if done or bench.phase is BatchPhase.DONE else OLD
            assert files.get(other) == expected.get(other), (number, other)
        assert not list(bench.root.rglob("*.tmp"))


_ON_A_MOUNT = """
import os, shutil, subprocess, sys
from pathlib import Path
from typing import Any
from tests.vcs.benches import NEW, OLD, Bench
from spark_tui.errors import FileError

place, kind = Path(sys.argv[1]), sys.argv[2]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", place], check=True)
bench = Bench(place)
if kind == "state full":
    bench.state = Path(sys.argv[3])
    shutil.copytree(place / "state", bench.state)
if kind == "read-only":
    subprocess.run(["mount", "-o", "remount,ro", place], check=True)
else:
    for left in range(int(sys.argv[4])):
        (place / f"filler{left}").write_bytes(b"")
    try:
        with (place / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
    except OSError:
        pass
    filler = place / "filler"
    os.truncate(filler, max(0, filler.stat().st_size - 4096 * int(sys.argv[4])))
try:
    bench.accept()
    print("accepted")
except FileError as e:
    print(e)
files = {path: data for path, data in bench.files().items()}
assert files in (OLD, NEW), files
print("old" if files == OLD else "new")
"""


def _on_a_mount(tmp_path: Path, *words: str) -> list[str]:
    (tmp_path / "mount").mkdir()
    command = [
        "unshare",
        "-Urm",
        sys.executable,
        "-c",
        _ON_A_MOUNT,
        str(tmp_path / "mount"),
        *words,
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


def _can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    command = ["unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


needs_mounts = pytest.mark.skipif(not _can_mount(), reason="needs user namespaces")


@needs_mounts
@pytest.mark.parametrize("pages", [0, 1, 3, 5, 8, 9, 10, 12, 40])
def test_on_a_file_system_that_is_really_full_nothing_changes(tmp_path: Path, pages: int) -> None:
    words, end = _on_a_mount(tmp_path, "full", str(tmp_path / "state"), str(pages))

    assert (words, end) == ("accepted", "new") or (
        "No space left on device; free some space, then try again" in words and end == "old"
    )
    assert end == ("old" if pages < 8 else "new" if pages > 20 else end)


@needs_mounts
def test_on_a_read_only_mount_nothing_changes_and_the_reason_is_given(tmp_path: Path) -> None:
    words, end = _on_a_mount(tmp_path, "read-only")

    assert (
        "Read-only file system; this file system is mounted read-only: remount it to write" in words
    )
    assert end == "old"


def fail_opens(
    patch: pytest.MonkeyPatch, number: int, code: int, *, lasting: bool
) -> Callable[[], int]:
    """Let one call of `os.open` fail, or all from there on; returns what tells how many there
    were.
    """
    made, real = list[int](), os.open

    def opened(*args: Any, **options: Any) -> int:
        made.append(len(made))
        if made[-1] == number or (lasting and made[-1] > number):
            raise OSError(code, os.strerror(code))
        return real(*args, **options)

    patch.setattr(os, "open", opened)
    return lambda: len(made)


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("code", [errno.EMFILE, errno.EACCES, errno.ENOSPC])
def test_an_open_that_fails_is_no_save_of_an_editor_and_no_batch_is_half_done(
    benches: Iterator[Bench], code: int, lasting: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        calls = fail_opens(patch, -1, code, lasting=False)
        next(benches).accept()
        all_calls = calls()
    assert all_calls > 50
    for number in range(all_calls):
        bench = next(benches)
        with pytest.MonkeyPatch.context() as patch:
            fail_opens(patch, number, code, lasting=lasting)
            words = told(bench.accept)
        assert not words or os.strerror(code) in words, number
        assert not any("another program" in sentence for sentence in bench.told), number
        assert lasting or bench.files() == (OLD if words else NEW), number
        bench.recover()
        bench.check_settled()
        assert bench.files() == (OLD if words else NEW), number
