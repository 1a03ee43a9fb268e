"""Events folded into what the screen shows."""

from spark_tui.editing.checks import Check
from spark_tui.editing.hunks import Hunk
from spark_tui.session.events import (
    Checked,
    HunkClosed,
    HunkUpdated,
    Prefill,
    Status,
    Timing,
    Token,
    TurnEnded,
)
from spark_tui.session.hunk_items import HunkState, live_line
from spark_tui.session.turn_state import TurnPhase, TurnState
from spark_tui.tui.widgets.status_bars import meters

BASE = tuple(f"line {n}" for n in range(20))
GOOD = (Check("applies", ok=True, detail=""),)
BAD = (Check("applies", ok=True, detail=""), Check("names", ok=False, detail="x is not defined"))


def hunk(start: int, old: int, *new: str, name: str = "") -> Hunk:
    raw = tuple(line + "\n" for line in BASE[start : start + old])
    return Hunk(name or f"h{start}", start, raw, tuple(line + "\n" for line in new))


def token(index: int, t_ms: float) -> Token:
    return Token(index, 0, "x", 0.0, from_draft=False, t_ms=t_ms)


def view(*hunks: Hunk, phase: TurnPhase = TurnPhase.WRITING) -> TurnState:
    shown = TurnState("do it", BASE)
    shown.phase = phase
    shown.take(HunkUpdated(hunks))
    shown.sync(BASE, hunks)
    return shown


def states(shown: TurnState) -> list[tuple[HunkState, int]]:
    return [(item.state, item.line) for item in shown.items()]


def test_a_hunk_goes_from_being_written_to_unchecked_to_checked() -> None:
    one = hunk(3, 1, "new")
    shown = view(one)
    assert states(shown) == [(HunkState.WRITING, 4)]
    shown.take(HunkClosed(one))
    assert states(shown) == [(HunkState.UNCHECKED, 4)]
    shown.take(Checked(one.id, BAD))
    assert states(shown) == [(HunkState.FAILED, 4)]
    assert shown.items()[0].note == "names: x is not defined"
    shown.take(Checked(one.id, GOOD))
    assert states(shown) == [(HunkState.OK, 4)]


def test_a_closed_hunk_that_grows_again_is_being_written_again() -> None:
    one = hunk(3, 1, "new")
    shown = view(one)
    shown.take(HunkClosed(one))
    grown = hunk(3, 1, "new", "newer")
    shown.take(HunkUpdated((grown,)))
    shown.sync(BASE, (grown,))
    assert states(shown) == [(HunkState.WRITING, 4)]


def test_the_end_of_the_turn_closes_everything() -> None:
    shown = view(hunk(3, 1, "new"))
    shown.take(TurnEnded(Status.OK, "done", Timing(tokens_per_second=123.0)))
    assert shown.phase is TurnPhase.REVIEW
    assert shown.live is None
    assert states(shown) == [(HunkState.UNCHECKED, 4)]
    assert shown.figures.rate == 123.0


def test_what_was_accepted_above_moves_what_stands_below() -> None:
    first, second = hunk(3, 1, "a", "b", "c"), hunk(10, 2, "z")
    shown = view(first, second, phase=TurnPhase.REVIEW)
    shown.decisions.add([second], accepted=True, entry_id="e1")
    assert shown.done() == [(10, 11)]
    shown.decisions.add([first], accepted=True, entry_id="e2")
    assert shown.done() == [(3, 6), (12, 13)]
    shown.decisions.undone("e2")
    assert shown.done() == [(10, 11)]
    shown.decisions.redone("e2")
    assert shown.done() == [(3, 6), (12, 13)]


def test_hunks_accepted_together_stand_where_they_are_in_the_new_file() -> None:
    first, second = hunk(3, 1, "a", "b"), hunk(10, 1, "z")
    shown = view(first, second, phase=TurnPhase.REVIEW)
    shown.decisions.add([first, second], accepted=True, entry_id="e1")
    assert shown.done() == [(3, 5), (11, 12)]
    shown.sync(BASE, ())
    assert states(shown) == [(HunkState.ACCEPTED, 4), (HunkState.ACCEPTED, 12)]


def test_decided_hunks_stand_among_the_open_ones_in_the_order_of_the_file() -> None:
    hunks = [hunk(start, 1, "new") for start in (2, 5, 8, 11)]
    shown = view(*hunks, phase=TurnPhase.REVIEW)
    shown.decisions.add([hunks[0], hunks[2]], accepted=False)
    shown.sync(BASE, (hunks[1], hunks[3]))
    assert [item.line for item in shown.items()] == [3, 6, 9, 12]
    assert [item.index for item in shown.items()] == [None, 0, None, 1]
    assert [shown.items().place_of(index) for index in (0, 1)] == [1, 3]


def test_rejected_hunks_are_listed_and_mark_no_lines() -> None:
    one = hunk(3, 1, "a")
    shown = view(one, phase=TurnPhase.REVIEW)
    shown.decisions.add([one], accepted=False)
    shown.sync(BASE, ())
    assert states(shown) == [(HunkState.REJECTED, 4)]
    assert shown.done() == []


