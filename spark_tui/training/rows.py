"""Written requests as token rows: a region, and behind it requests that do not see each other.

A file of requests has one JSON object a line:

    {"path", "code", "requests": [{"words", "after" or "edits", "selected", "earlier",
        "previous", "elsewhere"}]}

`edits` are pairs of old text, which stands once, and new text. `earlier` are words that these
correct, `previous` is the accepted edit before, {"path", "words", "script"}, and `elsewhere` marks
words that are about another place. The model learns only the tokens of an answer that the grammar
leaves open: a forced token costs neither loss nor logits.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_tui.editing.formats.quoted import (
    ADD,
    DROP,
    KEEP,
    NONE,
    Applied,
    QuotedRequest,
    apply_quoted,
    next_lines,
    region_pieces,
    request_pieces,
    script_pieces,
    write_quoted,
)
from spark_tui.errors import UsageError
from spark_tui.training.references import ReferenceCase, previous_of

Encode = Callable[[str], Sequence[int]]

CONTEXT = 0
ANSWER = 1
WORDS = 2
"""The kinds of tokens: not in the loss, a part of the answer, a part of the typed words."""
LONGEST_ROW = 1600
"""Tokens of a row: a region with its requests as branches."""
LONGEST_ROW_OF_ONE = 3000
"""Tokens of a row whose region has no request that fits into `LONGEST_ROW`."""
REDIRECTED_SHARE = 0.25
"""The share of edits with several wordings that are also asked as a redirected turn."""
_MOST_BRANCHES = 255
"""The numbers of branches are bytes, and 0 is that of the region."""
_REMARKS = ".remarks"


class ScriptedRequest(NamedTuple):
    """A request with the canonical script of its answer.

    Attributes:
        request: The request.
        script: The lines of the script.
        elsewhere: Whether the words are about another place. The loss leaves such words out, since
            users would not type them at this region.
    """

    request: QuotedRequest
    script: tuple[str, ...]
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class TaskRegion:
    """A region and the tasks that were written for it."""

    path: str
    lines: tuple[str, ...]
    asked: tuple[ScriptedRequest, ...]


def read_regions(paths: Iterable[Path]) -> Iterator[TaskRegion]:
    """Read the regions of files.

    The words of a file of remarks that ask for nothing were written without the region in view.

    Raises:
        UsageError: A file cannot be read, or it holds something else.
    """
    for path in paths:
        is_remarks = _REMARKS in path.suffixes
        try:
            for line in path.read_text("utf-8").splitlines():
                if line.strip():
                    yield region_of(json.loads(line), is_remarks=is_remarks)
        except (OSError, ValueError, KeyError, TypeError) as error:
            advice = "make it with `spark train data`"
            raise UsageError(f"{path} holds no written requests ({error}); {advice}") from error


def region_of(row: dict[str, Any], *, is_remarks: bool = False) -> TaskRegion:
    """Make a region of a line of a file.

    Raises:
        ValueError, KeyError, TypeError: The line describes no region.
    """
    lines = tuple(row["code"].split("\n"))
    tasks = []
    for entry in row["requests"]:
        script = tuple(write_quoted(lines, after_of(row, entry)))
        elsewhere = bool(entry.get("elsewhere")) or (is_remarks and script == (NONE,))
        tasks.append(ScriptedRequest(_request(row, lines, entry), script, elsewhere))
    return TaskRegion(row["path"], lines, tuple(tasks))


def _request(row: dict[str, Any], lines: tuple[str, ...], entry: dict[str, Any]) -> QuotedRequest:
    # without a selection, an empty slice
    first, last = entry.get("selected") or (1, 0)
    return QuotedRequest(
        row["path"],
        lines,
        entry["words"],
        lines[first - 1 : last],
        tuple(entry.get("earlier", ())),
        previous_of(entry.get("previous")),
    )


def after_of(row: dict[str, Any], one: dict[str, Any]) -> list[str]:
    """Return the lines of a region with the edit of one of its requests.

    Raises:
        ValueError: An edit does not fit exactly once.
    """
    after: str = one.get("after", row["code"])
    for old, new in one.get("edits", ()):
        if after.count(old) != 1:
            raise ValueError(f"{old!r} stands {after.count(old)} times")
        after = after.replace(old, new)
    return after.split("\n")


def as_cases(regions: Iterable[TaskRegion]) -> Iterator[ReferenceCase]:
    """Turn every task into a case with one right answer."""
    for place, region in enumerate(regions):
        for number, task in enumerate(region.asked):
            yield _case(f"{place}-{number}", region, task)


def _case(name: str, region: TaskRegion, task: ScriptedRequest) -> ReferenceCase:
    request = task.request
    after = tuple(apply_quoted(region.lines, task.script))
    selected = _selected_lines(region.lines, request.selected)
    accept = () if after == region.lines else (after,)
    return ReferenceCase(
        name,
        request.words,
        region.lines,
        selected,
        accept,
        False,
        region.path,
        request.earlier,
        previous=request.previous,
    )


def _selected_lines(lines: tuple[str, ...], selected: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the numbers of the first and the last line of a selection, from 0."""
    if not selected:
        return None
    size = len(selected)
    starts = (start for start in range(len(lines)) if lines[start : start + size] == selected)
    start = next(starts, 0)
    return start, start + size - 1


