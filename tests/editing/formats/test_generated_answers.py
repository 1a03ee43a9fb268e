"""Generated answers of endpoints: whatever is called checked is the edit that was meant.

The model reads generated files (`generated_files`) and writes the right edit with the habits of
models (`generated_answers`). Each answer goes through a whole turn, as in `spark exec -m ENDPOINT`,
without a server. Its file must be the wanted one, byte for byte, or the turn must not be sure.

`pytest -m exhaustive -s tests/editing/formats/test_generated_answers.py` reads 20,000 answers and
prints how many of each kind were right, held back or wrong.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, cast

import pytest

from spark_tui.config import Endpoint
from spark_tui.editing.multi_file import apart, joined
from spark_tui.editing.text import Text
from spark_tui.errors import SparkError
from spark_tui.providers.base import Message
from spark_tui.providers.calibration import Scores
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.providers.openai_reply import ChatReply
from spark_tui.session.events import Status
from spark_tui.session.request import Request
from spark_tui.session.turn import Turn
from tests.editing.formats.generated_answers import BLOCKS, REWRITE, Answer, generated_answer
from tests.editing.formats.generated_files import UNCHECKED

FEW, MANY = 400, 20_000


class ScriptedReply:
    """A reply that holds the text of an answer, in pieces."""

    finished = True
    exact = called = ran_out = False
    spent = thought_tokens = cached = None
    scores = Scores()

    def __init__(self, text: str, most: int) -> None:
        self.most = most
        self._text = text

    def __iter__(self) -> Iterator[str]:
        half = len(self._text) // 2
        yield self._text[:half]
        yield self._text[half:]


class ScriptedServer(Server):
    """An endpoint whose answer is known, so that nothing is sent."""

    text = ""

    def ask(self, messages: Sequence[Message], *, most: int = 512, **_: Any) -> ChatReply:
        return cast("ChatReply", ScriptedReply(self.text, most))


@dataclass(frozen=True)
class Outcome:
    """What came of an answer: "right", "held" back, or "wrong" though it is called checked.

    `made`: the files that it makes.
    """

    verdict: str
    made: Mapping[str, bytes]
    message: str


class Reader:
    """Takes whole turns whose answers are given."""

    def __init__(self) -> None:
        self._servers = {
            form: ScriptedServer(Endpoint("big", "http://127.0.0.1:1/v1", "m", format=form))
            for form in (REWRITE, BLOCKS)
        }

    def read(self, answer: Answer) -> Outcome:
        server = self._servers[answer.form]
        server.text = answer.text
        files = {task.file.path: Text.from_bytes(task.file.before) for task in answer.tasks}
        lead = answer.tasks[0]
        base = files[lead.file.path] if answer.form == REWRITE else joined(files)
        turn = Turn("t", Request("please", lead.file.path), lead.region, base, Remote(server))
        try:
            for _ in turn.events():
                pass
        except SparkError as error:
            return Outcome("held", {}, str(error))
        proposed = turn.review.proposed
        texts = {lead.file.path: proposed} if answer.form == REWRITE else apart(proposed)
        made = {path: text.to_bytes() for path, text in texts.items()}
        wanted = {task.file.path: task.file.after for task in answer.tasks}
        return Outcome(_verdict(turn, answer, made == wanted), made, turn.message)


def _verdict(turn: Turn, answer: Answer, is_wanted: bool) -> str:
    """What a turn says of an answer.

    Where no check reads a language, nothing is sure: then an edit that nothing speaks against
    counts as one that is.
    """
    unread = any(task.file.language.name in UNCHECKED for task in answer.tasks)
    is_sure = turn.status is Status.OK or (
        unread and turn.status is Status.UNSURE and not turn.note
    )
    if not is_sure:
        return "held"
    return "right" if is_wanted else "wrong"


def read_generated(count: int, seed: int, most: int) -> tuple[dict[str, Counter[str]], list[str]]:
    """Read generated answers, and count what came of each kind.

    Args:
        count: How many answers to read.
        seed: Of the source of chance.
        most: The most habits of an answer.

    Returns:
        The verdicts by kind; "clean" is the kind of answers as they were asked for. Then the wrong
        ones, in words.
    """
    reader = Reader()
    verdicts = defaultdict[str, Counter[str]](Counter)
    wrong = list[str]()
    for number in range(seed, seed + count):
        answer = generated_answer(Random(number), most)
        outcome = reader.read(answer)
        kinds = ("clean",) if answer.is_clean else answer.kinds
        for kind in ("all", *kinds):
            verdicts[kind][outcome.verdict] += 1
        if outcome.verdict == "wrong":
            wrong.append(f"{number}, {answer.kinds}:\n{answer.text}")
    return verdicts, wrong


def test_no_answer_is_called_checked_and_makes_another_edit_than_the_one_meant() -> None:
    verdicts, wrong = read_generated(FEW, 7_000_000, 1)
    assert wrong == []
    assert verdicts["clean"]["held"] == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize(("seed", "most", "share"), [(0, 1, 1000), (1_000_000, 2, 300)])
def test_of_many_answers_hardly_any_is_read_wrong(seed: int, most: int, share: int) -> None:
    """One wrong answer in `share` is borne: the figures of the last run stand in figures.md."""
    verdicts, wrong = read_generated(MANY // 2, seed, most)
    for kind, counts in sorted(verdicts.items()):
        print(f"{kind:40} {dict(counts)}")  # noqa: T201 - the figures of the run
    assert len(wrong) <= MANY // 2 // share, "\n\n".join(wrong)
    assert verdicts["clean"]["held"] <= verdicts["clean"].total() // 100
