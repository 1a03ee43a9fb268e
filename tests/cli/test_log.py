"""`spark log`, `spark undo` and `spark redo` from the shell."""

import errno
import json
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from spark_tui.config import state_dir
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.repository import Repository
from tests.cli.conftest import Spark, UseScripts
from tests.fakes import git
from tests.tui.pseudo import Terminal
from tests.vcs.benches import Crash, Hook

A = b"one\ntwo\nthree\n"
A2 = b"one\n2\x1b]8;;\nthree\n"
B = b"x = 1\n"
B2 = b"x = 10\n"
C = b"def area():\n    return 1\n"


@pytest.fixture
def folder(
    repo: Callable[[Mapping[str, str | bytes]], Path], state: Path, use_scripts: UseScripts
) -> Path:
    assert not state.exists()
    use_scripts({})  # a command that loads a model takes seconds for the shipped one
    return repo({"a.py": A, "b.py": B, "c.py": C})


@pytest.fixture
def batch(folder: Path) -> str:
    """The id of a batch that changes two files."""
    batches = Batches(Repository.discover(folder), state_dir())
    return batches.accept(
        [FileChange("a.py", A, A2), FileChange("b.py", B, B2)], "two\nand \x1b[31mten"
    ).id


@pytest.mark.usefixtures("batch")
def test_the_log_is_one_line_a_batch_with_nothing_hidden(spark: Spark, folder: Path) -> None:
    (line,) = spark("log", "-C", folder).out.splitlines()

    assert line.startswith("applied ")
    assert line.endswith("two and ␛[31mten  [a.py, b.py]")


def test_a_batch_is_shown_as_its_patch(spark: Spark, folder: Path, batch: str) -> None:
    done = spark("log", batch[:5], "-C", folder)

    assert "applied " in done.err
    assert batch in done.err
    assert "\x1b" not in done.out.replace(
        "\x1b]8;;", ""
    )  # capfd is no terminal, so the bytes are exact
    git(folder, "apply", "--reverse", "--check", stdin=done.out.encode())


def test_a_batch_is_shown_as_json(spark: Spark, folder: Path, batch: str) -> None:
    body = json.loads(spark("log", batch, "--json", "-C", folder).out)

    assert (body["version"], body["entry"]["id"], body["entry"]["state"]) == (1, batch, "applied")
    git(folder, "apply", "--reverse", "--check", stdin=body["patch"].encode())


def test_undo_and_redo_say_what_they_are_about_to_do(
    spark: Spark, folder: Path, batch: str
) -> None:
    undo = spark("undo", "-C", folder)
    assert (
        undo.err
        == f"spark: takes back {batch} 'two and ␛[31mten': a.py +1 -1, b.py +1 -1\n".replace(
            "␛", "\\x1b"
        )
    )
    assert "undo two" in undo.out
    redo = spark("redo", batch, "-C", folder)
    assert redo.err.startswith(f"spark: redoes {batch} ")
    assert (folder / "a.py").read_bytes() == A2


def test_a_conflict_shows_both_versions_and_the_rest_can_be_undone(
    spark: Spark, folder: Path, batch: str
) -> None:
    (folder / "b.py").write_bytes(b"x = 11\x07\n")
    done = spark("undo", "-C", folder)
    assert done.code == 4
    assert done.err.splitlines()[1:] == [
        "b.py:1: - is there now, + is what would take its place, = is what both come from",
        "-x = 11␇",
        "+x = 1",
        "=x = 10",
    ]
    body = json.loads(spark("undo", "--json", "-C", folder).err)
    assert (body["status"], body["detail"].splitlines()[2]) == ("conflict", "+x = 1")

    assert f"`spark undo {batch} --file a.py`" in body["message"]
    assert spark("undo", batch, "--file", "a.py", "-C", folder).code == 0
    assert (folder / "a.py").read_bytes() == A
    assert (folder / "b.py").read_bytes() == b"x = 11\x07\n"
    assert [line[:10].strip() for line in spark("log", "-C", folder).out.splitlines()] == [
        "applied",
        "partly",
    ]


