"""Fields that docstrings lack, told bare: of a parameter, of what is returned or raised; in the style that is there.

"mention that it raises KeyError if x is unknown" tells ":raises KeyError: If x is unknown."; "document key: the key to
look up" tells ":param key: The key to look up.".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import MAX_WIDTH, Function, docstring_node, end_of, indentation, parameters, start_of
from spark_tui.editing.codemods.base import Ops, between, parses
from spark_tui.editing.codemods.common.said import word_said
from spark_tui.editing.codemods.prose.sentences_told import capital, ended, sentences_told
from spark_tui.editing.snippet import Snippet

_DOC = re.compile(
    r"(?i)\bdoc\w*\b|\bundocumented\b|:(?:param|returns?|raises|rtype)\b|\bdescri\w+|\bexplain\b|\bmention\b"
)
_WHEN = r"(?:,? (?P<{}>(?:if|when|unless|on|for) .+))?"
_RAISES = re.compile(
    r"(?i)\b(?:rais\w+|throws?)(?: an?| the| line for)? [`']*(?P<name>(?-i:[A-Z][\w.]*))[`']*(?: is raised)?"
    + _WHEN.format("rest")
    + r"|[`']*(?P<other>(?-i:[A-Z]\w*(?:Error|Exception|Warning|Exit)))[`']* (?:is|gets|may be) (?:raised|thrown)"
    + _WHEN.format("more")
)
_RETURNS = re.compile(r"(?i)\breturns?\b|\breturned\b|:returns?:|\bresult\b")
_FIELD = re.compile(r"\s*:(?P<key>\w+)(?P<name> [^:]*)?:\s*(?P<text>\S.*)?$")
_TITLE = re.compile(r"\s*(?P<title>Args|Arguments|Parameters|Params|Returns|Raises|Yields):\s*$")
_TAIL = re.compile(r"(?i),? (?:in|to) (?:the |its )?doc\w*.*$|[.!?]+$|,? (?:please|pls)$")
_MOST = 9


@dataclass(frozen=True, slots=True)
class _Doc:
    """A docstring in triple quotes: first and last row of its text, whether quotes stand behind it, its margin."""

    top: int
    last: int
    closed: bool
    indent: str
    rows: tuple[str, ...]


def doc_fields(before: Snippet, words: str) -> Iterator[Ops]:
    """Every field that may be meant, for each function with a docstring."""
    if not _DOC.search(words):
        return
    seen: set[tuple[str, ...]] = set()
    for function in before.functions[:3]:
        doc = _doc(before, function)
        for lines in _ways(before, function, doc, words) if doc else ():
            if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
                seen.add(tuple(lines))
                yield between(before, lines)


def _doc(before: Snippet, function: Function) -> _Doc | None:
    node = docstring_node(function)
    if node is None:
        return None
    (top, left), (bottom, right) = start_of(before, node), end_of(before, node)
    if not re.match(r"[rRuU]?(?:\"{3}|'{3})", before.lines[top][left:]):
        return None
    own = not before.lines[bottom][: right - 3].strip()
    last = bottom - 1 if own else bottom
    while last > top and not before.lines[last].strip():
        last -= 1
    return _Doc(top, last, not own, before.lines[top][:left], before.lines[top : bottom + 1])


def _ways(before: Snippet, function: Function, doc: _Doc, words: str) -> Iterator[list[str]]:
    there = " ".join(doc.rows)
    for match in _RAISES.finditer(words):
        name, rest = match["name"] or match["other"], _TAIL.sub("", match["rest"] or match["more"] or "")
        if rest and name not in there:
            yield from _field(before, doc, ("raises", "raise"), f" {name}", rest, "Raises")
    texts = [re.sub(r"^:\w+[^:]*: *", "", text) for text in sentences_told(words)]
    for text in texts:
        for one in parameters(function):
            if word_said(words, one.arg) and not re.search(rf"(?<!\w){one.arg}(?:`|\s*\([^)]*\))*\s*:", there):
                bare = re.sub(rf"^(?:that |what )?{one.arg}(?: is|:)? ", "", text)
                earlier = [other.arg for other in parameters(function)[: parameters(function).index(one)]]
                yield from _field(before, doc, ("param",), f" {one.arg}", bare, "Args", earlier)
        if _RETURNS.search(words) and not re.search(r":returns?:|Returns?:?\s", there):
            yield from _field(
                before, doc, ("return", "returns"), "", re.sub("^(?:that )?(?:it )?returns? ", "", text), "Returns"
            )


def _field(
    before: Snippet, doc: _Doc, keys: Sequence[str], name: str, text: str, title: str, earlier: Sequence[str] = ()
) -> Iterator[list[str]]:
    """With a field beside its like, or behind all others; with a section where there are sections."""
    fields = [(row, match) for row in range(doc.top, doc.last + 1) if (match := _FIELD.match(before.lines[row]))]
    titles = [row for row in range(doc.top, doc.last + 1) if _TITLE.match(before.lines[row])]
    forms = _forms(text, [match["text"] for _, match in fields if match["text"]])
    if titles and not fields:
        for form in forms:
            entry = f"{name.strip()}: {form}" if name else form
            if not any(title in before.lines[row] for row in titles):
                yield from _put(before, doc, doc.last, ["", f"{doc.indent}{title}:", f"{doc.indent}    {entry}"])
        return
    kept = [match["key"] for _, match in fields if match["key"] in keys]
    used = kept[:1] or (["returns"] if "returns" in keys and any(one["key"] == "raises" for _, one in fields) else [])
    for key in used or keys[:2]:
        for at in _places(before, doc, fields, key, earlier):
            for form in forms[:2] if len(keys) > 1 and not used else forms:
                head = f"{doc.indent}:{key}{name}:"
                lines = [head, f"{doc.indent}    {form}"] if _is_below(before, fields) else [f"{head} {form}"]
                yield from _put(before, doc, at, [*([] if fields else [""]), *lines])


def _is_below(before: Snippet, fields: Sequence[tuple[int, re.Match[str]]]) -> bool:
    """Whether the texts of the fields stand on the lines below their names."""
    return bool(fields) and all(
        not match["text"] and len(indentation(before.lines[row + 1])) > len(indentation(before.lines[row]))
        for row, match in fields
        if match["key"] != "rtype"
    )


def _forms(text: str, others: Sequence[str]) -> list[str]:
    """The text as the others are written: with a capital or without, with a period or without."""
    bare = text.rstrip(".")
    if others:
        big = sum(one[:1].isupper() for one in others) * 2 >= len(others)
        full = sum(one.endswith(".") for one in others) * 2 > len(others)
        first = capital(bare) if big else bare
        ways = [ended(first) if full else first, first, ended(first), ended(capital(bare)), bare]
    else:
        ways = [ended(capital(bare)), bare, capital(bare)]
    return list(dict.fromkeys(ways))[:3]


def _places(
    before: Snippet, doc: _Doc, fields: Sequence[tuple[int, re.Match[str]]], key: str, earlier: Sequence[str]
) -> list[int]:
    """The rows behind which a field may come: a parameter behind those before it, else before what comes later."""
    order = {"param": 0, "type": 0, "return": 1, "returns": 1, "rtype": 1}
    rank = order.get(key, 2)
    found = []
    if key == "param":
        above = [
            row for row, match in fields if (match["name"] or "").split()[-1:] and match["name"].split()[-1] in earlier
        ]
        params = [row for row, match in fields if match["key"] == "param"]
        found += [_end(before, above[-1], doc)] if above else [params[0] - 1] if params else []
    later = [row for row, match in fields if order.get(match["key"], 2) > rank]
    found += [later[0] - 1 if later else doc.last if not fields else _end(before, fields[-1][0], doc)]
    return list(dict.fromkeys(found))


def _end(before: Snippet, row: int, doc: _Doc) -> int:
    while (
        row < doc.last and len(indentation(before.lines[row + 1])) > len(doc.indent) and before.lines[row + 1].strip()
    ):
        row += 1
    return row


def _put(before: Snippet, doc: _Doc, row: int, fresh: Sequence[str]) -> Iterator[list[str]]:
    if any(len(line) > MAX_WIDTH for line in fresh):
        return
    if row == doc.last and doc.closed:
        line = before.lines[row].rstrip()
        body, marks = line[:-3].rstrip(), line[-3:]
        yield [*before.lines[:row], body, *fresh, doc.indent + marks, *before.lines[row + 1 :]]
    else:
        yield [*before.lines[: row + 1], *fresh, *before.lines[row + 1 :]]
