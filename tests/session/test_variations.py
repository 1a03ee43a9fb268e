"""Several answers to one request: different ones, ranked, each checked."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from spark_tui.session.accept import show_another
from spark_tui.session.candidates import SAME_EDIT
from spark_tui.session.events import Status, VariationEnded, VariationToken
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from tests.fakes import edit_script, ended, proposed, scripted_session
from tests.providers.quoting_models import NOTHING, Script

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
TIMES = AREA.replace("w + h", "w * h")
MINUS = AREA.replace("w + h", "w - h")
SWAPPED = AREA.replace("w + h", "h + w")
BROKEN = AREA.replace("w + h", "w +")
Answer = tuple[Script, float]
FOUR: Sequence[Answer] = [
    (edit_script(AREA, TIMES), 0.7),
    (edit_script(AREA, BROKEN), 0.15),
    (edit_script(AREA, MINUS), 0.1),
    (edit_script(AREA, SWAPPED), 0.05),
]


def _begun(
    folder: Path, answers: Sequence[Answer], *, vary: int = 0, **options: float
) -> tuple[Turn, Session]:
    """A turn that is over, and so many of its other answers written."""
    session = scripted_session(folder, {"a.py": AREA}, {}, answers={"do": answers})
    turn = ended(session.begin(Request("do", "a.py", symbol="area", **options)))  # type: ignore[arg-type]
    list(turn.vary(vary) if vary else ())
    return turn, session


def _files(turn: Turn) -> list[str]:
    return [each.file.to_bytes().decode() for each in turn.variations]


def test_they_differ_are_sound_and_come_likeliest_first(tmp_path: Path) -> None:
    turn, _ = _begun(tmp_path, FOUR, vary=4)
    assert _files(turn) == [TIMES, MINUS, SWAPPED]
    logprobs = [each.logprob for each in turn.variations]
    assert logprobs == sorted(logprobs, reverse=True)
    assert [math.exp(each) for each in logprobs] == pytest.approx([0.7, 0.1, 0.05], abs=0.01)
    assert all(check.ok for each in turn.variations for check in each.checks)
    assert all(each.checks for each in turn.variations)


def test_words_that_correct_an_edit_never_come_to_the_same_one_again(tmp_path: Path) -> None:
    same = {"do": FOUR, "no, minus": FOUR, "no": FOUR[:1]}
    session = scripted_session(tmp_path, {"a.py": AREA}, {}, answers=same)
    first = ended(session.begin(Request("do", "a.py", symbol="area")))
    assert proposed(first) == TIMES
    assert proposed(ended(session.redirect(first, "no, minus"))) == MINUS
    assert ended(session.redirect(first, "no")).outcome == SAME_EDIT
    assert proposed(ended(session.redirect(first, "do"))) == TIMES


def test_no_more_are_written_than_were_asked_for(tmp_path: Path) -> None:
    turn, _ = _begun(tmp_path, [FOUR[0], FOUR[2], FOUR[3]], vary=2)
    assert _files(turn) == [TIMES, MINUS]
    list(turn.vary(3))
    assert _files(turn) == [TIMES, MINUS, SWAPPED]


def test_those_of_one_effect_are_one_and_add_up(tmp_path: Path) -> None:
    longer = ["-    size = w + h", "-    return size", "+    size = w * h", "+    return size"]
    turn, _ = _begun(
        tmp_path, [(edit_script(AREA, TIMES), 0.5), (longer, 0.2), (FOUR[2][0], 0.3)], vary=3
    )
    assert _files(turn) == [TIMES, MINUS]
    assert math.exp(turn.variations[0].logprob) == pytest.approx(0.7, abs=0.01)


def test_the_turn_stays_as_it_is_and_its_answer_comes_first(tmp_path: Path) -> None:
    turn, _ = _begun(tmp_path, FOUR)
    before = turn.status, turn.message, turn.hunks, turn.checks, turn.kind
    list(turn.vary(4))
    assert (turn.status, turn.message, turn.hunks, turn.checks, turn.kind) == before
    assert turn.variations[0].file == turn.review.proposed


def test_each_is_streamed_under_its_number_and_then_judged(tmp_path: Path) -> None:
    turn, _ = _begun(tmp_path, FOUR)
    events = list(turn.vary(4))
    ended = {event.variation: event for event in events if isinstance(event, VariationEnded)}
    tokens = [event for event in events if isinstance(event, VariationToken)]
    assert {event.variation for event in tokens} == set(ended)
    for number in ended:
        indices = [event.index for event in tokens if event.variation == number]
        assert indices == list(range(indices[0], indices[0] + len(indices)))
    assert any("line 2: invalid syntax" in event.problem for event in ended.values())


def test_another_one_can_be_shown_and_accepted(tmp_path: Path) -> None:
    turn, session = _begun(tmp_path, FOUR, vary=4)
    turn.show(turn.variations[1])
    session.accept(turn)
    assert (session.repo.root / "a.py").read_text() == MINUS
    assert _files(turn)[0] == TIMES


def test_one_that_was_taken_back_is_the_next_again(tmp_path: Path) -> None:
    turn, _ = _begun(tmp_path, FOUR, vary=4)
    first, told = turn.file.proposal, turn.message
    for _ in range(2):
        shown = show_another(turn, 1, [first], turn.hunks[0].id)
        assert shown is not None
        assert (shown.number, turn.file.proposal.to_bytes().decode()) == (2, MINUS)
        assert turn.file.step_back()
        assert (turn.file.proposal, turn.message) == (first, told)
        assert not turn.file.step_back()


def test_one_that_was_not_sure_enough_to_be_offered_can_be_chosen(tmp_path: Path) -> None:
    turn, _ = _begun(tmp_path, [(NOTHING, 0.6), (edit_script(AREA, TIMES), 0.4)])
    assert turn.status is Status.ABSTAINED
    list(turn.vary(2))
    assert _files(turn) == [TIMES]
    turn.show(turn.variations[0])
    assert (turn.status, proposed(turn)) == (Status.UNSURE, TIMES)
    assert turn.message.startswith("unsure (less likely), ")


def test_seeded_draws_are_those_of_single_turns(tmp_path: Path) -> None:
    single = []
    for seed in range(5, 11):
        turn, _ = _begun(tmp_path / str(seed), FOUR, temperature=1.5, seed=seed)
        single.append(turn.file.proposal.to_bytes().decode())
    turn, _ = _begun(tmp_path / "all", FOUR, temperature=1.5, seed=5)
    ended = [event for event in turn.vary(6) if isinstance(event, VariationEnded)]
    assert len(ended) == 5
    assert turn.file.proposal.to_bytes().decode() == single[0]
    assert set(_files(turn)) == set(single) - {AREA}, "none of them breaks the file"


def test_another_turn_in_between_changes_nothing(tmp_path: Path) -> None:
    expected, _ = _begun(tmp_path / "one", FOUR, vary=4)
    turn, session = _begun(tmp_path / "two", FOUR)
    for number, _ in enumerate(turn.vary(4)):
        if number == 2:
            list(session.begin(Request("other", "a.py", symbol="area")).events())
    assert _files(turn) == _files(expected)
