"""What a model writes in a task, piece by piece."""

import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from spark_tui.errors import ToolCalled, Transient, UsedUp
from spark_tui.providers.base import AnswerStarted, Speech, Thought, TokenGenerated, Waits
from spark_tui.tasks.events import StepText, TaskEvent, TaskWaits

PAUSES = (1.0, 4.0, 15.0)
"""Seconds before each further try of a server that fails."""
TOOL_CALL = "(a call of a tool)"
"""Stands for the message in which a model called a tool."""
_SECONDS_BETWEEN_LOOKS = 0.1


@dataclass(slots=True)
class Answer:
    """What a model wrote so far. Mutable.

    Attributes:
        tokens: How many, those of thoughts included.
        is_whole: Whether the model ended by itself.
        first_seconds: Seconds to its first piece of text; None where none came.
        seconds: Seconds that it took.
    """

    text: str = ""
    tokens: int = 0
    is_whole: bool = False
    first_seconds: float | None = None
    seconds: float = 0.0

    @property
    def tokens_per_second(self) -> float:
        """How fast the answer came from its first piece on; 0.0 where that is unknown."""
        took = self.seconds - (self.first_seconds or 0.0)
        return self.tokens / took if self.text and took > 0 else 0.0


def hear_patiently(
    speak: Callable[[], Speech], answer: Answer, pauses: Sequence[float]
) -> Generator[TaskEvent, None, None]:
    """Have a model write, as `hear`; a server that fails is asked again.

    Args:
        speak: Asks the model.
        answer: Takes what comes; the text `TOOL_CALL` where the model called a tool.
        pauses: Seconds before each further try.

    Raises:
        Transient: The server fails all the same.
        SparkError: As the speech.
    """
    left = list(pauses)
    while True:
        try:
            yield from hear(speak(), answer)
        except ToolCalled:
            answer.text = TOOL_CALL
            answer.is_whole = True
        except Transient as error:
            if not left or isinstance(error, UsedUp):
                raise
            answer.text = ""
            yield StepText("", anew=True)
            yield from _wait(left.pop(0), f"{error}".partition(";")[0])
            continue
        return


def _wait(seconds: float, why: str) -> Generator[TaskEvent, None, None]:
    """Wait, and say what for; whoever iterates may stop at any time."""
    end = time.monotonic() + seconds
    while (rest := end - time.monotonic()) > 0:
        yield TaskWaits(f"{why}; asking again in {rest:.0f} s")
        time.sleep(min(_SECONDS_BETWEEN_LOOKS, rest))


def hear(speech: Speech, answer: Answer) -> Generator[TaskEvent, None, None]:
    """Have a model write, and pass on its text as events.

    Closing the generator ends the speech.

    Args:
        answer: Takes what comes.

    Raises:
        SparkError: As the speech.
    """
    # A token may end within a character, so bytes are decoded across tokens.
    decoder = getincrementaldecoder("utf-8")("replace")
    with closing(speech):
        while True:
            try:
                item = next(speech)
            except StopIteration as stop:
                answer.is_whole = bool(stop.value)
                return
            match item:
                case TokenGenerated():
                    answer.tokens += 1
                    text = decoder.decode(item.piece).replace("\0", "\ufffd")
                    answer.text += text
                    yield StepText(text)
                case Thought():
                    answer.tokens += item.tokens
                    yield TaskWaits("thinking")
                case AnswerStarted():
                    answer.text = ""
                    yield StepText("", anew=True)
                case Waits():
                    yield TaskWaits(item.line)
                case _:
                    yield TaskWaits()
