"""A turn of several steps, with a model whose words are known."""

from pathlib import Path

import pytest

from spark_tui.editing.format import END, Piece, kind_mark
from spark_tui.editing.script import Insert, Replace
from spark_tui.errors import Abstained, UsageError
from spark_tui.session.composed import ComposedTurn
from spark_tui.session.events import Event, HunkClosed, Status, Token, TurnEnded, TurnStarted
from spark_tui.session.result import result
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from tests.fakes import ops_script, rename_script, scripted_session

AREA = "def area(w, h):\n    x = w * h\n    return x\n"
FILE = f"import os\n\n\n{AREA}\n\ndef show():\n    print(area(2, 3), os.sep)\n"
RENAMED = AREA.replace("x", "total")
WORDS = "rename x to total and add a comment to x; then rename total to size"
SCRIPTS: dict[str, tuple[Piece, ...] | None] = {
    "rename x to total": rename_script(AREA, "x", "total"),
    "add a comment to total": ops_script(RENAMED, Insert(0, ("    # w by h",))),
    "rename total to size": rename_script(RENAMED.replace(":\n", ":\n    # w by h\n"), "total", "size"),
    "rename h to d": rename_script(AREA, "h", "d"),
    "rename d to h": rename_script(AREA.replace("h)", "d)").replace("* h", "* d"), "d", "h"),
    "add a docstring": (kind_mark("none"), END),
}
WANTED = (
    FILE.replace("def area(w, h):\n", "def area(w, h):\n    # w by h\n")
    .replace("x = ", "size = ")
    .replace("return x", "return size")
)


def _session(folder: Path) -> Session:
    return scripted_session(folder, {"a.py": FILE}, SCRIPTS)


def _begin(session: Session, words: str = WORDS, lines: tuple[int, int] | None = None) -> Turn:
    return session.begin(Request(words, "a.py", lines=lines, symbol=None if lines else "area"))


def test_each_step_goes_on_with_the_result_of_the_one_before(tmp_path: Path) -> None:
    session = _session(tmp_path)
    turn = _begin(session)
    events = list(turn.events())
    assert isinstance(turn, ComposedTurn)
    assert (turn.status, turn.kind) == (Status.OK, "rename + bug + rename")
    assert turn.review.proposed.to_bytes().decode() == WANTED
    assert [type(event) for event in events].count(TurnStarted) == 1
    assert isinstance(events[-1], TurnEnded)
    indexes = [event.index for event in events if isinstance(event, Token)]
    assert indexes == list(range(turn.timing.generated_tokens))
    assert {event.hunk for event in events if isinstance(event, HunkClosed)} == set(turn.hunks)


def test_it_is_accepted_as_one(tmp_path: Path) -> None:
    session = _session(tmp_path)
    turn = _begin(session)
    list(turn.events())
    told = result(session.repo, turn, "m")
    assert (told["kind"], told["instruction"]) == ("rename + bug + rename", WORDS)
    assert all(hunk["logprob"] <= 0 for hunk in told["files"][0]["hunks"])
    session.accept(turn)
    assert (session.repo.root / "a.py").read_text() == WANTED
    session.undo()
    assert (session.repo.root / "a.py").read_text() == FILE


def test_when_a_step_fails_nothing_is_offered_and_it_is_quoted(tmp_path: Path) -> None:
    session = _session(tmp_path)
    turn = _begin(session, "rename h to d and add a docstring")
    list(turn.events())
    assert (turn.status, turn.hunks) == (Status.ABSTAINED, ())
    assert 'step 2 of 2, "add a docstring", failed' in turn.message
    with pytest.raises(Abstained):
        session.accept(turn)


def test_steps_that_undo_each_other_offer_nothing(tmp_path: Path) -> None:
    session = _session(tmp_path)
    turn = _begin(session, "rename h to d; rename d to h")
    list(turn.events())
    assert turn.status is Status.ABSTAINED
    assert "together they change nothing" in turn.message


@pytest.mark.parametrize("words", ["rename h to d and rename h to b", "rename h to d but keep the name h"])
def test_what_does_not_go_together_is_asked_back_before_any_step(tmp_path: Path, words: str) -> None:
    turn = _begin(_session(tmp_path), words)
    list(turn.events())
    assert (turn.status, turn.hunks, turn.timing.generated_tokens) == (Status.ABSTAINED, (), 0)
    assert turn.message.endswith("do not go together; say the one that is meant")


def test_who_corrects_the_words_within_them_gets_the_last_one(tmp_path: Path) -> None:
    session = _session(tmp_path)
    turn = _begin(session, "rename x to size, no, to total")
    list(turn.events())
    assert (turn.status, turn.request.instruction) == (Status.OK, "rename x to total")
    other = session.redirect(turn, "rename h to w, I mean d")
    assert other.request.instruction == "rename h to d"


