"""Paragraphs of docstrings and comments on one line, up to what is quoted, or cut down to it; their quotes close up."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import plain_word, spans
from spark_tui.editing.codemods.prose.prose import prose_meant
from spark_tui.editing.codemods.prose.prose_flow import TOKEN, Flow, flows, standing
from spark_tui.editing.snippet import Snippet

_ONE_LINE = re.compile(
    r"(?i)\b(?:one|single|a|same|1)[- ]lin(?:e\b|er)|\bon one\b"
    r"|\b(?:two|three|four|five|six|2|3|4|several|many) lines\b"
    r"|\boneliner\b|\bD200\b|\bone (?:row|literal)\b|\bunwrap\b|\bjoin\b"
)
_UP_TO = re.compile(r"(?i)\b(?:up to|until|till|through|ends? (?:with|at|after)|stop (?:at|after)|as far as)\W*$")
_ONLY = re.compile(
    r"(?i)\b(?:keep|only|just|reduce\w*|cut down|shorten\w*|enough|leave|nothing but|suffices?|will do)\b"
)
_MOST = 4


def shorter_prose(before: Snippet, request: Request) -> Iterator[Ops]:
    """Every paragraph that may be meant, those that share most words with the request first."""
    words = request.instruction
    quotes = [span for span in spans(words) if span.mark and TOKEN.search(span.text)]
    if not (_ONE_LINE.search(words) or quotes):
        return
    found = [one for one in flows(before, prose_meant(before, request)) if one.parts[0].sort != "text"]
    told = {word.lower() for word in re.findall(r"\w{3,}", words) if not plain_word(word)}
    found.sort(key=lambda flow: -len(told & {token.text.lower() for token in flow.tokens}))
    seen: set[tuple[str, ...]] = set()
    for lines in islice(_ways(before, found, request), 4 * _MOST):
        if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
            seen.add(tuple(lines))
            yield between(before, lines)


def _ways(before: Snippet, found: Sequence[Flow], request: Request) -> Iterator[list[str]]:
    words = request.instruction
    for span in spans(words):
        for flow in found if span.mark else ():
            for start, stop in islice(standing(flow, span.text), 1):
                ends = stop < len(flow.tokens) and (start, stop) != (0, len(flow.tokens))
                if ends and _UP_TO.search(words[: span.start]):
                    yield from _with(before, flow, 0, stop, ".")
                if _ONLY.search(words) and stop - start > 2:
                    sign = "." if stop < len(flow.tokens) and flow.tokens[stop].text == "." else ""
                    yield from _with(before, flow, start, stop, sign)
    for flow in found if _ONE_LINE.search(words) else ():
        yield from _with(before, flow, 0, len(flow.tokens), "")


def _with(before: Snippet, flow: Flow, start: int, stop: int, sign: str) -> Iterator[list[str]]:
    """A paragraph with some of its tokens only: closed up and on one line, then on the lines that it has."""
    head, tokens = flow.tokens[0], flow.tokens[start:stop]
    last = flow.tokens[-1]
    lines: list[str] = []
    for row in range(tokens[0].row, tokens[-1].row + 1):
        own = [one for one in tokens if one.row == row]
        lines += [before.lines[row][own[0].start : own[-1].end]] if own else []
    left = before.lines[head.row][: head.start]
    rest = before.lines[last.row][last.end :].rstrip()
    joined = f"{left}{' '.join(lines)}{sign}{rest}"
    above, below = before.lines[: head.row], before.lines[last.row + 1 :]
    if len(joined) <= MAX_WIDTH:
        whole = [*above, joined, *below]
        yield from _closed(whole, flow.parts[0].block, flow.parts[0].sort)
        yield whole
    if (start, stop) != (0, len(flow.tokens)) and len(lines) > 1:
        margin = re.match(r"\s*(?:#+ ?)?", before.lines[tokens[-1].row])
        deep = [f"{margin[0] if margin else ''}{line}" for line in lines[1:]]
        deep[-1] += sign + rest
        yield [*above, left + lines[0], *deep, *below]


def _closed(lines: Sequence[str], top: int, sort: str) -> Iterator[list[str]]:
    """A docstring of one line of text with its quotes on that line."""
    mark = re.match(r"\s*[rRuU]?(\"{3}|'{3})", lines[top]) if sort == "docstring" else None
    stop = next(
        (
            row
            for row in range(top, len(lines))
            if mark and lines[row].rstrip().endswith(mark[1]) and (row > top or lines[row].count(mark[1]) > 1)
        ),
        None,
    )
    if mark is None or stop is None:
        return
    full = [line.strip() for line in (lines[top][mark.end() :], *lines[top + 1 : stop + 1])]
    text = [line for line in (*full[:-1], full[-1].removesuffix(mark[1])) if line]
    if len(text) == 1 and stop > top and len(mark[0] + text[0] + mark[1]) <= MAX_WIDTH:
        yield [*lines[:top], mark[0] + text[0] + mark[1], *lines[stop + 1 :]]


def closed_up(before: Snippet, lines: list[str]) -> Iterator[list[str]]:
    """Lines with the docstrings closed up that have become shorter."""
    if len(lines) < len(before.lines):
        for row, line in enumerate(lines):
            if re.match(r"\s*[rRuU]?(?:\"{3}|'{3})", line):
                yield from _closed(lines, row, "docstring")
