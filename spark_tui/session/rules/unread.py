"""Which words of a request the edit that was found leaves unread: "with great power comes an f-string".

A word is read if it is usual for such edits, or stands in the lines, in what they become or in the name of their file.
"""

import builtins
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from spark_tui.context.wording import is_common, is_filler
from spark_tui.editing.codemods.base import between
from spark_tui.editing.effects import Effects
from spark_tui.editing.intents import stem
from spark_tui.editing.sayings import ALIKE, is_said_of_code, marks_of, shipped, spoken_words, stems_in
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.facts import FAULTS, Code
from spark_tui.session.rules.nonsense import SHORT, TELL, code_in

_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)")
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-]|\.\d)")
_LETTER = re.compile(r"(?<![\w'])(?![ai]\b)[a-z_](?![\w'])", re.IGNORECASE)
"""A name of one letter."""
_LINT = re.compile(r"[A-Z]{1,4}\d{3,4}")
_NUMBERED = re.compile(r"[A-Z][A-Za-z]+\d+")
_MODULE = re.compile(r"\s*(?:import|from) (?P<name>[^\W\d]\w*)")
_TOLD_AS_ONE = re.compile(r"(?i)\b(?:module|package|library|as \w+)\b|\bfrom \w+ import\b")
_ASIDE = re.compile(r"^\W*\w+(?: \w+)?(?:[:,]| -+) |(?:,| -+) \w+\W*$")
"""What is called out before a request or behind it: "nitpick: ...", "..., ugh"."""
_SAID = 1.5
"""How many times likelier than for edits at large a word is for what an edit does, if it may be said for it."""
_FEW, _SHARE = 2, 6
"""Of so few words half tells little; one in so many may be unread where nobody looks before an edit is written."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How much of a request is read.

    Args: unknown: words that nobody says of code. unusual: those that nobody says of such edits. told: how many words
        and pieces of code tell something.
    """

    unknown: tuple[str, ...]
    unusual: tuple[str, ...]
    told: int

    @property
    def unread(self) -> tuple[str, ...]:
        """The words that are not read."""
        return (*self.unknown, *self.unusual)

    @property
    def is_of_other_things(self) -> bool:
        """Whether half of what is told is unread, and enough is told to say so."""
        return len(self.unread) > 1 and self.told > _FEW and 2 * len(self.unread) >= self.told

    @property
    def is_poor(self) -> bool:
        """Whether so much is unread that somebody should look at the edit before it is written."""
        some = bool(self.unknown) or len(self.unusual) > 1
        return some and _SHARE * len(self.unread) >= self.told


def unread(words: str, code: Code, after: Sequence[str], kind: str, strange: Collection[str]) -> str:
    """That many words tell nothing, or half of what they tell is not read, in a sentence, or "". Args: as `reading`."""
    found = reading(words, code, after, kind, strange)
    if not found.told and len(words.split()) >= SHORT and not _LETTER.search(words):
        return f"what is to be done here? {TELL}"
    return f"what is {' or '.join(found.unread[:3])} here? {TELL}" if found.is_of_other_things else ""


def reading(
    words: str,
    code: Code,
    after: Sequence[str],
    kind: str,
    strange: Collection[str],
    modules: Callable[[], Iterable[str]] = tuple,
) -> Reading:
    """What of a request an edit leaves unread.

    Args: after: the lines of `code` with the edit, which is of a kind. strange: the words and numbers that are unusual
        for that kind and not in the lines. modules: tells those that are known beside Python's own.
    """
    plain = _ASIDE.sub(" ", _QUOTED.sub(" _ ", words))
    numbers = _NUMBER.findall(plain)
    pieces, plain = code_in(_NUMBER.sub(" _ ", plain))
    said = [word for word in spoken_words(plain) if not is_filler(word)]
    quoted = _QUOTED.findall(words)
    told = len(said) + len(set(numbers)) + len(pieces) + sum(len(one.split()) for one in quoted)
    told += sum(one.strip("`'\"()") in code.text for one in (*quoted, *pieces))  # surely about these lines
    marks, here = marks_by(code, after, kind), stems_in((code.path, *code.file, *after))
    said = [word for word in said if word in strange and not (is_common(word) or stem(word) in here)]
    unusual = [word for word in said if _is_rare(word, marks)]
    unknown = [word for word in said if word not in unusual and not _is_known(word, here)]
    unknown += [one for one in pieces if _is_odd_piece(one, here)]
    unknown += _odd_modules(words, code, after, modules)
    unusual += [one for one in numbers if one in strange][:1]  # more may be of an example
    return Reading(tuple(unknown), tuple(unusual), told)


def marks_by(code: Code, after: Sequence[str], kind: str) -> tuple[str, ...]:
    """What an edit is known by; nothing where its lines cannot be read. Args: as `reading`."""
    try:
        before = Snippet(tuple(code.text.split("\n")))
        return tuple(marks_of(kind, Effects(before.lines).of(between(before, after))))
    except FAULTS:
        return ()


def _is_rare(word: str, marks: Collection[str]) -> bool:
    """Whether people say a word of code, but hardly for an edit that is known by some marks."""
    return stem(word) in shipped().spoken and shipped().best(word, marks) < _SAID


def _is_known(word: str, here: Collection[str]) -> bool:
    return is_said_of_code(word) or bool(get_close_matches(word, here, 1, ALIKE))


def _is_odd_piece(piece: str, here: Collection[str]) -> bool:
    """Whether what is written like code is none that anybody knows: "JIRA"."""
    if _LINT.fullmatch(piece) or piece in vars(builtins) or not re.search(r"[A-Za-z]{2}", piece):
        return False
    known = is_said_of_code(piece.lower()) and not _NUMBERED.fullmatch(piece)
    return not (known or stems_in([piece]).intersection(here)) and piece.isalnum()


def _odd_modules(words: str, code: Code, after: Sequence[str], modules: Callable[[], Iterable[str]]) -> Iterator[str]:
    """What is imported anew and may be no module, as far as anybody can tell: "import taxes"."""
    if _TOLD_AS_ONE.search(words) or _QUOTED.search(words):
        return
    had = {found["name"] for line in code.file if (found := _MODULE.match(line))}
    come = {found["name"] for line in after if (found := _MODULE.match(line))} - had
    unknown = come & set(words.split()) - sys.stdlib_module_names
    yield from sorted(unknown.difference(modules()) if unknown else ())
