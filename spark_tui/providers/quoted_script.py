"""One answer in the quoted format, which a server writes token by token under our grammar.

The answer is a script: a list of operations on the lines of the region (`formats.quoted`).

The server's log-probabilities are among all tokens. Those among the tokens that the grammar allows
are computed from the likeliest tokens that the server tells, so that they mean the same as in
process.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spark_tui.editing.formats.quoted import (
    ADD,
    DROP,
    KEEP,
    QuotedDraft,
    QuotingError,
)
from spark_tui.editing.formats.quoted_grammar import (
    Allowed,
    Grammar,
    Vocabulary,
    write_gbnf,
)
from spark_tui.providers.base import (
    AnswerFinished,
    TokenGenerated,
)
from spark_tui.providers.openai_stream import CompletedToken, LikelyToken

_MOST_OTHERS = 3
"""Other tokens by which a script may branch off at a place."""
_LEAST_MASS = 1e-9
"""The least probability that is taken for the tokens allowed."""
_UNKNOWN = math.log(0.5)
"""The log-probability of a token that the server tells nothing about, beside others it tells."""


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """A token that may come next.

    Attributes:
        number: The id of the token.
        logprob: The log-probability among the tokens allowed.
        forced: Whether no other token is allowed.
        others: The next best tokens, with their log-probabilities.
    """

    number: int
    logprob: float
    forced: bool
    others: tuple[tuple[int, float], ...] = ()


class Script:
    """One script while it is written.

    Mutable.

    Attributes:
        number: The number of the answer.
        written: The tokens so far.
        went_astray: Whether the server's last token was not allowed.
        steps_back: How often the server wrote a token that is not allowed, or no text.
        has_logprobs: Whether the server tells log-probabilities.
        is_unreadable: Whether the server leaves out text beside log-probabilities, so that the
            script has to do without them.
    """

    def __init__(self, lines: Sequence[str], vocabulary: Vocabulary, number: int) -> None:
        self.number = number
        self.written: list[TokenGenerated] = []
        self.went_astray = False
        self.steps_back = 0
        self.has_logprobs = False
        self.is_unreadable = False
        self._lines = lines
        self._vocabulary = vocabulary
        self._grammar = Grammar(lines, vocabulary)
        self._broken = False

    @property
    def draft(self) -> QuotedDraft:
        """The draft of the script so far."""
        return self._grammar.draft

    @property
    def is_over(self) -> bool:
        """Whether nothing more may come."""
        return self._grammar.ended or self._broken

    @property
    def may_end(self) -> bool:
        """Whether the script may end here."""
        return is_allowed(self._grammar.allowed(), self._vocabulary.end)

    @property
    def must_end(self) -> bool:
        """Whether nothing but the end may come."""
        allowed = self._grammar.allowed()
        return allowed.dtype != np.bool_ and allowed.tolist() == [self._vocabulary.end]

    def gbnf(self) -> str:
        """Return the grammar of what may follow."""
        return write_gbnf(self._lines, b"".join(wrote.piece for wrote in self.written))

    def break_off(self) -> None:
        """Give up what is unfinished."""
        self._broken = True

    def take(self, number: int, logprob: float, *, forced: bool = False) -> TokenGenerated:
        """Take a token that is allowed."""
        try:
            self.draft.take(self._grammar.take(number))
        except QuotingError:
            self._broken = True
        piece = self._vocabulary.pieces[number] or b""
        wrote = TokenGenerated(self.number, number, piece, logprob, forced, passes=1)
        self.written.append(wrote)
        return wrote

    def numbers(self, token: CompletedToken) -> list[int]:
        """Return the tokens that a piece of the server stands for."""
        number = token.number
        if number is None:
            number = self._vocabulary.numbers.get(token.piece)
        text = token.piece.decode("utf-8", "replace")
        if number is None:
            return list(self._vocabulary.spell(text))
        # A mark and the start of its line in one token: the model was taught them as two.
        is_mark = not self.draft.open and text[:1] in (KEEP, DROP, ADD)
        if is_mark and len(text) > 1 and not is_allowed(self._grammar.allowed(), number):
            return [*self._vocabulary.spell(text[0]), *self._vocabulary.spell(text[1:])]
        return [number]

    def choose(self, number: int, token: CompletedToken) -> TokenChoice | None:
        """Rate a token here; None where the grammar does not allow the token.

        Args:
            number: The id of the token.
            token: The piece of the server, with its log-probabilities.
        """
        allowed = self._grammar.allowed()
        if not is_allowed(allowed, number):
            return None
        if allowed.dtype != np.bool_ and len(allowed) == 1:
            return TokenChoice(number, 0.0, forced=True)
        if token.logprob is None:
            # A server that tells none at all has its answers never called sure; one that had to
            # leave them out for this script must not look certain.
            unknown = _UNKNOWN if self.is_unreadable else 0.0
            return TokenChoice(number, unknown, forced=False)
        self.has_logprobs = True
        # log(p / mass): the probability among the allowed tokens alone, as the grammar gives it in
        # process. The mass is at least that of the token itself.
        mass, others = self._mass(allowed, token)
        logprob = token.logprob - math.log(max(mass, math.exp(token.logprob), _LEAST_MASS))
        others.pop(number, None)
        ranked = sorted(others.items(), key=lambda pair: -pair[1])
        log_mass = math.log(max(mass, _LEAST_MASS))
        best = tuple((other, value - log_mass) for other, value in ranked[:_MOST_OTHERS])
        return TokenChoice(number, min(logprob, 0.0), forced=False, others=best)

    def logprob_of(self, number: int, token: CompletedToken) -> float | None:
        """Return the log-probability of a token here; None where the server tells none.

        Args:
            number: The id of the token.
            token: Any piece of the server at this place.
        """
        mass, likely = self._mass(self._grammar.allowed(), token)
        if not likely:
            return None
        if number not in likely:
            return math.log(_LEAST_MASS)
        return min(0.0, likely[number] - math.log(max(mass, _LEAST_MASS)))

    def choose_end(self, token: CompletedToken) -> TokenChoice | None:
        """Rate the end here, where the server was held to go on with another token."""
        end = self._vocabulary.end
        known = [likely for likely in token.likely if self._number_of(likely) != end]
        ends = [likely for likely in token.likely if self._number_of(likely) == end]
        if not ends:
            return None
        logprob = ends[0].logprob
        if ends[0].number is None:
            # Several tokens have no text, and one name for all: the end has what the others leave.
            rest = 1.0 - sum(math.exp(likely.logprob) for likely in known)
            logprob = math.log(max(rest, _LEAST_MASS))
        likely = (*known, LikelyToken(end, b"", logprob))
        return self.choose(end, CompletedToken(end, b"", logprob, likely))

    def likeliest(self, token: CompletedToken) -> TokenChoice | None:
        """Rate the likeliest token that is allowed here, where the server chose another one."""
        _, likely = self._mass(self._grammar.allowed(), token)
        if not likely:
            return None
        number = max(likely, key=likely.__getitem__)
        return self.choose(number, CompletedToken(number, b"", likely[number], token.likely))

    def _mass(self, allowed: Allowed, token: CompletedToken) -> tuple[float, dict[int, float]]:
        """Return the probability of all tokens allowed, and the log-probabilities that are told.

        Where nearly every token is allowed, in new lines, tokens that are not told count as
        allowed.
        """
        total = 0.0
        mass = 0.0
        logprobs: dict[int, float] = {}
        for likely in token.likely:
            total += math.exp(likely.logprob)
            number = self._number_of(likely)
            if number is not None and is_allowed(allowed, number):
                mass += math.exp(likely.logprob)
                logprobs[number] = likely.logprob
        if allowed.dtype == np.bool_:
            # a mask over the vocabulary: nearly every token, see above
            mass += max(0.0, 1.0 - total)
        return min(mass, 1.0), logprobs

    def _number_of(self, likely: LikelyToken) -> int | None:
        """Return the id of a likely token; None where the vocabulary has no such token."""
        if likely.number is not None:
            return likely.number
        # Special tokens have no text; the end is the one that is likely here.
        if not likely.piece:
            return self._vocabulary.end
        return self._vocabulary.numbers.get(likely.piece)

    def answer(self) -> AnswerFinished:
        """Return the answer that the script came to."""
        logprobs = [wrote.logprob for wrote in self.written]
        numbers = tuple(wrote.token for wrote in self.written)
        ended = self._grammar.ended and not self._broken
        return AnswerFinished(
            tuple(self.draft.applied.result()),
            numbers,
            sum(logprobs),
            min(logprobs, default=0.0),
            self.number,
            ended,
            self.draft.declined,
        )


def is_allowed(allowed: Allowed, number: int) -> bool:
    """Whether a token is among those allowed."""
    if allowed.dtype == np.bool_:
        return 0 <= number < len(allowed) and bool(allowed[number])
    return bool(np.any(allowed == number))


def is_text(written: bytes) -> bool:
    """Whether bytes do not end within a character."""
    try:
        written.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
