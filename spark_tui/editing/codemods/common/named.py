"""What of a region an instruction names for certain: functions, names, lines; and the pieces of code it holds."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from spark_tui.editing.code import Function
from spark_tui.editing.snippet import Snippet

_NAME = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r"`([^`]+)`|(?<!\w)\"([^\"]+)\"(?!\w)|(?<!\w)'([^']+)'(?!\w)")
_PLAIN = re.compile(r"[a-z]+|[A-Z][a-z]+|[A-Z]|I")
_BEFORE = r"""\b(?:
    in|on|above|over|inside|inside\ of|within|def|func(?:tion)?|method|fn|class|param(?:eter)?|arg(?:ument)?|variable
  | attribute|named?|called|calls?(?:\ to|\ of)?|calling|sets?|setting|assigns?|assignment\ to|updates?|updating
  | changing|update\ of|lines?\ with|value\ of
)"""
_AFTER = r"""(?:
    assignment|update|call|line|param(?:eter)?|arg(?:ument)?|func(?:tion)?|method|class|import|variable|attribute
)\b"""
_PROSE = frozenset("self cls a code docs file function here it line lines log logs loop method place body".split())  # noqa: SIM905
_OPEN, _CLOSE = "([{", ")]}"
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|[^\w\s]")
_CODE = re.compile(r"[#_\d(){}\[\]=<>+*/%@\"'.:]|[a-z][A-Z]")


@lru_cache(maxsize=64)
def words(instruction: str) -> frozenset[str]:
    """Every identifier in an instruction."""
    return frozenset(_NAME.findall(instruction))


@lru_cache(maxsize=64)
def quotations(instruction: str) -> tuple[str, ...]:
    """The stretches in backticks or quotation marks, in order; apostrophes within words do not count."""
    return tuple(next(filter(None, match.groups())) for match in _QUOTED.finditer(instruction))


def surely_named(instruction: str, names: Iterable[str]) -> frozenset[str]:
    """Which of the names are meant for certain: quoted, called, spelled like code, or told as what they are.

    A name that is also a plain word ("process", "run") may just be one of the words.
    """
    said = words(instruction).intersection(names)
    spans = set(quotations(instruction))
    return frozenset(name for name in said if name in spans or not _PLAIN.fullmatch(name) or _told(instruction, name))


def functions_named(snippet: Snippet, instruction: str) -> tuple[Function, ...]:
    """The functions that an instruction names for certain; with them those it may name. Empty when none is certain."""
    names = surely_named(instruction, (one.name for one in snippet.functions))
    said = words(instruction)
    return tuple(one for one in snippet.functions if one.name in said) if names else ()


def functions_meant(snippet: Snippet, instruction: str) -> tuple[Function, ...]:
    """The functions that an instruction may be about: those named, else all, first those that it may name."""
    said = words(instruction)
    named = functions_named(snippet, instruction)
    return named or tuple(sorted(snippet.functions, key=lambda one: one.name not in said))


def _told(instruction: str, name: str) -> bool:
    if name in _PROSE or name.lower() not in instruction.lower():
        return False
    if name[0].isupper() and len(name) > 1 and re.search(rf"[\w,] {name}\b", instruction):
        return True
    pattern = rf"{_BEFORE}\ (?:\w+\.)*{name}\b | \b{name}\ {_AFTER} | \b{name}\(\) | \bwhere\ {name}\ (?:is|gets)\b"
    return re.search(pattern, instruction, re.IGNORECASE | re.VERBOSE) is not None


def calls(text: str) -> Iterator[str]:
    """Every dotted name in a text, with the brackets that directly follow it (`f(x)`, `list[str]`, `a.b`)."""
    for match in _DOTTED.finditer(text):
        yield call_at(text, match.start())


def call_at(text: str, at: int, brackets: str = "([") -> str:
    """The dotted name that begins at a place, with the brackets that directly follow it; "" where none begins."""
    match = _DOTTED.match(text, at)
    if match is None:
        return ""
    end = match.end()
    while end < len(text) and text[end] in brackets and (closed := closing(text, end)):
        end = closed + 1
    return text[at:end]


def closing(text: str, at: int) -> int | None:
    """Where the bracket that opens at `at` closes, strings within respected."""
    depth, quote = 0, ""
    for place in range(at, len(text)):
        character = text[place]
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
            if not depth:
                return place
    return None


def meant_lines(snippet: Snippet, among: Iterable[int], instruction: str) -> list[int]:
    """The lines that hold the longest stretch of code the instruction repeats; all when it repeats words at most."""
    among = list(among)
    told = " ".join(_TOKEN.findall(instruction))
    best = {at: _weight(snippet.lines[at], told, quotations(instruction)) for at in among}
    most = max(best.values(), default=0)
    return [at for at in among if best[at] == most]


def _weight(line: str, told: str, quoted: Iterable[str]) -> int:
    """How long the longest piece is that a line shares with what is told, and that is quoted or looks like code."""
    pieces = [run for run in _shared(line, told) if _CODE.search(run) or run.count(" ") > 1]
    return max(map(len, [*pieces, *(span for span in quoted if span in line)]), default=0)


def _shared(line: str, told: str) -> Iterator[str]:
    """The runs of a line's tokens that are also told, without punctuation at their edges."""
    tokens = _TOKEN.findall(line)
    padded = f" {told} "
    for start in range(len(tokens)):
        run = ""
        for token in tokens[start:]:
            longer = f"{run} {token}" if run else token
            if f" {longer} " not in padded:
                break
            run = longer
        if trimmed := run.lstrip(",;:!? ").rstrip(",.;:!? "):
            yield trimmed
