"""The next edit behind an accept: where it is looked for, what is offered, who goes first."""

from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from threading import Event

import pytest

from spark_tui.editing.formats.quoted import NONE
from spark_tui.providers.calibration import Calibration
from spark_tui.session.next_edit import NextEdit
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.vcs.repository import Repository
from tests.fakes import ScriptedSession, edit_script, ended, make_repo, proposed, scripted
from tests.providers.quoting_models import Script

LOAD = 'def load(path):\n    print("load", path)\n    return open(path).read()\n'
SAVE = 'def save(path, text):\n    print("save", path)\n    open(path, "w").write(text)\n'
SHOW = 'def show(path):\n    print("show", path)\n    return len(path)\n'
AREA = "def area(w, h):\n    return w * h\n"
FILES = {"a.py": f"{LOAD}\n\n{SAVE}\n\n{AREA}", "b.py": SHOW}
WORDS = "do not print"


def hushed(code: str) -> str:
    return "".join(line for line in code.splitlines(keepends=True) if "print" not in line)


SCRIPTS: Mapping[str, Script] = {
    WORDS: edit_script(LOAD, hushed(LOAD)),
    "save too": edit_script(SAVE, hushed(SAVE)),
    "show too": edit_script(SHOW, hushed(SHOW)),
}


def session_on(
    folder: Path,
    scripts: Mapping[str, Script] = SCRIPTS,
    *,
    bound: float = 0.5,
    before_step: Callable[[], None] | None = None,
) -> Session:
    """A session on a model that writes the scripts, and was measured."""
    loaded = scripted(folder / "model", scripts, before_step)
    Calibration(sure=0.0, conversation=True, next_edit=bound).write(loaded.path)
    repo = Repository.discover(make_repo(folder / "repo", FILES))
    return ScriptedSession(repo, loaded, folder / "state")


def accepted(session: Session) -> Turn:
    turn = ended(session.begin(Request(WORDS, "a.py", symbol="load")))
    session.accept(turn, allow=None)
    return turn


def found(session: Session, turn: Turn) -> NextEdit:
    edit = session.next_edit(turn, bool)
    assert edit is not None
    return edit


def test_the_same_change_is_found_place_after_place_and_nothing_is_written(tmp_path: Path) -> None:
    session = session_on(tmp_path)
    turn = accepted(session)
    files = {path.name: path.read_text() for path in session.repo.root.glob("*.py")}
    second = found(session, turn)
    assert (second.turn.region.path, second.turn.region.symbol) == ("a.py", "save")
    assert second.size == (0, 1)
    assert proposed(second.turn) == files["a.py"].replace(SAVE, hushed(SAVE))
    assert {path.name: path.read_text() for path in session.repo.root.glob("*.py")} == files
    session.show_alternative(second.turn)
    session.accept(second.turn, allow=None)
    third = found(session, second.turn)
    assert (third.turn.region.path, proposed(third.turn)) == ("b.py", hushed(SHOW))
    session.show_alternative(third.turn)
    session.accept(third.turn, allow=None)
    assert session.next_edit(third.turn, bool) is None
    assert (session.repo.root / "b.py").read_text() == hushed(SHOW)


@pytest.mark.parametrize("bound", [0.0, 1.1])
def test_a_model_that_was_not_measured_or_is_not_sure_offers_nothing(
    tmp_path: Path, bound: float
) -> None:
    session = session_on(tmp_path, bound=bound)
    assert session.next_edit(accepted(session), bool) is None


@pytest.mark.parametrize(
    "script",
    [
        [NONE],
        edit_script(SAVE, SAVE.replace('"w"', '"a"')),
        edit_script(SAVE, hushed(SAVE).replace("text)", "text")),
    ],
    ids=["declined", "another change", "does not parse"],
)
def test_what_is_not_the_same_change_is_not_offered(tmp_path: Path, script: Script) -> None:
    session = session_on(tmp_path, {WORDS: SCRIPTS[WORDS], "save too": script})
    assert session.next_edit(accepted(session), bool) is None


def test_an_edit_that_was_taken_back_has_no_next_one(tmp_path: Path) -> None:
    session = session_on(tmp_path)
    turn = accepted(session)
    session.undo()
    assert session.next_edit(turn, bool) is None


def test_an_offer_is_not_current_once_its_file_has_changed(tmp_path: Path) -> None:
    session = session_on(tmp_path)
    edit = found(session, accepted(session))
    assert session.is_current(edit)
    file = session.repo.root / "a.py"
    file.write_text(file.read_text() + "\n")
    assert not session.is_current(edit)
    file.unlink()
    assert not session.is_current(edit)


def test_the_engine_is_left_at_the_next_token(tmp_path: Path) -> None:
    passes = list[int]()
    session = session_on(tmp_path, before_step=lambda: passes.append(1))
    turn = accepted(session)
    before = len(passes)
    assert session.next_edit(turn, lambda: len(passes) > before) is None
    assert len(passes) == before + 1


def test_nothing_is_computed_while_the_user_waits_for_the_engine(tmp_path: Path) -> None:
    passes = list[int]()
    session = session_on(tmp_path, before_step=lambda: passes.append(1))
    turn = accepted(session)
    before = len(passes)
    leave = Event()

    def answer() -> Generator[None, None, None]:
        leave.wait()
        yield

    session.runner.start(answer(), lambda _: None, lambda _: None)
    assert session.next_edit(turn, ended_after(3)) is None
    assert len(passes) == before
    leave.set()
    assert session.runner.wait(10)


def ended_after(times: int) -> Callable[[], bool]:
    """Whether to give up: from so many questions on."""
    left = iter(range(times))
    return lambda: next(left, None) is None
