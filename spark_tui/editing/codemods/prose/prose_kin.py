"""Words told bare for docstrings and comments: old ones and new ones, and new ones much like what stands there.

"AsyncMongoClient example" tells to write it where MongoClient stands; "Python 3.5 -> old platforms" tells both.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import code_like, plain_word, spans
from spark_tui.editing.codemods.prose.phrases_like import alike
from spark_tui.editing.codemods.prose.prose import Prose, prose_meant, speaks_of_prose
from spark_tui.editing.codemods.prose.prose_flow import Flow, flows, rewritten, standing
from spark_tui.editing.codemods.prose.spelling import distance
from spark_tui.editing.snippet import Snippet

_MODAL = r"(?:sh?o?u?l?d|must|has to|have to|needs to|ought to|could|can|may|might)"
_TURN = re.compile(
    r"(?i)\s*(?:->|=>|\u2192|:="
    rf"|\b(?:{_MODAL} (?:be|read|say|become)|becomes?|rather be|is now|with|by|into|to)\b:?)\s+"
)
_CUE = re.compile(
    rf"(?i)(?:->|=>|\u2192|[:,;\u2014]|\b(?:says?|saying|reads?|{_MODAL} (?:be|say|read)|use|write|make it|put"
    r"|call it|better|rather|just|plain|simply|it's|is|as|to|with|by|tell|mention|mean|means|meant))\s+(?=\S)"
)
_TAIL = re.compile(
    r"(?i)(?:,? (?:in|on|at) (?:the|that|this|teh) (?:comm?ent|doc\w*|message|text|summary|first line)\b.*"
    r"|,? (?:please|pls|instead|thanks|not|rather than|there|here|now|then|so that"
    r"|because|since|as|and not|both|all|every\w*|twice)\b.*"
    r"|[.!?;](?:\s.*)?)$"
)
_JUST = re.compile(r"^(?:just|simply|rather|only|plain|better|a plain) ")
_EDGE = "`'\".,;:!?()[]{}<>"
_MOST = 5


def kin_edits(before: Snippet, request: Request) -> Iterator[Ops]:
    """Every such change that the words may mean, the surest first."""
    found = [one for one in prose_meant(before, request) if one.sort != "text"]
    if not found:
        return
    told = speaks_of_prose(before, request)
    seen: set[tuple[str, ...]] = set()
    for lines in islice(_ways(before, found, request.instruction, told), 3 * _MOST):
        if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
            seen.add(tuple(lines))
            yield between(before, lines)


def _ways(before: Snippet, found: Sequence[Prose], words: str, told: bool) -> Iterator[list[str]]:
    paragraphs = flows(before, found)
    for old, new in _turned(words):
        for flow in paragraphs:
            for start, stop in islice(standing(flow, old, loosely=True), 2) if told or " " in old else ():
                yield rewritten(before, flow, start, stop, new)
    yield from _like(before, found, words, 0 if told else 3)
    if told:
        yield from _placed(before, paragraphs, words)


def _turned(words: str) -> Iterator[tuple[str, str]]:
    """Runs of words before what tells to turn them into others, with the words behind it."""
    for turn in islice(_TURN.finditer(words), 3):
        new = _JUST.sub("", _TAIL.sub("", words[turn.end() :])).strip(" `\"'")
        old = re.findall(r"\S+", words[: turn.start()])
        if not new or "\n" in new or len(new.split()) > 9:
            continue
        runs = [old[at:] for at in range(max(0, len(old) - 6), len(old))] + [old[:count] for count in (3, 2, 1)]
        for run in runs:
            text = " ".join(run).strip(_EDGE)
            if re.search(r"\w", text) and (len(run) > 1 or not plain_word(text)) and text.lower() != new.lower():
                yield text, new


def _like(before: Snippet, found: Sequence[Prose], words: str, least: float) -> Iterator[list[str]]:
    """With a word that is told in the place of one that is much like it."""
    told = [span.text.strip("`'\"") for span in spans(words)]
    told = [one for one in dict.fromkeys(told) if len(one) > 2 and " " not in one and _is_strange(one)]
    there = [(one, match) for one in found for match in re.finditer(r"\S+", before.lines[one.row][one.start : one.end])]
    made: list[tuple[float, int, Prose, int, str, str]] = []
    pieces = [(one, match, at, text) for one, match in there for at, text in _pieces(match[0])] if told else []
    known = {text for _, _, _, text in pieces}
    for word in told:
        for one, match, at, text in pieces if word not in known else ():
            score = _likeness(text, word)
            if score > least:
                made.append((-score, len(made), one, one.start + match.start() + at, text, word))
    for _, _, one, at, text, word in sorted(made)[:_MOST]:
        line = before.lines[one.row]
        yield [*before.lines[: one.row], line[:at] + word + line[at + len(text) :], *before.lines[one.row + 1 :]]


def _is_strange(text: str) -> bool:
    return code_like(text) or bool(re.search(r"[\d:/_.]", text)) or not plain_word(text)


def _inner(text: str) -> str:
    return text.strip(_EDGE)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """A word without the signs around it, and the names that it is made of."""
    core = _inner(text)
    if core:
        yield text.index(core), core
    for match in re.finditer(r"\w+", text):
        if match[0] != core:
            yield match.start(), match[0]


def _likeness(old: str, new: str) -> float:
    """How much a word may be meant by another one; 0 for not at all."""
    one, other = old.lower(), new.lower()
    short, long = (one, other) if len(one) < len(other) else (other, one)
    if old == new or len(short) < 3 or (one[0] != other[0] and not long.endswith(short)):
        return 0
    if not one.isalnum() and re.sub(r"\W", "", one) == re.sub(r"\W", "", other):
        return 4
    if long.startswith(short) or long.endswith(short):
        return 2 + len(short) / len(long) if 2 * len(short) >= len(long) or code_like(new) else 0
    if len(short) > 3 and distance(one, other, 2) <= (2 if len(short) > 5 else 1):
        return 3
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(short))
    return 1 + shared / len(long) if shared >= 4 and 5 * shared >= 2 * len(long) else 0


def _placed(before: Snippet, paragraphs: Sequence[Flow], words: str) -> Iterator[list[str]]:
    """With the last words of a sentence in the place of those that they are most like."""
    if any(span.mark and " " in span.text for span in spans(words)):
        return
    made: list[tuple[float, Flow, int, int, str]] = []
    for cue in list(_CUE.finditer(words))[-5:]:
        phrase = _TAIL.sub("", words[cue.end() :]).strip()
        if 1 < len(phrase.split()) < 14 and "\n" not in phrase:
            for flow in paragraphs:
                if not any(standing(flow, phrase)):
                    made += [(score, flow, start, stop, phrase) for score, start, stop in alike(flow, phrase)[:2]]
    for score, flow, start, stop, phrase in sorted(made, key=lambda one: -one[0])[:4]:
        if score > 3:
            yield rewritten(before, flow, start, stop, phrase)