def with_redirects(region: TaskRegion, rng: Random, share: float = REDIRECTED_SHARE) -> TaskRegion:
    """Add tasks whose words correct earlier words of the same turn.

    They are made of edits that were asked for twice in different words: one wording goes behind the
    other, as a turn that is redirected sends it.

    Args:
        region: The region with the tasks.
        rng: Draws the edits and their wordings.
        share: The share of such edits that get another task.
    """
    # Requests with one script ask for the same edit, perhaps in different words.
    groups: dict[tuple[str, ...], list[ScriptedRequest]] = {}
    for task in region.asked:
        if not task.request.earlier and task.script != (NONE,):
            groups.setdefault(task.script, []).append(task)
    added = []
    for tasks in groups.values():
        is_reworded = len({task.request.words for task in tasks}) > 1
        if not is_reworded or rng.random() >= share:
            continue
        first, second = rng.sample(tasks, 2)
        if first.request.words != second.request.words:
            request = replace(second.request, earlier=(first.request.words,))
            added.append(second._replace(request=request))
    return replace(region, asked=(*region.asked, *added))


@dataclass(frozen=True, slots=True)
class TokenRow:
    """Tokens of a region and its requests.

    Attributes:
        tokens: (T,).
        branches: (T,), 0 in the region; the requests count from 1.
        kinds: (T,), each `CONTEXT`, `ANSWER` or `WORDS`.
    """

    tokens: NDArray[np.int32]
    branches: NDArray[np.int32]
    kinds: NDArray[np.uint8]

    @property
    def learned(self) -> NDArray[np.bool_]:
        """A mask, (T,): True for the tokens of answers, which are to be predicted."""
        learned: NDArray[np.bool_] = self.kinds == ANSWER
        return learned

    @property
    def positions(self) -> NDArray[np.int64]:
        """Positions, (T,): each request goes on from the end of the region."""
        positions = np.arange(len(self.tokens))
        # Where the branch changes a request begins: its first token takes the position that the
        # first token of the first request has.
        starts = np.flatnonzero(np.diff(self.branches, prepend=0))
        stops = [*starts[1:], len(positions)]
        for start, stop in zip(starts, stops, strict=False):  # without requests there are none
            positions[start:stop] -= start - starts[0]
        return positions


@dataclass(frozen=True, slots=True)
class _Branch:
    """The tokens of a request and its answer, with their kinds."""

    tokens: list[int]
    kinds: list[int]


