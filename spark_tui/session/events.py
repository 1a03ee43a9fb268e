"""What happens during a turn, as values: the screen paints them, `as_json` has them for
programs.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the screen knows events before it has anything to show of them
    from spark_tui.context.regions import Region
    from spark_tui.editing.checks import Check
    from spark_tui.editing.hunks import Hunk


class Status(StrEnum):
    """How a turn stands or ended."""

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
    """Measured figures of a turn. Times are in milliseconds and leave out every pause."""

    ttft_ms: float = 0.0
    total_ms: float = 0.0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    generated_tokens: int = 0
    forward_passes: int = 0
    accepted_draft_tokens: int = 0
    tokens_per_second: float = 0.0


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The region is known; nothing was computed yet.

    `map_tokens`: of a map of the repository that the model reads.
    """

    turn_id: str
    instruction: str
    region: "Region"
    map_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Prefill:
    """How far the prompt was read: `cached_tokens` of it were in the KV cache already."""

    prompt_tokens: int
    cached_tokens: int
    done_tokens: int
    t_ms: float


@dataclass(frozen=True, slots=True)
class Token:
    """One decoded token; `text` is a mark's name or as much text as is complete."""

    index: int
    token_id: int
    text: str
    logprob: float
    from_draft: bool
    t_ms: float


@dataclass(frozen=True, slots=True)
class Thinking:
    """The model thinks before it answers: a piece of that, which is no part of the answer.

    `tokens`: thought so far.
    """

    tokens: int
    text: str
    t_ms: float


@dataclass(frozen=True, slots=True)
class Held:
    """Nothing came from an endpoint for a moment; `line` says what is waited for, where that is
    known.
    """

    line: str


@dataclass(frozen=True, slots=True)
class HunkUpdated:
    """The proposal changed; `hunks` are all that are open to review now."""

    hunks: "tuple[Hunk, ...]"


@dataclass(frozen=True, slots=True)
class HunkClosed:
    """A hunk is fully written."""

    hunk: "Hunk"


@dataclass(frozen=True, slots=True)
class Checked:
    """What was checked: a hunk together with those closed before it, or the whole edit
    (`hunk_id` None).
    """

    hunk_id: str | None
    checks: "tuple[Check, ...]"


@dataclass(frozen=True, slots=True)
class Trying:
    """The user's command runs; it comes again while that takes long.

    `tried`: which of `total` repairs is tried, from 1; 0 before the first. Without `total` it is
    another version of the file: the one without an edit, or the model's own answer. `said`: the
    last line of the command's run before.
    """

    tried: int = 0
    total: int | None = None
    said: str = ""

    @property
    def words(self) -> str:
        """How far the search is."""
        fails = f", so far failing: {self.said}" if self.said else ""
        if self.total is None:
            return "running the command"
        return f"trying {self.tried} of {self.total}{fails}"


@dataclass(frozen=True, slots=True)
class VariationToken:
    """One decoded token of another answer, the `variation`-th to be written, from 1; those of
    several come mixed.
    """

    variation: int
    index: int
    token_id: int
    text: str
    logprob: float
    t_ms: float


@dataclass(frozen=True, slots=True)
class VariationEnded:
    """Another answer is written and checked; `problem` is why it is not offered, or ""."""

    variation: int
    kind: str | None
    logprob: float
    checks: "tuple[Check, ...]"
    problem: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The last event, but for those of variations; `message` says what to do when the status is
    not ok.
    """

    status: Status
    message: str
    timing: Timing


Event = (
    TurnStarted
    | Prefill
    | Held
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
