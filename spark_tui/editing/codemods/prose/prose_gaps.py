"""Small words that lack or are too many in what is quoted from docstrings and comments; "this, not that" told bare.

"'according the' misses a to" tells the word; "needs to computed" alone is read by what usually stands there.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.codemods.prose.phrases import fitted, written_in
from spark_tui.editing.codemods.prose.prose import Prose, prose, prose_meant, speaks_of_prose
from spark_tui.editing.codemods.prose.prose_flow import Flow, flows, rewritten, standing
from spark_tui.editing.codemods.prose.prose_removals import without
from spark_tui.editing.codemods.texts.texts import texts
from spark_tui.editing.snippet import Snippet

_SLIP = re.compile(
    r"(?i)\btypos?\b|\bgramm[ae]r\b|\bmiss(?:es|ing)?\b|\blacks?\b|\bwrong\b|\bstutters?\b|\benglish\b|\breads?\b|\bword\b"
    r"|\bodd\b|\bsentence\b|\bfix\b|\bforgot\w*"
)
_LACKING = (
    re.compile(
        r"(?i)\b(?:miss(?:es|ing)|lacks?|needs?|forgot\w*|without|wants?|add)(?: an?| the| its| word)*"
        r" [`'\"]?(?P<word>[a-z]{1,5})\b"
    ),
    re.compile(r"(?i)(?<![\w'])(?P<word>[a-z]{1,5})['\"`]? (?:(?:is|was|went|gone) )?missing"),
)
_RULES: tuple[tuple[re.Pattern[str], str, tuple[str, ...]], ...] = (
    (re.compile(r"(?i)to|can|will|should|must|may|might|not|would"), r"\w+(?:ed|en|[ai]ble)|\w{1,3}n|set", ("be",)),
    (re.compile(r"(?i)it|this|that|which|there"), r"[a-z]\w+", ("is",)),
    (re.compile(r"(?i)they|these|those|we|you|\w+s"), r"\w+(?:ed|ing|able)|not", ("are",)),
    (re.compile(r"(?i)of|in|by|with|to|on|at|as|is|into|if|and|\w{2,}(?:s|t|e|ing|r|m)"), r"[a-z]\w+", ("the", "a")),
    (re.compile(r"(?i)accord\w+|due|able|used|needs?|wants?|has|have|allows?|tries|likely"), r"[a-z]\w+", ("to",)),
    (re.compile(r"(?i)\w+(?:st|rt|ber|ist|unt|ort|air|pe|nd|set|one|all|each)s?"), r"[a-z]\w+", ("of",)),
)  # fmt: skip
_LIGHT = frozenset(
    "a an the of to in on at is are be it for with by as that this not do does can was has and or for".split()  # noqa: SIM905
)
_SMALL = _LIGHT | frozenset(
    "they we you there which when if will should must may been were would could from than so".split()  # noqa: SIM905
)
_STOP = re.compile(
    r"[.,;!?)](?:\s|$)|\s(?:so|fix|please|pls|now|that|which|by|not|here|instead|right|actually|these days)\b"
)
_NOT = re.compile(
    r",? (?:and |but )?(?:not|never)\s+(?!(?:a |the |be |to |in |so |what |yet )*\W*$)|\s(?:instead of|rather than)\s+"
)
_SAYS = re.compile(
    r"(?i)\b(?:says?|calls? (?:it|this)|promises|mentions|talks (?:about|of)|names|claims|states|reads)\s+(?P<old>.+?)"
    r"(?:,|:|;| but| \(| though| -+| while)+\s*(?:(?:that|it|this|these|we|you|the [\w ]{1,16}?|here)\s*)?"
    r"(?:'s|s|is|are|raise|return|use|have|should be|should say|must be|was|get|has)\s+"
    r"(?:actually |really |rather |now |called |the )?(?P<new>.+)"
)
_TWICE = re.compile(
    r"(?i)\b(\w+)['\"`]? (?:(?:is|stands|comes) )?(?:in )?(?:there |here )?(?:twice|two times|doubled)\b"
)
_EDGE = " `'\".,;:!?()*"
_MOST = 6


def gap_edits(before: Snippet, request: Request) -> Iterator[Ops]:
    """Every such change that the words may mean, the surest first."""
    if not speaks_of_prose(before, request) and not (_NOT.search(request.instruction) or "*" in request.instruction):
        return
    meant = [one for one in prose_meant(before, request) if one.sort != "text"]
    found = flows(before, meant)
    quotes = [span.text for span in spans(request.instruction) if span.mark and " " in span.text]
    if quotes and not any(any(standing(flow, quote)) for flow in found for quote in quotes):
        found = flows(before, [one for one in prose(before) if one.sort != "text"])
    seen: set[tuple[str, ...]] = set()
    for lines in islice(_ways(before, meant, found, request.instruction), 3 * _MOST):
        if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
            seen.add(tuple(lines))
            yield between(before, lines)


def _ways(before: Snippet, meant: Sequence[Prose], found: Sequence[Flow], words: str) -> Iterator[list[str]]:
    for flow, start, stop in _slipped(found, words) if _SLIP.search(words) else ():
        yield from _filled(before, flow, start, stop, words)
    yield from _once(before, found, words)
    yield from _exchanged(before, found, words)
    yield from _fitting(before, meant, words)


def _slipped(found: Sequence[Flow], words: str) -> Iterator[tuple[Flow, int, int]]:
    """Where what is quoted stands; else the longest run of words that is said and stands there."""
    quotes = [span.text for span in spans(words) if span.mark and " " in span.text]
    if not quotes:
        bare = words.split()
        runs = (bare[at : at + size] for size in range(min(7, len(bare)), 2, -1) for at in range(len(bare) - size + 1))
        texts_ = (" ".join(run).strip(_EDGE) for run in runs)
        quotes = list(islice((one for one in texts_ if any(any(standing(flow, one)) for flow in found)), 1))
    for quote in quotes:
        for flow in found:
            for start, stop in islice(standing(flow, quote), 1):
                if stop - start < 9:
                    yield flow, start, stop


def _filled(before: Snippet, flow: Flow, start: int, stop: int, words: str) -> Iterator[list[str]]:
    """With the small word told in every gap; else with those that are usual, then without each that is there."""
    tokens = [one.text for one in flow.tokens]
    told = _lacking(words, " ".join(tokens[start:stop]))
    gaps = [at for at in range(start, stop - 1) if tokens[at].isalnum() and tokens[at + 1].isalnum()]
    for word in told:
        for at in gaps:
            yield rewritten(before, flow, at, at + 1, f"{tokens[at]} {word}")
    if told:
        return
    twice = [at for at in range(start, stop) if tokens[start:stop].count(tokens[at]) > 1]
    for at in twice:
        yield without(before, flow, at, at + 1)
    yield from islice(_guessed(before, flow, gaps), 4)
    for at in range(start, stop) if not twice else ():
        if tokens[at] in _LIGHT:
            yield without(before, flow, at, at + 1)


def _guessed(before: Snippet, flow: Flow, gaps: Sequence[int]) -> Iterator[list[str]]:
    """With the small words that usually stand between two such words."""
    tokens = [one.text for one in flow.tokens]
    for left, right, fills in _RULES:
        for at in gaps:
            if left.fullmatch(tokens[at]) and re.fullmatch(right, tokens[at + 1]) and tokens[at + 1] not in _SMALL:
                for fill in fills:
                    an = "an" if fill == "a" and tokens[at + 1][0] in "aeio" else fill
                    yield rewritten(before, flow, at, at + 1, f"{tokens[at]} {an}")


def _lacking(words: str, there: str) -> list[str]:
    """The small words that are told to lack, apart from those within what is quoted."""
    for text in (there, *(span.text for span in spans(words) if span.mark and " " in span.text)):
        words = words.replace(text, "...")
    told = [match["word"] for pattern in _LACKING for match in pattern.finditer(words)]
    return [one for one in dict.fromkeys(told) if one in _SMALL][:1]


def _exchanged(before: Snippet, found: Sequence[Flow], words: str) -> Iterator[list[str]]:
    """With "this" for "that" where "this, not that" is said, or "it says that but it is this"."""
    told: list[tuple[list[str], list[str]]] = []
    for span in spans(words):
        words = words.replace(span.text, "") if span.mark and _NOT.search(span.text) else words
    for turn in islice(_NOT.finditer(words), 2):
        left, right = words[: turn.start()].split(), words[turn.end() :].split()
        told.append((_ends(left), _begins(_STOP.split(" ".join(right))[0].split())))
    if says := _SAYS.search(words):
        old = says["old"].split()
        fresh = _begins(_STOP.split(says["new"])[0].split())
        told.append((fresh, [*_begins(old[:5])[:1], *_begins(old[:3]), *_ends(old)[:1]]))
    for news, olds in told:
        some = 0
        for old in dict.fromkeys(olds):
            hits = [(flow, *place) for flow in found for place in islice(standing(flow, old), 1)]
            for flow, start, stop in hits[:1]:
                for new in news:
                    if new.lower() != old.lower() and old not in _LIGHT:
                        yield _put(before, flow, start, stop, new)
            some += bool(hits)
            if some == 2:
                break


def _once(before: Snippet, found: Sequence[Flow], words: str) -> Iterator[list[str]]:
    """Without one of the two that a word is told to be there."""
    for match in _TWICE.finditer(words):
        for flow in found:
            hits = [at for at, one in enumerate(flow.tokens) if one.text.lower() == match[1].lower()]
            for at in hits if len(hits) == 2 else ():
                yield without(before, flow, at, at + 1)


def _ends(bare: Sequence[str]) -> list[str]:
    """The last words, the fewest first."""
    return [text for count in (1, 2, 3) if count <= len(bare) and (text := " ".join(bare[-count:]).strip(_EDGE))]


def _begins(bare: Sequence[str]) -> list[str]:
    """The first words, without an article, the most first."""
    bare = bare[1:] if bare and bare[0].lower() in ("a", "an", "the") else bare
    return [text for count in (3, 2, 1) if count <= len(bare) and (text := " ".join(bare[:count]).strip(_EDGE))]


def _put(before: Snippet, flow: Flow, start: int, stop: int, new: str) -> list[str]:
    """With a phrase in the place of tokens, and the article that fits it."""
    above = flow.tokens[start - 1].text if start else ""
    if above.lower() in ("a", "an") and flow.tokens[start - 1].row == flow.tokens[start].row:
        article = above[0] + ("n" if new[0].lower() in "aeio" else "")
        return rewritten(before, flow, start - 1, stop, f"{article} {new}")
    head = flow.tokens[start].text
    cased = new[0].upper() + new[1:] if head[:1].isupper() and head[1:].islower() and new.islower() else new
    return rewritten(before, flow, start, stop, cased)


def _fitting(before: Snippet, meant: Sequence[Prose], words: str) -> Iterator[list[str]]:
    """With words that are told bare where most of them stand already: "subclasses provide *an* option"."""
    if any(span.mark and " " in span.text for span in spans(words)):
        return
    marked = re.sub(r"\*(\w+)\*", r"\1", words)
    parts = [part.strip() for part in re.split(r"(?:: |, | -+ |\? |; )", marked)]
    pieces = {(one.row, one.start): one for one in texts(before)}
    made: list[tuple[int, list[str]]] = []
    for part in dict.fromkeys((*parts, marked)):
        if 2 < len(part.split()) < 12:
            for one in meant:
                content = before.lines[one.row][one.start : one.end]
                if part in content:
                    continue
                for score, new in fitted(part.strip(" `'\"."), content):
                    if score > 4 and abs(len(new) - len(content)) < 16:
                        made.append((score, written_in(before, one, new, pieces.get((one.row, one.start)))))
    yield from (lines for _, lines in sorted(made, key=lambda way: -way[0])[:3])
