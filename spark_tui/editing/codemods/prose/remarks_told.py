"""Comments with what they are told to say, not in quotes: with a capital letter and a period, or without these."""

import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import MAX_WIDTH, indentation
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.common.said import certain, spans
from spark_tui.editing.codemods.prose.sentences_told import as_comment, sentences_told
from spark_tui.editing.snippet import Snippet

_TOLD = re.compile(r"(?i)\b(?:comm?ents?|note|remark|explain\w*|explanation|todo)\b")
_OTHER = re.compile(
    r"(?i)\b(?:drop|remove|delete|fix|typo|wrong|grammar|spelling|capital\w*|period|docs?\w*|shorten|wrap|rephrase|outdated)\b"
)
_WORD = re.compile(r"[^\W\d]\w*|\d+")
_FEW_ROWS = 3
_MOST = 12


def remarks_told(before: Snippet, request: Request, rows: Sequence[int]) -> Iterator[Ops]:
    """Every text told in every form, above each of the first lines that may be meant."""
    words = request.instruction
    if not _TOLD.search(words) or _OTHER.search(words) or _quotes(before, words):
        return
    texts = dict.fromkeys(new for text in sentences_told(words)[:3] for new in as_comment(text))
    meant = _rows(before, request, rows)
    count = 0
    for text in texts:
        for row in meant:
            line = f"{indentation(before.lines[row])}# {text}"
            if len(line) <= MAX_WIDTH and count < _MOST:
                count += 1
                yield between(before, [*before.lines[:row], line, *before.lines[row:]])


def _quotes(before: Snippet, words: str) -> bool:
    """Whether a text of several words is quoted that is no code."""
    quotes = [span.text for span in spans(words) if span.mark in ("'", '"') and " " in span.text]
    return any(not any(quote in line for line in before.lines) for quote in quotes)


def _rows(before: Snippet, request: Request, rows: Sequence[int]) -> Sequence[int]:
    """Those selected; else those with most of the names and numbers that are said."""
    if request.selected:
        first, last = request.selected
        return [row for row in rows if first <= row <= last][:_FEW_ROWS]
    told = {
        word for span in spans(request.instruction) for word in _WORD.findall(span.text) if certain(word) or span.mark
    }
    shares = {row: len(told & set(_WORD.findall(before.lines[row]))) for row in rows}
    most = max(shares.values(), default=0)
    return [row for row in rows if most and shares[row] == most][:_FEW_ROWS]
