"""Docstrings cut down: to their first sentence, or by a paragraph or a sentence; their quotes moved."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import MAX_WIDTH, end_of, indentation, start_of
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.codemods.prose.doc_parts import parts_told
from spark_tui.editing.codemods.prose.prose import docstrings
from spark_tui.editing.snippet import Snippet

_DOC = re.compile(r"(?i)\bdoc(?:s?tr\w*|s|umentation)?\b|\bsummary\b|\bparagraphs?\b|\bsent[ea]nces?\b|\.\. \w+|:\w+:")
_GONE = re.compile(
    r"(?i)\b(?:drop|remove|lose|strip|delete|kill|omit|cut|without|rid of|out with|can go|should go|goes|scratch|ditch"
    r"|outdated|obsolete|no longer true|who cares|nobody needs|needless|superfluous|out goes|dropped|removed|take out"
    r"|taken out|deleted|-> nothing|shouldn't be there|unneeded|pointless|redundant)\b"
)
_SHORT = re.compile(
    r"(?i)\bone[- ]?line(?:r|d)?\b|\bsingle[- ]line\b|\bonly (?:the )?(?:first|summary)\b"
    r"|\bsummary\W*$|\bdeduplicate\b"
    r"|\b(?:f(?:ir|ri)st (?:sentence|line|paragraph)|summary)(?: line)?"
    r" (?:only|alone|is (?:en\w+|all|plenty)|will do|suffices|says it all|would do)"
    r"|\b(?:only|just|nothing but|keep) the"
    r" (?:first|summary)|\bdrop (?:all )?the rest\b|\bfirst sentence\W*$|\bafter the first (?:line|sentence)\b"
)
_NTH = re.compile(
    r"(?i)\b(?P<nth>first|1st|second|2nd|third|3rd|last|final|closing)(?: \w+)?"
    r" (?P<what>sent[ea]nce|paragraph|line|part|bit)\b"
)
_ROWS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "last": -1, "final": -1, "closing": -1}
_CLOSING = re.compile(r"(?i)\bclosing (?:triple |docstring )?(?:quot\w+|\"{3}|marks)|\bquotes? (?:up|down)\b|\bD209\b")
_OWN = re.compile(r"(?i)\b(?:own|separate|new|next|its own|another) line\b|\bdown\b|\bD209\b|\bbelow\b")
_RAW = re.compile(
    r"(?i)\bD301\b|\braw (?:doc)?string\b|\br\"\"\"|\bmake it raw\b|\bbackslash\w* in (?:a|the) docstring\b"
)
_TITLE = re.compile(r":?([A-Z]\w+|returns|raises|rtype)(?: \w+)?:*$")
_SENTENCE = re.compile(r"[^\s].*?(?:[.!?](?=\s|$)|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Doc:
    """A docstring in triple quotes: its rows, its marks, and the first and last rows of its paragraphs."""

    top: int
    bottom: int
    head: str
    mark: str
    paragraphs: tuple[tuple[int, int], ...]


def shortened_docs(before: Snippet, request: Request) -> Iterator[Ops]:
    """Docstrings with less in them."""
    words = request.instruction
    for doc in _docs(before, request):
        for line in _firsts(before, doc) if _SHORT.search(words) else ():
            yield between(before, [*before.lines[: doc.top], line, *before.lines[doc.bottom + 1 :]])
        for first, last in dict.fromkeys(_told(before, doc, words)) if _GONE.search(words) else ():
            yield between(before, _cut(before, doc, first, last))
            if last == doc.paragraphs[-1][1] and doc.bottom > last and len(doc.paragraphs) > 1:
                yield between(before, _cut_plainly(before.lines, doc, first, last))


def requoted_docs(before: Snippet, request: Request) -> Iterator[Ops]:
    """Docstrings with their closing quotes on the line of the text or on their own, or made raw."""
    words = request.instruction
    for doc in _docs(before, request) if _CLOSING.search(words) or _RAW.search(words) else ():
        lines = list(before.lines)
        if _RAW.search(words) and "r" not in doc.head.lower().rpartition(doc.mark)[0]:
            lines[doc.top] = lines[doc.top].replace(doc.mark, "r" + doc.mark, 1)
            yield between(before, lines)
        if _CLOSING.search(words):
            text = lines[doc.bottom].rstrip().removesuffix(doc.mark)
            if text.strip() and doc.top < doc.bottom and _OWN.search(words):
                lines[doc.bottom : doc.bottom + 1] = [text.rstrip(), indentation(lines[doc.top]) + doc.mark]
                yield between(before, lines)
            elif not text.strip() and doc.paragraphs and not _OWN.search(words):
                last = doc.paragraphs[-1][1]
                joined = lines[last].rstrip() + doc.mark
                if len(joined) <= MAX_WIDTH:
                    yield between(before, [*lines[:last], joined, *lines[doc.bottom + 1 :]])


def _docs(before: Snippet, request: Request) -> Iterator[Doc]:
    for node in docstrings(before):
        (top, left), (bottom, right) = start_of(before, node), end_of(before, node)
        mark = re.match(r"[rRuU]?(\"{3}|'{3})", before.lines[top][left:])
        outside = request.selected and (request.selected[1] < top or bottom < request.selected[0])
        if not mark or outside or right < len(before.lines[bottom].rstrip()):
            continue
        head = before.lines[top][: left + mark.end()]
        yield Doc(top, bottom, head, mark[1], tuple(_paragraphs(before, top, bottom, head, mark[1])))


def _text(before: Snippet, row: int, top: int, bottom: int, head: str, mark: str) -> str:
    line = before.lines[row][len(head) :] if row == top else before.lines[row]
    return (line.rstrip().removesuffix(mark) if row == bottom else line).strip()


def _paragraphs(before: Snippet, top: int, bottom: int, head: str, mark: str) -> Iterator[tuple[int, int]]:
    first = None
    for row in range(top, bottom + 2):
        full = row <= bottom and _text(before, row, top, bottom, head, mark)
        if full and first is None:
            first = row
        elif not full and first is not None:
            yield first, row - 1
            first = None


def _rows(before: Snippet, doc: Doc, first: int, last: int) -> list[str]:
    return [_text(before, row, doc.top, doc.bottom, doc.head, doc.mark) for row in range(first, last + 1)]


def _firsts(before: Snippet, doc: Doc) -> Iterator[str]:
    """The docstring as one line: with its first sentence, with its first paragraph; where these are not too long."""
    if doc.paragraphs:
        paragraph = " ".join(_rows(before, doc, *doc.paragraphs[0]))
        found = _SENTENCE.match(paragraph)
        for text in dict.fromkeys((found[0] if found else "", paragraph)):
            if text and len(doc.head + text + doc.mark) <= MAX_WIDTH:
                yield doc.head + text + doc.mark


def _told(before: Snippet, doc: Doc, words: str) -> Iterator[tuple[int, int]]:
    """The rows that are to go: of a paragraph by its number, or of what is quoted from it."""
    for nth in _NTH.finditer(words) if _DOC.search(words) else ():
        place = _ROWS[nth["nth"].lower()]
        kept = doc.paragraphs
        if nth["what"].lower() == "line":
            kept = tuple((row, row) for first, last in kept for row in range(first, last + 1))
        if -len(kept) <= place < len(kept):
            yield kept[place]
    quotes = [span.text.strip(" .") for span in spans(words) if span.mark and " " in span.text.strip()]
    quotes += re.findall(r"\b(?:version(?:added|changed)|deprecated|seealso|todo)\b", words)
    for first, last in doc.paragraphs:
        rows = _rows(before, doc, first, last)
        if (title := _TITLE.match(rows[0])) and re.search(rf"(?i)\b{title[1]}\b.*\bsection", words):
            yield first, last
        for quote in quotes:
            if quote in " ".join(rows):
                yield from ((first + at, first + at) for at, row in enumerate(rows) if quote in row and last > first)
                yield first, last
    below = [row for row in range(doc.top + 1, doc.bottom + 1) if row == doc.bottom or before.lines[row].strip()]
    ends = doc.bottom if before.lines[doc.bottom].strip() != doc.mark else doc.bottom - 1
    yield from parts_told(before.lines, below[0], ends, words) if below else ()


def _cut_plainly(lines: Sequence[str], doc: Doc, first: int, last: int) -> Sequence[str]:
    """The lines without the last rows of a docstring and the blank ones above them; the quotes stay where they are."""
    while not lines[first - 1].strip() and first - 1 > doc.top:
        first -= 1
    return [*lines[:first], *lines[last + 1 :]]


def _cut(before: Snippet, doc: Doc, first: int, last: int) -> Sequence[str]:
    """The lines without those rows; what stands around them keeps its marks and one blank line."""
    lines = list(before.lines)
    if (first, last) == (doc.paragraphs[0][0], doc.paragraphs[-1][1]):
        return lines
    if first == doc.top:
        below = next((row for row in range(last + 1, doc.bottom) if lines[row].strip()), doc.bottom)
        return [*lines[: doc.top], doc.head + lines[below].lstrip(), *lines[below + 1 :]]
    ends = lines[doc.bottom].strip() != doc.mark and last == doc.bottom
    above = first - 1
    while not lines[above].strip() and (last == doc.paragraphs[-1][1] or above > first - 2):
        above -= 1
    if (first > 0 and lines[first - 1].strip()) or last not in {row for _, row in doc.paragraphs}:
        above = first - 1
    elif first == doc.paragraphs[0][0]:
        return [*lines[:first], *lines[_next(doc, last) :]]
    if ends:
        return [*lines[:above], lines[above].rstrip() + doc.mark, *lines[last + 1 :]]
    alone = above == doc.top and _next(doc, last) > doc.bottom and len(doc.paragraphs) == 2
    if alone and len(lines[above]) + 3 <= MAX_WIDTH and doc.paragraphs[0] == (doc.top, doc.top):
        return [*lines[:above], lines[above].rstrip() + doc.mark, *lines[doc.bottom + 1 :]]
    return [*lines[: above + 1], *lines[last + 1 :]]


def _next(doc: Doc, last: int) -> int:
    return next((first for first, _ in doc.paragraphs if first > last), doc.bottom + 1)
