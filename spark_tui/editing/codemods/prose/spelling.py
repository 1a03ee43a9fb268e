"""Slips of the pen in what is written for people: misspelt and doubled words, "an hint", brackets left open."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module

from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.common.said import plain_word, spans
from spark_tui.editing.codemods.prose.prose import Prose, prose_meant
from spark_tui.editing.snippet import Snippet

_SPELLING = re.compile(r"(?i)\btypos?\b|\bmis-?(?:spell?|type)\w*|\bspell\w*|\bspelt\b|\borthograph\w*")
_DOUBLED = re.compile(r"(?i)\bdoubl\w+|\btwice\b|\bduplicated? words?\b|\brepeated words?\b|\bword is repeated\b")
_GRAMMAR = re.compile(
    r"(?i)\bgramm[ae]r\b|\barticles?\b|\btypo\b|\bwrong\b|\bshould\b|\bbad\b|\bnot\b|\"an?\"|'an?'|`an?`|\ba/an\b"
)
_OPEN = re.compile(
    r"(?i)\b(?:never|not|isn't|aren't|missing|un|forgot\w*|lacks?|without|no|add|close|needs?)(?: to)?(?: be)?[ -]?"
    r"(?:\w+ ){0,2}?(?:clos\w+|balanced|paren\w*|brackets?|braces?|quotes?|backticks?|terminated)"
    r"|\bunclosed|\bunbalanced|\bunmatched"
)
_WORD = re.compile(r"[^\W\d_]+")
_ARTICLE = re.compile(r"(?<!\w)([Aa]n?)( )([A-Za-z]\w*)")
_VOWEL = re.compile(
    r"(?i)(?!uni|use|usu|uti|eu|one|once|ur[aei])[aeiou]|hour|honest|honou?r|heir|(?-i:[FHLMNRSX](?=[A-Z\d]))"
)
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("``", "``"), ("`", "`"))
_OFTEN = """
accept access accidentally accommodate accumulate achieve acknowledge acquire actually additional address adjacent
aggregate algorithm allocate already analysis apparent appearance appropriate arbitrary argument asynchronous attempt
attribute authentication authorization automatically auxiliary available basically because become beginning behavior
behaviour believe between boundary business calculate cancelled category certain changed character collection column
comparison compatible completely concatenate configuration connection conscious consecutive consistent container
convenient coordinate correctly corresponding current database decide default definitely definition delete dependency
deprecated dequeue describe description descriptor destination destroy determine dictionary different directory
disabled discard duplicate dynamically efficient eligible embarrass emit empty enabled encountered environment
equivalent especially exceed excellent exception execute existence existing existent expected explicit extension
failure fallback february field finally following foreign format forward function generate gracefully grammar guarantee
guaranteed handle hierarchy identifier ignore immediately implement implementation implicit important inconsistent
incorrect independent index infinite information inherit initial initialize initialization insert instance integer
interface intermediate interpret interrupt invalid irrelevant iterate iteration knowledge label language length library
maintenance manually maximum measurement memory message method minimum mismatch missing modified multiple mutable
necessary negative neighbor neighbour notice occasion occur occurred occurrence occurring operation operator optional
original output overridden override paragraph parallel parameter particular password perform performance permanent
permission persistent possible preceding preferred prepare presence previous primary privilege probably procedure
process property publicly queue quantity really receive received recipient recognize recommend recursive redundant
reference referred region register relevant remove repetition replace representation request required reserved resource
response result retrieve return review route schedule scheme search separate separated separately separator sequence
serialize several similar simultaneous single source specific specified specify statement status string subsequent
succeed success successful successfully suffix supersede support suppress synchronize syntax system target template
temporary terminate their therefore threshold through together tomorrow transfer transparent truncate tuple
unavailable undefined unexpected unfortunately unique unknown unnecessary unsupported until update useful usually
valid value variable version vertical visible weather weird whether which width without write writing
"""


def spelling_edits(before: Snippet, request: Request) -> Iterator[Ops]:
    """Every repair of a slip that the words speak of."""
    words = request.instruction
    ways: list[Iterator[tuple[Prose, int, int, str]]] = []
    if _SPELLING.search(words):
        ways.append(_misspelt(before, request))
    if _DOUBLED.search(words):
        ways.append(_doubled(before, request))
    if _GRAMMAR.search(words):
        ways.append(_articles(before, request))
    if _OPEN.search(words):
        ways.append(_unclosed(before, request))
    for found in ways:
        for one, start, stop, text in found:
            line = before.lines[one.row]
            lines = [*before.lines[: one.row], line[:start] + text + line[stop:], *before.lines[one.row + 1 :]]
            yield between(before, lines)


def _misspelt(before: Snippet, request: Request) -> Iterator[tuple[Prose, int, int, str]]:
    """A word told to be wrong as the nearest right one, or one that is told as the right spelling of it is."""
    told = [one.text for one in spans(request.instruction) if one.mark or not plain_word(one.text)]
    told = [word for text in told for word in _WORD.findall(text) if len(word) > 3]
    stretches = prose_meant(before, request)
    there = [(one, match) for one in stretches for match in _WORD.finditer(before.lines[one.row], one.start, one.end)]
    wrong = [word for word in told if any(match[0] == word for _, match in there)]
    if wrong:
        fixes = {word: nearest(word) for word in wrong if word.lower() not in known()} or {
            word: nearest(word) for word in wrong
        }
    else:
        words = {match[0] for _, match in there if len(match[0]) > 3}
        fixes = {word: tuple(right for right in told if distance(word, right, 2) <= 2) for word in words}
        if not any(fixes.values()):
            named = _in_names(before)
            fixes = {word: nearest(word)[:1] for word in words if _is_strange(word) and word.lower() not in named}
    for one, match in there:
        for right in fixes.get(match[0], ())[:3]:
            yield one, match.start(), match.end(), right.capitalize() if match[0][0].isupper() else right


def _in_names(before: Snippet) -> frozenset[str]:
    """The words that the names of the code are made of, in lower case."""
    names = (getattr(node, part, "") for node in before.nodes for part in ("id", "attr", "arg", "name"))
    return frozenset(
        word.lower() for name in names if isinstance(name, str) for word in re.findall(r"[A-Z]?[a-z]+", name)
    )


def _is_strange(word: str) -> bool:
    """Whether a word of a text is a slip for all that is known: plain, long enough, and no form of a known one."""
    if not word[1:].islower() or len(word) < 5:
        return False
    stems = {
        word.lower(),
        *(re.sub(ending, to, word.lower()) for ending in ("e?s$", "e?d$", "ing$", "ly$", "e?r$") for to in ("", "e")),
    }
    return not stems & known()


@lru_cache(maxsize=1)
def known() -> frozenset[str]:
    """Words that are spelt right: those of Python's own manual, and some that are often misspelt."""
    manual: dict[str, str] = import_module("pydoc_data.topics").topics
    return frozenset(_OFTEN.split()) | set(re.findall(r"[a-z]{3,}", " ".join(manual.values()).lower()))


