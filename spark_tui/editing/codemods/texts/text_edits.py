"""The edits that words make to the texts of a region: one text, or several where the words say so."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.texts import text_fields, text_words
from spark_tui.editing.codemods.texts.texts import Text, meant, named, texts, with_contents
from spark_tui.editing.snippet import Snippet

Change = Callable[[str, Text], Iterator[str]]
MESSAGES: tuple[Change, ...] = (
    text_fields.exemplified, text_fields.shown, text_words.ended, text_words.begun, text_words.unsigned,
    text_fields.reworded, text_fields.refilled, text_fields.precise, text_fields.measured,
    text_words.cased, text_words.spaced,
)  # fmt: skip
VALUES: tuple[Change, ...] = (text_words.another, text_words.respelled, text_words.valued)
_MOST_WAYS = 4
_DOCS = re.compile(r"(?i)\bdoc(?:s|string)?s?\b|\bcomments?\b")
_TEXTS = re.compile(r"(?i)\b(?:message|error|exception|text|string|log|print|warning|literal|output|label|title)s?\b")


def text_edits(before: Snippet, request: Request, changes: Sequence[Change]) -> Iterator[Ops]:
    """Every text that may be meant with what the words make of it."""
    if _DOCS.search(request.instruction) and not _TEXTS.search(request.instruction):
        return
    found = texts(before)
    for one_change in changes:
        change = partial(one_change, request.instruction)
        changed = [one for one in found if next(change(one), None) is not None]
        if one_change is text_words.valued and not request.selected:
            changed = named(changed, request.instruction)
        if one_change is text_fields.precise and changed:
            changes = [one for one in changes if one is not text_fields.measured]
        if not changed or one_change not in changes:
            continue
        for group in meant(changed, request):
            yield from _made(before, group, change)


def _made(before: Snippet, group: Sequence[Text], change: Callable[[Text], Iterator[str]]) -> Iterator[Ops]:
    ways = {one: list(dict.fromkeys(change(one)))[:_MOST_WAYS] for one in group}
    for place in range(max(map(len, ways.values()), default=0)):
        told = [(one, contents[min(place, len(contents) - 1)]) for one, contents in ways.items() if contents]
        after = with_contents(before, told)
        fits = all(_fits(before.lines[one.row], after[one.row]) for one, _ in told)
        if fits and parses(after):
            yield between(before, after)


def _fits(old: str, new: str) -> bool:
    """Whether a line is not too long; one that was already may get a few signs more."""
    return len(new) <= (MAX_WIDTH if len(old) <= MAX_WIDTH else len(old) + 4)
