"""What loops are told to forget: "page is never increased", "nothing is put into seen", "reraise on the last try"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, end_of, indentation, splice, start_of, statement_lines, text_of, walk_scope
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_checks import the_function
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet

_COUNTER = re.compile(
    r"(?i)\b`?(?P<name>[^\W\d]\w*)`? (?:is|was|gets?|does)?(?: never|n't| not)(?: ever)?(?: being)? "
    r"(?:increased|incremented|counted up|advanced|increases?|goes? up|change[sd]?|updated)\b"
    r"|\b(?:forg[eo]ts?|forgotten) to (?:increment|increase|advance|update) (?:the )?`?(?P<one>[^\W\d]\w*)"
)
_KEPT = re.compile(
    r"(?i)\b(?:nothing is|nothing gets|they are never|it is never|it's never|never)(?: ever)?"
    r" (?:put|added|stored|written) (?:in)?to (?:the )?`?(?P<name>[^\W\d]\w*)`?"
    r"|\b`?(?P<one>[^\W\d]\w*)`? (?:is|gets) never (?:filled|added to|updated)"
)
_LAST_TRY = re.compile(
    r"(?i)\b(?:re-?raise|raise(?: it)?(?: again)?)\b.*\b(?:on|at|after|in) the (?:last|final)"
    r" (?:attempt|try|retry|time|round)"
)
_CHANGED = re.compile(
    r"(?i)\b(?:remov|delet|pop|append|add|chang|mutat|modif)\w*\b.*\bwhile (?:looping|iterating|going|we loop"
    r"|we iterate)|changed size during iteration"
)
_CHANGING = frozenset(["remove", "pop", "append", "add", "discard", "insert"])


def plain_forgotten(before: Snippet, words: str) -> list[Ops]:
    """The one statement that a loop plainly lacks, or []."""
    for function in the_function(before, words):
        if told := _KEPT.search(words):
            found = list(_kept(before, function, told["name"] or told["one"]))
        elif told := _COUNTER.search(words):
            found = list(_counted(before, function, told["name"] or told["one"]))
        else:
            found = list(_raised_at_last(before, function)) if _LAST_TRY.search(words) else []
        return found if len(found) == 1 else []
    return []


def _counted(before: Snippet, function: Function, name: str) -> Iterator[Ops]:
    """`name += 1` at the end of each while loop that reads a number which only its start sets."""
    stores = [one for one in walk_scope(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    starts = [one for one in walk_scope(function) if isinstance(one, ast.Assign) and _is_number(one, name)]
    if len(starts) != 1 or sum(one.id == name for one in stores) != 1:
        return
    for loop in walk_scope(function):
        if isinstance(loop, ast.While) and any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(loop)):
            yield _after(before, loop.body[-1], f"{name} += 1")


def _is_number(node: ast.Assign, name: str) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name(id=held)], value=ast.Constant(value=int())):
            return held == name
    return False


def _kept(before: Snippet, function: Function, name: str) -> Iterator[Ops]:
    """`seen.add(x)` below each `if x in seen: continue`, with the verb of what it is made as."""
    verbs = {"set()": "add", "[]": "append", "list()": "append"}
    bound = [one for one in walk_scope(function) if isinstance(one, ast.Assign) and _binds(one, name)]
    made = [verbs.get(text_of(before, one.value), "") for one in bound]
    if len(made) != 1 or not made[0] or any(f"{name}.{made[0]}(" in line for line in before.lines):
        return
    for node in walk_scope(function):
        match node:
            case ast.If(
                test=ast.Compare(left=key, ops=[ast.In()], comparators=[ast.Name(id=held)]),
                body=[*_, ast.Continue()],
                orelse=[],
            ) if held == name:
                yield _after(before, node, f"{name}.{made[0]}({text_of(before, key)})")


def _binds(node: ast.Assign, name: str) -> bool:
    return ast.unparse(node.targets[0]) == name


def _raised_at_last(before: Snippet, function: Function) -> Iterator[Ops]:
    """The last round of each loop over tries, which swallows what it catches, raising it."""
    for loop in walk_scope(function):
        match loop:
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id="range"), args=[count]),
                body=[*_, ast.Try(handlers=[only])],
            ) if not any(isinstance(one, ast.Raise) for one in ast.walk(only)):
                row = only.body[0].lineno - 1
                indent = indentation(before.lines[row])
                test = f"{indent}if {name} == {text_of(before, count)} - 1:"
                yield (Insert(row - 1, (test, f"{indent}{before.layout.unit}raise")),)


def _after(before: Snippet, node: ast.stmt, line: str) -> Ops:
    first, last = statement_lines(node)
    return (Insert(last, (indentation(before.lines[first]) + line,)),)


def plain_copied(before: Snippet, words: str) -> list[Ops]:
    """The one loop whose own collection is changed in it, over a copy; or []."""
    for function in the_function(before, words) if _CHANGED.search(words) else ():
        found = [one.iter for one in ast.walk(function) if isinstance(one, ast.For) and _changes_own(one)]
        if len(found) == 1 and (source := text_of(before, found[0])):
            where = start_of(before, found[0]), end_of(before, found[0])
            return [between(before, splice(before.lines, *where, f"list({source})"))]
    return []


def _changes_own(loop: ast.For) -> bool:
    """Whether a loop puts something into what it goes over, or takes something out."""
    over = loop.iter
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and not over.args:
        over = over.func.value  # d.items()
    owner = ast.unparse(over)
    for node in ast.walk(loop):
        match node:
            case ast.Call(func=ast.Attribute(value=held, attr=attr)) if attr in _CHANGING:
                if ast.unparse(held) == owner:
                    return True
            case ast.Delete(targets=[ast.Subscript(value=held)]):
                if ast.unparse(held) == owner:
                    return True
    return False
