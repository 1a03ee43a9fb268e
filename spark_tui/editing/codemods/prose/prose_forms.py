"""Other forms of the words that are quoted from docstrings, comments and texts: number, verb forms, small words.

Nothing new is told with them: '"a lists of names" reads odd' says where the slip is, and the forms say what it may be.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import plain_word, spans
from spark_tui.editing.codemods.prose.prose import prose_meant, speaks_of_prose
from spark_tui.editing.codemods.prose.prose_flow import TOKEN, Flow, flows, rewritten, standing
from spark_tui.editing.codemods.prose.prose_removals import without
from spark_tui.editing.codemods.prose.spelling import known, nearest
from spark_tui.editing.codemods.texts.text_words import SIGN, sign_of
from spark_tui.editing.snippet import Snippet

_WRONG = re.compile(
    r"(?i)\b(?:plural|singular|grammar|english|typos?|missp\w+|spell\w*|slips?|agree\w*|tense"
    r"|third person|apostro\w*|word (?:is )?missing|misses a word|article|verb|noun|makes no sense"
    r"|reads? (?:odd|bad|wrong|like)\w*|wrong|hurts?)\b"
)
_OTHERS = {
    "is": "are", "are": "is", "was": "were", "were": "was", "has": "have", "have": "has", "a": "the", "an": "the",
    "this": "these", "these": "this", "that": "those", "those": "that", "does": "do", "do": "does", "ran": "run",
    "went": "gone", "did": "done", "wrote": "written", "took": "taken", "gave": "given", "lead": "led", "then": "than",
    "than": "then", "it's": "its", "its": "it's", "who": "which", "loose": "lose", "of": "or", "or": "of", "on": "in",
    "in": "on", "to": "the", "the": "then", "form": "from", "from": "form", "much": "many", "less": "fewer",
    "if": "is", "as": "is", "be": "been", "your": "you", "you": "your", "not": "no", "can": "be", "and": "an",
}  # fmt: skip
_MISSING = re.compile(r"(?i)\b(?:missing|misses|lacks?|forgot\w*|without|needs?|wants?|omitted|add|left out|gone)\b")
_GONE = re.compile(
    r"(?i)\b(?:drop|remove|lose|strip|delete|kill|no|without|rid|take|out|superfluous|unneeded|needless|extra|stray|twice"
    r"|too many|too much|not|wrong|double[d]?|leftover|isn't|doesn't)\b"
)
_MOST = 5


def form_edits(before: Snippet, request: Request) -> Iterator[Ops]:
    """Every other form of what is quoted, of a word that is told to be wrong, without or with a small word or sign."""
    words = request.instruction
    quotes = [span.text for span in spans(words) if span.mark and re.search(r"\w", span.text)]
    if not quotes and not (speaks_of_prose(before, request) and (_WRONG.search(words) or SIGN.search(words))):
        return
    found = flows(before, prose_meant(before, request))
    seen: set[tuple[str, ...]] = set()
    for lines in islice(_ways(before, found, words, quotes), 4 * _MOST):
        if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
            seen.add(tuple(lines))
            yield between(before, lines)


def _ways(before: Snippet, found: Sequence[Flow], words: str, quotes: Sequence[str]) -> Iterator[list[str]]:
    places = [(flow, *place) for quote in quotes for flow in found for place in islice(standing(flow, quote), 2)]
    there = {quote for quote in quotes if any(any(standing(flow, quote)) for flow in found)}
    fresh = [quote for quote in quotes if quote not in there]
    yield from _without_sign(before, found, words, places)
    for quote in fresh if _MISSING.search(words) and not any(" " in quote for quote in fresh) else ():
        yield from _with_word(before, found, quote)
    if any(" " in quote for quote in fresh):
        return
    if not quotes and _WRONG.search(words):
        told = {word for word in re.findall(r"[^\W\d_]{3,}", words) if not plain_word(word)}
        places = [(flow, at, at + 1) for flow in found for at, one in enumerate(flow.tokens) if one.text in told]
    for flow, start, stop in places:
        if stop - start < 7:
            yield from _formed(before, flow, start, stop)


def _formed(before: Snippet, flow: Flow, start: int, stop: int) -> Iterator[list[str]]:
    """The most doubtful words first: those unknown, then small ones, then other forms of all."""
    tokens = [one.text for one in flow.tokens]
    if tokens[start:stop][1:3] == ["'", "s"]:
        yield rewritten(before, flow, start, start + 3, tokens[start] + "s")
    strange = [at for at in range(start, stop) if _plain(tokens[at]) and not _known(tokens[at])]
    for at in strange:
        yield from (rewritten(before, flow, at, at + 1, _cased(one, tokens[at])) for one in nearest(tokens[at])[:2])
    for at in range(start, stop):
        if stop - start > 1 and at > start and tokens[at].lower() == tokens[at - 1].lower():
            yield without(before, flow, at, at + 1)
    for forms in (_small, _long):
        for at in range(start, stop):
            for one in forms(tokens[at]):
                yield rewritten(before, flow, at, at + 1, _cased(one, tokens[at]))


def _plain(word: str) -> bool:
    return word[1:].islower() and len(word) > 3


def _known(word: str) -> bool:
    lower = word.lower()
    return lower in known() or re.sub(r"(?:e?s|e?d|ing|ly)$", "", lower) in known()


def _cased(word: str, old: str) -> str:
    return word[:1].upper() + word[1:] if old[:1].isupper() else word


def _small(word: str) -> Iterator[str]:
    if word.lower() in _OTHERS:
        yield _OTHERS[word.lower()]
    if word in ("a", "an"):
        yield "an" if word == "a" else "a"


def _long(word: str) -> Iterator[str]:
    lower = word.lower()
    if not lower.isalpha() or len(lower) < 3 or lower in _OTHERS:
        return
    if lower.endswith("s") and not lower.endswith("ss"):
        yield lower[:-3] + "y" if lower.endswith("ies") else lower[:-1]
    elif lower.endswith("ed"):
        yield from (lower[:-1], lower[:-2])
    elif lower.endswith("ing"):
        yield from (lower[:-3], lower[:-3] + "e")
    else:
        yield lower[:-1] + "ies" if re.search(r"[^aeiou]y$", lower) else lower + "s"
        yield lower + ("d" if lower.endswith("e") else "ed")


def _with_word(before: Snippet, found: Sequence[Flow], word: str) -> Iterator[list[str]]:
    """With a small word that is missing: behind "this", "it" and the like, or before a noun that follows a verb."""
    for flow in found:
        tokens = [one.text for one in flow.tokens]
        for at, text in enumerate(tokens[:-1]):
            if (
                re.fullmatch(r"(?i)this|it|that|which|there|to|of|in|will|should|can|must|be", text)
                and tokens[at + 1].islower()
            ):
                yield rewritten(before, flow, at, at + 1, f"{text} {word}")


def _without_sign(
    before: Snippet, found: Sequence[Flow], words: str, places: Sequence[tuple[Flow, int, int]]
) -> Iterator[list[str]]:
    """Without a sign that is told: in or beside what is quoted, beside a word that is told, or the only one."""
    gone = _GONE.search(words)
    signs = {sign_of(match) for match in SIGN.finditer(words)} if gone else set[str]()
    signs |= {sign for sign in re.findall(r"[\"'`]([^\w\s])[\"'`]", words) if gone}
    told = set(re.findall(r"\w{2,}", words))
    for sign in sorted(sign for sign in signs if sign.strip()):
        made = []
        for flow in found:
            inside = {at for other, start, stop in places if other is flow for at in range(start - 1, stop + 1)}
            tokens = flow.tokens
            hits = [at for at, one in enumerate(tokens) if one.text == sign]
            for at in hits:
                beside = {one.text for one in (*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2])}
                made.append((2 * (at in inside) + len(beside & told), flow, at))
        for _, flow, at in sorted(made, key=lambda one: -one[0])[:3]:
            yield _cut(before, flow, at)


def _cut(before: Snippet, flow: Flow, at: int) -> list[str]:
    one = flow.tokens[at]
    line = before.lines[one.row]
    left, right = line[: one.start], line[one.end :]
    if left.endswith(" ") and (right.startswith(" ") or not TOKEN.search(right)):
        left = left[:-1]
    return [*before.lines[: one.row], left + right, *before.lines[one.row + 1 :]]
