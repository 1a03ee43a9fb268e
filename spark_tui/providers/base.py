"""The interface between a turn and its provider: the request, and the stream that comes back.

A `Provider` takes a `GenerationRequest` and returns a `Writer`. The stream of the writer yields an
`Item` for every token read or written. A `Draft` of the same provider reads the pieces of an answer
and shows the region with them. A consumer that does not ask for the next item pauses the
answer; closing the stream abandons what is unfinished.
"""

import math
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Flag, StrEnum, auto
from typing import Protocol, runtime_checkable

from spark_tui.editing.formats.quoted import QuotedDraft, QuotedRequest
from spark_tui.editing.formats.surroundings import NOWHERE, Surroundings
from spark_tui.providers.conversation import Exchange

CHARACTERS_A_TOKEN = 3
"""Characters of code in a token: on average no tokenizer packs fewer."""


def tokens_of(text: str) -> int:
    """Estimate how many tokens a text has."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


class Ability(Flag):
    """The abilities of a provider besides answering."""

    NOTHING = 0
    PROBABILITIES = auto()
    """The log-probabilities of its tokens mean something."""
    BEGIN = auto()
    """An answer can go on from a beginning that the user wrote."""
    SCORE = auto()
    """The provider can say how likely a known edit is, and how likely words are."""
    READ_AHEAD = auto()
    """The provider can read a region while the user types the instruction."""
    FILES = auto()
    """Several whole files can be edited at once, as one region (see `editing.multi_file`)."""
    PREVIOUS = auto()
    """The model was taught to read the last accepted edit.

    Such a model can tell whether an edit leaves something undone.
    """


class EditKind(StrEnum):
    """The kind of edit that an answer is; probabilities deserve different trust for each kind."""

    PLAIN = "plain"
    SEVERAL_PLACES = "several places"
    FOLLOW_UP = "follow-up"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """A request for answers, with the options of the generation.

    Attributes:
        request: The instruction and the region.
        begun: The text that every answer begins with.
        temperature: 0 gives the likeliest answers in order; above 0, answers are draws.
        seed: The seed of draws.
        max_tokens: The most tokens of one answer.
        around: A map of the repository, for providers that read one.
        before: The earlier exchanges, for providers that read them.
        news: What happened since the last exchange.
        surroundings: What stands around the region.
    """

    request: QuotedRequest
    begun: str = ""
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512
    around: str = ""
    before: tuple[Exchange, ...] = ()
    news: str = ""
    surroundings: Surroundings = NOWHERE


@dataclass(frozen=True, slots=True)
class PromptProgress:
    """The progress of reading the prompt.

    Attributes:
        total: Tokens of the prompt.
        cached: Tokens of `done` that were in the cache before.
        done: Tokens read so far.
        passes: Passes of the model that this took; 0 where an endpoint reads.
    """

    total: int
    cached: int
    done: int
    passes: int = 1


@dataclass(frozen=True, slots=True)
class TokenGenerated:
    """A piece of an answer: a token.

    Attributes:
        answer: The number of the answer, counted from 0.
        token: The id of the token; -1 where the provider knows no tokens.
        piece: The text of the token in UTF-8.
        logprob: The log-probability of the token among the tokens allowed.
        forced: Whether no other token was allowed.
        passes: Passes of the model for this token; 0 for a token that was drafted correctly.
        from_draft: Whether the token was drafted.
        closed: Whether the piece closed a part of the writer's own draft; see `AnswerStarted`.
        fits: Whether the piece fits what was written before.
    """

    answer: int
    token: int
    piece: bytes
    logprob: float = 0.0
    forced: bool = False
    passes: int = 0
    from_draft: bool = False
    closed: bool = False
    fits: bool = True


@dataclass(frozen=True, slots=True)
class AnswerStarted:
    """An answer begins, with pieces that are known: an earlier answer's, or the user's own.

    The same number may come again where the answer broke off: it goes on from the known pieces.

    Attributes:
        draft: The answer as its writer reads it, piece by piece; None: the writer reads none.
    """

    answer: int
    known: tuple[TokenGenerated, ...] = ()
    draft: QuotedDraft | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of a model's reasoning before the answer: shown, and never read as an answer.

    Attributes:
        answer: The number of the answer that follows.
        text: The text of the piece.
        tokens: How many tokens the piece has, as far as they come one by one.
        taken_back: How many pieces were reported as an answer before they proved to be reasoning.
    """

    answer: int
    text: str
    tokens: int = 1
    taken_back: int = 0


