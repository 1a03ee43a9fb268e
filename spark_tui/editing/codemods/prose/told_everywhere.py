"""A word or two that become others wherever they stand: in the texts, in the docstring, in all of the region."""

import re
from collections.abc import Iterator
from itertools import product

from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.said import code_like, spans
from spark_tui.editing.codemods.prose.prose import prose
from spark_tui.editing.snippet import Snippet

_SEVERAL = re.compile(
    r"(?i)\b(?:both|twice|two|three|all|every\w*|each|as well|too|also|same|places|throughout|lines|and its|either)\b"
)
_ARROW = re.compile(r"(?P<old>\S.*?) (?:->|=>|\u2192|instead of|should be|becomes) (?P<new>.*)")
_REST = re.compile(r"(?:,| and | in |[.;!?](?:\s|$)).*")
_WORD = re.compile(r"[^\W\d]\w*")
_NO_WORDS = frozenset(
    "the a an and or in of is it to be as for with both twice two all each every put use so which that this on".split()  # noqa: SIM905
)
_MOST = 4


def told_everywhere(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each pair of old and new that the words tell, the old one being on several lines: on all of them."""
    if not _SEVERAL.search(request.instruction):
        return
    first, last = request.selected or (0, len(before.lines))
    written = {one.row for one in prose(before)}
    made = 0
    for old, new in dict.fromkeys([*_arrows(request.instruction), *_said(before, request.instruction)]):
        pattern = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
        rows = [row for row, line in enumerate(before.lines) if first <= row <= last and pattern.search(line)]
        for among in dict.fromkeys((tuple(rows), tuple(row for row in rows if row in written))):
            after = [
                pattern.sub(lambda _, new=new: new, line) if row in among else line  # type: ignore[misc]
                for row, line in enumerate(before.lines)
            ]
            if len(among) > 1 and made < _MOST and parses(after):
                made += 1
                yield between(before, after)


def _arrows(instruction: str) -> Iterator[tuple[str, str]]:
    """What differs between the two sides of an arrow."""
    for line in instruction.splitlines():
        if told := _ARROW.fullmatch(line.strip()):
            old, new = told["old"].strip("`\"' "), told["new"].strip()
            ends = [span for span in spans(new) if span.mark and span.start < 2]
            new = ends[0].text if ends else _REST.sub("", new).strip("`\"' ")
            yield from _core(old.split(), new.split())


def _core(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    """The words that differ, without the ones around them that are the same, nor signs at their ends."""
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    one, two = " ".join(old).strip(":,.()`'\""), " ".join(new).strip(":,.()`'\"")
    if one and two:
        yield one, two


def _said(before: Snippet, instruction: str) -> Iterator[tuple[str, str]]:
    """A word that stands on several lines written for people, and a name or something quoted that is said too."""
    rows = [before.lines[one.row][one.start : one.end] for one in prose(before)]
    said = [word for word in dict.fromkeys(_WORD.findall(instruction)) if word.lower() not in _NO_WORDS]
    counts = {word: sum(1 for row in rows if re.search(rf"(?<!\w){word}(?!\w)", row)) for word in said}
    olds = [word for word in said if counts[word] > 1]
    names = {one for node in before.functions for one in (node.name, *(arg.arg for arg in node.args.args))}
    quoted = [span.text for span in spans(instruction) if span.mark and _WORD.fullmatch(span.text)]
    news = [word for word in said if word in names or (code_like(word) and not counts[word])] + quoted
    yield from (pair for pair in product(olds, news) if pair[0] != pair[1] and pair[0] not in names)
