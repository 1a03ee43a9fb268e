"""What a function may lack that no words tell, for a search that tries each: a line, a case that ends it, a step."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import (
    Function,
    end_of,
    indentation,
    splice,
    stands_alone,
    start_of,
    statement_lines,
    walk_scope,
)
from spark_tui.editing.codemods.base import Ops, between, parses
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names, top_of

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BRANCHING = (*_LOOPS, ast.If, ast.IfExp, ast.BoolOp, ast.comprehension, ast.Match, ast.Try)
_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")
_TAKING = ("pop", "popleft", "popitem", "get")
_MOST_NAMES = 3
Lines = list[str]


def lacking(before: Snippet) -> Iterator[tuple[str, Ops]]:
    """Each way to give a function what it may lack, with the kind of edit that it is."""
    ways = {_in_parallel: "add_statement", _kept_up: "add_statement", _ended: "guard_clause", _stepped: "off_by_one"}
    for function in before.functions:
        for way, kind in ways.items():
            yield from ((kind, between(before, lines)) for lines in way(before, function) if parses(lines))


def _in_parallel(before: Snippet, function: Function) -> Iterator[Lines]:
    """A line again for other names, where two lines differ by just these: `i`, `left` once, `j`, `right` once."""
    own = [
        one for one in walk_scope(function) if isinstance(one, _SIMPLE) and stands_alone(before, one) and _one_row(one)
    ]
    texts = {before.lines[one.lineno - 1].strip(): one for one in own}
    names = {*argument_names(function), *_stored(function)}
    for one in texts:
        for other in texts:
            new = dict(zip(_WORD.findall(one), _WORD.findall(other), strict=False))
            new = {old: name for old, name in new.items() if old != name}
            if len(new) < 2 or not {*new, *new.values()} <= names or _renamed(one, new) != other:
                continue
            for text, node in texts.items():
                if (again := _renamed(text, new)) not in texts and not {*new.values()} & {*_WORD.findall(text)}:
                    yield _below(before, node, again)


def _kept_up(before: Snippet, function: Function) -> Iterator[Lines]:
    """A line that changes, in a loop, what the loop reads and nothing in it changes."""
    first = {
        one.targets[0].id: one.value
        for one in reversed(list(walk_scope(function)))
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
    }
    for loop in (one for one in walk_scope(function) if isinstance(one, _LOOPS)):
        calls = [one for one in ast.walk(loop.test) if isinstance(one, ast.Call)] if isinstance(loop, ast.While) else []
        test = _read(loop.test).difference(*map(_read, calls)) if isinstance(loop, ast.While) else set[str]()
        given = dict.fromkeys(name for name in argument_names(function) if name in test)
        for name, value in (given | first).items():
            if name not in _changed(loop):
                for text in _changing(loop, name, value):
                    yield from _put_in(before, loop, text)


def _changing(loop: ast.stmt, name: str, value: ast.expr | None) -> Iterator[str]:
    """What a line may do with a name, by what it holds before the loop."""
    looked = [
        ast.unparse(one.left)
        for one in ast.walk(loop)
        if isinstance(one, ast.Compare)
        and any(isinstance(each, ast.Name) and each.id == name for each in one.comparators)
    ]
    new = [one for one in _stored(loop) if one != name][-_MOST_NAMES:]
    members = [one.attr for one in ast.walk(loop) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load)]
    match value:
        case ast.Call(func=ast.Name(id="set")) | ast.Set():
            yield from (f"{name}.add({one})" for one in dict.fromkeys((*looked, *new)))
        case ast.List():
            yield from (f"{name}.append({one})" for one in new)
        case ast.Constant(value=int() | float()) if not isinstance(value.value, bool):
            yield from (f"{name} {sign}= 1" for sign in ("+", "-"))
            yield from (line for one in new for line in (f"{name} += {one}", f"{name} = {one}"))
        case ast.Dict() | ast.ListComp() | ast.DictComp() | ast.SetComp() | ast.JoinedStr():
            return
        case _:
            yield from (f"{name} = {one}" for one in new)
            if isinstance(loop, ast.While):
                yield from (f"{name} = {name}.{one}" for one in dict.fromkeys(members))
                yield from (f"{name} {sign}= 1" for sign in ("+", "-"))


def _put_in(before: Snippet, loop: ast.For | ast.AsyncFor | ast.While, text: str) -> Iterator[Lines]:
    """A line at the end of a loop's round, before its last statement, and below the branches that go on at once."""
    body = [one for one in loop.body if stands_alone(before, one)]
    for at, one in enumerate(body):
        goes_on = isinstance(one, ast.If) and isinstance(one.body[-1], ast.Continue | ast.Break | ast.Return)
        if goes_on or at >= len(body) - 2:
            yield _below(before, one, text)