def test_the_rate_is_that_of_the_last_second_and_a_pause_is_no_part_of_it() -> None:
    shown = view()
    for index in range(101):
        shown.take(token(index, index * 10.0))
    assert round(shown.figures.rate or 0) == 100
    for index in range(101, 400):
        shown.take(token(index, 1000 + (index - 100) * 5.0))
    assert round(shown.figures.rate or 0) == 200
    shown.interrupted()
    shown.take(token(400, 90_000.0))
    shown.take(token(401, 90_001.0))
    assert round(shown.figures.rate or 0) in {200, 201}


def test_the_first_token_tells_how_long_it_took_and_context_counts_up() -> None:
    shown = view(phase=TurnPhase.READING)
    shown.take(Prefill(300, 200, 250, 1.0))
    assert shown.figures.used == 250
    shown.take(token(0, 42.0))
    shown.take(token(1, 50.0))
    assert shown.figures.ttft_ms == 42.0
    assert shown.figures.used == 302
    assert shown.phase is TurnPhase.WRITING


def test_the_live_line_is_the_one_that_changed_last() -> None:
    cases: list[tuple[tuple[Hunk, ...], tuple[Hunk, ...], tuple[int, int] | None]] = [
        ((), (hunk(3, 1, "a"),), (0, 0)),
        ((hunk(3, 1, "a"),), (hunk(3, 1, "ab"),), (0, 0)),
        ((hunk(3, 1, "a"),), (hunk(3, 1, "a", "b"),), (0, 1)),
        ((hunk(3, 1, "a"),), (hunk(3, 1, "a"), hunk(9, 1, "b", "c")), (1, 1)),
        ((hunk(3, 2, "a", "end"),), (hunk(3, 2, "a", "b", "end"),), (0, 1)),
        ((hunk(3, 1, "a"),), (hunk(3, 1, "a"),), None),
        ((hunk(3, 1),), (hunk(3, 2),), None),
    ]
    for before, after, live in cases:
        assert live_line(before, after) == live


def test_the_live_line_is_forgotten_when_its_hunk_is_gone() -> None:
    shown = view(hunk(3, 1, "a", "b"))
    assert shown.live == (0, 1)
    shown.sync(BASE, ())
    assert shown.live is None


def test_the_meters_show_only_what_was_measured() -> None:
    shown = view()
    assert [piece.text for piece in meters("m", shown, shown.phase, 4096)[0]] == ["m", "writing"]
    shown.take(Prefill(40, 0, 40, 1.0))
    for index in range(8):
        shown.take(Token(index, 0, "x", 0.0, from_draft=False, t_ms=20.0 * (index + 1)))
    shown.figures.per_pass = 2.25
    measured = ["50 tok/s", "TTFT 20 ms", "2.2 tok/pass", "48/4096 ctx"]
    assert [piece.text for piece in meters("m", shown, shown.phase, 4096)[0][2:]] == measured
    shown.figures.stop_ms = 1.4
    assert "Esc 1.4 ms" in [piece.text for piece in meters("m", shown, shown.phase, 4096)[0]]


def test_what_is_said_of_an_edit_holds_as_long_as_it_is_that_edit() -> None:
    first, second = hunk(3, 1, "a"), hunk(10, 1, "b")
    shown = view(first, second, phase=TurnPhase.REVIEW)
    shown.take(TurnEnded(Status.OK, "an edit, checked", Timing()))
    assert shown.outcome == "an edit, checked"
    shown.sync(BASE, (second,), as_written=False)
    assert (shown.outcome, shown.verdict) == ("changed by you: 1 hunk, being checked", None)
    shown.verdict = ""
    assert shown.outcome == "changed by you: 1 hunk, checked"
    shown.sync(BASE, (second,), as_written=False)
    assert shown.verdict == "", "nothing changed since"
    shown.sync(BASE, (second,), out={second.id: {0}}, as_written=False)
    assert shown.outcome == "changed by you: 1 hunk, being checked", "anew"
    shown.sync(BASE, (first, second))
    assert shown.outcome == "an edit, checked"


def test_a_hunk_is_checked_with_the_lines_that_were_in_it_then() -> None:
    one = hunk(3, 1, "new")
    shown = view(one)
    shown.take(HunkClosed(one))
    shown.take(Checked(one.id, GOOD))
    shown.sync(BASE, (one,), out={one.id: {0}})
    assert states(shown) == [(HunkState.UNCHECKED, 4)]
    shown.sync(BASE, (one,))
    assert states(shown) == [(HunkState.OK, 4)]


def test_what_the_user_left_is_being_checked_until_that_is_known() -> None:
    one, other = hunk(3, 1, "new"), hunk(10, 1, "more")
    shown = view(one, other, phase=TurnPhase.REVIEW)
    shown.sync(BASE, (one, other), as_written=False)
    for wrong, state in (
        (None, HunkState.CHECKING),
        ("names", HunkState.SPOILED),
        ("", HunkState.TOGETHER),
    ):
        if wrong is not None:
            shown.judged(wrong)
        assert states(shown) == [(state, 4), (state, 11)]
