"""What goes from docstrings and comments, no words being told for it: what is quoted, a sentence, a clause."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import plain_word, spans
from spark_tui.editing.codemods.prose.prose import prose_meant, speaks_of_prose
from spark_tui.editing.codemods.prose.prose_flow import TOKEN, Flow, flows, standing
from spark_tui.editing.snippet import Snippet

_GONE = re.compile(
    r"(?i)\b(?:drop|remov\w+|lose|strip|delet\w+|kill|omit|cut|no|without|rid of|take|out|redundant|superfluous"
    r"|needless|unneeded|scratch|ditch|strike|goes?|gone|noise|nonsense|obvious\w*|needn't|why|what for|who|nobody|not"
    r"|isn't|aren't|doesn't|don't|never|untrue|wrong|false|stale|outdated|obsolete|leave|shorter|shorten|enough|twice|already"
    r"|empty|filler|fluff|any ?more|says nothing|too much|adds? nothing|useless|pointless|unused|skip|trim)\b"
)
_HEAVY = re.compile(r"[^\W\d_]{3,}|\w*[\d_]\w*")
_MOST = 5


def removals(before: Snippet, request: Request) -> Iterator[Ops]:
    """Every piece that may be meant, the surest first."""
    words = request.instruction
    quotes = [span.text for span in spans(words) if span.mark and re.search(r"\w", span.text)]
    if not quotes and not (_GONE.search(words) and speaks_of_prose(before, request)):
        return
    found = flows(before, [one for one in prose_meant(before, request) if one.sort != "text"])
    if any(" " in quote and not any(any(standing(flow, quote)) for flow in found) for quote in quotes):
        return
    made = sorted(_pieces(before, found, request, quotes), key=lambda way: -way[0])
    seen: set[tuple[str, ...]] = set()
    for _, flow, start, stop in islice(made, 2 * _MOST):
        lines = without(before, flow, start, stop)
        if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
            seen.add(tuple(lines))
            yield between(before, lines)


def _pieces(
    before: Snippet, found: Sequence[Flow], request: Request, quotes: Sequence[str]
) -> Iterator[tuple[float, Flow, int, int]]:
    gone = bool(_GONE.search(request.instruction)) and speaks_of_prose(before, request)
    told = {word.lower() for word in _HEAVY.findall(request.instruction) if not plain_word(word)}
    for flow in found:
        texts = [token.text.lower() for token in flow.tokens]
        held = set[int]()
        for quote in quotes:
            for start, stop in islice(standing(flow, quote), 2):
                held |= set(range(start, stop))
                if stop - start < len(texts):
                    yield 9.0, flow, start, stop
        for start, stop in _parts(before, flow):
            share = sum(word in told for word in texts[start:stop])
            if stop - start < len(texts) and (held & set(range(start, stop)) or (gone and share)):
                heavy = sum(bool(_HEAVY.fullmatch(word)) for word in texts[start:stop])
                yield 2.0 * bool(held) + share / (1 + heavy), flow, start, stop
        singles = [at for at, word in enumerate(texts) if word in told and texts.count(word) == 1] if gone else []
        for at in singles:
            yield 1.5, flow, at, at + 1


def _parts(before: Snippet, flow: Flow) -> Iterator[tuple[int, int]]:
    """Sentences, what stands in brackets, and clauses set off by commas, with the sign that goes with each."""
    tokens = [token.text for token in flow.tokens]
    ends = [at for at, one in enumerate(flow.tokens) if one.text in ".!?" and _ends(before, flow, at)]
    for first, last in zip([0, *(at + 1 for at in ends)], [*(at + 1 for at in ends), len(tokens)], strict=True):
        if first < last:
            yield first, last
            commas = [at for at in range(first, last) if tokens[at] in ",;"]
            stop = last - 1 if tokens[last - 1] in ".!?" else last
            for comma, following in pairwise([*commas, stop]):
                yield comma, following
                yield comma, stop
            if commas:
                yield first, commas[0] + 1
    for at, text in enumerate(tokens):
        if text in "([" and (close := next((to for to in range(at, len(tokens)) if tokens[to] in ")]"), None)):
            yield at, close + 1


def _ends(before: Snippet, flow: Flow, at: int) -> bool:
    one = flow.tokens[at]
    return before.lines[one.row][one.end : one.end + 1] in ("", " ", '"', "'")


def without(before: Snippet, flow: Flow, start: int, stop: int) -> list[str]:
    """The lines without some tokens and the blanks beside them; rows left empty go, a sentence keeps its capital."""
    lines = list(before.lines)
    cut = flow.tokens[start:stop]
    begins = start == 0 or (flow.tokens[start - 1].text in ".!?" and cut[0].text[:1].isupper())
    if begins and cut[0].text[:1].isupper() and stop < len(flow.tokens):
        after = flow.tokens[stop]
        line = lines[after.row]
        lines[after.row] = line[: after.start] + line[after.start].upper() + line[after.start + 1 :]
    for row in sorted({one.row for one in cut}, reverse=True):
        own = [one for one in cut if one.row == row]
        left, right = lines[row][: own[0].start], lines[row][own[-1].end :]
        opening = not TOKEN.search(left) or left[-1:] in "([`\"'"
        if not right.strip() or re.match(r"[.,;:!?)\]]", right):
            left = left if opening else left.rstrip()
        elif opening or left.endswith(" "):
            right = right.lstrip()
        lines[row] = left + right
        if not lines[row].strip(" #"):
            del lines[row]
    return lines