def make_rows(
    region: TaskRegion,
    encode: Encode,
    end: int,
    *,
    longest: int = LONGEST_ROW,
    longest_of_one: int = LONGEST_ROW_OF_ONE,
) -> list[TokenRow]:
    """Make the rows of a region, as many as its requests need.

    Args:
        region: The region with its tasks.
        encode: The tokenizer.
        end: The token that closes a script.
        longest: Tokens of a row; a request that does not fit into a row of its own is left out.
        longest_of_one: Tokens of a row where no request fits into `longest`.
    """
    prefix = _joined(encode, region_pieces(region.path, region.lines))
    branches = [_branch(region.lines, task, encode, end) for task in region.asked]
    rows = _filled_rows(prefix, branches, longest)
    # A region that is long itself gets longer rows rather than none.
    return rows or _filled_rows(prefix, branches, longest_of_one)


def _filled_rows(prefix: list[int], branches: Sequence[_Branch], longest: int) -> list[TokenRow]:
    rows = []
    left = [branch for branch in branches if len(prefix) + len(branch.tokens) <= longest]
    while left:
        chosen = list[_Branch]()
        later = list[_Branch]()
        size = len(prefix)
        # First fit: a branch that is too long for the room left goes into a later row.
        for branch in left:
            if len(chosen) < _MOST_BRANCHES and size + len(branch.tokens) <= longest:
                chosen.append(branch)
                size += len(branch.tokens)
            else:
                later.append(branch)
        rows.append(_row(prefix, chosen))
        left = later
    return rows


def _row(prefix: list[int], branches: Sequence[_Branch]) -> TokenRow:
    tokens = list(prefix)
    numbers = [0] * len(prefix)
    kinds = [CONTEXT] * len(prefix)
    for number, branch in enumerate(branches, 1):
        tokens += branch.tokens
        numbers += [number] * len(branch.tokens)
        kinds += branch.kinds
    return TokenRow(
        np.array(tokens, np.int32), np.array(numbers, np.int32), np.array(kinds, np.uint8)
    )


def _branch(lines: Sequence[str], task: ScriptedRequest, encode: Encode, end: int) -> _Branch:
    pieces = [list(encode(piece)) for piece in request_pieces(task.request)]
    tokens = list[int]()
    kinds = list[int]()
    for number, piece in enumerate(pieces):
        # The last piece but one holds the words; see `request_pieces`.
        is_words = number == len(pieces) - 2 and not task.elsewhere
        kind = WORDS if is_words else CONTEXT
        tokens += piece
        kinds += [kind] * len(piece)
    answer, choices = _answer(lines, task.script, encode, end)
    for is_choice in choices:  # a token that nothing else could follow teaches nothing
        kinds.append(ANSWER if is_choice else CONTEXT)
    return _Branch(tokens + answer, kinds)


def _joined(encode: Encode, pieces: Iterable[str]) -> list[int]:
    return list(chain.from_iterable(map(encode, pieces)))


def _answer(
    lines: Sequence[str],
    script: Sequence[str],
    encode: Encode,
    end: int,
) -> tuple[list[int], list[bool]]:
    """Return the tokens of a script, and where the grammar leaves a choice."""
    applied = Applied(lines)
    tokens = list[int]()
    choices = list[bool]()
    for line in script:
        pieces = [list(encode(piece)) for piece in script_pieces([line])]
        for piece in pieces:
            tokens += piece
        if line[:1] in (KEEP, DROP):
            # A mark to keep or drop leaves open which mark, and of the text only where another line
            # of the region that may come next differs; see `quoted_grammar`.
            others = [list(encode(text + "\n")) for text in next_lines(lines, applied.at)]
            choices += [True, *branchings(pieces[1], others)]
        else:
            choices += [True] * sum(map(len, pieces))
        applied.take(line)
    is_open = script[-1][:1] in (KEEP, DROP, ADD) or script[-1] != NONE
    return [*tokens, end], [*choices, is_open]


def branchings(text: Sequence[int], others: Sequence[Sequence[int]]) -> list[bool]:
    """Return where a text could still turn into another of the texts that are allowed."""
    choices = []
    for place, token in enumerate(text):
        choices.append(any(other[place] != token for other in others))
        # What differs here is ruled out from the next token on, and so is what ended.
        same = [other for other in others if other[place] == token]
        others = [other for other in same if len(other) > place + 1]
    return choices
