"""Signs of what is written for people: colons, blanks, ticks and quotes, case, underlines, what stands in brackets."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise

from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import Span, code_like, spans, word_said
from spark_tui.editing.codemods.prose.phrases import written_in
from spark_tui.editing.codemods.prose.prose import Prose, prose_meant, speaks_of_prose
from spark_tui.editing.codemods.texts.text_words import SIGN, sign_of
from spark_tui.editing.codemods.texts.texts import texts
from spark_tui.editing.snippet import Snippet

Way = Callable[[str, str], Iterator[str]]
_COLON = re.compile(r"(?i)\bcolons?\b")
_TWO = re.compile(r"(?i)\b(?:double|two|second|another|2)\b|\bliteral block\b|::")
_ONE = re.compile(r"(?i)\b(?:one|single|a|1|only)\b")
_SPELT = re.compile(r"(?i)\bspell(?:ed)?\b|\bspelt\b|\bin words\b|\bwr[io]t\w+ out\b|\ba word\b|\bas words\b")
_SPELLED = {"&": "and", "%": "percent", "+": "plus", "/": "or", "w/": "with", "@": "at", "#": "number"}
_LOUD = re.compile(r"(?i)\bshout\w*|\bcaps\b|\bscream\w*|\byell\w*|\blower[- ]?case\b|\bsmall letters?\b|\bcapital\w*")
_CAPITAL = re.compile(r"(?i)\b(?:capital\w*|upper[- ]?case)\b")
_UNDERLINE = re.compile(
    r"(?i)\b(?:underlin\w*|tildes?|dashes|equals?(?: signs)?|hyphens|as long as|too (?:short|long))\b"
)
_MARKS = (
    ("``", re.compile(r"(?i)\bdouble[- ](?:back-?(?:tic?ks?|quot\w+)|ticks?)|``")),
    ("`", re.compile(r"(?i)\b(?:back-?(?:tic?ks?|quot\w+)|ticks?)\b")),
    ("'", re.compile(r"(?i)\bsingle (?:quot\w+|ones)|\bin quot\w+.*\bsingle\b")),
    ('"', re.compile(r"(?i)\bin (?:double )?(?:quot\w+|quotation)|\bquotes around\b|\bquotation marks\b")),
)
_CLOSE = re.compile(r"(?i)\b(?:clos\w+|missing|unclosed|lacks?|unbalanced|unmatched|second)\b")
_BRACKETS = re.compile(r" ?\(([^()]+)\)")
_SIGN_PAIR = re.compile(r"(?i)\b(?:should|must|not|to|->|\u2192|instead|into|with|rather|make)\b")
_BLANKLESS = re.compile(r"(?i)\b(?:without|no|drop|remove|lose)\b.*\b(?:spaces?|blanks?|whitespace)\b")
_HYPHEN = re.compile(r"(?i)\bh[yi](?:ph|f)en\w*")
_TEXT = re.compile(r"(?i)\b(?:message|error|exception|text|string|log|print|warning|literal|output)s?\b")
_MOST = 6


def sign_edits(before: Snippet, request: Request) -> Iterator[Ops]:
    """Every change of a sign that the words may mean, each once."""
    words = request.instruction
    ways = [way for cue, way in _WAYS if cue.search(words)]
    if not ways or not (speaks_of_prose(before, request) or _TEXT.search(words)):
        return
    found = prose_meant(before, request)
    pieces = {(one.row, one.start): one for one in texts(before)}
    seen: set[tuple[str, ...]] = set()
    made = (
        (one, new) for way in ways for one in found for new in way(words, before.lines[one.row][one.start : one.end])
    )
    for one, new in chain(made, _underlined(before, found, words)):
        lines = written_in(before, one, new, pieces.get((one.row, one.start)))
        if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
            seen.add(tuple(lines))
            yield between(before, lines)


def _quoted(words: str) -> list[Span]:
    return [span for span in spans(words) if span.mark and span.text.strip()]


def _colons(words: str, content: str) -> Iterator[str]:
    """One colon at the end of a line for two, two for one; those without a blank before them."""
    end = re.search(r"( ?)(::?)$", content.rstrip())
    if end is None:
        return
    head = content[: end.start()]
    if not any(word_said(words, word) for word in re.findall(r"\w+", head)) and "every" not in words:
        return
    if re.search(r"(?i)\b(?:spaces?|blanks?)\b", words):
        if end[1]:
            yield head + end[2]
    elif end[2] == ":" and _TWO.search(words):
        yield head + "::"
    elif end[2] == "::" and _ONE.search(words):
        yield head + ":"


def _spelt(words: str, content: str) -> Iterator[str]:
    """With a sign that is told as a word."""
    told = [sign_of(match) for match in SIGN.finditer(words)] + [span.text for span in _quoted(words)]
    for sign in told:
        if sign in _SPELLED and f" {sign} " in content:
            yield content.replace(f" {sign} ", f" {_SPELLED[sign]} ")


def _quiet(words: str, content: str) -> Iterator[str]:
    """With words that are told in small letters; with a first letter in capitals."""
    told = [span.text for span in _quoted(words)] + re.findall(r"\b[A-Z]{2,}(?: [A-Z]{2,})*\b", words)
    for text in dict.fromkeys(told):
        if text in content and text != text.lower() and (" " in text or text.isupper()):
            yield content.replace(text, text.lower())
    first = re.match(r"(?:#+[:!]? ?)?\s*([a-z])", content)
    if first and _CAPITAL.search(words) and re.search(r"(?i)\b(?:begin|start|first|letter|sentence)\w*", words):
        letter = re.search(r"(?i)\b(?:capital|upper[- ]?case|big) ([A-Z])\b", words)
        if letter is None or letter[1].lower() == first[1]:
            yield content[: first.start(1)] + first[1].upper() + content[first.end(1) :]


def _marked(words: str, content: str) -> Iterator[str]:
    """With what is told in ticks or quotes, in the place of other marks where these stand around it."""
    mark = next((mark for mark, cue in _MARKS if cue.search(words)), "")
    told = [span.text for span in spans(words) if span.mark or code_like(span.text)]
    told = [re.sub(r"^[\"'`]|[\"'`]$", "", text) for text in told if re.fullmatch(r"\S*\w\S*", text)]
    named = [text for text in dict.fromkeys(told) if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", content)]
    if not mark or not named:
        return
    calls = [one for one in re.findall(r"(?<![\w`.])[\w.]+\(\)", content) if any(text.endswith("()") for text in named)]
    marks = "".join(f"{re.escape(one)}|" for one in ("``", "`", '"', "'"))[:-1]
    for some in dict.fromkeys((tuple(dict.fromkeys((*named, *calls))), tuple(named))):
        bare = "|".join(re.escape(text) for text in sorted(some, key=len, reverse=True))
        pattern = re.compile(rf"({marks}|(?<![\w`'\"./]))({bare})({marks}|(?![\w`'\"/]))")
        new = pattern.sub(lambda match: mark + match[2] + mark if match[1] == match[3] else match[0], content)
        if new != content:
            yield new
    around = re.compile(r"(?<!\w)(['\"])([^'\"\s]+|\[\]|\{\})\1(?!\w)")
    every = around.sub(lambda match: mark + match[2] + mark, content)
    if (
        every != content
        and mark in ("`", "``")
        and any(f"{one}{text}{one}" in content for one in "'\"" for text in named)
    ):
        yield every


def _closed(words: str, content: str) -> Iterator[str]:
    """With the tick that closes one left open, behind the name or the call that it opens."""
    if content.count("`") % 2 and _CLOSE.search(words):
        for match in re.finditer(r"`(?:[\w.]+(?:\([^()`]*\))?)(?![\w`])", content):
            if content[: match.start()].count("`") % 2 == 0:
                yield content[: match.end()] + "`" + content[match.end() :]


def _unbracketed(words: str, content: str) -> Iterator[str]:
    """Without brackets that hold a word that is told, or one that is its opposite, on a line that is told."""
    for match in _BRACKETS.finditer(content):
        rest = content[: match.start()] + content[match.end() :]
        told = any(len(one) > 3 and one in match[1] for one in re.findall(r"\w+", words.lower()))
        entry = re.match(r"\W*(?:param )?(\w+)\W", rest)
        if told and entry and word_said(words, entry[1]):
            yield rest


def _resigned(words: str, content: str) -> Iterator[str]:
    """With another sign at the end, both told; or with one where none is."""
    told = [sign_of(match) for match in SIGN.finditer(words)]
    body = content.rstrip()
    if len(told) == 2 and body and body[-1] == told[0] != told[1] and _SIGN_PAIR.search(words):
        yield body[:-1] + told[1]


def _closer(words: str, content: str) -> Iterator[str]:
    """With a piece that is told written as it is told: its blanks, hyphens and marks apart the same."""
    for span in spans(words):
        letters = re.findall(r"\w", span.text)
        if (span.mark or code_like(span.text) or "-" in span.text) and len(letters) > 3:
            pattern = re.compile(r"(?<!\w)" + r"[\s-]?".join(map(re.escape, letters)) + r"(?!\w)", re.IGNORECASE)
            core = re.sub(r"^\W+|\W+$", "", span.text)
            for match in pattern.finditer(content):
                if match[0].lower() != core.lower():
                    yield content[: match.start()] + core + content[match.end() :]


def _tighter(words: str, content: str) -> Iterator[str]:
    """Without the blanks around a sign behind a word that is told; with a hyphen between two words that are."""
    if _BLANKLESS.search(words):
        for match in re.finditer(r"\s*([=:|,])\s*", content):
            word = re.search(r"(\w+)$", content[: match.start()])
            if word and word_said(words, word[1]) and match[0] != match[1]:
                yield content[: match.start()] + match[1] + content[match.end() :]
    if _HYPHEN.search(words):
        for left, right in re.findall(r"(?<!\w)([^\W\d]+) ([^\W\d]+)(?!\w)", content):
            if word_said(words, left) and word_said(words, right):
                yield content.replace(f"{left} {right}", f"{left}-{right}")


def _underlined(before: Snippet, found: Sequence[Prose], words: str) -> Iterator[tuple[Prose, str]]:
    """With the line below a title as long as this."""
    for above, one in pairwise(found) if _UNDERLINE.search(words) else ():
        title, line = (before.lines[row.row][row.start : row.end].rstrip() for row in (above, one))
        if above.row == one.row - 1 and re.fullmatch(r"([-=~^\"'*+#])\1{2,}", line.strip()):
            length = len(title.strip())
            if length != len(line.strip()):
                yield one, line[: len(line) - len(line.lstrip())] + line.strip()[0] * length


_WAYS: tuple[tuple[re.Pattern[str], Way], ...] = (
    (_COLON, _colons),
    (_SPELT, _spelt),
    (_LOUD, _quiet),
    (re.compile(r"(?i)tic?k|quot|``"), _marked),
    (re.compile(r"(?i)tic?k|quot"), _closed),
    (re.compile(r"(?i)\b(?:isn't|not|used|wrong|no longer|remove|drop|any ?more|without|is|are)\b"), _unbracketed),
    (SIGN, _resigned),
    (re.compile(r"(?i)\w-\w|\bspaces?\b|\bblanks?\b|\bhy[pf]|\bword\b"), _closer),
    (re.compile(r"(?i)\bspaces?\b|\bblanks?\b|\bwhitespace\b|\bhy[pf]"), _tighter),
    (_UNDERLINE, lambda _words, _content: iter(())),
)
