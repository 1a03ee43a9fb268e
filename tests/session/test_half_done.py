"""What an edit leaves undone: the same words are asked again, and half of an edit is never sure."""

import math
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

import pytest

from spark_tui.editing.formats.quoted import PreviousEdit, QuotedRequest
from spark_tui.providers.base import Ability, AnswerFinished, AnswerStarted, GenerationRequest, Item
from spark_tui.session import turn as turns
from spark_tui.session.events import Status
from spark_tui.session.half_done import Rest, find_rest
from spark_tui.session.turn import Request as TurnRequest
from tests.fakes import edit_script, ended, returned, scripted_session

BEFORE = ("def f(a):", "    b = a", "    return b")
HALF = ("def f(a):", "    b = a + 1", "    return b")
WHOLE = ("def f(a):", "    b = a + 1", "    return b + 1")
ASKED = QuotedRequest("a.py", BEFORE, "add one twice")


class Asked:
    """Says how likely nothing is left, writes one answer, and remembers what it was asked."""

    done = 0.5

    def __init__(
        self, nothing_left: float, rest: Sequence[str], can: Ability = Ability.PREVIOUS
    ) -> None:
        self.can, self._nothing_left, self._rest = can, nothing_left, tuple(rest)
        self.requests: list[QuotedRequest] = []

    def score(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, float]]:
        self.requests.append(request)
        assert [tuple(result) for result in results] == [request.lines], (
            "that nothing is to be changed"
        )
        yield 0, math.log(self._nothing_left)

    def write(self, ask: GenerationRequest) -> "Asked":
        assert ask.request == self.requests[-1]
        return _Writing(self._rest)  # type: ignore[return-value]


class _Writing:
    def __init__(self, lines: tuple[str, ...]) -> None:
        self._lines = lines

    def write(self) -> Generator[Item, None, None]:
        yield AnswerStarted(0)
        yield AnswerFinished(self._lines, (), -1.0, -1.0)


def rest_of(asked: Asked, after: Sequence[str]) -> Rest | None:
    return returned(find_rest(asked, ASKED, after))  # type: ignore[arg-type]


def test_of_a_whole_edit_nothing_is_left() -> None:
    assert rest_of(Asked(0.9, WHOLE), WHOLE) is None


def test_what_is_left_begins_at_the_line_that_the_model_would_change() -> None:
    assert rest_of(Asked(0.1, WHOLE), HALF) == Rest(2)
    assert rest_of(Asked(0.1, HALF), HALF) == Rest(None), "it only doubts"


def test_the_model_is_told_the_edit_and_the_same_words() -> None:
    asked = Asked(0.9, WHOLE)
    rest_of(asked, HALF)
    edit = PreviousEdit("a.py", "add one twice", ("-    b = a", "+    b = a + 1"))
    assert asked.requests == [QuotedRequest("a.py", HALF, "add one twice", previous=edit)]


def test_a_model_that_was_not_taught_so_is_not_asked() -> None:
    asked = Asked(0.1, WHOLE, Ability.SCORE)
    assert rest_of(asked, HALF) is None
    assert asked.requests == []


@pytest.mark.parametrize(
    ("rest", "said"), [(Rest(2), "see line 3"), (Rest(None), "not all of it may be done")]
)
def test_half_of_an_edit_is_never_sure_and_what_may_be_left_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rest: Rest, said: str
) -> None:
    code = "".join(f"{line}\n" for line in BEFORE)
    scripts = {"add": edit_script(code, code.replace("b = a", "b = a + 1"))}
    session = scripted_session(tmp_path, {"a.py": code}, scripts)

    def half(*_: object) -> Generator[None, None, Rest]:
        yield
        return rest

    assert ended(session.begin(TurnRequest("add", "a.py"))).status is Status.OK
    monkeypatch.setattr(turns, "find_rest", half)
    turn = ended(session.begin(TurnRequest("add", "a.py")))
    assert (turn.status, said in turn.note) == (Status.UNSURE, True)
