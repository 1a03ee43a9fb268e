"""Other words for what docstrings and comments say: of a parameter, of what is returned, the first line, a comment."""

import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import MAX_WIDTH, end_of, indentation, start_of
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.common.said import spans, word_said
from spark_tui.editing.codemods.prose.comment_places import comments, comments_told
from spark_tui.editing.codemods.prose.prose import docstrings
from spark_tui.editing.codemods.texts.text_words import adds
from spark_tui.editing.snippet import Snippet

_DOC = re.compile(r"(?i)\bdoc(?:s|ument\w*|string)?s?\b|\bdescri(?:be|ption)\w*|:param\b|\bsummary\b")
_COMMENT = re.compile(r"\bcomments?\b|\b(?:TODO|FIXME|XXX|NOTE|HACK)\b")
_SELF = re.compile(r"(?i)\b\w+ \(\w+\):|:returns?:|\bargument\b")
_RETURNS = re.compile(r"(?i)\breturns?\b|\breturn value\b|:returns?:")
_SUMMARY = re.compile(r"(?i)\b(?:summary|first line|docstring|heading|one[- ]liner|doc)\b")
_TELLS = re.compile(r"(?:\b(?:says?|reads?|be|as|to|with|into|is)\s*:?|:|->|\u2192)\s+(?=\S)")
_ENTRY = re.compile(
    r"(\s*(?::(?:param|parameter|arg|argument|key|keyword)(?: [\w\[\], |.]+)? |\*{0,2}|- )?`{0,2})([^\W\d]\w*)"
    r"(`{0,2}(?: \([^)]*\))?:\s*)(\S.*)?$"
)
_COLUMNS = re.compile(r"(\s*)(\*{0,2}[^\W\d]\w*) ?:(?: .*)?$")
_SECTION = re.compile(r"(\s*)(?:(:returns?:\s*)(\S.*)|Returns?:?)$")
_OTHERWISE = re.compile(r"(?i)\b(?:take out|remove|drop|delete|can go|add|append|mention|rid of)\b")
_TASK = re.compile(r"(?:TODO|FIXME|XXX|NOTE|HACK)(?:\([^)]*\))?:? ?")


def doc_edits(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each line that may be meant with each text that may be told for it."""
    words = request.instruction
    yield from _selected(before, request)
    texts = [] if adds(words) or _OTHERWISE.search(words) else _texts(words, before)
    place = words.replace(texts[0], " ") if texts else ""
    if not texts or not (
        _DOC.search(words) or _COMMENT.search(words) or f'"{texts[0]}"' in words or _SELF.search(words)
    ):
        return
    spots = [*_described(before, place), *_commented(before, place)]
    for first, last, head in spots[:4]:
        for text in texts[:2]:
            tail = (
                '"""'
                if head.count('"""') == 1 and before.lines[last].rstrip().endswith('"""') and first == last
                else ""
            )
            line = _kept(head, text, before.lines[first][len(head) :]) + tail
            if len(line) <= MAX_WIDTH:
                yield between(before, [*before.lines[:first], line, *before.lines[last + 1 :]])


def _selected(before: Snippet, request: Request) -> Iterator[Ops]:
    """What is quoted in the place of the comment that is selected."""
    first, last = request.selected or (0, -1)
    rows = [row for row in range(first, last + 1) if before.lines[row].strip()]
    if not rows or not all(before.lines[row].lstrip().startswith("#") for row in rows):
        return
    for text in _texts(request.instruction, before)[:2]:
        line = f"{indentation(before.lines[rows[0]])}# {text.lstrip('# ')}"
        if len(line) <= MAX_WIDTH:
            yield between(before, [*before.lines[: rows[0]], line, *before.lines[rows[-1] + 1 :]])


def _kept(head: str, text: str, old: str) -> str:
    """The new line; a word like TODO that began a comment still does, and what the default is still ends an entry."""
    task = _TASK.search(head)
    if task and _TASK.match(text):
        return head[: task.start()] + text
    name = re.search(r"(\w+)`{0,2}(?: \([^)]*\))?:\s*$", head)
    if name and re.match(rf"{name[1]}(?: \([^)]*\))?: ", text):
        return head[: name.start()] + text
    default = re.search(r" Defaults? (?:to|is) [^.]*\.?$", old)
    cased = text[:1].upper() + text[1:] if name and old[:1].isupper() else text
    return head + cased + (default[0] if default and "efault" not in text else "")


