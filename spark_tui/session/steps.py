"""Splits an instruction that asks for several things into steps, each of which stands on its own."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VERBS = _words(
    """add annotate change convert delete document drop extract fix inline insert invert make mark merge move put
    remove rename replace rewrite simplify sort split swap turn use wrap give introduce negate reorder"""
)
_WEAK = _words(
    """allow avoid call catch check close comment declare default expose guard handle import initialise initialize log
    name narrow pass print raise return set skip test type validate write yield reverse cache unpack await"""
)
"""Verbs that begin a step after a full stop or semicolon only: after "and" they may go on with the step before."""
_TAKING_AWAY = _words("remove replace drop delete change swap rewrite convert turn")
_PRONOUNS = _words("it them that this one these those sure")
_NOUNS_AFTER = _words("type types value values statement statements line lines hint hints and or is are")

_LITTLE = r"(?:please|also|then|finally|next|first|firstly|second|secondly|now|afterwards|lastly|just),?\s+"
_COURTESY = re.compile(
    rf"(?i)^(?:{_LITTLE}|(?:can|could|would) you\s+|i (?:want|need) you to\s+|let's\s+|(?:we|you) (?:should|must)\s+)*"
)
_CONNECTIVES = re.compile(
    r"(?i)^(?:(?:and|also|then|finally|next|first|firstly|second|secondly|lastly|afterwards),?\s+)+"
)
_CUT = re.compile(
    r"""(?ix)
    (?P<strong> \s*;\s* | (?<=[\w)\]`'"])[.!]\s+(?=\S) | \s*\n\s* )
    | (?P<weak> \s*,?\s+(?:and|&)\s+ | \s*,?\s+(?:and\s+)?then\s+ | \s*,\s+ )"""
)
_NUMBER = re.compile(r"(?:(?<=\s)|^)(\d)[.)]\s+")
_QUOTED = re.compile(r"`[^`]*`|(?<!\w)'[^']*'(?!\w)|\"[^\"]*\"|\([^()]*\)")
_FREE_TEXT = re.compile(r"(?i)\b(?:saying|says|reading|reads|that reads)\b|\b(?:docstring|comment|message|text)\s?:")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")


def split(instruction: str) -> tuple[str, ...]:
    """The steps of an instruction, in order; the instruction alone when it is one, or when that is not certain."""
    masked = _QUOTED.sub(lambda match: "`" + "q" * (len(match[0]) - 2) + "`", instruction)
    parts = _numbered(instruction, masked) or list(_cut(instruction, masked))
    return tuple(parts) if len(parts) > 1 and all(map(_stands_alone, parts)) else (instruction,)


def _numbered(instruction: str, masked: str) -> list[str]:
    """The parts of "1. ... 2. ..."."""
    marks = list(_NUMBER.finditer(masked))
    if len(marks) < 2 or [int(mark[1]) for mark in marks] != list(range(1, len(marks) + 1)):
        return []
    if masked[: marks[0].start()].strip():
        return []
    stops = [mark.start() for mark in marks[1:]] + [len(masked)]
    return [_tidy(instruction[mark.end() : stop]) for mark, stop in zip(marks, stops, strict=True)]


def _cut(instruction: str, masked: str) -> Iterator[str]:
    start = 0
    for cut in _CUT.finditer(masked):
        before, after = instruction[start : cut.start()], instruction[cut.end() :]
        if not before.strip() or _FREE_TEXT.search(masked, start, cut.start()):
            continue
        if _begins_step(after, before, strong=cut["strong"] is not None):
            yield _tidy(before)
            start = cut.end()
    yield _tidy(instruction[start:])


def _begins_step(text: str, before: str, *, strong: bool) -> bool:
    """Whether a step begins with these words. Args: before: the step that would end here."""
    verb, following = _opening(text)
    if verb not in _VERBS and not (strong and verb in _WEAK):
        return False
    if following in _PRONOUNS | _NOUNS_AFTER or not following:
        return False
    return strong or not (verb in ("use", "make", "put") and _opening(before)[0] in _TAKING_AWAY)


def _stands_alone(part: str) -> bool:
    verb, following = _opening(part)
    return verb in _VERBS | _WEAK and bool(following) and following not in _PRONOUNS


def _opening(text: str) -> tuple[str, str]:
    """The first two words, in lower case, without courtesy."""
    words = _COURTESY.sub("", text.strip()).lower().split(maxsplit=2)
    return (words[0] if words else ""), (words[1].strip(",.;:!?") if len(words) > 1 else "")


def _tidy(part: str) -> str:
    return _CONNECTIVES.sub("", part.strip(" \t\n,;")).removesuffix(".").strip()


def renamed(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    """The name that lines of code lost and the one they got instead, if it is just one: {old: new}."""
    old, new = (Counter(_NAME.findall("\n".join(lines))) for lines in (before, after))
    lost, got = [name for name in old if name not in new], [name for name in new if name not in old]
    if len(lost) == len(got) == 1 and old[lost[0]] == new[got[0]]:
        return {lost[0]: got[0]}
    return {}


def with_new_names(instruction: str, names: Mapping[str, str]) -> str:
    """An instruction that speaks of names as they were, with the names as they are now.

    A name that is a word of everyday language counts only where it is quoted or stands where a name does ("to x").
    """
    for old, new in names.items():
        name = re.escape(old)
        plain = rf"(?<![\w.]){name}(?!\w)"
        if old.lower() in _EVERYDAY:
            plain = rf"(?:(?<=`)|(?<=\bto )|(?<=\bof )|(?<=\bfor )|(?<=\bin )){name}(?=`|\s*(?:[,.;:]|$))"
        instruction = _outside_text(instruction, plain, new)
    return instruction


def _outside_text(instruction: str, pattern: str, new: str) -> str:
    """Replace, but not within quoted text of several words."""
    pieces = re.split(r"(\"[^\"]*\s[^\"]*\"|(?<!\w)'[^']*\s[^']*'(?!\w))", instruction)
    return "".join(
        piece if number % 2 else re.sub(pattern, lambda _: new, piece) for number, piece in enumerate(pieces)
    )


_EVERYDAY = (
    _VERBS
    | _WEAK
    | _PRONOUNS
    | _NOUNS_AFTER
    | _words(
        """a i an the in on at by to of for from with list dict set name text data file path key item index count number
    line result docstring comment function method class parameter argument variable default message error log"""
    )
)
