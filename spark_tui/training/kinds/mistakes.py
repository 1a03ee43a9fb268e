"""Planting a bug: the codemod's own changes break real code, and what was there before is the fix."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from spark_tui.editing.code import MAX_WIDTH, Function, Position, end_of, start_of, text_of
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.bugs.mistaken import Slip, ops_of
from spark_tui.editing.script import apply_script
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Planted

_SHORT = 45
_PLACES: dict[type[ast.AST], str] = {
    ast.Return: "return", ast.Raise: "raise", ast.If: "if", ast.For: "for loop", ast.While: "while loop",
    ast.Assert: "assert", ast.With: "with",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bug:
    """Code with a bug, the edit that undoes it, the rows it is in and where its source begins and ends."""

    before: Snippet
    fix: Ops
    rows: tuple[int, int]
    start: Position
    end: Position
    old: str
    new: str


def break_at(snippet: Snippet, slip: Slip) -> Bug | None:
    """The snippet with a slip made in it, or None when that is no other program, or lines get too long."""
    before = Snippet(tuple(apply_script(snippet.lines, ops_of(snippet, slip))))
    (first, left), (last, right) = slip.start, slip.end
    right_text = "\n".join(snippet.lines[first : last + 1])
    good = right_text[left : len(right_text) - len(snippet.lines[last]) + right]
    added = slip.text.split("\n")
    width = (left if len(added) == 1 else 0) + len(added[-1])
    if any(len(line) > MAX_WIDTH for line in before.lines[first : last + 1]):
        return None
    try:
        if ast.dump(before.tree) == ast.dump(snippet.tree):
            return None
    except (SyntaxError, ValueError):
        return None
    end = (last, width)
    fix = ops_of(before, Slip(slip.start, end, good))
    return Bug(before, fix, (first, last), slip.start, end, slip.text, good)


def planted(bug: Bug, slots: Mapping[str, str], rng: Random, *, told: bool, by_line: float = 0.55) -> Planted:
    """The bug with its edit. Args: told: the slots say where it is, so that nothing need be selected."""
    function = function_at(bug.before, bug.rows[0])
    where = {"function": function.name} if function else {}
    if where and (words := where_words(bug.before, bug.rows[0], rng)):
        where["where"] = words
    selected = bug.rows if not told or rng.random() < by_line else None
    return Planted(bug.before, Edit(bug.fix, {**slots, **where}, selected))


def code_slots(bug: Bug, after: Snippet) -> dict[str, str]:
    """The smallest expressions or the statement around the bug: {code} is how it reads, {right} how it should."""
    row = bug.start[0]
    sizes: list[tuple[int, str]] = []
    for node in ast.walk(bug.before.tree):
        if isinstance(node, ast.expr | ast.stmt) and node.lineno - 1 == row == (node.end_lineno or 0) - 1:
            first, last = start_of(bug.before, node), end_of(bug.before, node)
            text = text_of(bug.before, node)
            if first <= bug.start and bug.end <= last and len(bug.old) + 3 <= len(text) <= _SHORT:
                sizes.append((len(text), text))
    for _, text in sorted(sizes):
        if sum(line.count(text) for line in bug.before.lines) == 1:
            at = bug.before.lines[row].index(text)
            length = len(text) + len(after.lines[row]) - len(bug.before.lines[row])
            return {"code": text, "right": after.lines[row][at : at + length]}
    return {}


def where_words(snippet: Snippet, row: int, rng: Random) -> str:
    """The line in words, where its function has only one that they fit ("the return", "the last return"), or ""."""
    function = function_at(snippet, row)
    found: dict[str, list[int]] = {}
    for node in ast.walk(function) if function else ():
        word = _PLACES.get(type(node), "")
        if word and isinstance(node, ast.stmt) and node is not function:
            found.setdefault(word, []).append(node.lineno - 1)
    words = [f"the {word}" for word, rows in found.items() if rows == [row]]
    for word, rows in found.items():
        if len(rows) > 1 and row in rows:
            words += [f"the first {word}"] * (row == min(rows)) + [f"the last {word}"] * (row == max(rows))
    return rng.choice(words) if words else ""


def function_at(snippet: Snippet, row: int) -> Function | None:
    """The innermost function around a 0-based row."""
    around = [one for one in snippet.functions if one.lineno - 1 <= row < (one.end_lineno or 0)]
    return around[-1] if around else None


def misspelled(name: str, rng: Random) -> str:
    """A name with one letter missing, doubled or swapped, or an `s` too many or too few."""
    at = rng.randrange(1, max(len(name) - 1, 2))
    choices = [
        name[:at] + name[at + 1 :],
        name[:at] + name[at : at + 2][::-1] + name[at + 2 :],
        name[:at] + name[at] + name[at:] if at < len(name) else name,
        name[:-1] if name.endswith("s") else name + "s",
        name.replace("_", "", 1),
    ]
    return rng.choice(choices)
