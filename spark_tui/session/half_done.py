"""What an edit leaves undone of a request, as judged by the model that wrote the edit.

The same words are asked once more about the lines with the edit, and the model is told that the
edit was made for them. Unless the model then finds nothing left to do, half of the request may be
missing.
"""

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from spark_tui.editing.formats.quoted import PreviousEdit, QuotedRequest, write_quoted
from spark_tui.providers.base import Ability, AnswerFinished, GenerationRequest, Provider


@dataclass(frozen=True, slots=True)
class Rest:
    """What may be left to do.

    Attributes:
        line: The 0-based line of the edited region where it begins; None: unknown.
    """

    line: int | None


def find_rest(
    answerer: Provider, request: QuotedRequest, after: Sequence[str]
) -> Generator[None, None, Rest | None]:
    """Look for steps of a request that an edit does not make.

    Args:
        answerer: The model that wrote the edit.
        request: What was asked.
        after: The lines of the region with the edit.

    Returns:
        What may be left; None where nothing is, or the model was not trained to tell.

    Raises:
        SparkError: The model cannot go on.
    """
    if Ability.PREVIOUS not in answerer.can:
        return None
    edit = PreviousEdit(request.path, request.words, tuple(write_quoted(request.lines, after)))
    again = QuotedRequest(request.path, tuple(after), request.words, previous=edit)
    # Scoring "nothing is left" takes a pass, writing an answer takes one a token: so score first.
    for _, logprob in answerer.score(again, [after]):
        yield
        if math.exp(logprob) >= answerer.done:
            return None
    for item in answerer.write(GenerationRequest(again)).write():
        yield
        if isinstance(item, AnswerFinished):
            return Rest(_first_change(after, item.lines))
    return Rest(None)


def _first_change(before: Sequence[str], after: Sequence[str]) -> int | None:
    """The 0-based number of the first line that differs; None: the lines are equal."""
    if tuple(before) == tuple(after):
        return None
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    return sum(1 for _ in same)
