"""Phrases told for what stands in docstrings, comments and texts: in the place of what they are most alike to.

Where `phrases.py` needs the first or last words of a phrase, this looks at all of them, and across the lines of a
paragraph: "hints of arguments are not checked" goes where "matching of argument hints is not performed" stands.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import plain_word, spans
from spark_tui.editing.codemods.prose.prose import prose_meant
from spark_tui.editing.codemods.prose.prose_flow import TOKEN, Flow, flows, rewritten, standing
from spark_tui.editing.codemods.prose.prose_shorter import closed_up
from spark_tui.editing.codemods.prose.spelling import distance
from spark_tui.editing.snippet import Snippet

_LIGHT = frozenset("a an the of to in on at is are be it and or for with by as that this not no if from only".split())  # noqa: SIM905
_AHEAD = frozenset(("for", "of", "in", "to", "with", "by", "on", "from", ",", "and", "or", "but"))
_DOTS = re.compile(r"^(?:\.\.\.|\u2026)\s*|\s*(?:\.\.\.|\u2026)$")
_FORMATTED = re.compile(r"(?<!\w)f(\"[^\"]+\"|'[^']+')")
_BACK = re.compile(r"(?i)\b(?:instead of|rather than|not|in place of|where)\W*$")
_MOST = 5


def reworded_prose(before: Snippet, request: Request, sorts: Sequence[str]) -> Iterator[Ops]:
    """Every place that a phrase may be told for, the one most like it first."""
    words = request.instruction
    told = [span.text for span in spans(words) if span.mark and _is_phrase(span.text)]
    told += [match[1][1:-1] for match in _FORMATTED.finditer(words)]
    if not told:
        return
    found = [one for one in flows(before, prose_meant(before, request)) if one.parts[0].sort in sorts]
    made = sorted(_ways(found, dict.fromkeys(told), words), key=lambda way: -way[0])
    seen: set[tuple[str, ...]] = set()
    for _, flow, start, stop, phrase in islice(made, 3 * _MOST):
        broken = flow.tokens[start].row != flow.tokens[stop - 1].row
        for joined in (False, True) if broken else (False,):
            lines = rewritten(before, flow, start, stop, phrase, joined)
            for made_so in (*closed_up(before, lines), lines):
                if tuple(made_so) not in seen and len(seen) < _MOST and parses(made_so):
                    seen.add(tuple(made_so))
                    yield between(before, made_so)


def _is_phrase(text: str) -> bool:
    return len(TOKEN.findall(text)) > 1 and bool(re.search(r"\w", text))


def _ways(found: Sequence[Flow], told: dict[str, None], words: str) -> Iterator[tuple[float, Flow, int, int, str]]:
    there = {text: [(flow, *place) for flow in found for place in standing(flow, text)] for text in told}
    for new in (text for text in told if not there[text]):
        phrase = _DOTS.sub("", new)
        for old in (text for text in told if there[text]):
            yield from ((20.0 - at, flow, *place, phrase) for at, (flow, *place) in enumerate(there[old][:2]))  # type: ignore[misc]
        for flow in found:
            yield from ((score, flow, start, stop, phrase) for score, start, stop in alike(flow, phrase))
    for old, places in there.items():
        for word in _last_words(words, old) if places else ():
            for flow, start, stop in places[:2]:
                yield from ((12.0, flow, at, at + 1, fresh) for at, fresh in _kin(flow, start, stop, word))


def alike(flow: Flow, phrase: str) -> list[tuple[float, int, int]]:
    """The stretches of a paragraph that a phrase may stand for, each with how much it is like it."""
    new = [_stem(match[0]) for match in TOKEN.finditer(phrase)]
    if not 1 < len(new) <= 40:
        return []
    old = [_stem(token.text) for token in flow.tokens]
    begins, ends = _edges(flow)
    told = set(new)
    ended = phrase.rstrip()[-1:] in ".!?"
    starts = [at for at, word in enumerate(old) if word in told or at in begins]
    soft = {at for at, word in enumerate(old) if word in _AHEAD}
    stops = [
        at + 1 for at, word in enumerate(old) if at + 1 in ends or ((word in told or at + 1 in soft) and not ended)
    ]
    made = []
    for start in starts:
        for stop in stops:
            if start < stop <= start + 2 * len(new) + 8:
                score = _score(new, old[start:stop])
                if score < 0.5 or (ended and stop < len(old) and old[stop] == "." and stop + 1 in ends):
                    continue
                whole = start in begins and stop in ends and flow.tokens[start].text[0].isupper() == phrase[0].isupper()
                score += (old[start] == new[0]) + (start in begins and phrase[:1].isupper()) + whole * 0.3 * len(new)
                score += (old[stop - 1] == new[-1]) - 2 * (old[stop - 1] == "." and not ended)
                if phrase.split() != [one.text for one in flow.tokens[start:stop]]:
                    made.append((score, start, stop))
    return sorted(made, key=lambda way: -way[0])[:4]


def _edges(flow: Flow) -> tuple[set[int], set[int]]:
    """Where sentences, or what follows a colon, begin; where they end, with and without their sign."""
    tokens = flow.tokens
    beside = [(one.row, one.end) == (two.row, two.start) for one, two in pairwise(tokens)] + [False]
    signs = [at for at, one in enumerate(tokens) if one.text in ".!?:;" and not beside[at]]
    begins = {0, *(at + 1 for at in signs)}
    return begins, {len(tokens), *signs, *(at + 1 for at in signs)}


def _score(new: Sequence[str], old: Sequence[str]) -> float:
    rest = list(new)
    score = 0.0
    for word in old:
        weight = _weight(word)
        if word in rest:
            rest.remove(word)
            score += weight
        else:
            score -= 0.3 * weight
    return score


def _weight(word: str) -> float:
    return 2.0 if word[0].isalnum() and word not in _LIGHT else 2.0 if word[0] == "{" else 0.4


def _stem(word: str) -> str:
    word = word.lower()
    return re.sub(r"(?:e?s|e?d|ing|ly)$", "", word) if len(word) > 4 else word


def _last_words(words: str, old: str) -> list[str]:
    """Words told after what is quoted, or quoted alone, that may stand in it."""
    behind = words[words.rfind(old) + len(old) :]
    found = [span.text for span in spans(words) if span.mark and " " not in span.text]
    last = re.findall(r"[\w'-]+", re.sub(r"(?i)[.!?\s]*(?:please|instead|here|now)?[.!?\s]*$", "", behind))[-1:]
    return [word for word in dict.fromkeys((*found, *last)) if re.fullmatch(r"[\w'-]+", word)]


def _kin(flow: Flow, start: int, stop: int, word: str) -> Iterator[tuple[int, str]]:
    for at in range(start, stop):
        text = flow.tokens[at].text
        if text.lower() != word.lower() and text[0].isalpha() and _akin(text.lower(), word.lower()):
            yield at, word.capitalize() if text[0].isupper() and word.islower() else word


def _akin(one: str, other: str) -> bool:
    if min(len(one), len(other)) < 4:
        return len(one) > 1 and (plain_word(other) or one[0] == other[0]) and distance(one, other, 1) <= 1
    return _stem(one) == _stem(other) or distance(one, other, 2) <= 2
