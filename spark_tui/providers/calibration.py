"""Estimates the chance that an answer is right from the log-probabilities of its tokens.

A model of this process has a `Calibration`: a logistic regression over the `traits` of its answers,
fitted on requests kept for that (`spark train calibrate`) and stored beside the weights in
answering.json.

The model of an endpoint has no fitted curve. There, a `DecisionLog` counts what the user decided
about edits whose least likely token was about as likely.
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

from spark_tui.errors import ModelError
from spark_tui.providers.base import AnswerFinished, EditKind
from spark_tui.small_files import read_small

FILE_NAME = "answering.json"
FORMAT = "quoting"
# in the order of the last weights in answering.json
_KINDS = (EditKind.SEVERAL_PLACES, EditKind.FOLLOW_UP, EditKind.CORRECTION)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights that turn the traits of answers into a chance.

    Attributes:
        weights: The logistic weight of each trait of `traits`.
        sure: The chance from which an answer is shown as sure.
        agreed: The chance from which that holds where a second model prefers the answer, too; 1
            where that was not measured.
        conversation: Whether the model was taught to read the last accepted edit.
        done: The probability of "nothing is left" below which an edit is not called sure.
        next_edit: The probability from which the accepted change is offered at another place; 0
            where that was not measured.
    """

    weights: tuple[float, ...] = (0.0, 1.0, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0)
    sure: float = 0.8
    conversation: bool = False
    done: float = 0.0
    next_edit: float = 0.0
    agreed: float = 1.0

    def chance(self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN) -> float:
        """Compute the chance that the first of the answers to one request is right."""
        values = traits(answers, kind)
        # A file with fewer weights counts the first traits only.
        total = sum(weight * value for weight, value in zip(self.weights, values, strict=False))
        # clipped, since exp of a large number overflows
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    @classmethod
    def read(cls, folder: Path) -> "Calibration | None":
        """Read the calibration of a model folder; None where the model does not quote.

        Raises:
            ModelError: The file is damaged.
        """
        path = folder / FILE_NAME
        if not path.is_file():
            return None
        try:
            entries = json.loads(read_small(path))
            if entries["format"] != FORMAT:
                raise _damaged(path, f"format {str(entries['format'])[:40]!r}, known is {FORMAT!r}")
            weights = tuple(float(weight) for weight in entries["weights"])
            conversation = entries.get("conversation", False)
            done = float(entries.get("done", 0.0))
            next_edit = float(entries.get("next_edit", 0.0))
            sure = float(entries["sure"])
            agreed = float(entries.get("agreed", 1.0))
            return cls(weights, sure, bool(conversation), done, next_edit, agreed)
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise _damaged(path, f"not what spark writes there ({_words(error)})") from error

    def write(self, folder: Path) -> None:
        """Write the calibration beside the weights."""
        text = json.dumps({"format": FORMAT} | asdict(self), indent=2)
        (folder / FILE_NAME).write_text(text + "\n", "utf-8")


def _words(error: Exception) -> str:
    """An error in a few words."""
    return " ".join(str(error).split())[:200]


def _damaged(path: Path, problem: str) -> ModelError:
    from spark_tui.engine.config import damaged  # noqa: PLC0415 - a start waits for no engine

    return damaged(path, problem)


def traits(answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN) -> tuple[float, ...]:
    """Return the numbers that the chance depends on.

    Returns:
        Eight numbers: a constant; the log-odds of the first answer's result (the probabilities of
        answers with the same result are added); the log-probability of its worst token; minus the
        probability of the likeliest other result; 1 for an answer that declines; then three
        numbers, of which one is 1 for an edit of a kind that is not plain.
    """
    first = answers[0]
    same = sum(math.exp(answer.logprob) for answer in answers if answer.lines == first.lines)
    others = [math.exp(answer.logprob) for answer in answers if answer.lines != first.lines]
    other = max(others, default=0.0)
    # bounded away from 0 and 1, so that the log-odds are finite
    same = min(max(same, 1e-6), 1 - 1e-6)
    log_odds = math.log(same / (1 - same))
    kinds = [float(kind is known_kind) for known_kind in _KINDS]
    return (1.0, log_odds, max(first.worst, -8.0), -other, float(first.declined), *kinds)


SURE = 0.8
"""The share of accepted edits from which an edit like them is shown as sure."""
_LEAST = 20
"""The fewest decisions that a chance is taken from, and the number of the nearest ones used."""
_KEPT = 500
"""Decisions that are remembered."""
_VERSION = 1


class Scores:
    """The log-probabilities of text as it arrives, for the reader of the text.

    Mutable. One thread may add while another takes.
    """

    def __init__(self) -> None:
        self._entries = deque[tuple[int, float]]()

    def add(self, text: str, logprobs: Any) -> None:
        """Take note of a piece of text that arrived.

        Args:
            text: The piece.
            logprobs: The `logprobs` that the server sends with the piece, if any.
        """
        tokens = logprobs.get("content") if isinstance(logprobs, Mapping) else None
        values = [token.get("logprob") for token in tokens or () if isinstance(token, Mapping)]
        numbers = [float(value) for value in values if isinstance(value, int | float)]
        if text:
            self._entries.append((len(text), sum(numbers)))

    def of(self, text: str) -> float:
        """Take the log-probability of the next text, which is as long as some pieces together."""
        left = len(text)
        total = 0.0
        while left > 0 and self._entries:
            length, logprob = self._entries.popleft()
            left -= length
            total += logprob
        return total


class DecisionLog:
    """The user's decisions about an endpoint's edits.

    Mutable.

    Args:
        path: Keeps the decisions from one start to the next; None keeps them for this start.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._rows = self._read()

    def add(self, worst: float, *, accepted: bool) -> None:
        """Remember a decision.

        Args:
            worst: The log-probability of the edit's least likely token.
            accepted: Whether the user accepted the edit.
        """
        self._rows = [*self._rows, (worst, accepted)][-_KEPT:]
        if self._path is None:
            return
        # Written under another name and renamed: another spark that starts meanwhile reads a whole
        # file.
        temporary = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps({"version": _VERSION, "rows": self._rows}), "utf-8")
            temporary.replace(self._path)

    def chance(self, worst: float) -> float | None:
        """Compute the share of similar edits that was accepted; None after too few decisions.

        Args:
            worst: The log-probability of the edit's least likely token.
        """
        if len(self._rows) < _LEAST:
            return None
        nearest = sorted(self._rows, key=lambda row: abs(row[0] - worst))[:_LEAST]
        accepted = sum(row[1] for row in nearest)
        # Laplace's rule: a few decisions never make certainty.
        return (accepted + 1) / (_LEAST + 2)

    def _read(self) -> list[tuple[float, bool]]:
        """Read the remembered decisions; a file that spark did not write counts as none."""
        if self._path is None:
            return []
        try:
            entries = json.loads(read_small(self._path))
            if entries["version"] != _VERSION:
                return []
            return [(float(worst), bool(accepted)) for worst, accepted in entries["rows"]]
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return []
