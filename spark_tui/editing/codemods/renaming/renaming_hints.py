"""Renaming that is only hinted at: an underscore too many or too few, a part of a name and what it is to be."""

import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from keyword import iskeyword

from spark_tui.editing.codemods.renaming.renaming_roles import bound_names
from spark_tui.editing.snippet import Snippet

Pairs = tuple[tuple[str, str], ...]
_UNDERSCORE = re.compile(r"(?i)\bunderscores?\b")
_MORE = re.compile(r"(?i)\b(?:leading|with|add|private|needs?|lacks?|unused|ARG00\d|prefix\w*|start)\b")
_LESS = re.compile(
    r"(?i)\b(?:no|not|drop|without|silly|lose|remove|needless|superfluous|stray|pointless|public|why|odd|ugly|wrong)\b|n't\b"
)
_PART = re.compile(
    r"(?:^|\b(?:shorter|better|longer|nicer|new|plainer|other|the|clearer|full) )`?(?P<part>[^\W\d]\w*)`?"
    r"(?: name)?(?::| ?(?:->|=>|\u2192)| is (?:really |actually )?(?:an?|the|our)) `?(?P<new>[^\W\d]\w*)`?\W*$"
)
_IN_FULL = re.compile(r"(?i)^`?(?P<new>[^\W\d]\w*)`?,? (?:in full|unabbreviated|spel(?:led|t) out|written out)\W*$")
_SHORT = re.compile(r"(?i)\b(?:shorten|shorter|abbreviate) `?(?P<old>[^\W\d]\w*_\w+)")


def hinted(before: Snippet, words: str, names: Collection[str]) -> Iterator[Pairs]:
    """What may be renamed, and to what, the likeliest first."""
    bound = bound_names(before)
    if _UNDERSCORE.search(words):
        yield from _underscores(bound, words, names)
    if (told := _PART.search(words)) and told["new"] not in names and not iskeyword(told["new"]):
        part, known = told["part"].lower(), _parts(before)
        new = (
            told["new"]
            if told["new"] in known
            else next(iter(get_close_matches(told["new"], known, 1, 0.8)), told["new"])
        )
        olds = [old for old in bound if old == told["part"]] or [old for old in bound if part in old.lower().split("_")]
        yield from (((old, new),) for old in olds)
    if told := _IN_FULL.match(words.strip()):
        yield from (((old, told["new"]),) for old in bound if _shortens(old, told["new"]))
    if (told := _SHORT.search(words)) and told["old"] in bound:
        ends = {told["old"].rpartition("_")[2], told["old"].partition("_")[0]}
        yield from (((told["old"], new),) for new in sorted(ends - set(names), key=told["old"].rfind, reverse=True))


def _underscores(bound: Collection[str], words: str, names: Collection[str]) -> Iterator[Pairs]:
    said = set(re.findall(r"\w+", words))
    hidden = [old for old in bound if old.startswith("_") and old.strip("_")]
    less = [old for old in hidden if old in said] or hidden
    if less and _LESS.search(words):
        yield from (((old, old.lstrip("_")),) for old in less[:3] if old.lstrip("_") not in names)
    more = [old for old in bound if old in said and not old.startswith("_")]
    if more and _MORE.search(words) and not less:
        yield from (((old, f"_{old}"),) for old in more if f"_{old}" not in names)


def _parts(before: Snippet) -> set[str]:
    """The words that the names of a region are made of."""
    return {part for line in before.lines for part in re.findall(r"[^\W\d_]{3,}", line)}


def _shortens(old: str, new: str) -> bool:
    """Whether a name is a shorter form of a word: it begins alike, and its letters come in it in that order."""
    letters = iter(new.lower())
    own = old.strip("_").lower()
    return 1 < len(own) < len(new) and own[0] == new[0].lower() and all(one in letters for one in own)
