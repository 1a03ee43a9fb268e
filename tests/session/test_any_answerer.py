"""A turn over the seam alone: its answerer writes the region once more, without tokens and
probabilities.
"""

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from spark_tui.context.regions import Region
from spark_tui.editing.text import Text
from spark_tui.providers.base import (
    AnswerFinished,
    AnswerStarted,
    GenerationRequest,
    Item,
    Provider,
    TokenGenerated,
)
from spark_tui.session.events import HunkUpdated, Status, TurnEnded
from spark_tui.session.turn import Request, Turn
from spark_tui.session.turn_factory import takes_words
from tests.fakes import ended

CODE = "def f(a):\n    b = a\n    return b\n"


@dataclass
class Rewriting:
    """Whole lines take the place of as many old ones until the end tells; what was left then is
    gone.
    """

    old: Sequence[str]
    kind: str | None = "edit"
    declined: bool = False
    renamed: tuple[tuple[str, str], ...] = ()
    line_mark: str = ""
    in_name: bool = False
    talks: bool = False
    missed: tuple[str, ...] = ()
    open_line: str | None = None
    new: list[str] = field(default_factory=list)
    finished: bool = False

    def take(self, piece: bytes) -> bool:
        self.new += piece.decode().splitlines()
        return True

    def finish(self) -> None:
        self.finished, self.declined = True, self.new == list(self.old)

    def lines(self) -> Sequence[str]:
        return self.new if self.finished else [*self.new, *self.old[len(self.new) :]]

    settled = lines


@dataclass
class Writing:
    """Writes these answers, line by line."""

    answers: list[str]
    written: int = 0

    @property
    def best(self) -> float:
        return 0.0 if self.written < len(self.answers) else -math.inf

    def write(self, count: int = 1, *, least: float = -math.inf) -> Generator[Item, None, None]:
        for number in range(self.written, min(self.written + count, len(self.answers))):
            self.written += 1
            yield AnswerStarted(number)
            for line in self.answers[number].splitlines(keepends=True):
                yield TokenGenerated(number, -1, line.encode())
            yield AnswerFinished(tuple(self.answers[number].splitlines()), (), 0.0, 0.0, number)


class Plain(Provider):
    sure = 1.0

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)

    def write(self, ask: GenerationRequest) -> Writing:
        return Writing(self._answers)

    def draft(self, lines: Sequence[str], around: object = None) -> Rewriting:
        return Rewriting(lines)

    def has_room(self, lines: Sequence[str]) -> bool:
        return True


def turn_of(*answers: str) -> Turn:
    region = Region("a.py", 1, 3, "f", None, "")
    return Turn(
        "t", Request("shorter"), region, Text.from_bytes(CODE.encode(), "a.py"), Plain(*answers)
    )


def test_what_it_writes_is_shown_as_it_comes_and_offered_without_a_number_for_how_sure_it_is() -> (
    None
):
    turn = turn_of("def f(a):\n    return a\n")
    events = list(turn.events())
    assert (turn.status, turn.confidence) == (Status.OK, None)
    assert turn.file.proposal.lines == ("def f(a):", "    return a")
    shown = [event for event in events if isinstance(event, HunkUpdated) and event.hunks]
    assert shown[0].hunks[0].new_lines == ("    return a",)
    assert isinstance(events[-1], TurnEnded)
    assert turn.tape.file(len(turn.tape) - 1) == turn.file.proposal
    assert not takes_words(turn, 0)


def test_an_answer_that_fails_its_checks_is_followed_by_one_more_and_no_further() -> None:
    turn = turn_of("def f(a:\n", "def f(a):\n    return missing\n", "def f(a):\n    return a\n")
    list(turn.events())
    assert turn.status is Status.ABSTAINED
    second = turn_of("def f(a:\n", "def f(a):\n    return a\n")
    list(second.events())
    assert second.status is Status.OK


def test_the_same_lines_once_more_are_no_edit() -> None:
    turn = ended(turn_of(CODE))
    assert (turn.status, turn.hunks) == (Status.ABSTAINED, ())


def test_other_answers_come_without_probabilities_too() -> None:
    turn = ended(turn_of("def f(a):\n    return a\n", "def f(a):\n    return +a\n"))
    list(turn.vary(2))
    assert [each.file.lines[-1] for each in turn.variations] == ["    return a", "    return +a"]
