"""One more constant or field below its like, by the name that is told: "add ORC", "a FILE = 3 too"."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import stands_alone, statement_lines
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.said import certain, code_like, literal, spans
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_ADDED = re.compile(
    r"\b(?:adds?|also|too|as well|new|needs?|missing|lacks?|another|one more|have|put|next to|please|goes|same)\b",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\b(?:before|above|ahead of) [`'\"]?(?P<below>\w+)"
    r"|\b(?:after|below|behind|next to|under|between|following) (?:the )?[`'\"]?(?P<above>\w+)"
)
_FIRST = re.compile(r"\b(?:first|at the (?:top|start|beginning))\b")
_ENTRY = re.compile(
    r"(?P<name>[^\W\d]\w*)`?(?: ?[:=] ?| as | with value | set to |, | is | of )`?"
    rf"(?P<value>{SIGNED}|True|False|None|\[\]|\{{\}})(?![\w.])"
)
_WAYS: tuple[Callable[[str], str], ...] = (
    str, str.lower, str.upper, str.title, str.capitalize,
    lambda one: one.lower().replace("_", "-"), lambda one: one.lower().replace("_", "."),
    lambda one: one.lower().replace("_", " "), lambda one: one.lower().replace("_", ""),
    lambda one: one.capitalize().replace("_", " "), lambda one: f"_{one.lower()}_",
)  # fmt: skip
_NO_NAMES = frozenset(
    """others way enum constant constants value values state states attribute field class type key flag member attr
    param""".split()  # noqa: SIM905
)
_MOST_NAMES, _MOST = 3, 6


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line that gives a name a constant: the name, what stands before and behind it in the line, the value."""

    node: ast.stmt
    name: str
    head: str
    middle: str
    value: ast.Constant


def constants_added(before: Snippet, words: str) -> list[Ops]:
    """The lines that may be meant, each below the entries of its run or where the words tell."""
    if not _ADDED.search(words):
        return []
    found: list[Ops] = []
    for run in _runs(before):
        for name in _names(before, words, run)[:_MOST_NAMES]:
            value = _value(before, words, run, name)
            like = run[-1]
            if value:
                line = f"{like.head}{name}{like.middle}{value}"
                found += [(Insert(after, (line,)),) for after in _places(run, words, name)]
    return found[:_MOST]


def _runs(before: Snippet) -> Iterator[list[_Entry]]:
    """The entries that follow one another in a block, alike but for names and values."""
    for node in (before.tree, *before.nodes):
        block = getattr(node, "body", None)
        fields = isinstance(node, ast.ClassDef)
        run: list[_Entry] = []
        for statement in block if isinstance(block, list) else []:
            entry = None if fields and isinstance(statement, ast.AnnAssign) else _entry(before, statement)
            if entry and run and (entry.head, entry.middle, type(entry.value.value)) == (
                run[-1].head, run[-1].middle, type(run[-1].value.value)
            ):  # fmt: skip
                run.append(entry)
                continue
            if run:
                yield run
            run = [entry] if entry else []
        if run:
            yield run


def _entry(before: Snippet, node: ast.stmt) -> _Entry | None:
    match node:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=ast.Constant() as value):
            pass
        case ast.AnnAssign(target=ast.Name() | ast.Attribute() as target, value=ast.Constant() as value):
            pass
        case _:
            return None
    first, last = statement_lines(node)
    line = before.lines[first]
    name = target.id if isinstance(target, ast.Name) else target.attr
    match_ = re.match(rf"(\s*(?:self\.)?){name}(\s*(?::[^=]+)?=\s*)", line)
    if first != last or match_ is None or not stands_alone(before, node):
        return None
    return _Entry(node, name, match_[1], match_[2], value)


