"""The seam between a turn and whatever answers it: what is asked, and the stream that comes back.

An `Answerer` is given a `Request` and yields what it reads and writes, then an `Answer`, then perhaps others, the
likeliest first. Not asking for the next item is a pause; closing the iterator gives the rest up.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from spark_tui.editing.quoting import Request


@dataclass(frozen=True, slots=True)
class Read:
    """So many tokens of the prompt are read, of `total`; `cached` of them were before."""

    total: int
    cached: int
    done: int


@dataclass(frozen=True, slots=True)
class Wrote:
    """One token, and the region as it would be if the answer ended here.

    `closed`: how many of `lines` are final. `logprob`: among the tokens allowed; `forced`: no other one was. `passes`:
    that were run for it; none where it came out right as a draft.
    """

    token: int
    text: str
    logprob: float
    forced: bool
    passes: int
    lines: tuple[str, ...]
    closed: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer. `lines`: the region after it, equal to the one before where nothing is to change.

    `logprob`: of all its tokens together; `worst`: of the least likely one.
    """

    lines: tuple[str, ...]
    script: tuple[str, ...]
    tokens: tuple[int, ...]
    logprob: float
    worst: float


class Answerer(Protocol):
    """Writes answers to requests."""

    def answers(self, request: Request, *, most: int = 1) -> Iterator[Read | Wrote | Answer]:
        """Up to `most` answers that differ in their result, each after what it was written with."""
        ...

    def read_ahead(self, request: Request) -> Iterator[None]:
        """Read the region while the words are still being typed; may be given up at any item."""
        ...
