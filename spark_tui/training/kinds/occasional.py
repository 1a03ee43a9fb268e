"""Kinds whose codemod changes places of one sort: which of them a person means, and the words for them."""

from abc import ABC
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.occasions import Occasion, Places, function_at, rewritten
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind

_MOST = 8


class Occasional(Kind, ABC):
    """A kind of such a codemod.

    Slots: {what} the place or places meant; {unsaid} when all there are; {case} in place of {what} when the words also
    tell a value; {plain} on a selection when they do not (or by `told`, which makes it {what} again). `one`, `many` and `named` (with {} for a name) are what
    people call the places, parted by `|`.
    """

    one: ClassVar[str]
    many: ClassVar[str]
    named: ClassVar[str] = ""
    naming: ClassVar[int] = 9
    """How many of a place's names it may be told by."""

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """Values that the words tell besides the place."""
        return {}

    def said(self, slots: Mapping[str, str]) -> str:
        """What of the slots the codemod must hear."""
        return " ".join(slots.values())

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Change one place that is selected or told by its name, those of a function, or all."""
        told = self.told(snippet, rng)
        codemod = codemods()[self.name]
        assert isinstance(codemod, Places)
        found = self.wanted(list(codemod.occasions(snippet, Request(self.said(told)))), told)
        if not found:
            return None
        one = rng.choice(found)
        found = [other for other in found if other.variant == one.variant]
        roll = rng.random()
        if roll < 0.25:
            chosen = [other for other in found if other.touches(one.line, one.line)]
            slots = told or {"plain": ""}
            return _edit(snippet, chosen, slots, (one.line, one.line))
        alone = [name for name in one.names[: self.naming] if sum(name in other.names for other in found) == 1]
        if roll < 0.6 and alone and self.named:
            what = rng.choice(self.named.split("|")).format(rng.choice(alone))
            return _edit(snippet, [one], {_place(told): what, **told})
        function = function_at(snippet, one.line)
        if function and len(found) > 1 and rng.random() < 0.6:
            found = [o for o in found if function.lineno - 1 <= o.line < (function.end_lineno or 0)]
            return self._several(snippet, found, told, rng, {})
        return self._several(snippet, found, told, rng, {"unsaid": ""} if _place(told) == "what" else {})

    def wanted(self, found: list[Occasion], told: Mapping[str, str]) -> list[Occasion]:
        """Those of the places that a person would ask for in these words."""
        return found

    def _several(
        self, snippet: Snippet, found: Sequence[Occasion], told: Mapping[str, str], rng: Random, more: dict[str, str]
    ) -> Edit | None:
        if len(found) > _MOST:
            return None
        what = rng.choice((self.one if len(found) == 1 else self.many).split("|"))
        return _edit(snippet, found, {_place(told): what, **told, **more})

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """The codemod lists it for what the slots say."""
        return not codemods()[self.name].objection(before, after, Request(self.said(slots)))


def _place(told: Mapping[str, str]) -> str:
    return "case" if told and "plain" not in told else "what"


def _edit(
    snippet: Snippet, chosen: Sequence[Occasion], slots: Mapping[str, str], selected: tuple[int, int] | None = None
) -> Edit | None:
    after = rewritten(snippet, chosen)
    if after is None:
        return None
    inside = [function_at(snippet, one.line) for one in chosen]
    where = {"function": inside[0].name} if inside[0] and all(one is inside[0] for one in inside) else {}
    if selected is None and "unsaid" in slots and len(snippet.functions) > 1 and len(set(inside)) > 1:
        where = {}
    return Edit.between(snippet, after, {**slots, **where}, selected)
