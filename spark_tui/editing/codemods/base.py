"""What a codemod is: it lists every edit of one kind, or says what is wrong with one that a model wrote.

Where a kind's edits can be listed, a model only chooses among them, so that what it writes is exact by
construction. Adding a codemod is adding one module here with one Codemod in it; `registry.py` finds it by itself.
"""

from abc import ABC
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar

from spark_tui.editing.codemods.common.and_return import AND_RETURN, with_return
from spark_tui.editing.codemods.plain.plain_faults import is_to_go
from spark_tui.editing.script import Insert, LineOp, Substitute, apply_script, write_script
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.together import together
from spark_tui.editing.warned import warnings_as

Ops = tuple[LineOp, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked: the instruction as typed, and the 0-based first and last line selected, if any are."""

    instruction: str = ""
    selected: tuple[int, int] | None = None


class Codemod(ABC):
    """The edits of one kind.

    `kind`: the name of the kind. `local`: when lines are selected, an edit of this kind touches one of them.
    `repairs`: its edits change what the code does, so that each could be the fix of a bug.
    """

    kind: ClassVar[str]
    local: ClassVar[bool] = True
    repairs: ClassVar[bool] = False

    def edits(self, before: Snippet, request: Request) -> Iterable[Ops] | None:
        """Every edit of this kind that the request may mean, the likeliest first; lazily where that is cheap.

        Default: None, they cannot be listed and the model writes the edit itself.
        """
        return None

    def plain(self, before: Snippet, request: Request) -> Sequence[Ops]:
        """The edits that can only be meant, of which any is right; none where the words do not tell one as a whole."""
        return ()

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """Why `after` is no edit of this kind, in words for people, or "". Default: it is not among `edits`."""
        if self.edits(before, request) is None or self.lists(before, after, request):
            return ""
        return f"this is no edit of the kind {self.kind.replace('_', ' ')}"

    def lists(self, before: Snippet, after: Sequence[str], request: Request) -> bool:
        """Whether `after` is what one of `edits` makes."""
        return any(applied(before, ops) == list(after) for ops in self.edits(before, request) or ())


MOST_EDITS = 400
"""Of one kind for one request; a codemod that lists more is cut off."""


def listed(codemod: Codemod, before: Snippet, request: Request) -> tuple[Ops, ...] | None:
    """The edits a request may mean, each only once and each changing something; None when they cannot be listed.

    Behind those that the codemod lists come some of them at once: the same change in several places, and the like.
    """
    if plain := plainly(codemod, before, request):
        return plain
    found = _meant(codemod, before, request)
    if found is None:
        return None
    single = tuple(dict.fromkeys(islice(found, MOST_EDITS)))
    several = (ops for ops in together(before.lines, single, request.instruction) if parses(applied(before, ops)))
    return tuple(dict.fromkeys((*single, *several)))


def plainly(codemod: Codemod, before: Snippet, request: Request) -> tuple[Ops, ...]:
    """The edits that words which are plain as a whole can only mean, each changing something into Python.

    Those that ask to be without what a kind mends mean any of its edits.
    """
    with suppress(SyntaxError, ValueError):
        mended = codemod.edits(before, request) if is_to_go(codemod.kind, request.instruction) else ()
        found = dict.fromkeys(codemod.plain(before, request) or mended or _leaving(codemod, before, request))
        return tuple(ops for ops in found if parses(after := applied(before, ops)) and after != list(before.lines))
    return ()


def _leaving(codemod: Codemod, before: Snippet, request: Request) -> Iterator[Ops]:
    """What is plainly asked for first, with the return that is to follow."""
    if told := AND_RETURN.match(request.instruction):
        for ops in plainly(codemod, before, replace(request, instruction=told["first"])):
            for after in with_return(before, applied(before, ops), told["value"]):
                yield between(before, after)


def finds_nothing(codemod: Codemod, before: Snippet, request: Request) -> bool:
    """Whether the edits can be listed and there are none; faster than `listed`."""
    found = _meant(codemod, before, request)
    return found is not None and next(found, None) is None


def _meant(codemod: Codemod, before: Snippet, request: Request) -> Iterator[Ops] | None:
    try:
        found = codemod.edits(before, request)
    except SyntaxError:
        return iter(())
    if found is None:
        return None
    if codemod.local and request.selected:
        found = touching(found, request.selected)
    return (ops for ops in _while_python(found) if applied(before, ops) != list(before.lines))


def _while_python(found: Iterable[Ops]) -> Iterator[Ops]:
    """The edits up to where a codemod stumbles over words that, put into code, are no Python."""
    with suppress(SyntaxError):
        yield from found


def between(before: Snippet, after: Sequence[str]) -> Ops:
    """The canonical script from a snippet to its new lines."""
    return write_script(before.lines, after, unit=before.layout.unit)


def applied(before: Snippet, ops: Iterable[LineOp]) -> list[str]:
    """The lines after an edit. Raises: ScriptError: it does not fit."""
    return apply_script(before.lines, ops, unit=before.layout.unit)


def parses(lines: Sequence[str]) -> bool:
    """Whether lines are Python."""
    try:
        with warnings_as("ignore"):
            return bool(Snippet(tuple(lines)).tree.body)
    except (SyntaxError, ValueError):
        return False


def touching(edits: Iterable[Ops], selected: tuple[int, int]) -> Iterator[Ops]:
    """The edits that touch the lines selected, or go right beside them."""
    return (ops for ops in edits if any(_touches(op, *selected) for op in ops))


def _touches(op: LineOp, first: int, last: int) -> bool:
    match op:
        case Substitute():
            return True
        case Insert(after=after):
            return first - 1 <= after <= last
        case _:
            return op.first <= last and first <= op.last
