"""What a turn reported and nobody took yet."""

from collections.abc import Iterable
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.hunks import Hunk
from spark_tui.session.events import Checked, Event, HunkClosed, HunkUpdated, Token
from spark_tui.session.inbox import Inbox, Over, Report
from spark_tui.session.turn_state import TurnState

HUNK = Hunk("h1", 0, ("a",), ("b",))


def _token(index: int) -> Token:
    return Token(index, 7, "x", 0.0, from_draft=False, t_ms=float(index))


def _updated(*lines: str) -> HunkUpdated:
    return HunkUpdated((Hunk("h1", 0, ("a",), lines),))


def _taken(reported: Iterable[Report]) -> list[Report]:
    inbox = Inbox()
    for item in reported:
        inbox.put(item)
    return inbox.take()


def _shown(view: TurnState) -> tuple[object, ...]:
    """What a screen draws of a turn."""
    hunks = [(hunk, view.state(hunk), view.wrong(hunk)) for hunk in view.hunks]
    return hunks, view.any_closed, view.figures, view.phase


def test_hunks_that_newer_ones_replace_before_anything_looks_at_them_are_dropped() -> None:
    reported: list[Report] = [
        _updated("b"),
        _token(0),
        _updated("b", "c"),
        _updated("b", "c", "d"),
        _token(1),
    ]
    assert _taken(reported) == [_token(0), _updated("b", "c", "d"), _token(1)]


def test_hunks_that_a_check_or_the_end_looks_at_are_kept() -> None:
    looks: tuple[Report, ...] = HunkClosed(HUNK), Checked(None, ()), Over(None)
    for looking in looks:
        reported: list[Report] = [_updated("b"), looking, _updated("b", "c")]
        assert _taken(reported) == reported


_EVENTS: st.SearchStrategy[list[Event]] = st.lists(
    st.one_of(
        st.integers(0, 99).map(_token),
        st.lists(st.sampled_from("abc"), max_size=3).map(lambda lines: _updated(*lines)),
        st.just(HunkClosed(HUNK)),
        st.just(Checked(HUNK.id, ())),
    )
)


@given(_EVENTS)
def test_what_is_left_comes_to_the_same_as_all_that_was_reported(reported: list[Event]) -> None:
    whole, left = TurnState(), TurnState()
    for item in reported:
        whole.take(item)
    for event in _taken(reported):
        left.take(cast("Event", event))
    assert _shown(whole) == _shown(left)
