"""A command of the user's own, run on versions of a file: in a copy, within limits, and never
left behind.
"""

import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from select import select

import pytest

from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.session.events import Status, TrialProgress
from spark_tui.session.repair import sandbox as trials
from spark_tui.session.repair.sandbox import RunningCommand, Trial, TrialCommand, copy_tracked
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.vcs.repository import Repository
from tests.fakes import edit_script, ended, git, make_repo, returned, scripted_session
from tests.providers.quoting_models import NOTHING, Script

LAST = "def last(items):\n    count = len(items)\n    return items[count]\n"
RIGHT = LAST.replace("[count]", "[count - 1]")
WRONG = LAST.replace("[count]", "[0]")
TrialOf = Callable[[str], Trial]
FAILS = f"{shlex.quote(sys.executable)} -c 'import a; a.last([1]); raise SystemExit(1)'"
PASSES = f"{shlex.quote(sys.executable)} -c 'import a; assert a.last([1, 2, 3]) == 3'"


@pytest.fixture
def repo(tmp_path: Path, copies: Path) -> Repository:
    """A repository with a file that is wrong."""
    return Repository.discover(make_repo(tmp_path / "repo", {"a.py": LAST, "b.py": "import a\n"}))


def _text(source: str) -> Text:
    return Text.from_bytes(source.encode(), "a.py")


@pytest.fixture
def trial_of(repo: Repository) -> Iterator[TrialOf]:
    """Makes trials of a command, and closes them."""
    with ExitStack() as opened:
        yield lambda line: opened.enter_context(
            closing(Trial(TrialCommand(repo, line), "a.py", _text(LAST)))
        )


def _check(trial: Trial, source: str) -> tuple[bool, str]:
    check = returned(trial.run(_text(source), TrialProgress()))
    return check.ok, check.detail


def test_versions_are_told_apart_though_they_are_written_at_the_same_moment(
    trial_of: TrialOf,
) -> None:
    trial = trial_of(PASSES)
    results = [
        _check(trial, source)[0] for source in (WRONG, RIGHT, WRONG.replace("0", "1"), RIGHT + "\n")
    ]
    assert results == [False, True, False, True]
    assert trial.passed_before is False


def test_the_tree_is_copied_once_and_the_copy_goes_away(
    trial_of: TrialOf, repo: Repository, copies: Path
) -> None:
    trial = trial_of("pwd; touch made; false")
    folders = {_check(trial, LAST + "#" * number)[1] for number in (1, 2)}
    assert len(folders) == len(list(copies.iterdir())) == 1
    trial.close()
    assert list(copies.iterdir()) == []
    assert git(repo.root, "status", "--porcelain") == b""


def test_a_version_is_not_run_twice(trial_of: TrialOf, tmp_path: Path) -> None:
    trial = trial_of(f"echo run >> {tmp_path}/log; false")
    assert _check(trial, WRONG) == _check(trial, WRONG)
    assert (tmp_path / "log").read_text() == "run\n" * 2


def test_a_command_that_passes_without_the_edit_is_told(trial_of: TrialOf) -> None:
    assert _check(trial_of("true"), RIGHT) == (True, "`true` passes without the edit, too")


def test_nothing_comes_from_stdin_and_only_the_end_of_the_output_is_kept(trial_of: TrialOf) -> None:
    trial = trial_of("cat; yes | head -c 3000000; echo; echo the end; exit 3")
    assert _check(trial, RIGHT)[1].endswith("ended with 3: the end")


