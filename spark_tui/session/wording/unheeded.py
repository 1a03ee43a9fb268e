"""What was asked for besides and makes no difference to the edit: half of a request is never done in silence."""

import re
from collections.abc import Callable, Iterator

from spark_tui.editing.text import Text
from spark_tui.session.wording.step_words import VERBS, WEAK, masked, opening

_JOINT = re.compile(
    r"(?i)(?:\s*[,;]|\.)?\s+(?:and|but|then|also|plus|as well as|while)(?: (?:also|then|please|to))*\s+"
)
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
_STAYS = re.compile(r"(?i)^(?:only|respect|keep(?:ing)?|leav(?:e|ing)|preserv(?:e|ing))\b(?!.*\bas an?\b)")
"""What is to be as it was, and so needs no edit."""


def unheeded(words: str, edited: Text, alone: Callable[[str], Text | None]) -> str:
    """Which part of some words an edit does nothing for, in words, or "".

    Args: edited: the file with the edit. alone: the file as it would be where only some of the words were said.
    """
    for head, rest in _parted(words):
        for part, other in ((head, rest), (rest, head)):
            if alone(part) == edited:
                return f"that is “{part}” alone, and nothing of it is for “{other}”"
    return ""


def _parted(words: str) -> Iterator[tuple[str, str]]:
    """What is asked for, and what is asked for besides, wherever that may begin."""
    cover = masked(words)
    for joint in _JOINT.finditer(cover):
        head, rest = words[: joint.start()].strip(), words[joint.end() :].strip(" .!")
        verb, following = opening(rest)
        told = verb in _VERBS or verb.removesuffix("ing") in _VERBS
        if told and following and opening(head)[0] in _VERBS and not _STAYS.match(rest):
            yield head, rest
