"""A session: from accepted hunks to bytes on disk, and back."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from spark_tui.editing.formats.quoted import PreviousEdit
from spark_tui.editing.hunks import Hunk, apply_hunks
from spark_tui.errors import Abstained, Conflict, FileError, UsageError
from spark_tui.session.events import Event, HunkClosed, HunkUpdated, Status, Token
from spark_tui.session.file_review import REJECTED
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from tests.fakes import edit_script, ended, git, rename_script, scripted_session
from tests.providers.quoting_models import Script

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
FIRST = AREA.replace("w, h", "w: int, h: int")
BOTH = FIRST.replace("return size", "return size + 0")
TWO = edit_script(AREA, BOTH)
REQUEST = Request("do", "a.py", symbol="area")


def _session(folder: Path, scripts: Mapping[str, Script], data: str | bytes = AREA) -> Session:
    return scripted_session(folder, {"a.py": data, "b.py": "x = 1\n"}, scripts)


def done(session: Session, request: Request = REQUEST) -> Turn:
    return ended(session.begin(request))


def _reviewed(folder: Path, data: str | bytes = AREA) -> tuple[Session, Turn]:
    """A turn of two hunks that is over."""
    session = _session(folder, {"do": TWO}, data)
    return session, done(session)


def _disk(session: Session) -> str:
    return (session.repo.root / "a.py").read_bytes().decode()


def test_accepted_hunks_and_only_they_are_written(tmp_path: Path) -> None:
    session, turn = _reviewed(tmp_path)
    entry = session.accept(turn, [turn.hunks[0].id])
    assert _disk(session) == FIRST
    assert (entry.description, [file.path for file in entry.files]) == ("do", ["a.py"])
    session.accept(turn)
    assert _disk(session) == BOTH
    assert turn.hunks == ()


def test_the_accepted_part_of_an_edit_is_what_the_next_words_go_on_from(tmp_path: Path) -> None:
    session, turn = _reviewed(tmp_path)
    session.reject(turn, [turn.hunks[1].id])
    assert (session.previous,) == (None,), "nothing was accepted"
    session.accept(turn)
    first = ("-def area(w, h):", "+def area(w: int, h: int):")
    assert (session.previous,) == (PreviousEdit("a.py", "do", first),)
    session.undo()
    assert (session.previous,) == (None,), "the edit is not in force any more"


def test_rejections_are_taken_back_one_by_one_as_long_as_nothing_else_happened(
    tmp_path: Path,
) -> None:
    session, turn = _reviewed(tmp_path)
    both = turn.hunks
    for hunk in both:
        session.reject(turn, [hunk.id])
    assert not turn.hunks
    assert turn.file.step_back() == REJECTED
    assert turn.hunks == both[1:]
    assert turn.file.step_back() == REJECTED
    assert turn.hunks == both
    assert not turn.file.step_back()
    assert turn.file.step_back(again=True)
    assert turn.hunks == both[1:], "in the order in which it was done"
    assert turn.file.step_back() == REJECTED
    session.reject(turn, [both[1].id])
    session.accept(turn)
    assert not turn.file.step_back(), "the file is another one since"
    assert _disk(session) == FIRST
    session.undo()
    assert turn.file.step_back() == REJECTED
    assert turn.hunks == both
    session.accept(turn, [both[0].id])
    assert not turn.file.step_back(again=True), "the file is another one since"


def test_a_closed_hunk_can_be_accepted_while_the_next_one_is_being_written(tmp_path: Path) -> None:
    session = _session(tmp_path, {"do": TWO})
    turn = session.begin(REQUEST)
    for event in turn.events():
        if isinstance(event, HunkClosed) and event.hunk.start == 0:
            session.accept(turn, [event.hunk.id])
            assert _disk(session) == FIRST
    assert turn.status is Status.OK
    assert [hunk.new_lines for hunk in turn.hunks] == [("    return size + 0",)]
    session.accept(turn)
    assert _disk(session) == BOTH


def test_a_hunk_still_being_written_cannot_be_accepted(tmp_path: Path) -> None:
    session = _session(tmp_path, {"do": TWO})
    turn = session.begin(REQUEST)
    for event in turn.events():
        if isinstance(event, HunkUpdated) and len(event.hunks) == 2:
            with pytest.raises(UsageError, match="still being written"):
                session.accept(turn, [event.hunks[1].id])
            break
    assert _disk(session) == AREA


def test_an_unknown_hunk_is_refused(tmp_path: Path) -> None:
    session, turn = _reviewed(tmp_path)
    with pytest.raises(UsageError, match="not open"):
        session.accept(turn, ["nosuch"])
    with pytest.raises(UsageError):
        session.reject(turn, ["nosuch"])


def test_an_edit_that_failed_its_checks_cannot_be_accepted(tmp_path: Path) -> None:
    session = _session(tmp_path, {"do": edit_script(AREA, AREA.replace("w + h", "w +"))})
    turn = done(session)
    with pytest.raises(Abstained, match="no edit offered: line 2"):
        session.accept(turn)
    assert _disk(session) == AREA


@pytest.mark.parametrize(
    "mine",
    [
        "# beside it\n" + AREA,
        AREA.replace("w, h", "w, hh"),
        AREA.replace("size = w", "size = 2 * w"),
        AREA.replace("w, h", "w: int, h: int"),
        BOTH,
        "",
    ],
)
def test_where_the_same_lines_or_those_beside_them_were_edited_nothing_is_written(
    tmp_path: Path, mine: str
) -> None:
    session, turn = _reviewed(tmp_path)
    (session.repo.root / "a.py").write_text(mine)
    with pytest.raises(Conflict, match=r"nothing was written"):
        session.accept(turn)
    assert _disk(session) == mine
    assert (len(turn.hunks), session.past.log()) == (2, ())


def test_hunks_go_in_beside_what_was_edited_meanwhile_and_back_out_again(tmp_path: Path) -> None:
    session, turn = _reviewed(tmp_path, "# top\n\n" + AREA + "\n# end\n")
    first, second = (hunk.id for hunk in turn.hunks)
    (session.repo.root / "a.py").write_text("# mine\n\n# top\n\n" + AREA + "\n# end\n")
    session.accept(turn, [first])
    assert _disk(session) == "# mine\n\n# top\n\n" + FIRST + "\n# end\n"
    assert session.take_notices() == [
        "a.py was edited meanwhile: that stays, and what you accepted went in beside it"
    ]

    (session.repo.root / "a.py").write_text("# mine\n\n# top\n\n" + FIRST + "\n# end, too\n")
    session.accept(turn, [second])
    assert _disk(session) == "# mine\n\n# top\n\n" + BOTH + "\n# end, too\n"
    session.undo()
    assert len(turn.hunks) == 1
    session.undo()
    assert _disk(session) == "# mine\n\n# top\n\n" + AREA + "\n# end, too\n"
    assert len(turn.hunks) == 2


def test_a_file_that_is_gone_meanwhile_stays_gone(tmp_path: Path) -> None:
    session, turn = _reviewed(tmp_path)
    (session.repo.root / "a.py").unlink()
    with pytest.raises(FileError, match=r"there is no file a\.py"):
        session.accept(turn)


def test_undo_opens_the_hunks_again_and_redo_closes_them(tmp_path: Path) -> None:
    session, turn = _reviewed(tmp_path)
    before = turn.hunks
    session.accept(turn, [turn.hunks[0].id])
    session.undo()
    assert (_disk(session), turn.hunks) == (AREA, before)
    session.redo()
    assert (_disk(session), turn.hunks) == (FIRST, before[1:])
    assert [batch.entry.description for batch in session.past.log()] == ["redo do", "undo do", "do"]


def test_a_redo_overrules_a_rejection_made_in_between_and_keeps_the_others(tmp_path: Path) -> None:
    session = _session(tmp_path, {"do": FIVE}, FILES[0])
    turn = done(session, Request("do", "a.py", lines=(2, 14)))
    first, second, third, *rest = turn.hunks
    session.accept(turn, [first.id, third.id])
    session.undo()
    session.reject(turn, [hunk.id for hunk in turn.hunks if hunk in (second, third)])
    session.redo()
    assert [(hunk.old, hunk.new) for hunk in turn.hunks] == [(hunk.old, hunk.new) for hunk in rest]
    session.accept(turn)
    expected = apply_hunks(turn.base, [first, third, *rest])
    assert _disk(session) == expected.to_bytes().decode()


def test_undo_of_something_older_makes_the_review_a_conflict_and_not_a_revert(
    tmp_path: Path,
) -> None:
    session = _session(
        tmp_path,
        {"do": TWO, "more": edit_script(BOTH, BOTH.replace("return size + 0", "return 0"))},
    )
    session.accept(done(session))
    turn = done(session, Request("more", "a.py", symbol="area"))
    session.undo()
    with pytest.raises(Conflict):
        session.accept(turn)
    assert _disk(session) == AREA


def test_redirecting_reads_only_the_new_words_and_keeps_what_was_accepted(tmp_path: Path) -> None:
    again = edit_script(FIRST, FIRST.replace("return size", "return size * 1"))
    session = _session(tmp_path, {"do": TWO, "rather multiply": again})
    turn = session.begin(REQUEST)
    for event in turn.events():
        if isinstance(event, HunkUpdated) and len(event.hunks) == 2:
            session.accept(turn, [event.hunks[0].id])
            break
    other = ended(session.redirect(turn, "rather multiply"))
    assert (other.region.start_line, other.region.end_line) == (1, 3)
    assert other.review.base.to_bytes().decode() == FIRST
    session.accept(other)
    assert _disk(session) == FIRST.replace("return size", "return size * 1")


def test_paused_redirected_and_discarded_on_the_runner_leaves_every_byte(tmp_path: Path) -> None:
    session = _session(tmp_path, {"do": TWO, "other": TWO})
    runner, turns = session.runner, []
    before = {path: path.read_bytes() for path in session.repo.root.glob("*.py")}

    def pause_at_five(event: Event) -> None:
        if isinstance(event, Token) and event.index == 5:
            runner.pause(runner.turn_id)

    turns.append(session.begin(REQUEST))
    runner.start(turns[0].events(), pause_at_five, lambda _: None)
    assert runner.wait_stopped(10)
    turns.append(session.redirect(turns[0], "other"))
    number = runner.start(turns[1].events(), pause_at_five, lambda _: None)
    assert runner.wait_stopped(10)
    runner.cancel(number)
    assert runner.wait(10)
    assert [turn.status for turn in turns] == [Status.INTERRUPTED] * 2
    assert {path: path.read_bytes() for path in session.repo.root.glob("*.py")} == before
    assert git(session.repo.root, "status", "--porcelain") == b""


@pytest.mark.parametrize(
    "data",
    [
        AREA.replace("\n", "\r\n").encode(),
        AREA.encode().removesuffix(b"\n"),
        b"\xef\xbb\xbf" + AREA.encode(),
        "# caf\u00e9 \u2028 here\n".encode() + AREA.encode(),
        b"# caf\xe9\n" + AREA.encode(),
        b"\tx\x0c = 1\r\n" + AREA.encode() + b"y = 2\r\n",
    ],
)
def test_untouched_bytes_stay_and_undo_gives_the_original_back(tmp_path: Path, data: bytes) -> None:
    first = data.splitlines(keepends=True).index(
        next(line for line in data.splitlines(True) if b"def area" in line)
    )
    session = _session(tmp_path, {"do": TWO}, data)
    turn = done(session, Request("do", "a.py", lines=(first + 1, first + 3)))
    session.accept(turn)
    expected = data.replace(b"w, h", b"w: int, h: int").replace(b"return size", b"return size + 0")
    assert (session.repo.root / "a.py").read_bytes() == expected
    session.undo()
    assert (session.repo.root / "a.py").read_bytes() == data


LATIN = b"# -*- coding: latin-1 -*-\nNAME = 'h\xf6fe'\n\n\n" + AREA.encode()


def test_the_other_lines_of_a_file_in_latin_1_are_edited_and_no_utf_8_gets_into_it(
    tmp_path: Path,
) -> None:
    session, turn = _reviewed(tmp_path, LATIN)
    hunk = turn.hunks[0]
    turn.file.edit(hunk.id, ["def area(w, h):  # größer"])
    with pytest.raises(
        Abstained, match=r"line 5 .* keep to ASCII, or save the file as UTF-8 first"
    ):
        session.accept(turn, [turn.hunks[0].id])
    assert (session.repo.root / "a.py").read_bytes() == LATIN
    turn.file.edit(turn.hunks[0].id, ["def area(w, h):  # bigger"])
    session.accept(turn, [turn.hunks[0].id])
    assert (session.repo.root / "a.py").read_bytes() == LATIN.replace(b"h):", b"h):  # bigger")


LONG = "def f(a):\n" + "".join(f"    step_{n}(a)\n" for n in range(12))
FIVE = edit_script(
    LONG,
    LONG.replace("f(a)", "f(a, b)")
    .replace("    step_2", "    between(a)\n    again(a)\n    step_2")
    .replace("    step_4(a)\n    step_5(a)\n", "")
    .replace("step_8(a)", "other(a)\n    third(a)")
    .replace("step_11", "last"),
)
NAMES = "from steps import *\n"
FILES = [
    (NAMES + LONG).encode(),
    (NAMES + LONG).replace("\n", "\r\n").encode(),
    (NAMES + LONG).encode().removesuffix(b"\n"),
    b"from steps import * # \xe9\n" + LONG.encode(),
    b"\xef\xbb\xbf" + NAMES.encode() + LONG.replace("step_3(a)\n", "step_3(a)\r\n").encode(),
]


def _walk(session: Session, rng: random.Random, data: bytes) -> None:
    """Random accepts, rejects, undos and redos; after each the disk is the original with the
    accepted hunks in it.
    """
    turn = done(session, Request("do", "a.py", lines=(2, 14)))
    assert turn.status is Status.OK
    every = {(hunk.old, hunk.new): hunk for hunk in turn.hunks}
    accepted: list[list[Hunk]] = []
    undone: list[list[Hunk]] = []
    for _ in range(8):
        move = rng.choice(["accept", "accept", "reject", "undo", "redo"])
        if move in ("accept", "reject") and turn.hunks:
            chosen = rng.sample(turn.hunks, rng.randint(1, min(2, len(turn.hunks))))
            if move == "reject":
                session.reject(turn, [hunk.id for hunk in chosen])
                continue
            session.accept(turn, [hunk.id for hunk in chosen])
            accepted.append([every[hunk.old, hunk.new] for hunk in chosen])
            undone.clear()
        elif move == "undo" and accepted:
            session.undo()
            undone.append(accepted.pop())
        elif move == "redo" and undone:
            session.redo()
            accepted.append(undone.pop())
        expected = apply_hunks(turn.base, [hunk for step in accepted for hunk in step])
        assert (session.repo.root / "a.py").read_bytes() == expected.to_bytes()
    for _ in accepted:
        session.undo()
    assert (session.repo.root / "a.py").read_bytes() == data


@pytest.mark.parametrize("seed", range(len(FILES)))
def test_any_order_of_decisions_leaves_exactly_the_accepted_hunks(
    tmp_path: Path, seed: int
) -> None:
    _walk(_session(tmp_path, {"do": FIVE}, FILES[seed]), random.Random(seed), FILES[seed])


@pytest.mark.exhaustive
def test_300_random_orders_of_decisions_leave_exactly_the_accepted_hunks(tmp_path: Path) -> None:
    for seed in range(300):
        data = FILES[seed % len(FILES)]
        _walk(_session(tmp_path / str(seed), {"do": FIVE}, data), random.Random(seed), data)


def test_every_part_that_is_accepted_says_what_is_still_broken(tmp_path: Path) -> None:
    gap = "\n\n\n\n"
    body = f"def f(a):\n    x = a\n{gap}    print(x)\n{gap}    return x\n"
    session = scripted_session(tmp_path, {"a.py": body}, {"do": rename_script("x", "total")})
    turn = ended(session.begin(Request("do", "a.py")))
    first, second, third = turn.closed_hunks
    session.accept(turn, [third.id])
    assert (
        session.told_warning(turn)
        == ", which alone breaks the file (names: undefined: total (line 12))"
    )
    (tmp_path / "repo" / "a.py").write_text("# mine\n" + (tmp_path / "repo" / "a.py").read_text())
    session.accept(turn, [second.id])
    assert (
        session.told_warning(turn)
        == ", and the file is still broken (names: undefined: total (line 8))"
    )
    session.accept(turn, [first.id])
    assert session.told_warning(turn) == ""