def _ended(before: Snippet, function: Function) -> Iterator[Lines]:
    """A case at the top that ends a function which always calls itself."""
    top = top_of(before, function)
    if top is None or not _always_again(function):
        return
    row, margin = top[0] + 1, top[1]
    names = [one for one in argument_names(function) if one not in ("self", "cls")]
    for name in names:
        others = [one for one in names if one != name]
        for test, results in (
            (f"{name} == 0", ("0", "1", *others)),
            (f"{name} <= 1", (name, "1")),
            (f"not {name}", (name, "[]", "0", *others)),
            (f"len({name}) <= 1", (name,)),
            (f"{name} is None", ("None", "0", "[]")),
        ):
            for result in dict.fromkeys(results):
                case = [f"{margin}if {test}:", f"{margin}{before.layout.unit}return {result}"]
                yield [*before.lines[:row], *case, *before.lines[row:]]


def _always_again(function: Function) -> bool:
    """Whether nothing keeps a function from calling itself."""
    for statement in function.body:
        if isinstance(statement, _BRANCHING):
            return False
        for node in ast.walk(statement):
            if isinstance(node, _BRANCHING):
                return False
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == function.name:
                return True
    return False


def _stepped(before: Snippet, function: Function) -> Iterator[Lines]:
    """A bound one further, a range in steps, a loop only while something is left, and what is or gives one more."""
    loops = [one for one in walk_scope(function) if isinstance(one, _LOOPS)]
    ends = {
        name
        for loop in loops
        if isinstance(loop, ast.While)
        for test in ast.walk(loop.test)
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        for name in _read(test)
    }
    for node in walk_scope(function):
        match node:
            case ast.While(test=ast.Constant(value=True) as test):
                yield from (_instead(before, test, name) for name in dict.fromkeys(_taken_from(node)))
            case ast.Call(func=ast.Name(id="range"), args=[_, last]):
                steps = ("-1", "2", *(each for loop in loops for each in _targets(loop)))
                yield from (_behind(before, last, f", {step}") for step in steps)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name() as value) if name in ends:
                yield from (_behind(before, value, end) for end in (" + 1", " - 1"))
            case ast.Return(value=ast.Attribute() | ast.BinOp(op=ast.Add() | ast.Sub()) as value):
                yield from (_behind(before, value, end) for end in (" + 1", " - 1"))
            case ast.Compare(left=ast.Call(func=ast.Name(id="len")) as left, ops=[ast.Eq() | ast.Lt()]):
                yield splice(before.lines, end_of(before, left), end_of(before, node), " <= 1")


def _instead(before: Snippet, node: ast.expr, text: str) -> Lines:
    return splice(before.lines, start_of(before, node), end_of(before, node), text)


def _behind(before: Snippet, node: ast.expr, text: str) -> Lines:
    return splice(before.lines, end_of(before, node), end_of(before, node), text)


def _taken_from(loop: ast.While) -> Iterator[str]:
    for node in ast.walk(loop):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in _TAKING:
                yield name


def _below(before: Snippet, node: ast.stmt, text: str) -> Lines:
    first, last = statement_lines(node)
    return [*before.lines[: last + 1], indentation(before.lines[first]) + text, *before.lines[last + 1 :]]


def _renamed(text: str, new: dict[str, str]) -> str:
    return _WORD.sub(lambda word: new.get(word[0], word[0]), text)


def _one_row(node: ast.stmt) -> bool:
    return node.lineno == node.end_lineno


def _read(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _targets(loop: ast.stmt) -> list[str]:
    return sorted(_read(loop.target)) if isinstance(loop, ast.For | ast.AsyncFor) else []


def _stored(node: ast.AST) -> list[str]:
    """The names that are set, in their order."""
    stored = [one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    return list(dict.fromkeys(one.id for one in sorted(stored, key=lambda one: (one.lineno, one.col_offset))))


def _changed(loop: ast.For | ast.AsyncFor | ast.While) -> set[str]:
    """The names that a round of a loop sets, or calls a method of or sets an item of."""
    found = set(_stored(loop))
    for node in ast.walk(loop):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
                found.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                found.add(name)
    return found
