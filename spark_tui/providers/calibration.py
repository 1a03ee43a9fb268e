"""How far the probabilities of a model can be trusted.

From what a model says of its answers to the chance that the first one is right.

The numbers are fitted on requests kept for that (`spark train calibrate`) and lie beside the
weights in answering.json.

How far the log-probabilities of an endpoint can be trusted: by what was accepted of its edits.

Nobody fits a curve to a model that somebody brings. What is counted is what the user decided about
edits whose least likely token was about as likely.
"""

import json
import math
import os
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spark_tui.engine.config import damaged
from spark_tui.providers.base import AnswerFinished, EditKind

FILE_NAME = "answering.json"
FORMAT = "quoting"
_KINDS = (EditKind.SEVERAL_PLACES, EditKind.FOLLOW_UP, EditKind.CORRECTION)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the probabilities of a model are worth.

    Attributes:
        weights: The logistic weight of each trait of `traits`.
        sure: The chance from which an answer is shown as sure.
        conversation: Whether the model was taught to read the last accepted edit.
        done: The probability of "nothing is left" below which an edit is not called sure.
    """

    weights: tuple[float, ...] = (0.0, 1.0, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0)
    sure: float = 0.8
    conversation: bool = False
    done: float = 0.0

    def chance(self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN) -> float:
        """How likely the first of the answers to one request is right."""
        values = traits(answers, kind)
        total = sum(weight * value for weight, value in zip(self.weights, values, strict=False))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    @classmethod
    def read(cls, folder: Path) -> "Calibration | None":
        """That of a model folder; None where the model does not quote.

        Raises:
            ModelError: The file is damaged.
        """
        path = folder / FILE_NAME
        if not path.is_file():
            return None
        try:
            entries = json.loads(path.read_text("utf-8"))
            if entries["format"] != FORMAT:
                raise damaged(path, f"format {str(entries['format'])[:40]!r}, known is {FORMAT!r}")
            weights = tuple(float(weight) for weight in entries["weights"])
            conversation = entries.get("conversation", False)
            done = entries.get("done", 0.0)
            return cls(weights, float(entries["sure"]), bool(conversation), float(done))
        except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
            raise damaged(path, f"not what spark writes there ({error})") from error

    def write(self, folder: Path) -> None:
        """Put it beside the weights."""
        text = json.dumps({"format": FORMAT} | asdict(self), indent=2)
        (folder / FILE_NAME).write_text(text + "\n", "utf-8")


def traits(answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN) -> tuple[float, ...]:
    """What the chance depends on.

    A constant; of the first answer how likely its result is (log-odds, those of other answers with
    the same result added), its worst token, the next other result, and whether it declines; then 1
    for the kind of edit that it is, where it is not a plain one.
    """
    first = answers[0]
    same = sum(math.exp(answer.logprob) for answer in answers if answer.lines == first.lines)
    other = max(
        (math.exp(answer.logprob) for answer in answers if answer.lines != first.lines), default=0.0
    )
    same = min(max(same, 1e-6), 1 - 1e-6)
    known = (
        1.0,
        math.log(same / (1 - same)),
        max(first.worst, -8.0),
        -other,
        float(first.declined),
    )
    return (*known, *(float(kind is other_kind) for other_kind in _KINDS))


SURE = 0.8
"""The share of accepted edits from which one like them is shown as sure."""
_LEAST = 20
"""Decisions below which nothing is said, and those that are looked at from then on."""
_KEPT = 500
_VERSION = 1


class Scores:
    """The log-probabilities of text as it arrives, for who reads the text later.

    Mutable.

    One thread may add while another takes.
    """

    def __init__(self) -> None:
        self._entries = deque[tuple[int, float]]()

    def add(self, text: str, told: Any) -> None:
        """A piece of text arrived.

        Args:
            told: What the server says of its tokens, if it does.
        """
        tokens = told.get("content") if isinstance(told, Mapping) else None
        known = [each.get("logprob") for each in tokens or () if isinstance(each, Mapping)]
        numbers = [float(each) for each in known if isinstance(each, int | float)]
        if text:
            self._entries.append((len(text), sum(numbers)))

    def of(self, text: str) -> float:
        """The log-probability of the next text, which is as long as some pieces together."""
        left = len(text)
        total = 0.0
        while left > 0 and self._entries:
            length, logprob = self._entries.popleft()
            left -= length
            total += logprob
        return total


class DecisionLog:
    """What was accepted and rejected of an endpoint's edits.

    Mutable.

    Args:
        path: Where that is kept from one start to the next; None keeps it for this one.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._rows = self._read()

    def add(self, worst: float, *, accepted: bool) -> None:
        """Remember a decision.

        Args:
            worst: log-probability of the edit's least likely token.
        """
        self._rows = [*self._rows, (worst, accepted)][-_KEPT:]
        if self._path is None:
            return
        temporary = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps({"version": _VERSION, "rows": self._rows}), "utf-8")
            temporary.replace(self._path)

    def chance(self, worst: float) -> float | None:
        """The share that was accepted of edits like one; None where too few were decided."""
        if len(self._rows) < _LEAST:
            return None
        nearest = sorted(self._rows, key=lambda row: abs(row[0] - worst))[:_LEAST]
        accepted = sum(row[1] for row in nearest)
        return (accepted + 1) / (_LEAST + 2)

    def _read(self) -> list[tuple[float, bool]]:
        """What is remembered; what spark did not write there is as good as nothing."""
        if self._path is None:
            return []
        try:
            entries = json.loads(self._path.read_text("utf-8"))
            if entries["version"] != _VERSION:
                return []
            return [(float(worst), bool(accepted)) for worst, accepted in entries["rows"]]
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return []