@pytest.mark.parametrize(("option", "b"), [("--keep", b"x = 11\n"), ("--take", B)])
@pytest.mark.usefixtures("batch")
def test_of_lines_edited_since_an_option_says_which_version_it_is_to_be_and_a_redo_brings_back_all(
    spark: Spark, folder: Path, option: str, b: bytes
) -> None:
    (folder / "b.py").write_bytes(b"x = 11\n")
    refused = spark("undo", "-C", folder)
    assert refused.code == 4
    assert "`--keep` keeps what is there, `--take` restores what was before" in refused.err
    done = spark("undo", option, "--json", "-C", folder)
    assert (done.code, "undoes" in json.loads(done.out)) == (0, True)
    assert ((folder / "a.py").read_bytes(), (folder / "b.py").read_bytes()) == (A, b)
    assert spark("redo", "-C", folder).code == 0
    assert ((folder / "a.py").read_bytes(), (folder / "b.py").read_bytes()) == (A2, b"x = 11\n")


@pytest.mark.parametrize(
    ("keys", "code", "b"),
    [("k\n", 0, b"x = 11\n"), ("t\n", 0, B), ("y\n", 4, None), ("\x04", 4, None)],
)
@pytest.mark.usefixtures("batch")
def test_on_a_terminal_it_is_asked_which_version_it_is_to_be(
    on_terminal: Callable[..., Terminal], folder: Path, keys: str, code: int, b: bytes | None
) -> None:
    (folder / "b.py").write_bytes(b"x = 11\n")
    terminal = on_terminal("undo", "-C", str(folder))
    terminal.until(terminal.shows("[k/t/q]"))
    assert "-x = 11" in terminal.text
    terminal.press(keys, until=terminal.ended)
    terminal.until_quiet()
    assert terminal.process.returncode == code
    assert (folder / "b.py").read_bytes() == (b or b"x = 11\n")
    assert (folder / "a.py").read_bytes() == (A2 if b is None else A)
    assert terminal.after == terminal.before


def test_what_taking_back_breaks_is_said(spark: Spark, folder: Path) -> None:
    batches = Batches(Repository.discover(folder), state_dir())
    batches.accept([FileChange("b.py", B, b"y = 2\nx = 1\n")], "y")
    (folder / "b.py").write_bytes(b"y = 2\nx = 1\nprint(y)\n")
    assert "taking it back breaks b.py (names: undefined: y" in spark("undo", "-C", folder).err


@pytest.mark.usefixtures("batch")
def test_a_damaged_record_is_set_aside_and_counted(spark: Spark, folder: Path, state: Path) -> None:
    (file,) = state.glob("journals/*/journal")
    file.write_bytes(b"junk\n" + file.read_bytes())

    assert spark("log", "-C", folder).err == "spark: damaged records, kept but left out: 1\n"
    assert json.loads(spark("log", "--json", "-C", folder).out)["damaged"] == 1