@dataclass(frozen=True, slots=True)
class AnswerFinished:
    """A whole answer.

    Attributes:
        lines: The region after the edit; the region as before where nothing is to change.
        tokens: The ids of its tokens.
        logprob: The log-probability of all its tokens together.
        worst: The log-probability of its least likely token.
        number: The number of the answer, as in `TokenGenerated.answer`.
        finished: Whether the answer came to its end and did not run out of tokens.
        declined: Whether the answer says that nothing is to be changed.
        cut: Why the answer is unfinished; "" where its length is the reason and `max_tokens` of the
            request its bound, or where it is finished.
        doubt: The reason to call the edit unsure, whatever its probability; "" for none.
    """

    lines: tuple[str, ...]
    tokens: tuple[int, ...]
    logprob: float
    worst: float
    number: int = 0
    finished: bool = True
    declined: bool = False
    cut: str = ""
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Waits:
    """Nothing came for a moment; the consumer gets the chance to stop.

    Attributes:
        line: What the provider waits for, where that is known.
    """

    line: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens that a server counted for one answer.

    Attributes:
        read: Tokens of the prompt.
        written: Tokens of the answer and its thought.
        thought: Tokens of the thought; None where the server does not tell.
        cached: Tokens of the prompt that the server knew before.
        cost: The cost by the prices in the settings; None without prices.
    """

    read: int
    written: int
    thought: int | None = None
    cached: int = 0
    cost: float | None = None


Item = PromptProgress | AnswerStarted | TokenGenerated | Thought | AnswerFinished | Waits | Usage
Message = Mapping[str, str]
"""A message to a chat model: its `role` and its `content`."""
Speech = Generator[
    PromptProgress | Waits | AnswerStarted | TokenGenerated | Thought | Usage, None, bool
]
"""The words of a model, piece by piece; returns whether the model ended by itself."""


class Draft(Protocol):
    """One answer, read as it is written. Mutable. A part that is closed is never revised."""

    @property
    def kind(self) -> str | None:
        """The kind of the edit: "edit", "rename", "none"; None as long as nothing tells."""

    @property
    def declined(self) -> bool:
        """Whether the answer says that nothing is to be changed."""

    @property
    def renamed(self) -> Sequence[tuple[str, str]]:
        """The identifiers renamed throughout, old and new, as far as the answer is closed."""

    @property
    def open_line(self) -> str | None:
        """The part of a new line that is written so far; None outside of new lines."""

    @property
    def missed(self) -> Sequence[str]:
        """The parts of the answer that fit nowhere and are left out, a sentence for each."""

    @property
    def in_name(self) -> bool:
        """Whether the new name of a renaming is being written."""

    @property
    def talks(self) -> bool:
        """Whether the answer so far is talk to people, without any code."""

    @property
    def line_mark(self) -> str:
        """The mark at the start of a new line, in the text of an answer."""

    def take(self, piece: bytes) -> bool:
        """Read the next piece.

        Returns:
            Whether the piece closed a part of the answer.

        Raises:
            SparkError: The piece does not fit the region.
        """

    def finish(self) -> None:
        """Take the answer as complete: the rest of the region is as the answer says."""

    def lines(self) -> Sequence[str]:
        """Return the region as it would be now."""

    def settled(self) -> Sequence[str]:
        """Return the region with only those edits that no later piece extends or takes back."""


class Writer(Protocol):
    """Writes answers to one request, the likeliest first.

    Mutable. No answer is written twice.
    """

    @property
    def best(self) -> float:
        """The upper bound of the log-probability of the answers to come; -inf after the last."""

    def write(self, count: int = 1, *, least: float = -math.inf) -> Generator[Item, None, None]:
        """Write more answers.

        The items of several answers may come mixed. Each answer is an `AnswerStarted`, then
        `TokenGenerated` piece by piece, then an `AnswerFinished`.

        Args:
            count: The most answers to write.
            least: The log-probability below which no answer is written.

        Raises:
            SparkError: The provider cannot go on.
        """


class Provider(Protocol):
    """Answers requests."""

    @property
    def can(self) -> Ability:
        """The abilities of the provider besides answering."""
        return Ability.NOTHING

    @property
    def sure(self) -> float:
        """The chance from which an answer is shown as sure."""
        return 0.0

    @property
    def agreed(self) -> float:
        """The chance from which an answer is shown as sure where a second model prefers it, too."""
        return 1.0

    @property
    def done(self) -> float:
        """The least probability of "nothing is left to do" at which an edit counts as whole."""
        return 0.0

    @property
    def next_edit(self) -> float:
        """The probability from which the accepted change is offered elsewhere; 0 for never."""
        return 0.0

    @property
    def map_room(self) -> int:
        """Tokens that the provider reads of a map of the repository."""
        return 0

    def write(self, ask: GenerationRequest) -> Writer:
        """Begin to answer; nothing is computed yet.

        Raises:
            UsageError: The request is too long, or no answer can begin as it says.
        """

    def prompt(self, request: QuotedRequest) -> Sequence[int]:
        """Return the tokens of the prompt for a request; none where the provider knows none.

        Raises:
            UsageError: The request is too long.
        """
        return ()

    def draft(self, lines: Sequence[str], around: Surroundings = NOWHERE) -> Draft:
        """Make a draft, which reads an answer about a region from its start.

        Args:
            lines: The region.
            around: What stands around the region.
        """

    def has_room(self, lines: Sequence[str]) -> bool:
        """Whether a region leaves room for an instruction and an answer."""

    def chance(
        self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN
    ) -> float | None:
        """Estimate the chance that the first answer to a request is right.

        Args:
            answers: The answers to one request.
            kind: The kind of edit that the first one is.

        Returns:
            The chance; None where the provider cannot tell.
        """
        return None

    def learn(self, worst: float, *, accepted: bool) -> None:
        """Take note that the user decided about an edit.

        Args:
            worst: As in `AnswerFinished`.
            accepted: The decision.
        """
        return

    def score(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, float]]:
        """Compute how likely the region becomes each of some results: needs SCORE.

        Yields:
            The number of a result and its log-probability, in any order.

        Raises:
            As `write`.
        """
        return iter(())

    def likelihoods(self, requests: Iterable[QuotedRequest]) -> Iterator[float | None]:
        """Compute how likely the words of each request are, given its region: needs SCORE.

        Yields:
            The log-probability of the words of the next request; None between passes.
        """
        return iter(())

    def read_ahead(self, request: QuotedRequest) -> Iterator[None]:
        """Read the region while the user still types the instruction: needs READ_AHEAD.

        Reading may be abandoned at any item.
        """
        return iter(())

    def release(self) -> bool:
        """Let go of a server that has not begun to answer, from any thread.

        The reader of the answer pauses. The same request is sent again when the reader goes on.

        Returns:
            Whether there was such a server.
        """
        return False

    @property
    def cost(self) -> float | None:
        """The cost of the latest answer; None without prices, or without counts of tokens."""
        return None


@runtime_checkable
class Talker(Protocol):
    """A provider that also answers questions in words: a chat model."""

    def talk(self, messages: Sequence[Message], *, most: int) -> Speech:
        """Reply to messages.

        Args:
            messages: The conversation, the question last.
            most: The most tokens of the reply.

        Raises:
            UsageError: The messages are too long for the model.
        """


@runtime_checkable
class Judge(Protocol):
    """A provider that can judge the answers of another one: a chat model in this process."""

    def weigh(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Generator[None, None, Sequence[float]]:
        """Find out how likely the region becomes each of some results.

        Args:
            request: What was asked.
            results: The lines of the region after each answer.

        Yields:
            None after each pass of the model; the work may be abandoned there.

        Returns:
            A log-probability for each result, without what all of them have in common. Only the
            differences between them mean something.

        Raises:
            UsageError: The region is too long for the model.
        """
