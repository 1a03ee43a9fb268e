"""How far a run is, and how it goes."""

from collections.abc import Sequence
from dataclasses import dataclass

from spark_tui.training.rows import ANSWER, WORDS


@dataclass(frozen=True, slots=True)
class Budget:
    """When a run ends: after some seconds from its first step on, or after some steps."""

    seconds: float | None = None
    steps: int | None = None

    def done(self, seconds: float, step: int) -> float:
        """Return the share of the run that is over, from 0 to 1."""
        shares = [0.0]
        if self.seconds is not None:
            shares.append(seconds / self.seconds if self.seconds else 1.0)
        if self.steps is not None:
            shares.append(step / self.steps if self.steps else 1.0)
        return min(1.0, max(shares))


@dataclass(frozen=True, slots=True)
class Loss:
    """Mean losses a token."""

    answer: float
    words: float

    @classmethod
    def of(cls, sums: Sequence[float], counts: Sequence[int]) -> "Loss":
        """Divide what was added up, by the kind of token."""
        means = [total / max(count, 1) for total, count in zip(sums, counts, strict=True)]
        return cls(means[ANSWER], means[WORDS])

    def __str__(self) -> str:
        return f"answer {self.answer:.4f}  words {self.words:.4f}"


@dataclass(frozen=True, slots=True)
class Report:
    """How a run went since the last report.

    Attributes:
        rate: The learning rate of the next step.
        norm: Of the gradient of the last step, before it was clipped.
        speed: Tokens a second, without the padding.
        memory: Bytes on the GPU at most, 0 without one.
    """

    step: int
    number_of_pass: int
    done: float
    rate: float
    loss: Loss
    norm: float
    tokens: int
    seconds: float
    speed: float
    memory: int

    def __str__(self) -> str:
        memory = f"  {self.memory / 2**30:.1f} GiB" if self.memory else ""
        return (
            f"step {self.step}  pass {self.number_of_pass}  {self.done:.1%}  rate {self.rate:.2e}"
            f"  {self.loss}  norm {self.norm:.3f}  {self.speed:.0f} tokens/s{memory}"
        )