def test_the_setting_bounds_the_journal_and_the_log_says_what_went(
    spark: Spark, folder: Path, batch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_JOURNAL_MEGABYTES", "0")
    spark("undo", "-C", folder)
    assert batch in spark("log", "-C", folder).out
    batches = Batches(Repository.discover(folder), state_dir(), most_bytes=0)
    batches.accept([FileChange("b.py", B, B2)], "ten")

    done = spark("log", "-C", folder)
    assert len(done.out.splitlines()) == 1
    assert "spark: 2 older batches, up to 20" in done.err
    assert json.loads(spark("log", "--json", "-C", folder).out)["dropped"] == 2


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_full_stdout_is_told_together_with_what_was_undone_and_redone(
    spark: Spark, folder: Path, batch: str, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    after = {"undo": ("taken back, `spark redo` does it again", A)}
    after["redo"] = ("done again, `spark undo` takes it back", A2)
    for command, (words, content) in after.items():
        with Path("/dev/full").open("w") as full, monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", full)
            done = spark(command, *options, "-C", folder)
        newest = spark("log", "-C", folder).out.split()[1]
        assert newest != batch
        assert f"{words} (batch {newest}); but cannot write: No space left" in done.err
        assert (done.code, (folder / "a.py").read_bytes()) == (1, content)


def _at_exchange(number: int, error: BaseException) -> Hook:
    """A hook that lets nothing be exchanged from one exchange on, counted from 0."""
    calls: list[str] = []

    def hook(call: str) -> None:
        calls.append(call)
        if calls.count("exchange") > number and (call == "exchange" or isinstance(error, Crash)):
            raise error

    return hook


def _refuse_exchanges(patched: pytest.MonkeyPatch) -> None:
    """As where a file of the batch is immutable."""
    refusal = PermissionError(errno.EPERM, os.strerror(errno.EPERM))
    refusing = partial(Disk, _at_exchange(0, refusal))
    patched.setattr("spark_tui.vcs.batches.Disk", refusing)


def _undo_by_half(folder: Path) -> str:
    """Die in the middle of an undo.

    Returns:
        The id of the undo.
    """
    batches = Batches(Repository.discover(folder), state_dir(), disk=Disk(_at_exchange(1, Crash())))
    with pytest.raises(Crash):
        batches.undo()
    assert (folder / "a.py").read_bytes() == A
    assert (folder / "b.py").read_bytes() == B2
    (journal,) = state_dir().glob("journals/*/journal")
    return str(json.loads(journal.read_bytes().splitlines()[-1].split(b" ", 2)[2])["id"])


@pytest.mark.parametrize("command", ["log", "log --json", "undo", "redo", "doctor"])
@pytest.mark.usefixtures("batch")
def test_a_batch_that_stays_half_done_is_told_with_its_files_and_the_obstacle(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    undo = _undo_by_half(folder)
    words = f"({undo}) is half done, written in a.py, not in b.py: cannot replace a.py: "
    for _ in range(2):
        with monkeypatch.context() as patched:
            _refuse_exchanges(patched)
            done = spark(*command.split(), "-C", folder)
        told = done.out if command == "doctor" else done.err.splitlines()[0]
        assert words in told
        assert os.strerror(errno.EPERM) in told
        assert done.code == 1
        assert (folder / "a.py").read_bytes() == A

    done = spark("log", "-C", folder)
    assert (done.code, "all of its files are as they were before" in done.err) == (0, True)
    assert ((folder / "a.py").read_bytes(), (folder / "b.py").read_bytes()) == (A2, B2)


@pytest.mark.usefixtures("batch")
def test_an_edit_is_proposed_beside_a_batch_that_is_half_done_and_that_is_told(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undo = _undo_by_half(folder)
    _refuse_exchanges(monkeypatch)
    ask = ["exec", "--at", "c.py::area", "--rename", "size", "-q", "-C", str(folder)]
    done = spark(*ask)
    assert (done.code, "+def size" in done.out) == (0, True)
    assert f"({undo}) is half done, written in a.py, not in b.py" in done.err
    done = spark(*ask, "--apply")
    assert (done.code, f"({undo}) is half done" in done.err) == (1, True)
    assert (folder / "c.py").read_bytes() == C


@pytest.mark.usefixtures("batch")
def test_the_doctor_says_what_it_brought_to_an_end(spark: Spark, folder: Path) -> None:
    _undo_by_half(folder)
    out = spark("doctor", "-C", folder).out
    assert "note  journal      'undo two" in out
    assert "was cut short: all of its files are as they were before" in out
    assert (folder / "a.py").read_bytes() == A2
    assert "journal" not in spark("doctor", "-C", folder).out
