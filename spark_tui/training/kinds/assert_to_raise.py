"""Turn asserts into checks that raise, and such checks into asserts."""

import ast
from collections.abc import Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing.code import start_of, text_of
from spark_tui.editing.codemods.assert_to_raise import usual
from spark_tui.editing.codemods.common.negation import negated
from spark_tui.editing.codemods.common.occasions import Occasion, bare_line, blocks, rewritten
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import wording
from spark_tui.training.kinds.assert_words import SKELETONS
from spark_tui.training.kinds.base import Edit, Planted
from spark_tui.training.kinds.occasional import Occasional


class AssertToRaise(Occasional):
    """`assert x` becomes `if not x: raise ValueError`, or the other way round.

    Slots: besides those of Occasional, {exception} what to raise, or {away} when it goes without saying; {back} for the
    way back, then {exception} may be what is raised now.
    """

    name: ClassVar[str] = "assert_to_raise"
    one: ClassVar[str] = "the assert|this assert|the assertion|the assert statement|that assert"
    many: ClassVar[str] = "the asserts|all asserts|the assertions|every assert|these asserts|the assert statements"
    named: ClassVar[str] = "the assert on {}|the assert about {}|the {} assert|the assertion about {}|the assert for {}"
    skeletons: ClassVar[str] = SKELETONS

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """An assert in the place of a check that raises."""
        found = [one for block in blocks(snippet.tree) for one in block if isinstance(one, ast.If) and not one.orelse]
        changed = [new for one in found if (new := _as_assert(snippet, one))]
        after = rewritten(snippet, [rng.choice(changed)]) if changed else None
        return Planted(Snippet(tuple(after))) if after and rng.random() < 0.8 else None

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """What to raise; the way back where there are no asserts."""
        asserts = [one for one in ast.walk(snippet.tree) if isinstance(one, ast.Assert)]
        if not asserts or rng.random() < 0.2:
            return {"back": "", "plain": ""}
        if rng.random() < 0.25 and len({usual(one.test)[0] for one in asserts}) == 1:
            return {"away": "", "plain": ""}
        return {"exception": wording.raised(rng)}

    def wanted(self, found: list[Occasion], told: Mapping[str, str]) -> list[Occasion]:
        """The first way that is listed for each."""
        return list({one.line: one for one in reversed(found)}.values()) if "away" in told else found

    def said(self, slots: Mapping[str, str]) -> str:
        """What there is to be."""
        if "back" in slots:
            return "use assert"
        return f"raise {slots['exception']}" if "exception" in slots else "no asserts"

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """As the others; what becomes an assert is called a check."""
        edit = super().propose(snippet, rng)
        if edit is None or "back" not in edit.slots or "what" not in edit.slots:
            return edit
        what = edit.slots["what"].replace("assert statement", "check").replace("assertion", "check")
        return Edit(edit.ops, {**edit.slots, "what": what.replace("assert", "check")}, edit.selected)


def _as_assert(snippet: Snippet, node: ast.If) -> Occasion | None:
    match node.body:
        case [ast.Raise(exc=ast.Call(args=[message], keywords=[]), cause=None) as inner]:
            text, opposite = text_of(snippet, message), negated(snippet, node.test)
        case _:
            return None
    row, start = start_of(snippet, node)
    alone = inner.lineno == node.lineno + 1 and bare_line(snippet, inner)
    if not text or not opposite or not alone or snippet.lines[row].startswith("elif", start):
        return None
    end = (row + 1, len(snippet.lines[row + 1]))
    return Occasion(row, (((row, start), end, f"assert {opposite}, {text}"),))
