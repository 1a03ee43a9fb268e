"""Entries that docstrings lack: of a parameter that is named, with the text told, beside those of the others."""

import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, docstring_node, indentation, parameters
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.codemods.statements.statement_words import stems
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet

_ENTRY = re.compile(
    r"(?P<head>\s*(?::(?:param|parameter|arg|keyword)(?: [\w\[\], |.]+)? |\*{0,2}))"
    r"(?P<name>\w+)(?P<sep>(?: \([^)]*\))?: ?)\S"
)
_FIELD = re.compile(r"\s*:\w+[^:]*:")
_BESIDE = re.compile(
    r"\b(?P<side>after|below|behind|under|before|above) (?:the |that |it )?(?P<what>.{2,50})", re.IGNORECASE
)


def doc_entries(before: Snippet, words: str) -> Iterator[Ops]:
    """The entry told for each parameter named that has none; or the line told, beside the one told."""
    quoted = [span.text.strip() for span in spans(words) if span.mark in ("'", '"') and " " in span.text.strip()]
    quoted = [text for text in quoted if _FIELD.match(text)] or quoted
    if len(quoted) != 1:
        return
    text, rest = quoted[0], words.replace(quoted[0], " ")
    for function in before.functions:
        node = docstring_node(function)
        if node is None or node.end_lineno == node.lineno:
            continue
        rows = range(node.lineno - 1, node.end_lineno or node.lineno)
        if _FIELD.match(text):
            yield from _told_line(before, rows, text, rest)
            continue
        found = [(row, match) for row in rows if (match := _ENTRY.match(before.lines[row]))]
        known = {match["name"] for _, match in found}
        names = [one.arg for one in parameters(function)]
        found = [(row, match) for row, match in found if match["name"] in names]
        for name in names:
            if found and name not in known and re.search(rf"(?<!\w){name}(?!\w)", rest):
                earlier = [one for one in found if names.index(one[1]["name"]) < names.index(name)]
                row, match = (earlier or found)[-1]
                at = _end(before, row, rows[-1]) if earlier else found[0][0] - 1
                kept = re.sub(r" \([^)]*\)", "", match["sep"])
                line = f"{match['head']}{name}{kept}{text}"
                if len(line) <= MAX_WIDTH:
                    yield (Insert(at, (line,)),)


def _end(before: Snippet, row: int, last: int) -> int:
    """The last line of an entry: those that go on deeper belong to it."""
    indent = len(indentation(before.lines[row]))
    while row + 1 < last and before.lines[row + 1].strip() and len(indentation(before.lines[row + 1])) > indent:
        row += 1
    return row


def _told_line(before: Snippet, rows: range, text: str, rest: str) -> Iterator[Ops]:
    """A line told as it is: beside the field that shares most words with what is told, else behind the last one."""
    fields = [row for row in rows if _FIELD.match(before.lines[row])]
    if not fields:
        return
    told = _BESIDE.search(rest)
    said = stems(told["what"]) if told else set()
    best = max(fields, key=lambda row: (len(said & stems(before.lines[row])), row))
    params = [row for row in fields if ":param" in before.lines[row]]
    above = told is not None and told["side"].lower() in ("before", "above")
    for row in dict.fromkeys([best, *params[-1:]]):
        line = indentation(before.lines[row]) + text
        yield (Insert(row - 1 if above and row == best else _end(before, row, rows[-1]), (line,)),)
