"""Phrases told for what is written for people: fitted in where their words stand already.

"say `the header`" makes "whether header is" to "whether the header is": the words that a phrase begins and ends with
tell where it belongs. The surest places come first.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.codemods.prose.prose import Prose, prose_meant
from spark_tui.editing.codemods.texts.texts import Text, texts, with_contents
from spark_tui.editing.snippet import Snippet

_TOKEN = re.compile(r"\{[^{}]*\}|\w+|[^\w\s]")
_DOTS = r"(?:\.\.\.|\u2026)"
_LIGHT = frozenset("a an the of to in on at is are be it and or for with by as that this not no if".split())  # noqa: SIM905
_TAIL = re.compile(
    r"(?is)^\W*(?:it'?s|that'?s|it is|that is|(?:it |this |that )?(?:should|must|has to|ought to) (?:be|read|say)"
    r"|means?|->|\u2192|=>|rather|make (?:it|that)|to|becomes?)[: ]+(?P<new>[^\"`]+?)[.!?]*$"
)
_TWICE = re.compile(r"(?i)\b(\w+(?:\W+\w+){0,3})\W+\1\b")
_DETERMINERS = frozenset(("a", "an", "the", "its", "this", "that"))
_GAP = 6
_FEW = 3
_MOST = 6


def phrase_edits(before: Snippet, request: Request, sorts: Sequence[str]) -> Iterator[Ops]:
    """Every place in docstrings, comments or texts that a phrase fits into."""
    stretches = [one for one in _stretches(before, request) if one.sort in sorts]
    seen: set[tuple[str, ...]] = set()
    for lines in islice(_all(before, request.instruction, stretches), 4 * _MOST):
        if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
            seen.add(tuple(lines))
            yield between(before, lines)


def _all(before: Snippet, words: str, stretches: Sequence[Prose]) -> Iterator[list[str]]:
    pieces = {(one.row, one.start): one for one in texts(before)}
    flowing = " ".join(line.strip(" #") for line in before.lines)
    made: list[tuple[int, int, Prose, str]] = []
    for one in stretches:
        content = before.lines[one.row][one.start : one.end]
        made += [(score, len(made), one, new) for score, new in _news(words, content, flowing)]
        made += [(8, len(made), one, new) for new in _instead(words, content) if one.sort == "text"]
    for _, _, one, new in sorted(made, key=lambda way: (-way[0], way[1])):
        yield written_in(before, one, new, pieces.get((one.row, one.start)))


def _news(words: str, content: str, flowing: str) -> Iterator[tuple[int, str]]:
    for span in spans(words):
        if not span.mark or not span.text.strip() or words[: span.start].endswith(("(", "[")):
            continue
        if span.mark == "`" and not re.fullmatch(r"[\w ,'-]+[.!?]?", span.text):
            continue
        if span.text in content and (tail := _TAIL.match(words[span.end :])) and " " in span.text:
            yield 9, content.replace(span.text, tail["new"], 1)
        elif span.text not in flowing:
            yield from (way for way in fitted(span.text, content) if _is_sound(way[1], content))


def _instead(words: str, content: str) -> Iterator[str]:
    """Sentences told that say most of what a text says now."""
    there = set(_long_words(content))
    for span in spans(words) if there else ():
        told = set(_long_words(span.text)) if span.mark else set[str]()
        if len(told) > 1 and 2 * len(told & there) >= max(len(told), len(there)) and not re.search(_DOTS, span.text):
            yield span.text


def _long_words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]{3,}", re.sub(r"\{[^{}]*\}", " ", text).lower())


def _is_sound(new: str, content: str) -> bool:
    """Whether no words are said twice in a row that were not before."""
    return bool(_TWICE.search(content)) or not _TWICE.search(new)


def written_in(before: Snippet, one: Prose, content: str, text: Text | None) -> list[str]:
    """The lines with another content of a stretch; those too long are none, and so no Python."""
    if text is not None:
        after = with_contents(before, [(text, content)])
    else:
        line = before.lines[one.row]
        after = [*before.lines]
        after[one.row] = line[: one.start] + content + line[one.end :]
    return after if len(after[one.row]) <= max(MAX_WIDTH + 10, len(before.lines[one.row]) + 8) else ["("]


def _stretches(before: Snippet, request: Request) -> Sequence[Prose]:
    told = any(span.mark and _TOKEN.search(span.text) for span in spans(request.instruction))
    return prose_meant(before, request) if told else ()


def fitted(phrase: str, content: str) -> Iterator[tuple[int, str]]:
    """Contents with the phrase in them, each with how sure its place is."""
    phrase = re.sub(rf"^{_DOTS}\s*|\s*{_DOTS}$", "", phrase)
    new, old = list(_TOKEN.finditer(phrase)), list(_TOKEN.finditer(content))
    if len(new) < 2 or len(new) > 30 or len(old) < 2:
        return
    told = [token[0].lower() for token in new]
    there = [token[0].lower() for token in old]
    for at in range(len(there)):
        head = _same(told, there[at:])
        if 0 < head < len(told):
            yield from _from_head(phrase, content, new, old, at, head)
        tail = _same(told[::-1], there[: at + 1][::-1])
        if 0 < tail < len(told) and not head:
            yield from _from_tail(phrase, content, new, old, at + 1, tail)


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count


def _weight(tokens: Sequence[re.Match[str]]) -> int:
    """How much it says that these are the same in both."""
    return sum(2 if token[0].lower() not in _LIGHT and token[0][:1].isalnum() else 0 for token in tokens) + (
        len(tokens) > 1
    )


def _from_head(
    phrase: str, content: str, new: Sequence[re.Match[str]], old: Sequence[re.Match[str]], at: int, head: int
) -> Iterator[tuple[int, str]]:
    """With the phrase from where its first words stand: up to its last words, else with its rest put behind them."""
    rest, weight = len(new) - head, _weight(new[:head])
    behind = [token[0].lower() for token in old[at + head :]]
    for tail in range(min(rest, len(behind)), 0, -1):
        ending = [token[0].lower() for token in new[-tail:]]
        gap = next((gap for gap in range(len(behind) - tail + 1) if behind[gap : gap + tail] == ending), None)
        if gap is not None and gap <= max(_GAP, rest) and weight + _weight(new[-tail:]) > 1:
            stop = old[at + head + gap + tail - 1].end()
            yield (
                weight + _weight(new[-tail:]) + 1,
                content[: old[at].start()] + _cased(phrase, old[at]) + content[stop:],
            )
            return
    if weight < 2 or _weight(new[head:]) == 0:
        return
    end, added = old[at + head - 1].end(), phrase[new[head - 1].end() :]
    if rest == 1 and at + head < len(old) and old[at + head][0][:1].isalnum():
        like = _alike(new[-1][0], old[at + head][0])
        gap_text = content[end : old[at + head].start()]
        yield weight + 2 * like, content[:end] + gap_text + new[-1][0] + content[old[at + head].end() :]
    if (rest > _FEW and re.match(r"\s*\w", content[end:])) or _merges(content[end - 1 : end], added, content[end:]):
        return
    if content[end:].startswith(added[-1]):
        added = added[:-1] if added[-1] in ".!?,;:" else added
    yield weight, content[:end] + added + content[end:]


def _from_tail(
    phrase: str, content: str, new: Sequence[re.Match[str]], old: Sequence[re.Match[str]], stop: int, tail: int
) -> Iterator[tuple[int, str]]:
    """With the beginning of the phrase put before its last words, or in the place of the word there."""
    weight, rest = _weight(new[-tail:]), len(new) - tail
    if weight < 2 or stop < tail:
        return
    start, added = old[stop - tail].start(), phrase[: new[-tail].start()]
    if (rest > _FEW and re.search(r"\w", content[:start])) or _merges(content[:start], added, content[start:]):
        return
    if rest == 1 and stop > tail and _alike(new[0][0], old[stop - tail - 1][0]):
        before = old[stop - tail - 1]
        yield weight + 1, content[: before.start()] + new[0][0] + content[before.end() :]
    yield weight - (stop - tail == 0 and not phrase[:1].isupper()), content[:start] + added + content[start:]


def _merges(left: str, added: str, right: str) -> bool:
    """Whether a word would grow together with another one."""
    return bool(re.search(r"\w\w", left[-1:] + added[:1]) or re.search(r"\w\w", added[-1:] + right[:1]))


def _cased(phrase: str, first: re.Match[str]) -> str:
    """The phrase with its first letter as it is in the text."""
    return first[0][:1] + phrase[1:]


def _alike(one: str, other: str) -> bool:
    """Whether a word may be a form of another one, or a number for a number."""
    if {one.lower(), other.lower()} <= _DETERMINERS:
        return True
    numbers = "one two three four five six seven eight nine ten".split()  # noqa: SIM905
    if one.isdigit() and (other.isdigit() or other.lower() in numbers):
        return True
    shared = len(_common(one.lower(), other.lower()))
    return shared >= 3 and shared >= max(len(one), len(other)) - 3


def _common(one: str, other: str) -> str:
    return one[: _same(one, other)]