def test_a_piece_of_code_alone_is_asked_about(tmp_path: Path) -> None:
    turn = _begin(_session(tmp_path), "area")
    list(turn.events())
    assert (turn.status, turn.message) == (
        Status.ABSTAINED,
        "what is to be done with area? Say it in words, as in “rename total to amount”",
    )


def test_no_hunk_is_closed_before_the_last_step_ends(tmp_path: Path) -> None:
    session = _session(tmp_path)
    turn = _begin(session)
    for event in turn.events():
        if not isinstance(event, HunkClosed) and turn.status is Status.RUNNING and turn.hunks:
            assert turn.closed_hunks == ()
            with pytest.raises(UsageError, match="still being written"):
                session.accept(turn, [turn.hunks[0].id])


def test_stopped_it_keeps_the_steps_that_were_finished(tmp_path: Path) -> None:
    turn = _begin(_session(tmp_path))
    events = turn.events()
    seen: list[Event] = []
    for event in events:
        seen.append(event)
        if "# w" in turn.review.proposed.to_bytes().decode():
            break
    events.close()
    assert turn.status is Status.INTERRUPTED
    assert turn.review.proposed.to_bytes().decode() == FILE.replace(AREA, RENAMED)
    assert turn.hunks == turn.closed_hunks


def test_a_redirect_goes_on_from_the_same_lines(tmp_path: Path) -> None:
    session = _session(tmp_path)
    turn = session.redirect(_begin(session), "rename h to d")
    list(turn.events())
    assert not isinstance(turn, ComposedTurn)
    assert turn.status is Status.OK


def test_a_selection_moves_with_its_line(tmp_path: Path) -> None:
    words = "rename x to total and add a comment to x; then rename total to size"
    turn = _begin(_session(tmp_path), words, (6, 6))
    list(turn.events())
    assert turn.status is Status.OK
    assert isinstance(turn, ComposedTurn)
    assert [part.region.selected for part in turn._steps_taken] == [(2, 2), (2, 2), (3, 3)]


def test_a_step_that_brings_an_import_moves_the_lines_of_the_next(tmp_path: Path) -> None:
    scripts = {
        "use @lru_cache": ops_script(AREA, Insert(-1, ("@lru_cache",))),
        "rename x to total": rename_script(f"@lru_cache\n{AREA}", "x", "total"),
    }
    session = scripted_session(tmp_path, {"a.py": FILE}, scripts)
    turn = _begin(session, "use @lru_cache and rename x to total")
    events = list(turn.events())
    wanted = FILE.replace("import os\n", "import os\nfrom functools import lru_cache\n").replace(
        "def a", "@lru_cache\ndef a"
    )
    assert turn.review.proposed.to_bytes().decode() == wanted.replace("x", "total")
    assert {event.hunk for event in events if isinstance(event, HunkClosed)} == set(turn.hunks)


def test_it_is_what_was_renamed_wherever_else_in_the_file_the_names_are_used(tmp_path: Path) -> None:
    file = f"{AREA}\n\ndef show(x, total):\n    print(x, total)\n"
    scripts = {
        "rename x to total": rename_script(AREA, "x", "total"),
        "return total": ops_script(RENAMED, Insert(0, ("    # w by h",))),
    }
    turn = scripted_session(tmp_path, {"a.py": file}, scripts).begin(
        Request("rename x to total and return it", "a.py", symbol="area")
    )
    list(turn.events())
    assert isinstance(turn, ComposedTurn)
    assert [part.request.instruction for part in turn._steps_taken] == ["rename x to total", "return total"]


TWO = """\
def label(name):
    return "<%s>" % name


def other(rate):
    return rate


def discount(price, rate=None):
    if rate == None:
        rate = 0.1
    return price * rate
"""
OWN = {
    "make label an f-string": ops_script("".join(TWO.splitlines(True)[:2]), Replace(1, 1, ('    return f"<{name}>"',))),
    "rename rate to r": rename_script("".join(TWO.splitlines(True)[8:]), "rate", "r"),
    "rename rate to r in discount": rename_script("".join(TWO.splitlines(True)[8:]), "rate", "r"),
}


@pytest.mark.parametrize(
    "words",
    ["make label an f-string and rename rate to r in discount", "rename rate to r in discount; make label an f-string"],
)
def test_a_step_that_names_a_function_of_its_own_is_done_there(tmp_path: Path, words: str) -> None:
    session = scripted_session(tmp_path, {"a.py": TWO + "\n\n" + "x = 1\n" * 60}, OWN)
    turn = session.begin(Request(words))
    list(turn.events())
    assert turn.status is Status.OK, turn.message
    assert (turn.region.start_line, turn.region.end_line) == (1, 12), "what is shown is all that may be edited"
    after = turn.review.proposed.to_bytes().decode()
    assert 'return f"<{name}>"' in after
    assert "def discount(price, r=None)" in after
    assert "def other(rate)" in after
