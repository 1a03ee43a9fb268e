"""Choosing one of a codemod's edits and telling which: shared by the kinds about control flow."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from random import Random

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.flow import FlowCodemod, Site
from spark_tui.editing.codemods.idioms.looping import function_at
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted

_LONGEST_WORDS = 45
_LONGEST_RESULT = 70


class FlowKind(Kind):
    """A kind whose codemod lists sites.

    Slots: the site's names that no other site has; {unsaid} when there is nothing to tell apart; {function}.
    {result} is the line there will be, when it is one short line.
    A name that is "" (such as {returned}) tells what the skeleton may speak of, but not which site.
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Undo one place that is as this kind leaves it."""
        undone = [site for site in self.undone(snippet, rng) if site.fits(snippet)]
        return Planted(Snippet(tuple(rng.choice(undone).after(snippet)))) if undone else None

    def undone(self, snippet: Snippet, rng: Random) -> Iterator[Site]:
        """The edits that make an occasion. Default: none."""
        return iter(())

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """One of the edits the codemod lists, if it can be told or selected."""
        found = self.listed(snippet, Request())
        return told(snippet, found, rng.choice(found), rng) if found else None

    def listed(self, snippet: Snippet, request: Request) -> list[Site]:
        """The sites of this kind."""
        codemod = codemods()[self.name]
        assert isinstance(codemod, FlowCodemod)
        return [site for site in codemod.sites(snippet, request) if site.fits(snippet)]


class UndoneKind(FlowKind):
    """A kind whose occasions are made by the codemod of another one."""

    @property
    @abstractmethod
    def opposite(self) -> FlowCodemod:
        """The codemod that undoes this kind."""

    def undone(self, snippet: Snippet, rng: Random) -> Iterator[Site]:
        """The sites of the opposite."""
        return self.opposite.sites(snippet, Request())


def told(snippet: Snippet, found: Sequence[Site], site: Site, rng: Random) -> Edit | None:
    """The edit of one of the sites, with what tells it from the others."""
    if site.minor and "test" in site.names:
        return None
    function = function_at(snippet, site.first)
    among = [one for one in found if one.minor == site.minor]
    slots = {slot: text for slot, text in site.names.items() if not text or _tells(among, slot, text)}
    result = site.lines[0].strip() if len(site.lines) == 1 else ""
    if 0 < len(result) <= _LONGEST_RESULT and [one.lines for one in found].count(site.lines) == 1:
        slots["result"] = result
    named = [one.name for one in snippet.functions]
    place = {"function": function.name} if function and named.count(function.name) == 1 else {}
    near = [one for one in among if function_at(snippet, one.first) is function] if place else among
    sole = len(near) == 1 or len(among) == 1
    if not site.minor and sole:
        slots["unsaid"] = ""
    spoken = "unsaid" in slots or any(slots.values()) or (sole and "whole" in slots)
    selected = None
    alone = not site.minor and sum(one.first == site.first for one in among) == 1
    if alone and (not spoken or rng.random() < 0.25):
        selected = (site.first, rng.choice((site.first, site.first, site.last)))
        slots["unsaid"] = ""
    if not spoken and selected is None:
        return None
    return Edit.between(snippet, site.after(snippet), {**slots, **place}, selected)


def _tells(among: Sequence[Site], slot: str, text: str) -> bool:
    return len(text) <= _LONGEST_WORDS and sum(one.names.get(slot) == text for one in among) == 1
