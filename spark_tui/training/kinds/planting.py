"""Planting a bug in real code so that its codemod lists the way back: shared by the kinds for bugs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from spark_tui.editing.code import Function
from spark_tui.editing.codemods.base import Ops, Request, applied, listed
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.script import Insert, Ranged
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Planted

MOST_UNTOLD = 4
"""How many edits there may be when neither words nor a selection say which."""


@dataclass(frozen=True, slots=True)
class Bug:
    """Code with a bug, the right code, and what can be said about it.

    `slots` may name the place; `symptoms` say what goes wrong, but not where.
    """

    wrong: Sequence[str]
    right: Sequence[str]
    slots: Mapping[str, str] = field(default_factory=dict)
    symptoms: Mapping[str, str] = field(default_factory=dict)


def planted(kind: str, bug: Bug, rng: Random, hint: str = "") -> Planted | None:
    """The bug and the edit that the codemod of this kind lists for it; None when it lists none.

    Half of them come with a selection; without one, the words name the place or there are few to choose from.
    Args: hint: what every instruction will say.
    """
    before = Snippet(tuple(bug.wrong))
    edits = _edits(kind, before, hint)
    ops = next((one for one in edits if applied(before, one) == list(bug.right)), None)
    if ops is None:
        return None
    slots = {slot: text for slot, text in bug.slots.items() if text and len(text) <= 40}
    rows = touched(ops)
    where = function_at(before, rows[0])
    told = bool(slots) or len(edits) <= MOST_UNTOLD
    by_line = not told or rng.random() < 0.4
    if by_line and not hint and rng.random() < 0.5:
        slots = {}
    slots |= bug.symptoms
    slots |= {"function": where.name} if where else {}
    return Planted(before, Edit(ops, slots, rows if by_line else None))


def _edits(kind: str, before: Snippet, hint: str) -> tuple[Ops, ...]:
    try:
        before.tree.body  # noqa: B018 - parsed here, where it may fail
    except SyntaxError:
        return ()
    return listed(codemods()[kind], before, Request(hint)) or ()


def touched(ops: Ops) -> tuple[int, int]:
    """The first and last line that an edit changes; for lines that come in, the one above."""
    rows = [row for op in ops if isinstance(op, Ranged) for row in (op.first, op.last)]
    rows += [max(op.after, 0) for op in ops if isinstance(op, Insert)]
    return min(rows), max(rows)


def function_at(snippet: Snippet, row: int) -> Function | None:
    """The innermost function around a 0-based line."""
    around = [one for one in snippet.functions if one.lineno - 1 <= row < (one.end_lineno or 0)]
    return around[-1] if around else None
