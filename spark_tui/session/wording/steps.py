"""Splits an instruction that asks for several things into steps, each of which stands on its own.

What may be a step is one: a step that nobody can take is told to the user, one that is overlooked is not.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from spark_tui.editing.linediff import line_changes
from spark_tui.editing.sayings import is_said_of_code
from spark_tui.session.wording.sharing import one_by_one, shared_out
from spark_tui.session.wording.step_words import (
    DEFAULTING,
    DOCUMENTS,
    EVERYDAY,
    FOLLOW_UP,
    FULL_RENAME,
    JOINT,
    NOUNS_AFTER,
    PRONOUNS,
    RENAMES_SEVERAL,
    SURE_JOINT,
    TAKING_AWAY,
    VERBS,
    WEAK,
    WHOLE,
    is_pair,
    masked,
    opening,
)

_CUT = re.compile(
    rf"""(?ix)
    (?P<strong> \s*;\s* | (?<=[\w)\]`'"])[.!?]\s+(?=\S) | \s*\n\s* )
    | (?P<weak> (?: \s*,?\s+ | ;\s* )(?:{JOINT},?\s+)+ | \s*,\s+ | \s+[-\u2013\u2014]{{1,2}}\s+ )"""
)
_ITEM = re.compile(
    r"(?im)^[ \t]*(?:[-*+\u2022\u2013]|\(?\d{1,2}[.):]|\(?[a-h]\)|step \d+[.:)]?)[ \t]+(?:\[[ x]?\][ \t]+)?(?=\S)"
)
_SHARED_VERB = re.compile(r"(?i)^(?:please )?\w+(?: (?:these|those|the following)(?: \w+)?)?:$")
_NEW_NAME = re.compile(r"(?i)\s*(?:\b(?:to|as|into)\b|->|=>)\s*[`'\"]?[^\W\d]\w*")
_NUMBER = re.compile(r"(?i)(?:(?<=\s)|^)(?:step )?\(?(\d)[.):]\s+")
_DASH = re.compile(r"(?:(?<=\s)|^)[-*\u2022]\s+")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_FREE_TEXT = re.compile(r"(?i)\b(?:saying|says|reading|reads|that reads)\b|\b(?:docstring|comment|message|text)\s?:")
_UNKNOWN = re.compile(r"(?i)\s*,?\s+and\s+(?:then\s+)?(?=[a-z]{3,}\s+(?:it|this|that|them|the|an?)\b)")
_BEHIND_RENAME = re.compile(r"(?i)(?<=\w),\s+(?=[a-z]+ \w+)")
_GOES_ON = frozenset([
    "also", "and", "as", "at", "because", "both", "but", "everywhere", "for", "from", "in", "including", "not", "only",
    "or", "since", "so", "that", "the", "too", "via", "which", "while", "with",
])  # fmt: skip
_CONNECTIVES = re.compile(rf"(?i)^(?:{JOINT},?\s+|(?:first|firstly|second|secondly),?\s+)+")


def split(instruction: str) -> tuple[str, ...]:
    """The steps of an instruction, in order; the instruction alone when it is one."""
    parts = [step for item in _items(instruction) for part in _cut(one_by_one(item)) for step in shared_out(part)]
    steps = tuple(one for part in parts for one in _with_rest(part, alone=len(parts) == 1))
    return steps if len(steps) > 1 else (instruction,)


def _with_rest(step: str, *, alone: bool) -> Iterator[str]:
    """A step, and behind it what it says besides that nobody knows to do: it is told, not overlooked.

    Args: alone: whether it is all that is said; what may go on with it is no other step then.
    """
    known = VERBS | WEAK | EVERYDAY | _GOES_ON
    for rest in _rests(step, alone=alone):
        found = rest.search(masked(step))
        verb = step[found.end() :].split(" ", 1)[0].lower() if found else ""
        if found and verb not in known and not (alone and is_said_of_code(verb)):
            yield _tidy(step[: found.start()])
            yield _tidy(step[found.end() :])
            return
    yield step


def _rests(step: str, *, alone: bool) -> Iterator[re.Pattern[str]]:
    """What may be between a step and such a rest."""
    if not alone or _is_verb(*opening(step)):
        yield _UNKNOWN
    if not alone and opening(step)[0] == "rename":
        yield _BEHIND_RENAME


def _items(instruction: str) -> list[str]:
    """The items of a list, with what is said above them where that is a step or their verb; else the instruction."""
    cover = masked(instruction)
    marks = _marks(cover)
    if len(marks) < 2:
        return [instruction]
    stops = [mark.start() for mark in marks[1:]] + [len(instruction)]
    items = [_tidy(instruction[mark.end() : stop]) for mark, stop in zip(marks, stops, strict=True)]
    above = instruction[: marks[0].start()].strip()
    verb, _ = opening(above.removesuffix(":"))
    if verb not in VERBS:
        return items
    if _SHARED_VERB.search(above):
        return [item if _is_verb(*opening(item)) else f"{verb} {item}" for item in items]
    return [_tidy(above.removesuffix(":")), *items]


def _marks(cover: str) -> list[re.Match[str]]:
    """What begins the items of a list: of several lines, or of one that is all a list."""
    if len(lines := list(_ITEM.finditer(cover))) > 1:
        return lines
    numbers = list(_NUMBER.finditer(cover))
    counted = [int(mark[1]) for mark in numbers] == list(range(1, len(numbers) + 1))
    if numbers and counted and _only_leads(cover, numbers):
        return numbers
    dashes = [mark for mark in _DASH.finditer(cover) if opening(cover[mark.end() :])[0] in VERBS | WEAK]
    return dashes if _only_leads(cover, dashes) else []


def _only_leads(cover: str, marks: list[re.Match[str]]) -> bool:
    """Whether a list begins at once, or after a colon."""
    above = cover[: marks[0].start()].strip() if len(marks) > 1 else ""
    return not above or above.endswith(":")


def _cut(item: str) -> Iterator[str]:
    """The parts of a text, the first with all that is said before the first step."""
    cover, start = masked(item), 0
    for cut in _CUT.finditer(cover):
        before, after = item[start : cut.start()], item[cut.end() :]
        if not before.strip() or _FREE_TEXT.search(cover, start, cut.start()):
            continue
        strong = cut["strong"] is not None
        ends = _ends_step(cover[start : cut.start()], strong=strong or WHOLE.match(after) is not None)
        if ends and _begins_step(after, before, cut[0], strong=strong):
            yield _tidy(before)
            start = cut.end()
    yield _tidy(item[start:])


def _ends_step(before: str, *, strong: bool) -> bool:
    """Whether these words ask for something, so that they can be a step."""
    if DEFAULTING.search(before):
        return True
    verbs = VERBS | WEAK if strong else VERBS
    sentences = map(opening, re.split(r"[.!?;,]\s+|(?<=[a-z]):\s+", before))
    return any(verb in verbs and following not in ("", "in") for verb, following in sentences)


def _begins_step(text: str, before: str, joint: str, *, strong: bool) -> bool:
    """Whether a step begins with these words. Args: before: the step that would end here. joint: what is between."""
    if FOLLOW_UP.match(text) or (is_pair(text) and opening(before)[0] == "rename"):
        return False
    if RENAMES_SEVERAL.search(masked(before)) and opening(text)[0] not in VERBS:
        return False
    if (joint.strip() == ";" or not strong) and joint.strip() != "," and FULL_RENAME.search(masked(before)):
        return True
    verb, following = opening(text)
    strong = strong or any((SURE_JOINT.search(joint), DEFAULTING.match(text), WHOLE.match(text)))
    strong = strong or DOCUMENTS.fullmatch(before.strip()) is not None
    if not _is_verb(verb, following) or following in PRONOUNS or (verb in WEAK and not strong):
        return False
    return strong or not (verb in ("use", "make", "put") and opening(before)[0] in TAKING_AWAY)


def _is_verb(verb: str, following: str) -> bool:
    return bool(following) and (verb in VERBS or (verb in WEAK and following not in NOUNS_AFTER))


def _tidy(part: str) -> str:
    return _CONNECTIVES.sub("", part.strip(" \t\n,;")).removesuffix(".").strip()


def renamed(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    """The name that lines of code lost and the one they got instead, if it is just one: {old: new}."""
    old, new = _names(before), _names(after)
    lost, got = [name for name in old if name not in new], [name for name in new if name not in old]
    if len(lost) == len(got) == 1 and old[lost[0]] == new[got[0]]:
        return {lost[0]: got[0]}
    return {}


def _names(lines: Iterable[str]) -> Counter[str]:
    return Counter(_NAME.findall("\n".join(lines)))


def with_name_taken(instruction: str, before: Sequence[str], after: Sequence[str]) -> str:
    """An instruction to rename something, with the name that it got where that is another one than was asked for."""
    if (target := _NEW_NAME.search(instruction)) is None:
        return instruction
    changes = line_changes(before, after)  # names in lines that stay are as many before and after
    old = _names(line for each in changes for line in before[each.old_start : each.old_stop])
    new = _names(line for each in changes for line in after[each.new_start : each.new_stop])
    lost, got = list(old - new), list(new - old)
    if len(lost) != 1 or len(got) != 1:
        return instruction
    if opening(instruction)[0] != "rename" and lost[0] not in _NAME.findall(instruction[: target.start()]):
        return instruction
    name = target.end() - len(_NAME.findall(target[0])[-1])
    rest = instruction[target.end() :]
    again = re.fullmatch(rf"(?i)[`'\"]?\s+(?:no,? )?(?:to )?[`'\"]?{re.escape(got[0])}[`'\"]?(?: instead)?\W*", rest)
    return f"{instruction[:name]}{got[0]}{'' if again else rest}"


def with_new_names(instruction: str, names: Mapping[str, str]) -> str:
    """An instruction that speaks of names as they were, with the names as they are now.

    What something is to be renamed to stays. A name that is a word of everyday language counts only where it is
    quoted or stands where a name does ("to x").
    """
    target = _NEW_NAME.search(instruction) if opening(instruction)[0] == "rename" else None
    instruction, kept = (instruction, "") if target is None else (instruction[: target.start()], target[0])
    for old, new in names.items():
        name = re.escape(old)
        plain = rf"(?<![\w.]){name}(?!\w)"
        if old.lower() in EVERYDAY:
            plain = rf"(?:(?<=`)|(?<=\bto )|(?<=\bof )|(?<=\bfor )|(?<=\bin )){name}(?=`|\s*(?:[,.;:]|$))"
        instruction = _outside_text(instruction, plain, new)
    return instruction + kept


def _outside_text(instruction: str, pattern: str, new: str) -> str:
    """Replace, but not within quoted text of several words."""
    pieces = re.split(r"(\"[^\"]*\s[^\"]*\"|(?<!\w)'[^']*\s[^']*'(?!\w))", instruction)
    return "".join(
        piece if number % 2 else re.sub(pattern, lambda _: new, piece) for number, piece in enumerate(pieces)
    )
