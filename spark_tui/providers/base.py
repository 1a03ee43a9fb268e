"""The seam between a turn and whatever answers it: what is asked, and the stream that comes back.

An `Provider` is given an `GenerationRequest` and makes a `Writer`, whose stream says what is read
and written, piece by piece; a `Draft` of the same answerer reads these pieces, and says what the
region would be with them. Not asking for the next item is a pause; closing the stream gives up what
is unfinished.
"""

import math
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Flag, StrEnum, auto
from typing import Protocol, runtime_checkable

from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.providers.conversation import Exchange

CHARACTERS_A_TOKEN = 3
"""Of code on average, or more, whichever model reads it."""


def tokens_of(text: str) -> int:
    """How many tokens a text has, about."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


class Ability(Flag):
    """What an answerer can do besides answering.

    PROBABILITIES: its log-probabilities mean something. BEGIN: an answer can go on from what the
    user wrote of it. SCORE: it can say how likely a known edit is, and words. READ_AHEAD: it can
    read a region while words are typed. FILES: it edits several files at once, whole, which come as
    one region (see `editing.multi_file`). PREVIOUS: it was taught to read the last accepted edit,
    and so to tell whether an edit leaves something undone.
    """

    NOTHING = 0
    PROBABILITIES = auto()
    BEGIN = auto()
    SCORE = auto()
    READ_AHEAD = auto()
    FILES = auto()
    PREVIOUS = auto()


class EditKind(StrEnum):
    """What kind of edit an answer is: how far probabilities can be trusted differs from one to
    the other.
    """

    PLAIN = "plain"
    SEVERAL_PLACES = "several places"
    FOLLOW_UP = "follow-up"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What is to be answered, and how.

    `before`: what was said earlier, for who reads that; `news`: what happened since. `begun`: how
    the text of every answer begins. `temperature`: 0 gives the likeliest answers, in order; above,
    answers are draws by `seed`. `max_tokens`: of one answer. `around`: a map of the repository, for
    who reads one.
    """

    request: QuotedRequest
    begun: str = ""
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512
    around: str = ""
    before: tuple[Exchange, ...] = ()
    news: str = ""


@dataclass(frozen=True, slots=True)
class PromptProgress:
    """So many tokens of the prompt are read, of `total`; `cached` of them were before.

    `passes`: that were made to read them; none where an endpoint makes them.
    """

    total: int
    cached: int
    done: int
    passes: int = 1


@dataclass(frozen=True, slots=True)
class TokenGenerated:
    """A piece of an answer: a token, its text in UTF-8, and its log-probability among the tokens
    allowed.

    `answer`: which one, counted from 0. `token`: -1 where there are none. `forced`: no other one
    was allowed. `passes`: that were run for it; none where it came out right as a draft.
    """

    answer: int
    token: int
    piece: bytes
    logprob: float = 0.0
    forced: bool = False
    passes: int = 0
    from_draft: bool = False


@dataclass(frozen=True, slots=True)
class AnswerStarted:
    """Another answer begins, with pieces that are known: an earlier answer's, or the user's own.

    Or the same one, once more: it broke off, and goes on from these pieces of it.
    """

    answer: int
    known: tuple[TokenGenerated, ...] = ()


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of what a model thinks before it answers; it is shown, and never read as an answer.

    `tokens`: how many it has, as far as they come one by one. `taken_back`: so many pieces were
    written as an answer, until it turned out that they were a thought.
    """

    answer: int
    text: str
    tokens: int = 1
    taken_back: int = 0


@dataclass(frozen=True, slots=True)
class AnswerFinished:
    """A whole answer.

    `lines`: the region after it, equal to the one before where nothing is to change.

    `logprob`: of all its tokens together; `worst`: of the least likely one. `number`: which one, as
    in `TokenGenerated`. `finished`: it came to its end, and did not run out of tokens. `declined`:
    it says that nothing is to be changed. `cut`: why it is not finished, where that is not its
    length. `doubt`: why nobody can be sure of its edit, or "".
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
    """Nothing came for a moment, so that whoever asks can stop.

    `line`: what is waited for, where that is known.
    """

    line: str = ""


Item = PromptProgress | AnswerStarted | TokenGenerated | Thought | AnswerFinished | Waits
Message = Mapping[str, str]
"""What is said to a chat model: its `role` and its `content`."""
Speech = Generator[PromptProgress | Waits | AnswerStarted | TokenGenerated | Thought, None, bool]
"""What a model says, piece by piece; returns whether it came to its end by itself."""


