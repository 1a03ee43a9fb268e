"""The prompt of a model taught to quote, as tokens: the same wherever the model runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from spark_tui.editing.quoting import Request, previous_pieces, region_pieces, request_pieces
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import UsageError

MAX_WORDS = 400
"""Tokens of the longest words."""
_LONGEST_TOKEN = 32
"""Characters a token that no code comes near to on average."""


@dataclass(frozen=True, slots=True)
class QuotingPrompt:
    """Writes prompts.

    Attributes:
        tokenizer: That of the model.
        capacity: Tokens that the model reads.
        conversation: Whether the model was taught to read the last accepted edit.
    """

    tokenizer: Tokenizer
    capacity: int
    conversation: bool

    def is_readable(self, lines: Sequence[str]) -> bool:
        """Whether lines may be worth splitting into tokens, which takes seconds a megabyte."""
        return sum(map(len, lines)) <= self.capacity * _LONGEST_TOKEN

    def pieces(self, request: Request) -> list[str]:
        """The texts of a prompt, the region first. Each is made tokens of by itself."""
        request = self.as_taught(request)
        return [*region_pieces(request.path, request.lines), *request_pieces(request)]

    def tokens(self, request: Request) -> list[int]:
        """The tokens of a prompt. Raises: UsageError: the lines or the words are too long."""
        request = self.as_taught(request)
        if not self.is_readable(request.lines):
            raise self._too_long(request, f"have {sum(map(len, request.lines)):,} characters")
        tail = self.spell(request_pieces(request))
        selected = sum(len(self.tokenizer.encode(line)) for line in request.selected)
        previous = 0
        if request.previous:
            previous = len(self.spell(previous_pieces(request.previous)))
        if len(tail) > MAX_WORDS + selected + previous:
            raise UsageError(f"the instruction is {len(tail)} tokens long, the limit is {MAX_WORDS}; shorten it")
        ids = [*self.spell(region_pieces(request.path, request.lines)), *tail]
        if len(ids) >= self.capacity:
            raise self._too_long(request, f"take {len(ids)} tokens")
        return ids

    def as_taught(self, request: Request) -> Request:
        """Leave out the last accepted edit where the model was not taught to read one."""
        return request if self.conversation else replace(request, previous=None)

    def spell(self, pieces: Iterable[str]) -> list[int]:
        """The tokens of texts, each by itself."""
        return [token for piece in pieces for token in self.tokenizer.encode(piece)]

    def _too_long(self, request: Request, how: str) -> UsageError:
        reads = f"and the model reads {self.capacity} tokens"
        fewer = "select fewer lines with --at PATH:L1-L2"
        return UsageError(f"these lines of {request.path} {how} {reads}; {fewer}")