def _texts(words: str, before: Snippet) -> list[str]:
    """What may be the new text: what is quoted, else what follows the words that introduce it."""
    quoted = [span.text for span in spans(words) if span.mark and " " in span.text.strip()]
    quoted = [text for text in quoted if not any(text in line for line in before.lines)]
    tails = [words[cue.end() :].strip() for cue in _TELLS.finditer(words)]
    tails.sort(key=lambda tail: (words[: len(words.rstrip()) - len(tail)].rstrip()[-1:] != ":", len(tail)))
    return list(dict.fromkeys(quoted or [one for one in tails if one and "\n" not in one and len(one) > 2]))


def _described(before: Snippet, words: str) -> Iterator[tuple[int, int, str]]:
    """First and last row of an entry of a docstring, and what of it stays in front of its text."""
    some = False
    for node in docstrings(before):
        top, bottom = start_of(before, node)[0], end_of(before, node)[0]
        for row in range(top + 1, bottom + 1):
            entry = _entry(before.lines, row, bottom, words)
            if entry:
                some = True
                yield entry
    for node in docstrings(before) if not some and _DOC.search(words) and _SUMMARY.search(words) else ():
        top, left = start_of(before, node)
        mark = re.match(r"""[rRuU]?("{3}|'{3}|"|')""", before.lines[top][left:])
        if mark and before.lines[top][left + mark.end() :].strip(" \"'"):
            yield top, top, before.lines[top][: left + mark.end()]
        elif mark and top < bottom and before.lines[top + 1].strip(" \"'"):
            yield top + 1, top + 1, indentation(before.lines[top + 1])


def _entry(lines: Sequence[str], row: int, bottom: int, words: str) -> tuple[int, int, str] | None:
    line = lines[row]
    if (entry := _ENTRY.fullmatch(line)) and word_said(words, entry[2]) and entry[2] not in ("return", "returns"):
        head = line[: entry.start(4)] if entry[4] else line.rstrip() + " "
        return row, _ends(lines, row, bottom), head
    if (entry := _COLUMNS.fullmatch(line)) and word_said(words, entry[2].lstrip("*")) and row < bottom:
        deeper = indentation(lines[row + 1])
        if len(deeper) > len(entry[1]):
            return row + 1, _ends(lines, row, bottom), deeper
    if (entry := _SECTION.fullmatch(line)) and _RETURNS.search(words):
        if entry[2]:
            return row, _ends(lines, row, bottom), line[: entry.start(3)]
        below = row + 2 if row < bottom and set(lines[row + 1].strip()) == {"-"} else row + 1
        if below <= bottom and len(indentation(lines[below])) >= len(entry[1]) and lines[below].strip(' "'):
            typed = re.match(r"\s*[\w\[\], |.]+: (?=\S)", lines[below])
            return below, _ends(lines, row, bottom), typed[0] if typed else indentation(lines[below])
    return None


def _ends(lines: Sequence[str], row: int, bottom: int) -> int:
    """The last row of an entry: what is set in deeper below it belongs to it."""
    last, margin = row, len(indentation(lines[row]))
    while last < bottom and len(indentation(lines[last + 1])) > margin and lines[last + 1].strip(' "'):
        last += 1
    return last


def _commented(before: Snippet, words: str) -> Iterator[tuple[int, int, str]]:
    found = comments(before) if _COMMENT.search(words) else []
    for group in comments_told(before, found, words) or [[one] for one in found]:
        line = before.lines[group[0].line]
        head = re.match(r"#+\s?", line[group[0].column :])
        if head and group[-1].line - group[0].line == len(group) - 1:
            task = _TASK.match(line[group[0].column + head.end() :])
            yield group[0].line, group[-1].line, line[: group[0].column] + head[0] + (task[0] if task else "")