def test_a_link_among_the_tracked_files_is_not_written_through(
    trial_of: TrialOf, repo: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(LAST)
    (repo.root / "a.py").unlink()
    (repo.root / "a.py").symlink_to(outside)
    _check(trial_of("true"), RIGHT)
    assert outside.read_text() == LAST


def test_nothing_behind_a_link_in_place_of_a_folder_is_copied(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "repo", {"a.py": "A = 1\n", "in/conf/b.py": "B = 1\n"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.py").write_text("SECRET = 1\n")
    for place in ("in/conf", "in"):
        shutil.rmtree(root / place)
        (root / place).symlink_to(outside)
        if place == "in":
            (outside / "conf").mkdir()
            (outside / "conf" / "b.py").write_text("SECRET = 1\n")
        copy = tmp_path / f"copy {place.count('/')}"
        copy.mkdir()
        copy_tracked(Repository.discover(root), copy)
        assert [path.name for path in copy.rglob("*") if path.is_file()] == ["a.py"]
        (root / place).unlink()
        (root / "in").mkdir(exist_ok=True)


@pytest.mark.parametrize("budget", [0, -1, float("nan"), float("inf")])
def test_a_budget_is_a_number_of_seconds(repo: Repository, budget: float) -> None:
    with pytest.raises(UsageError, match="budget"):
        TrialCommand(repo, "true", budget)


def _hanging(fifo: Path) -> str:
    """A command that starts another one, holds the fifo open for writing, and never ends."""
    os.mkfifo(fifo)
    return f"mkfifo {fifo}.never; (exec 9>{fifo}; echo on >&9; cat {fifo}.never) & wait"


def _is_over(fifo: int) -> bool:
    """Whether nobody holds the fifo any more, after some seconds at most."""
    while select([fifo], [], [], 5)[0]:
        if not os.read(fifo, 100):
            return True
    return False


def test_what_takes_too_long_is_killed_with_all_it_started(
    trial_of: TrialOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "FIRST_SHARE", 0.005)
    monkeypatch.setattr(trials, "LEAST_LIMIT_SECONDS", 0.2)
    monkeypatch.setattr(trials, "HANGING_SHARE", 0.02)
    command = _hanging(tmp_path / "fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    ok, said = _check(trial_of(command), RIGHT)
    assert (ok, said.endswith("did not finish in 1.2 s")) == (False, True)
    assert _is_over(reader)


@pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="the system tells of no environments"
)
@pytest.mark.parametrize("rest", ["", "; sleep 100"])
def test_what_made_itself_a_session_of_its_own_is_killed_too(
    repo: Repository, tmp_path: Path, rest: str
) -> None:
    command = (
        _hanging(tmp_path / "fifo")
        .replace("(exec", "(exec setsid -f sh -c 'exec")
        .replace(") & wait", "')")
    )
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    with closing(Trial(TrialCommand(repo, command + rest, 0.4), "a.py", _text(LAST))) as trial:
        _check(trial, RIGHT)
        assert _is_over(reader)


def test_a_first_run_that_hangs_is_asked_where_it_is(repo: Repository) -> None:
    line = "trap 'echo at line 7; exit 1' INT; mkfifo never; cat never"
    with closing(Trial(TrialCommand(repo, line, 4.0), "a.py", _text(LAST))) as trial:
        list(trial.run_unedited(TrialProgress()))
        assert trial.first
        assert (trial.first.status, trial.first.output.strip()) == (None, "at line 7")


def test_what_hung_is_run_again_only_when_all_else_was_tried(repo: Repository) -> None:
    line = "grep -q 'count - 1' a.py || exit 1; mkfifo -m 600 never$$; cat never$$"
    with closing(Trial(TrialCommand(repo, line, 6.0), "a.py", _text(LAST))) as trial:
        _check(trial, RIGHT)
        assert trial.hung(_text(RIGHT))
        spent = trial.left
        _check(trial, RIGHT)
        assert trial.left == spent
        list(trial.run(_text(RIGHT), TrialProgress(), again=True))
        assert trial.left < spent
        assert not trial.hung(_text(RIGHT))


@pytest.mark.parametrize("end", [GeneratorExit, KeyboardInterrupt])
def test_a_turn_that_is_stopped_kills_the_command_and_removes_the_copy(
    tmp_path: Path, copies: Path, end: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = _begin(_session(tmp_path), _hanging(tmp_path / "fifo"))
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    events = turn.events()
    next(event for event in events if isinstance(event, TrialProgress) and _says_on(reader))
    if end is GeneratorExit:
        events.close()
    else:
        wait = RunningCommand.wait

        def interrupted(*_: object) -> None:
            monkeypatch.setattr(RunningCommand, "wait", wait)
            raise KeyboardInterrupt

        monkeypatch.setattr(RunningCommand, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            list(events)
    assert _is_over(reader)
    assert turn.status is Status.INTERRUPTED
    assert list(copies.iterdir()) == []


def _says_on(reader: int) -> bool:
    try:
        return os.read(reader, 100) != b""
    except BlockingIOError:
        return False


def _session(folder: Path, file: str = LAST, script: Script | None = None) -> Session:
    scripts = {"fix this": edit_script(file, WRONG) if script is None else script}
    return scripted_session(folder, {"a.py": file}, scripts)


def _begin(session: Session, command: str, budget: float = 60.0) -> Turn:
    return session.begin(
        Request("fix this", "a.py", symbol="last"), command=session.command(command, budget)
    )


def test_a_selection_keeps_the_search_to_its_lines(tmp_path: Path, copies: Path) -> None:
    session = _session(tmp_path)
    turn = ended(
        session.begin(Request("fix this", "a.py", lines=(2, 2)), command=session.command(FAILS))
    )
    everywhere = ended(_begin(session, FAILS))
    assert "small changes" in turn.message
    assert _number(turn.message) < _number(everywhere.message)


def _number(message: str) -> int:
    return max(int(word) for word in message.replace(":", " ").split() if word.isdigit())


def test_the_search_ends_with_its_budget(tmp_path: Path, copies: Path) -> None:
    turn = ended(_begin(_session(tmp_path), "false", budget=1e-9))
    assert turn.status is Status.ABSTAINED
    assert "tried 0 of " in turn.message
    assert "s allowed no more, at " in turn.message
    assert "`--budget 10` would do for all of them" in turn.message


def _end(tmp_path: Path, command: str, **more: float) -> Turn:
    return ended(_begin(_session(tmp_path), command, **more))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("echo no tests ran in 0.1s; exit 5", "no tests to run"),
        ("echo 'ERROR: file or directory not found: new.py'; exit 4", "`git add new.py` first"),
        ("echo 'python: No module named nope'; exit 1", "No module named nope"),
        (f"{sys.executable} -c 'import nope'", "No module named 'nope'"),
        (f"{sys.executable} broken.py", "broken.py:1"),
    ],
)
def test_a_command_that_no_edit_here_can_help_is_told_at_once(
    tmp_path: Path, copies: Path, command: str, said: str
) -> None:
    session = scripted_session(tmp_path, {"a.py": LAST, "broken.py": "def f(:\n"}, {})
    (session.repo.root / "new.py").write_text("")
    turn = ended(_begin(session, command))
    assert (turn.status, said in turn.message) == (Status.ABSTAINED, True), turn.message
    assert turn.trial
    assert (getattr(turn.mender, "search", ""), turn.trial.last_lines != ()) == (None, True)


def test_a_name_that_the_region_imports_is_its_own_to_mend(tmp_path: Path, copies: Path) -> None:
    file = "def last(items):\n    import jsn\n    return items\n"
    turn = ended(
        _begin(_session(tmp_path, file, NOTHING), f"{sys.executable} -c 'import a; a.last([1])'")
    )
    assert "fails before any edit" not in turn.message


def test_a_slow_command_keeps_to_the_budget_and_is_not_said_to_fail(
    tmp_path: Path, copies: Path
) -> None:
    began = time.monotonic()
    turn = _end(tmp_path, "sleep 100", budget=2.0)
    assert time.monotonic() - began < 8
    assert "`sleep 100` did not finish in 1 s" in turn.message
    assert "still fails" not in turn.message


def test_a_loop_that_never_ends_can_be_mended(
    tmp_path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "LEAST_LIMIT_SECONDS", 2.0)
    monkeypatch.setattr(trials, "FIRST_SHARE", 0.01)
    file = "def last(items):\n    at = 3\n    while at > 0:\n        at += 1\n    return at\n"
    command = f"{sys.executable} -c 'import a; assert a.last([]) == 0'"
    request = Request("it never terminates, fix it", "a.py", lines=(4, 4))
    session = _session(tmp_path, file, NOTHING)
    turn = ended(session.begin(request, command=session.command(command, 40.0)))
    assert turn.review.proposed.lines[3] == "        at -= 1"


def test_a_repair_that_needs_more_time_than_others_is_tried_again_with_more(
    tmp_path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "QUICK_SECONDS", 0.5)
    session = _session(tmp_path, script=NOTHING)
    turn = _begin(
        session,
        "grep -q 'count - 1' a.py || { cat a.py; exit 1; }; test -e once && exit 0; mkfifo "
        "once; cat once",
    )
    list(turn.events())
    assert "count - 1" in turn.review.proposed.lines[2]


ALONE = "-x --ff 'test_a.py::test_last[1-x]'"


def _pytest_like(folder: Path, ends: int) -> str:
    """A command that is slow, says what pytest says, and notes with which options it was run."""
    log = shlex.quote(str(folder / "options"))
    fails = (
        f"{shlex.quote(sys.executable)} -c 'import a; raise SystemExit(a.last([1, 2, 3]) != "
        f"3)' 2>&1 >/dev/null"
    )
    early = f'if [ -n "$PYTEST_ADDOPTS" ] && [ {ends} = 4 ]; then exit 4; fi'
    return f'echo "$PYTEST_ADDOPTS" >> {log}; {early}; echo 1 failed in 1.00s; {fails}'


@pytest.mark.parametrize(
    ("says", "early"), [("", "-x --ff"), ("FAILED test_a.py::test_last[1-x] - 1 == 2", ALONE)]
)
@pytest.mark.parametrize("ends", [0, 4])
def test_slow_tests_stop_at_the_first_that_fails_and_what_passes_has_passed_them_all(
    trial_of: TrialOf,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    says: str,
    early: str,
    ends: int,
) -> None:
    monkeypatch.setattr(trials, "_SLOW_SECONDS", 0.0)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    trial = trial_of(f"echo {shlex.quote(says)}; {_pytest_like(tmp_path, ends)}")
    assert not _check(trial, WRONG)[0]
    assert _check(trial, RIGHT)[0]
    options = [line.strip() for line in (tmp_path / "options").read_text().splitlines()]
    assert options == ["", early, "" if ends else early, ""]


def test_a_quick_command_and_one_that_is_no_pytest_are_run_as_they_are(
    trial_of: TrialOf, tmp_path: Path
) -> None:
    trial = trial_of(f'echo "[$PYTEST_ADDOPTS]" >> {shlex.quote(str(tmp_path / "options"))}; false')
    assert not _check(trial, WRONG)[0]
    assert "-x" not in (tmp_path / "options").read_text()
