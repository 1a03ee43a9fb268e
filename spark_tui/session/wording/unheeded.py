"""What was asked for besides and makes no difference to the edit: half of a request is never done in silence."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from spark_tui.context.wording import is_filler
from spark_tui.editing.linediff import line_changes
from spark_tui.editing.text import Text
from spark_tui.session.wording.step_words import VERBS, WEAK, masked, opening

_JOINT = re.compile(
    r"(?i)(?:\s*[,;]|\.)?\s+(?:and|but|then|also|plus|as well as|while)(?: (?:also|then|please|to))*\s+"
)
_WORD = re.compile(r"\w+")
_VERBS = (
    VERBS
    | WEAK
    | frozenset(
        """accept append apply assume be bring build compute count cover deal decide define detect do end enforce ensure
        exclude extend fail fall filter find follow forbid force get have honour ignore include keep let limit look
        normalise normalize offer only open parse permit pick prefer preserve prevent read recover reject report require
        respect retry save see send show start stop store strip support tell trim try warn""".split()  # noqa: SIM905
    )
)
_USES = re.compile(
    r"(?i)(?P<lead>(?:.*\s)?(?:use|using)\s+)(?:both\s+)?"
    r"(?P<what>(?:(?!(?:as|by|for|from|in|instead|of|on|to)\s)\S+(?:\s+|$)){1,3})$"
)
"""What is to be used, of which there may be more: of few words, and none that says what for."""
_BOTH = re.compile(r"(?i)\s+(?:and|plus|as well as)(?: also)?\s+$")
_STAYS = re.compile(r"(?i)^(?:only|respect|keep(?:ing)?|leav(?:e|ing)|preserv(?:e|ing))\b(?!.*\bas an?\b)")
"""What is to be as it was, and so needs no edit."""


@dataclass(frozen=True, slots=True)
class Unheeded:
    """A part of some words that an edit may do nothing for. Args: done: the part that alone comes to the same edit.

    certain: whether the other part alone comes to another edit, or no word of it stands in this one.
    """

    done: str
    left: str
    certain: bool

    def __str__(self) -> str:
        if self.certain:
            return f"that is “{self.done}” alone, and nothing of it is for “{self.left}”"
        return f"that is what “{self.done}” alone comes to; see whether it does “{self.left}”, too"


def unheeded(
    words: str, edited: Text, alone: Callable[[str], Text | None], base: Text | None = None
) -> Unheeded | None:
    """Which part of some words an edit does nothing for, if any.

    Args: edited: the file with the edit. alone: the file as it would be where only some of the words were said. base:
        the file without the edit.
    """
    brought = _brought(base, edited) if base else frozenset[str]()
    for lead, head, rest in _parted(words):
        for part, other in ((head, rest), (rest, head)):
            if not _stands(other, brought) and alone(lead + part) == edited:
                apart = not (lead or _said(other, brought) & brought) or alone(lead + other) not in (None, edited)
                return Unheeded(lead + part, other, certain=apart)
    return None


def _brought(base: Text, edited: Text) -> frozenset[str]:
    """The words of the lines that an edit brings."""
    changes = line_changes(base.lines, edited.lines)
    lines = [line for each in changes for line in edited.lines[each.new_start : each.new_stop]]
    return frozenset(_WORD.findall("\n".join(lines).lower()))


def _said(part: str, brought: Collection[str]) -> set[str]:
    """The words of a part that tell something."""
    return {word for word in _WORD.findall(part.lower()) if not is_filler(word) or word in brought}


def _stands(part: str, brought: Collection[str]) -> bool:
    """Whether all that a part says stands in what the edit brings, as for "return False"."""
    said = _said(part, brought)
    return bool(said) and said <= set(brought)


def _parted(words: str) -> Iterator[tuple[str, str, str]]:
    """What is asked for, and what is asked for besides, wherever that may begin; in front of it what both share."""
    cover = masked(words)
    for joint in _JOINT.finditer(cover):
        head, rest = words[: joint.start()].strip(), words[joint.end() :].strip(" .!")
        verb, following = opening(rest)
        told = verb in _VERBS or verb.removesuffix("ing") in _VERBS
        if told and following and opening(head)[0] in _VERBS and not _STAYS.match(rest):
            yield "", head, rest
        elif not told and _BOTH.match(joint[0]) and (both := _USES.match(head)):
            yield both["lead"], both["what"], rest