class Draft(Protocol):
    """One answer, read as it is written. Mutable. What is closed of it is never revised."""

    @property
    def kind(self) -> str | None:
        """What kind of edit it is: "edit", "rename", "none"; None as long as nothing tells."""

    @property
    def declined(self) -> bool:
        """Whether it says that nothing is to be changed."""

    @property
    def renamed(self) -> Sequence[tuple[str, str]]:
        """The identifiers that it renames throughout, old and new, as far as it is closed."""

    @property
    def open_line(self) -> str | None:
        """The new line that is being written, as far as it is; None elsewhere."""

    @property
    def missed(self) -> Sequence[str]:
        """What it says that fits nowhere and is left out, each in a sentence."""

    @property
    def in_name(self) -> bool:
        """Whether the new name of a renaming is being written."""

    @property
    def talks(self) -> bool:
        """Whether nothing but talk to people is written so far, and no code."""

    @property
    def line_mark(self) -> str:
        """What a new line begins with, in the text of an answer."""

    def take(self, piece: bytes) -> bool:
        """Go on.

        Returns:
            Whether that closed anything.

        Raises:
            SparkError: It does not fit the region.
        """

    def finish(self) -> None:
        """The answer is complete: what is left of the region is as it says."""

    def lines(self) -> Sequence[str]:
        """The region as it would be now."""

    def settled(self) -> Sequence[str]:
        """The region with nothing but what is fully written, and no later piece takes back or
        goes on with.
        """


class Writer(Protocol):
    """Writes answers to one ask, the likeliest first.

    Mutable; what it wrote it does not write again.
    """

    @property
    def best(self) -> float:
        """The log-probability that no answer still to be written exceeds; -inf where there is
        none.
        """

    def write(self, count: int = 1, *, least: float = -math.inf) -> Generator[Item, None, None]:
        """Write so many more answers, none less likely than `least`; those of several may come
        mixed.

        Each is `AnswerStarted`, then `TokenGenerated` piece by piece, then an `AnswerFinished`.

        Raises:
            SparkError: It cannot go on.
        """


class Provider(Protocol):
    """Answers requests. `sure`: the chance from which an answer is shown as sure."""

    @property
    def can(self) -> Ability:
        """What it can do besides."""
        return Ability.NOTHING

    @property
    def sure(self) -> float:
        """See the class."""
        return 0.0

    @property
    def done(self) -> float:
        """The least probability that nothing is left to do from which an edit is taken to be
        whole.
        """
        return 0.0

    @property
    def map_room(self) -> int:
        """Tokens that it reads of a map of the repository."""
        return 0

    def write(self, ask: GenerationRequest) -> Writer:
        """Begin to answer; nothing is computed yet.

        Raises:
            UsageError: Too long, or nothing can begin so.
        """

    def prompt(self, request: QuotedRequest) -> Sequence[int]:
        """The tokens that are read for a request; none where it knows none.

        Raises:
            UsageError: Too long.
        """
        return ()

    def draft(self, lines: Sequence[str]) -> Draft:
        """What reads an answer about a region from its start."""

    def has_room(self, lines: Sequence[str]) -> bool:
        """Whether a region leaves room for words and an answer."""

    def chance(
        self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN
    ) -> float | None:
        """How likely the first of some answers to one request is right; None where that is not
        known.
        """
        return None

    def learn(self, worst: float, *, accepted: bool) -> None:
        """The user decided about an edit.

        Args:
            worst: As in `AnswerFinished`.
        """
        return

    def score(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, float]]:
        """How likely it is, as a log-probability, that the region becomes each of some results:
        SCORE.

        Yields:
            The number of a result and its log-probability, in any order.

        Raises:
            As `write`.
        """
        return iter(())

    def said(self, requests: Iterable[QuotedRequest]) -> Iterator[float | None]:
        """How likely, as a log-probability, words are said of their region; None between
        passes: SCORE.
        """
        return iter(())

    def read_ahead(self, request: QuotedRequest) -> Iterator[None]:
        """Read the region while the words are still being typed: READ_AHEAD.

        It may be given up at any item.
        """
        return iter(())

    @property
    def cost(self) -> float | None:
        """What the latest answer cost, where prices are configured and what it took is told."""
        return None


@runtime_checkable
class Talker(Protocol):
    """What answers questions in words, too: a chat model."""

    def talk(self, messages: Sequence[Message], *, most: int) -> Speech:
        """Say something to messages.

        Args:
            most: Tokens of it.

        Raises:
            UsageError: They are too long for it.
        """
