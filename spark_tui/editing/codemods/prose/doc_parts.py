"""The parts of a docstring that words say can go: a paragraph, a field, a section or a directive with what is in it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import indentation

Rows = tuple[int, int]
_NOUN = re.compile(
    r"(?i)\b(?:doc(?:s|string)?s?|paragraphs?|sent[ea]nces?|sections?|notes?|warnings?|remarks?|disclaimer|todos?|hints?"
    r"|examples?|entry|entries|version\w*|deprecated|seealso|args|arguments?|param(?:eter)?s?|returns?|raises|rtype"
    r"|bullets?|links?|urls?|directives?|usage|attributes|caveat|advice|explanation|history|story)\b"
)
_OPENS = re.compile(r"\.\. \w+::|:\w+(?: [^:]*)?:|[-*] |\d+[.)] ")
_TITLE = re.compile(r"[A-Z][\w ]{2,24}:{1,2}$")
_BELOW = re.compile(r"(?i)\b(?:paragraph|sentence|note|part|bit|text) (?:below|after|behind|under|following) (.*)")
_WORD = re.compile(r"[^\W_]+(?:\.\d+)*")
_GLUE = frozenset(
    """a an the of in on to is it its be by for and or that this these those with without so as at any more still now
    can could would should will may go goes gone out drop remove delete cut lose kill rid take away not no who what
    which you your our we i he she they us please does do done did has have had was were are been from there here where
    line lines paragraph sentence docstring doc docs part bit note section last first second about than then all just
    nobody anybody reads read needs need longer superfluous who's that's""".split()  # noqa: SIM905 - see above
)


@dataclass(frozen=True, slots=True)
class _Part:
    rows: Rows
    words: frozenset[str]
    opens: bool


def parts_told(lines: Sequence[str], top: int, bottom: int, instruction: str) -> Iterator[Rows]:
    """The rows of the parts of a docstring that share most with the words; the likeliest first.

    Args: top: the row of the first line below the summary's first. bottom: the last row that is text.
    """
    if not _NOUN.search(instruction):
        return
    found = list(_parts(lines, top, bottom))
    if below := _BELOW.search(instruction):
        yield from _behind(found, _words(below[1]))
    said = _words(instruction)
    scores = [(len(said & part.words) + any(_alike(one, said) for one in _head(lines, part)), part) for part in found]
    most = max((score for score, _ in scores), default=0)
    best = [part for score, part in scores if score == most]
    if not most:
        yield from (part.rows for part in reversed([one for one in best if not one.opens][-3:]))
        return
    best.sort(key=lambda part: (part.rows[1] - part.rows[0], -part.rows[0]))
    yield from (part.rows for part in best[:4])


def _behind(found: Sequence[_Part], said: frozenset[str]) -> Iterator[Rows]:
    """The part that follows the one with most of the words."""
    plain = [part for part in found if not part.opens]
    counts = [len(said & part.words) for part in plain]
    if any(counts) and (at := counts.index(max(counts))) + 1 < len(plain):
        yield plain[at + 1].rows


def _head(lines: Sequence[str], part: _Part) -> frozenset[str]:
    return frozenset(_WORD.findall(lines[part.rows[0]].lower())[:2])


def _alike(word: str, said: frozenset[str]) -> bool:
    """Whether a long word is said, be it misspelt in its middle."""
    return len(word) > 6 and any(one[:6] == word[:6] for one in said)


def _words(text: str) -> frozenset[str]:
    words = (word.lower() for word in _WORD.findall(text.replace("_", " ")))
    return frozenset(word.removesuffix("s") if len(word) > 3 else word for word in words if word not in _GLUE)


def _parts(lines: Sequence[str], top: int, bottom: int) -> Iterator[_Part]:
    """Every paragraph and every field, bullet, section or directive with all that is set in deeper below it."""
    for row in range(top, bottom + 1):
        text = lines[row].strip()
        if not text:
            continue
        opens = bool(_OPENS.match(text) or _TITLE.match(text))
        first = row == top or not lines[row - 1].strip()
        last = _deeper(lines, row, bottom) if opens or not first else _paragraph(lines, row, bottom)
        if opens or first:
            yield _Part((row, last), _words(" ".join(lines[row : last + 1])), opens)


def _deeper(lines: Sequence[str], row: int, bottom: int) -> int:
    """The last row that is set in deeper than a row above it."""
    margin, last = len(indentation(lines[row])), row
    for at in range(row + 1, bottom + 1):
        if lines[at].strip() and len(indentation(lines[at])) <= margin:
            break
        last = at if lines[at].strip() else last
    return last


def _paragraph(lines: Sequence[str], row: int, bottom: int) -> int:
    while row < bottom and lines[row + 1].strip():
        row += 1
    return row
