"""Idioms named by what they are made with, "use setdefault", "next() instead of the loop": every place there is, whole.

Where one of these rules finds its pattern nothing else is meant, so that no part of it is offered beside it: not the
first half of an idiom, and not one of several places where none is told.
"""

import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.expression_places import places_meant
from spark_tui.editing.codemods.common.tidy import rewritten
from spark_tui.editing.codemods.idioms.named_awaits import AWAITS
from spark_tui.editing.codemods.idioms.named_flags import FLAGS
from spark_tui.editing.codemods.idioms.named_forms import FORMS
from spark_tui.editing.codemods.idioms.named_loops import LOOPS_NAMED
from spark_tui.editing.codemods.idioms.named_mappings import MAPPINGS
from spark_tui.editing.codemods.idioms.named_orders import ORDERS
from spark_tui.editing.codemods.idioms.named_parts import Fold, Rule
from spark_tui.editing.codemods.idioms.named_searches import SEARCHES
from spark_tui.editing.codemods.idioms.named_shorts import SHORTS
from spark_tui.editing.codemods.idioms.named_texts import TEXTS
from spark_tui.editing.codemods.idioms.named_values import VALUES
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.snippet import Snippet

_ALL = (*MAPPINGS, *SEARCHES, *TEXTS, *VALUES, *LOOPS_NAMED, *FORMS, *FLAGS, *SHORTS, *AWAITS, *ORDERS)
_RULES = [(re.compile(cue, re.IGNORECASE), rule) for cue, rule in _ALL]
_ORDERS = _RULES[-len(ORDERS) :]


_MORE = re.compile(r"(?i)\b(?:then|also|but|except|only|and (?:add|remove|rename|return|raise|use|make|drop))\b")
_VERBS = (
    r"use|try|prefer|switch to|convert (?:it |(?:the |this )(?:loop )?)?(?:in)?to"
    r"|turn (?:it|this|(?:the|this) loop) into|make (?:it|this)"
    r"|unpack|swap|merge|combine|collapse|sort|yield|start"
    r"|rewrite (?:it |(?:the |this )(?:loop )?)?(?:with|using|as)|build (?:it|the \w+) with|count with|clamp with"
    r"|replace (?:\w+ ){1,4}(?:with|by)"
)
_NOUNS = r"division|comprehension|lookup|expression|formatting|unpacking|operator|union|concatenation"
_ONLY = re.compile(
    rf"(?:{_VERBS})\b[^;:]{{1,60}}|(?:an? )?[\w.()]+(?: (?:{_NOUNS}))?(?: instead)?(?: of [^;:]{{1,40}})?"
    r"|(?:do|run|fetch|await|get|call|send|make) (?:these|them|this|it|the \w+|those|(?:to )?all)(?: of them| \w+)?"
    r" (?:in parallel|concurrently|at the same time)(?: (?:with|using) [\w.]+)?|assert\w+ (?:is|are) deprecated"
    r"|assert\w+ (?:rather than|instead of) assert\w+(?: with \S+)?"
    r"|(?:[\w.]+ ?)?(?://|[-+*/%|&])=(?: ?[\w.]+| (?:for|on) [\w. ]+)?(?: instead)?",
    re.IGNORECASE,
)


def names_only(before: Snippet, words: str) -> bool:
    """Whether words ask for nothing but what they name: "use X instead of Y"."""
    return not _MORE.search(words) and _ONLY.fullmatch(bare(before, words)) is not None


def named_idioms(before: Snippet, request: Request) -> list[Ops]:
    """Per rule whose name is said and whose pattern is there: the places most is said of, and all of them."""
    return list(dict.fromkeys(_of_rules(before, request, _RULES)))


def sorted_as_told(before: Snippet, request: Request) -> list[Ops]:
    """Where words tell what to sort by: the sorts, each with that for its key."""
    return list(dict.fromkeys(_of_rules(before, request, _ORDERS)))


def _of_rules(before: Snippet, request: Request, rules: Sequence[tuple[re.Pattern[str], Rule]]) -> Iterator[Ops]:
    for cue, rule in rules:
        found = list(rule(before, request.instruction)) if cue.search(request.instruction) else []
        near = places_meant(before, request, [one.node for one in found])
        meant = [one for one in found if any(one.node is node for node in near)]
        for group in (meant, found) if not request.selected else (meant,):
            if lines := _written(before, group):
                yield between(before, lines)


def _written(before: Snippet, group: list[Fold]) -> list[str]:
    """The lines with these done; none where a line gets too long, a comment would go or it is no Python."""
    lines = rewritten(before, (spot for one in group for spot in one.spots))
    if lines == list(before.lines) or any(len(line) > MAX_WIDTH and line not in before.lines for line in lines):
        return []
    same = "\n".join(lines).count("#") == "\n".join(before.lines).count("#")
    return lines if same and parses(lines) else []
