"""The events of a turn, as values.

The screen paints them; `json_output.to_json` writes them for programs.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the screen knows events before it has anything to show of them
    from spark_tui.context.regions import Region
    from spark_tui.editing.checks import Check
    from spark_tui.editing.hunks import Hunk


class Status(StrEnum):
    """The state of a turn, or how it ended."""

    RUNNING = "running"
    OK = "ok"
    UNSURE = "unsure"
    ABSTAINED = "abstained"
    INTERRUPTED = "interrupted"

    @property
    def offers(self) -> bool:
        """Whether the turn ended with an edit, sure or not."""
        return self in {Status.OK, Status.UNSURE}


@dataclass(frozen=True, slots=True)
class Timing:
    """Measured figures of a turn. Times are in milliseconds and leave out every pause.

    Attributes:
        thought_tokens: Tokens of thoughts, which are in no answer; None where nobody counted them.
        cost: The cost by the prices in the settings; None without prices or counts.
    """

    ttft_ms: float = 0.0
    total_ms: float = 0.0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    generated_tokens: int = 0
    forward_passes: int = 0
    accepted_draft_tokens: int = 0
    tokens_per_second: float = 0.0
    thought_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The region is known; nothing was computed yet.

    Attributes:
        map_tokens: Tokens of the map of the repository that the model reads.
    """

    turn_id: str
    instruction: str
    region: "Region"
    map_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Prefill:
    """Progress on the prompt; `cached_tokens` of it were in the KV cache already."""

    prompt_tokens: int
    cached_tokens: int
    done_tokens: int
    t_ms: float


@dataclass(frozen=True, slots=True)
class Token:
    """One decoded token.

    Attributes:
        text: The name of a mark, or as much text as is complete.
    """

    index: int
    token_id: int
    text: str
    logprob: float
    from_draft: bool
    t_ms: float


@dataclass(frozen=True, slots=True)
class Thinking:
    """A piece of what the model thinks before it answers, no part of the answer.

    Attributes:
        tokens: Tokens thought so far.
    """

    tokens: int
    text: str
    t_ms: float


@dataclass(frozen=True, slots=True)
class Held:
    """An endpoint has sent nothing for a moment.

    Attributes:
        line: What the turn waits for, where that is known.
    """

    line: str


@dataclass(frozen=True, slots=True)
class HandedOver:
    """Another model goes on with the other answers to a request.

    Attributes:
        line: Why, and which one.
    """

    line: str


@dataclass(frozen=True, slots=True)
class HunkUpdated:
    """The proposal changed.

    Attributes:
        hunks: All hunks now open to review.
    """

    hunks: "tuple[Hunk, ...]"


@dataclass(frozen=True, slots=True)
class HunkClosed:
    """A hunk is fully written."""

    hunk: "Hunk"


@dataclass(frozen=True, slots=True)
class Checked:
    """The checks of an edit.

    Attributes:
        hunk_id: The hunk that was checked together with those closed before it; None: the whole
            edit.
    """

    hunk_id: str | None
    checks: "tuple[Check, ...]"


@dataclass(frozen=True, slots=True)
class Trying:
    """The user's command runs; the event repeats while it does.

    Attributes:
        tried: The number of the repair being tried among `total`, from 1; 0 before the first.
        total: Repairs in all; None: another version runs, without an edit or with the model's
            answer.
        said: The last output line of the run before.
    """

    tried: int = 0
    total: int | None = None
    said: str = ""

    @property
    def words(self) -> str:
        """The progress of the search, in words."""
        fails = f", so far failing: {self.said}" if self.said else ""
        if self.total is None:
            return "running the command"
        return f"trying {self.tried} of {self.total}{fails}"


@dataclass(frozen=True, slots=True)
class VariationToken:
    """One decoded token of another answer; the tokens of several answers come mixed.

    Attributes:
        variation: The number of the answer, from 1.
    """

    variation: int
    index: int
    token_id: int
    text: str
    logprob: float
    t_ms: float


@dataclass(frozen=True, slots=True)
class VariationEnded:
    """Another answer is written and checked.

    Attributes:
        problem: Why the answer is not offered, or "".
    """

    variation: int
    kind: str | None
    logprob: float
    checks: "tuple[Check, ...]"
    problem: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The last event, but for those of variations.

    Attributes:
        message: What to do, when the status is not ok.
    """

    status: Status
    message: str
    timing: Timing


Event = (
    TurnStarted
    | Prefill
    | Held
    | HandedOver
    | Thinking
    | Token
    | HunkUpdated
    | HunkClosed
    | Checked
    | Trying
    | VariationToken
    | VariationEnded
    | TurnEnded
)
