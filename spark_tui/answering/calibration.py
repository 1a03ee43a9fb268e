"""From what a model says of its answers to the chance that the first one is right.

The numbers are fitted on requests kept for that (`spark train calibrate`) and lie beside the weights in answering.json.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from spark_tui.answering.seam import Answer, EditKind
from spark_tui.engine.files import damaged

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

    def chance(self, answers: Sequence[Answer], kind: EditKind = EditKind.PLAIN) -> float:
        """How likely the first of the answers to one request is right."""
        values = traits(answers, kind)
        total = sum(weight * value for weight, value in zip(self.weights, values, strict=False))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    @classmethod
    def read(cls, folder: Path) -> "Calibration | None":
        """That of a model folder; None where the model does not quote. Raises: ModelError: the file is damaged."""
        path = folder / FILE_NAME
        if not path.is_file():
            return None
        try:
            entries = json.loads(path.read_text("utf-8"))
            if entries["format"] != FORMAT:
                raise damaged(path, f"format {str(entries['format'])[:40]!r}, known is {FORMAT!r}")
            weights = tuple(float(weight) for weight in entries["weights"])
            conversation, done = entries.get("conversation", False), entries.get("done", 0.0)
            return cls(weights, float(entries["sure"]), bool(conversation), float(done))
        except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
            raise damaged(path, f"not what spark writes there ({error})") from error

    def write(self, folder: Path) -> None:
        """Put it beside the weights."""
        text = json.dumps({"format": FORMAT} | asdict(self), indent=2)
        (folder / FILE_NAME).write_text(text + "\n", "utf-8")


def traits(answers: Sequence[Answer], kind: EditKind = EditKind.PLAIN) -> tuple[float, ...]:
    """What the chance depends on.

    A constant; of the first answer how likely its result is (log-odds, those of other answers with the same result
    added), its worst token, the next other result, and whether it declines; then 1 for the kind of edit that it is,
    where it is not a plain one.
    """
    first = answers[0]
    same = sum(math.exp(answer.logprob) for answer in answers if answer.lines == first.lines)
    other = max((math.exp(answer.logprob) for answer in answers if answer.lines != first.lines), default=0.0)
    same = min(max(same, 1e-6), 1 - 1e-6)
    known = (1.0, math.log(same / (1 - same)), max(first.worst, -8.0), -other, float(first.declined))
    return (*known, *(float(kind is other_kind) for other_kind in _KINDS))