@lru_cache(maxsize=64)
def nearest(word: str) -> tuple[str, ...]:
    """The known words that are one slip away, else two; its form with a usual ending, too."""
    lower = word.lower()
    for ending in ("", "s", "ed", "d", "ing", "ly"):
        stem = lower.removesuffix(ending)
        if lower.endswith(ending) and len(stem) > 3:
            for most in (1, 2) if len(stem) > 6 else (1,):
                found = [one for one in known() if abs(len(one) - len(stem)) <= most and one[0] == stem[0]]
                found = [one for one in found if 0 < distance(one, stem, most) <= most]
                if found:
                    return tuple(
                        one + ending for one in sorted(found, key=lambda one: (sorted(one) != sorted(stem), one))
                    )
    return ()


def distance(one: str, other: str, most: int) -> int:
    """How many letters are wrong, missing, too much or swapped; more than `most` for anything above."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    above: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        older, above, row = above, row, [at]
        for to, another in enumerate(other, 1):
            best = min(above[to] + 1, row[-1] + 1, above[to - 1] + (letter != another))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == another:
                best = min(best, older[to - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
    return row[-1]


def _doubled(before: Snippet, request: Request) -> Iterator[tuple[Prose, int, int, str]]:
    for one in prose_meant(before, request):
        for match in re.compile(r"(?i)\b(\w+)\s+\1\b").finditer(before.lines[one.row], one.start, one.end):
            yield one, match.start(), match.end(), match[1]


def _articles(before: Snippet, request: Request) -> Iterator[tuple[Prose, int, int, str]]:
    """The other article where the one that stands there is told, or where articles are spoken of and it is wrong."""
    told = {match[0].lower() for match in _ARTICLE.finditer(request.instruction)}
    spoken = re.search(r"\barticles?\b|\"an?\"|'an?'|`an?`|\ba/an\b", request.instruction)
    for one in prose_meant(before, request):
        for match in _ARTICLE.finditer(before.lines[one.row], one.start, one.end):
            right = match[1][0] + ("n" if _VOWEL.match(match[3]) else "")
            if right != match[1] and (match[0].lower() in told or spoken):
                yield one, match.start(), match.end(2), f"{right} "


def _unclosed(before: Snippet, request: Request) -> Iterator[tuple[Prose, int, int, str]]:
    """The bracket that closes one left open: at the end of the sentence, of the line, of the text."""
    for block in _blocks(prose_meant(before, request)):
        for opening, closing in _BRACKETS:
            open_at = _left_open(before, block, opening, closing)
            if open_at is not None:
                yield from ((one, place, place, closing) for one, place in _closings(before, block, open_at))
                break


def _blocks(found: Iterable[Prose]) -> Iterator[list[Prose]]:
    blocks: dict[tuple[str, int], list[Prose]] = {}
    for one in found:
        blocks.setdefault((one.sort, one.block), []).append(one)
    yield from blocks.values()


def _left_open(before: Snippet, block: Sequence[Prose], opening: str, closing: str) -> tuple[int, int] | None:
    """Where a bracket opens that is not closed: which stretch, and the column behind it."""
    waiting: list[tuple[int, int]] = []
    for at, one in enumerate(block):
        for match in re.finditer(f"{re.escape(opening)}|{re.escape(closing)}", before.lines[one.row][: one.end]):
            if match.start() < one.start:
                continue
            if match[0] == opening and (opening != closing or not waiting):
                waiting.append((at, match.end()))
            elif waiting:
                waiting.pop()
    return waiting[-1] if waiting else None


def _closings(before: Snippet, block: Sequence[Prose], opened: tuple[int, int]) -> Iterator[tuple[Prose, int]]:
    at, column = opened
    ends: list[tuple[Prose, int]] = []
    for one in block[at:]:
        start = column if one is block[at] else one.start
        line = before.lines[one.row][: one.end]
        if one is not block[at] and not line[one.start :].strip():
            break
        if sentence := re.compile(r"[.;!?](?=\s|$)").search(line, start):
            ends.append((one, sentence.start()))
            break
    ends.append((block[at], len(before.lines[block[at].row][: block[at].end].rstrip())))
    yield from dict.fromkeys(ends)
