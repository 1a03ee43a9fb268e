"""Running text of docstrings and comments as paragraphs, of texts as they are: found and reworded across lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.codemods.prose.phrases import written_in
from spark_tui.editing.codemods.prose.prose import Prose
from spark_tui.editing.codemods.prose.spelling import distance
from spark_tui.editing.codemods.texts.texts import texts
from spark_tui.editing.snippet import Snippet

TOKEN = re.compile(r"\{[^{}]*\}|\w+|[^\w\s]")
_OPENS = re.compile(
    r"\s*(?:>>>|[-*] |\.\. |:[\w ]+:(?=\s|$)|\*{0,2}`{0,2}\w+`{0,2}(?: \([^)]*\))?:(?:\s|$)|\d+\. |[-=~^\"']{3})"
)
_MARGIN = re.compile(r"(?:#+[:!]? ?)?\s*")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a sign, where it stands."""

    text: str
    row: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Flow:
    """A paragraph: its stretches (one a line) and their tokens."""

    parts: tuple[Prose, ...]
    tokens: tuple[Token, ...]


def flows(before: Snippet, found: Sequence[Prose]) -> tuple[Flow, ...]:
    """The paragraphs of stretches in source order."""
    return _flows(before.lines, tuple(found))


@lru_cache(8)
def _flows(lines: tuple[str, ...], found: tuple[Prose, ...]) -> tuple[Flow, ...]:
    return tuple(Flow(tuple(parts), tuple(_tokens(lines, parts))) for parts in _paragraphs(lines, found))


def _paragraphs(lines: Sequence[str], found: Sequence[Prose]) -> Iterator[list[Prose]]:
    parts: list[Prose] = []
    for one in found:
        content = lines[one.row][one.start : one.end]
        goes_on = parts and (one.sort, one.block, one.row) == (parts[-1].sort, parts[-1].block, parts[-1].row + 1)
        if parts and (not goes_on or one.sort == "text" or _OPENS.match(content) or not content.strip(" #")):
            yield parts
            parts = []
        if content.strip(" #"):
            parts.append(one)
    if parts:
        yield parts


def _tokens(lines: Sequence[str], parts: Sequence[Prose]) -> Iterator[Token]:
    for one in parts:
        start = one.start
        if one.sort == "comment" and (margin := _MARGIN.match(lines[one.row], start)):
            start = margin.end()
        for match in TOKEN.finditer(lines[one.row], start, one.end):
            yield Token(match[0], one.row, match.start(), match.end())


def standing(flow: Flow, phrase: str, loosely: bool = False) -> Iterator[tuple[int, int]]:
    """Where the words of a phrase stand one behind the other, whatever is between them; `loosely`: but for slips."""
    told = [match[0] for match in TOKEN.finditer(phrase)]
    words = [token.text for token in flow.tokens]
    for at in range(len(words) - len(told) + 1) if told else ():
        there = words[at : at + len(told)]
        if there == told or (loosely and len(told) > 1 and all(map(_is_slip, there, told))):
            yield at, at + len(told)


def _is_slip(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) > 2 and one[0] == other[0] and distance(one, other, 1) < 2)


def rewritten(before: Snippet, flow: Flow, start: int, stop: int, phrase: str, joined: bool = False) -> list[str]:
    """The lines with a phrase in the place of tokens. No Python where too long.

    What stays keeps its line breaks, unless all is to be `joined`.
    """
    old = flow.tokens[start:stop]
    text = phrase if joined else _aligned(before, old, phrase)
    first, last = old[0], old[-1]
    text = text.rstrip() if before.lines[last.row][last.end : last.end + 1] == " " else text
    if flow.parts[0].sort == "text":
        one = flow.parts[0]
        piece = next((piece for piece in texts(before) if (piece.row, piece.start) == (one.row, one.start)), None)
        line = before.lines[one.row]
        return written_in(before, one, line[one.start : first.start] + text + line[last.end : one.end], piece)
    whole = before.lines[first.row][: first.start] + text + before.lines[last.row][last.end :]
    fresh = [line.rstrip() for line in whole.split("\n")]
    most = max(MAX_WIDTH + 10, *(len(before.lines[row]) + 8 for row in range(first.row, last.row + 1)))
    return [*before.lines[: first.row], *fresh, *before.lines[last.row + 1 :]] if len(fresh[0]) <= most else ["("]


def _aligned(before: Snippet, old: Sequence[Token], phrase: str) -> str:
    """The phrase with the gaps of the old text where two words stay beside each other."""
    new = list(TOKEN.finditer(phrase))
    pairs = SequenceMatcher(None, [one.text for one in old], [one[0] for one in new], autojunk=False)
    kept = {block.b + at: block.a + at for block in pairs.get_matching_blocks() for at in range(block.size)}
    parts = [phrase[: new[0].start()]]
    breaks: set[int] = set()
    for at, token in enumerate(new[:-1]):
        gap = phrase[token.end() : new[at + 1].start()]
        for left in ([kept[at]] if at in kept else []) + ([kept[at + 1] - 1] if at + 1 in kept else []):
            if 0 <= left < len(old) - 1 and old[left].row != old[left + 1].row and left not in breaks:
                breaks.add(left)
                gap = "\n" + before.lines[old[left + 1].row][: old[left + 1].start]
                break
        parts += [token[0], gap]
    return "".join([*parts, new[-1][0]]) + phrase[new[-1].end() :]
