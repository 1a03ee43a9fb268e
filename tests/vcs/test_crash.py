"""The write protocol when it is cut short at any of its calls: by death, again during recovery, or
by Ctrl-C.

Whatever happens, the work tree must end up wholly old or wholly new.
"""

import errno
import os
from collections.abc import Iterator
from itertools import count

import pytest

from spark_tui.vcs.journal import BatchPhase
from tests.vcs.benches import NEW, OLD, Bench, Crash, Hook, calls_of, dies_at, silent
from tests.vcs.repos import write_files


def test_the_protocol_makes_these_calls_in_this_order(benches: Iterator[Bench]) -> None:
    bench = next(benches)
    keep, line = ["create", "write", "fsync", "rename"], ["open", "write", "fsync"]
    like, copy = ["create", "write", "chmod", "fsync", "move"], ["create", "write", "fsync", "move"]
    stage = [*like, *["mkdir", "fsync"] * 2, *copy, "mkdir", "unlink", "mkdir", *like]
    over = ["pwrite", "fsync", "pwrite", "pwrite", "truncate", "fsync"]
    swap = ["exchange", "move", "move", *over, "exchange", *["fsync"] * 5]
    tidy = ["unlink", "rmdir"]
    prepare, settle = [*keep * 8, "fsync", *line, "fsync"], [*line, "fsync", *line]

    assert calls_of(bench.accept) == [
        *prepare,
        *stage,
        *settle,
        *swap,
        *["open", "write", "open", "fsync"],
        *tidy,
        *tidy,
        "rmdir",
        *tidy,
        *["open", "write"],
    ]
    assert bench.files() == NEW
    bench.check_settled()


def test_killed_at_any_call_the_files_are_old_or_new_after_recovery(
    benches: Iterator[Bench],
) -> None:
    ends = set()
    for number in range(len(calls_of(next(benches).accept))):
        bench = next(benches)
        with pytest.raises(Crash):
            bench.accept(dies_at(number))
        swapped = {path: data for path, data in bench.files().items() if not path.startswith("h/")}
        assert all(data in {OLD.get(path), NEW.get(path)} for path, data in swapped.items())
        bench.recover()
        bench.check_settled()
        ends.add(bench.phase)
        settled = bench.files()
        bench.recover()
        assert bench.files() == settled

    assert ends == {None, BatchPhase.ABORTED, BatchPhase.DONE}


def test_killed_where_no_rename_refuses_a_taken_name_the_files_are_old_or_new_after_recovery(
    benches: Iterator[Bench],
) -> None:
    """There, a file gets a second name before it loses the first one."""

    def without_such_renames(before: Hook) -> Hook:
        def hook(call: str) -> None:
            before(call)
            if call in {"exchange", "move"}:
                raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

        return hook

    calls: list[str] = []
    next(benches).accept(without_such_renames(calls.append))
    for number in range(len(calls)):
        bench = next(benches)
        with pytest.raises(Crash):
            bench.accept(without_such_renames(dies_at(number)))
        bench.recover(without_such_renames(silent))
        bench.check_settled()


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_killed_again_at_any_call_of_the_recovery_the_next_one_succeeds(
    benches: Iterator[Bench], step: int
) -> None:
    for first in range(0, len(calls_of(next(benches).accept)), step):
        for second in count(first % step, step):
            bench = next(benches)
            with pytest.raises(Crash):
                bench.accept(dies_at(first))
            try:
                bench.recover(dies_at(second))
            except Crash:
                bench.recover()
                bench.check_settled()
            else:
                bench.check_settled()
                break


def test_ctrl_c_at_any_call_leaves_no_mixture_even_before_recovery(
    benches: Iterator[Bench],
) -> None:
    def interrupts_at(number: int) -> Hook:
        numbers = count()

        def hook(_call: str) -> None:
            if next(numbers) == number:
                raise KeyboardInterrupt

        return hook

    for number in range(len(calls_of(next(benches).accept))):
        bench = next(benches)
        with pytest.raises(KeyboardInterrupt):
            bench.accept(interrupts_at(number))
        assert bench.files() in (OLD, NEW)
        bench.recover()
        bench.check_settled()


@pytest.mark.parametrize("path", ["a.py", "z/last.py"])
def test_recovery_keeps_its_hands_off_files_edited_after_the_crash(
    benches: Iterator[Bench], path: str
) -> None:
    seen = set()
    for number in range(len(calls_of(next(benches).accept))):
        bench = next(benches)
        with pytest.raises(Crash):
            bench.accept(dies_at(number))
        write_files(bench.root, {path: b"edited\n"})
        others = {**bench.files(), path: b"edited\n"}
        bench.recover()
        seen.add(bench.phase)

        assert bench.files()[path] == b"edited\n"
        assert not list(bench.root.rglob("*.tmp"))
        if bench.phase is BatchPhase.INTERRUPTED:
            files = bench.files()
            # What was written in place and cut short is not left so.
            assert (files.pop("h/linked.py"), files.pop("h/twin.py")) in {
                (old, old) for old in (OLD["h/twin.py"], NEW["h/twin.py"])
            }
            assert files == {
                name: data for name, data in others.items() if not name.startswith("h/")
            }
        else:
            assert {**bench.files(), path: b""} in ({**OLD, path: b""}, {**NEW, path: b""})

    assert seen >= {BatchPhase.ABORTED, BatchPhase.INTERRUPTED}


def test_recovery_is_not_stopped_by_a_file_that_became_a_link(benches: Iterator[Bench]) -> None:
    exchanges = [at for at, call in enumerate(calls_of(next(benches).accept)) if call == "exchange"]
    bench = next(benches)
    with pytest.raises(Crash):
        bench.accept(dies_at(exchanges[-1]))
    (bench.root / "z" / "last.py").unlink()
    (bench.root / "z" / "last.py").symlink_to("../a.py")
    bench.recover()

    assert bench.phase is BatchPhase.INTERRUPTED
    assert (bench.root / "z" / "last.py").is_symlink()