def _names(before: Snippet, words: str, run: Sequence[_Entry]) -> list[str]:
    """The names that may be meant, spelt like those of the run, the surest first."""
    loud, had = all(one.name.isupper() for one in run), {one.name.lower() for one in run}
    code = {word.lower() for line in before.lines for word in re.findall(r"\w+", line)}
    lead, tail = _shared([one.name for one in run])
    rated: list[tuple[int, str]] = []
    for span in spans(_NEXT.sub(" ", words)):
        text = span.text.rstrip(":=").partition("=")[0].strip()
        if not text.isidentifier() or text.lower() in had or text.lower() in _NO_NAMES:
            continue
        if not (span.mark or certain(text)) or (text.lower() in code and not (span.mark or text.isupper())):
            continue
        if span.mark in ("'", '"') and not text.isupper():
            continue
        rank = 0 if text.isupper() or span.mark == "`" else 1 if code_like(text) else 2
        name = text.upper() if loud else text
        whole = name if name.startswith(lead) and name.endswith(tail) else f"{lead}{name}{tail}"
        rated += [(rank, whole)] if whole == name or len(run) > 2 or rank == 2 else [(rank, name), (rank, whole)]
    rated = [one for one in sorted(rated, key=lambda one: one[0]) if one[1].isidentifier()]
    return list(dict.fromkeys(name for rank, name in rated if rank < 2 or rank == rated[0][0]))


def _shared(names: Sequence[str]) -> tuple[str, str]:
    """What all names of a run begin and end with, in whole words."""
    if len(names) < 2:
        return "", ""
    parts = [name.split("_") for name in names]
    short = min(map(len, parts)) - 1
    ahead = next((at for at in range(short) if len({one[at] for one in parts}) > 1), short)
    behind = next((at for at in range(short - ahead) if len({one[-1 - at] for one in parts}) > 1), short - ahead)
    lead = "".join(f"{part}_" for part in parts[0][:ahead])
    tail = "".join(f"_{part}" for part in parts[0][len(parts[0]) - behind :])
    return lead, tail


def _value(before: Snippet, words: str, run: Sequence[_Entry], name: str) -> str:
    """The value as source: as it is told, made from the name as in the run, the next number, or that of all; or ""."""
    values = [one.value.value for one in run]
    last = values[-1]
    if isinstance(last, str):
        texts = [
            span.text
            for span in spans(words)
            if span.mark and not span.text.isupper() and span.text.lower() != name.lower()
        ]
        texts = [one for one in texts if one.lower() not in {entry.name.lower() for entry in run}]
        if way := _way(run):
            return literal(texts[0] if texts else way(name), _mark(before, run[-1]))
        return literal(texts[0], _mark(before, run[-1])) if texts else ""
    if told := next((one["value"] for one in _ENTRY.finditer(words) if one["name"].lower() in name.lower()), ""):
        return told
    if (
        len(run) > 1
        and type(last) is int
        and values == list(range(int(str(values[0])), int(str(values[0])) + len(run)))
    ):
        return str(last + 1)
    return ast.unparse(run[-1].value) if all(one == last for one in values) and type(last) is not int else ""


def _way(run: Sequence[_Entry]) -> Callable[[str], str] | None:
    """How the values of a run are made from its names, or from what differs in these."""
    lead, tail = _shared([one.name for one in run])
    for way in _WAYS:
        if all(way(one.name) == one.value.value for one in run):
            return way
        bare = [one.name[len(lead) : len(one.name) - len(tail)] for one in run]
        if (lead or tail) and all(way(part) == one.value.value for part, one in zip(bare, run, strict=True)):
            return lambda name, way=way: way(name.removeprefix(lead).removesuffix(tail))  # type: ignore[misc]
    return None


def _mark(before: Snippet, entry: _Entry) -> str:
    mark = before.segment(entry.value)[:1]
    return mark if mark in ("'", '"') else quote(before, "")[0]


def _places(run: Sequence[_Entry], words: str, name: str) -> list[int]:
    """Below which 0-based lines it may go: where that is told, else last, else in the order of the names."""
    rows = {one.name.lower(): statement_lines(one.node) for one in run}
    for match in _NEXT.finditer(words):
        told = (match["below"] or match["above"]).lower()
        if row := next((row for one, row in rows.items() if told in (one, *one.split("_"))), None):
            return [row[0] - 1] if match["below"] else [row[1]]
    if re.search(r"\bbetween the last two\b", words) and len(run) > 1:
        return [statement_lines(run[-2].node)[1]]
    found = [statement_lines(run[0].node)[0] - 1] if _FIRST.search(words) else []
    found.append(statement_lines(run[-1].node)[1])
    names = [one.name for one in run]
    if len(run) > 2 and names == sorted(names) and name < names[-1]:
        later = next(one for one in run if one.name > name)
        found.insert(0, statement_lines(later.node)[0] - 1)
    return found
