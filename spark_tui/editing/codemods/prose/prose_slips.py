"""Slips of grammar in what is quoted from docstrings, comments and texts; code in backticks; ends told by a quote."""

import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import code_like, spans
from spark_tui.editing.codemods.prose.phrases import written_in
from spark_tui.editing.codemods.prose.prose import Prose, prose_meant
from spark_tui.editing.codemods.texts.texts import texts
from spark_tui.editing.snippet import Snippet

_MODAL = r"\b(can|could|will|would|shall|should|may|might|must|does|do|did|doesn't|don't|not|to)"
_SLIPS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?i)\b(\w+) \1\b"), r"\1"),
    (re.compile(r"\b([Aa])n (?=[bcdfgjklmnpqrstvwxyz]|[BCDGJKPQTVWYZ][a-z])"), r"\1 "),
    (re.compile(r"\b([Aa]) (?=[aeio]\w|[AEIO][a-z]|un(?!i))"), r"\1n "),
    (re.compile(rf"{_MODAL} (\w+?[^s\W])s\b"), r"\1 \2"),
    (re.compile(r"\b(can|could|will|would|shall|should|may|might|must)( not)? (\w+ed)\b"), r"\1\2 be \3"),
    (re.compile(r"\b(is|are|was|were|been) (no longer |not |still )?be "), r"\1 \2"),
    (re.compile(r"\bnot longer\b"), "no longer"),
    (re.compile(r"\b([A-Z]{2,})'s\b"), r"\1s"),
    (re.compile(r"\b([Ii])t's\b"), r"\1ts"),
    (re.compile(r"\b([Ii])ts (?=(?:a|an|the|not|been|only)\b)"), r"\1t's "),
    (re.compile(r"\b([Tt])hen (?=\w+\b)"), r"\1han "),
)
_ENDS_AT = re.compile(
    r"(?i)\b(?:cut|end|ends|stop|stops|break|close)\b(?: \w+){0,5}? (?:off )?(?:after|at|behind|with)\W*$"
)
_TICKS = re.compile(r"(?i)\b(double )?(?:back-?(?:tic?k?s?|quot\w+))|``")
_CODE = re.compile(r"[\w./-]*[\w/]+(?:\(\))?")
_MOST = 6


def slip_edits(before: Snippet, request: Request) -> Iterator[Ops]:
    """Every repair that what is quoted may ask for."""
    words = request.instruction
    if not any(span.mark for span in spans(words)) and not _TICKS.search(words):
        return
    found = prose_meant(before, request)
    pieces = {(one.row, one.start): one for one in texts(before)}
    seen: set[tuple[str, ...]] = set()
    for one, new in (*_mended(before, found, words), *_ticked(before, found, words)):
        lines = written_in(before, one, new, pieces.get((one.row, one.start)))
        if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
            seen.add(tuple(lines))
            yield between(before, lines)
    yield from (between(before, lines) for lines in _ended(before, found, words))


def _mended(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """What is quoted and stands there, without the slip in it."""
    quotes = [span.text for span in spans(words) if span.mark and len(span.text) > 3]
    for one in found:
        content = before.lines[one.row][one.start : one.end]
        for quote in quotes:
            at = content.find(quote)
            for pattern, right in _SLIPS if at >= 0 and not re.search(r"->|\u2192|instead", words) else ():
                mended = pattern.sub(right, quote, count=1)
                if mended != quote:
                    yield one, content[:at] + mended + content[at + len(quote) :]


def _ticked(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """Code that is told in backticks; all of it on a line, then each."""
    ticks = _TICKS.search(words)
    told = [span.text for span in spans(words) if _CODE.fullmatch(span.text) and code_like(span.text)]
    if not ticks or not told:
        return
    marks = ("``", "`") if ticks[1] or "``" in words else ("`", "``")
    bare = "|".join(re.escape(text) for text in sorted(dict.fromkeys(told), key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w`./])(?:{bare})(?![\w`/])")
    for mark in marks:
        for one in found:
            content = before.lines[one.row][one.start : one.end]
            if one.sort != "text" and (new := pattern.sub(lambda match: mark + match[0] + mark, content)) != content:  # noqa: B023
                yield one, new


def _ended(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[list[str]]:
    """Comments without what follows the words that are quoted as their end."""
    for span in spans(words):
        if not span.mark or not _ENDS_AT.search(words[: span.start]):
            continue
        for at, one in enumerate(found):
            line = before.lines[one.row]
            place = line.find(span.text, one.start)
            if one.sort != "comment" or place < 0:
                continue
            rest = [other.row for other in found[at + 1 :] if (other.sort, other.block) == (one.sort, one.block)]
            stop = next((row for gap, row in enumerate(rest) if row != one.row + gap + 1), None)
            last = max([one.row, *(row for row in rest if stop is None or row < stop)])
            yield [*before.lines[: one.row], line[: place + len(span.text)], *before.lines[last + 1 :]]
