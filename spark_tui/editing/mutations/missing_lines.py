"""What a function may lack: a line like another one, a line that keeps a loop going, a case that ends it, a step."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, walk_scope
from spark_tui.editing.mutations.base import LOOPS, Lines, Source, called, given, read, stored

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_BRANCHING = (*LOOPS, ast.If, ast.IfExp, ast.BoolOp, ast.comprehension, ast.Match, ast.Try)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")
_TAKING = ("pop", "popleft", "popitem", "get")
_MOST_NAMES = 3
_Loop = ast.For | ast.AsyncFor | ast.While


def missing_lines(source: Source) -> Iterator[Lines]:
    """One line more, that others are like or that keeps a loop going."""
    for function in source.snippet.functions:
        yield from _in_parallel(source, function)
        yield from _kept_up(source, function)


def _in_parallel(source: Source, function: Function) -> Iterator[Lines]:
    """A line again for other names, where two lines differ by just these: `i`, `left` once, `j`, `right` once."""
    own = [one for one in walk_scope(function) if isinstance(one, _SIMPLE) and source.alone(one) and source.text(one)]
    texts = {source.lines[one.lineno - 1].strip(): one for one in own}
    names = {*given(function), *stored(function)}
    for one in texts:
        for other in texts:
            pairs = zip(_WORD.findall(one), _WORD.findall(other), strict=False)
            new = {old: name for old, name in pairs if old != name}
            if len(new) < 2 or not {*new, *new.values()} <= names or _renamed(one, new) != other:
                continue
            for text, node in texts.items():
                if (again := _renamed(text, new)) not in texts and not {*new.values()} & {*_WORD.findall(text)}:
                    yield source.below(node, again)


def _renamed(text: str, new: dict[str, str]) -> str:
    return _WORD.sub(lambda word: new.get(word[0], word[0]), text)


def _kept_up(source: Source, function: Function) -> Iterator[Lines]:
    """A line that changes, in a loop, what the loop reads and nothing in it changes."""
    assigned = [one for one in walk_scope(function) if isinstance(one, ast.Assign)]
    first = {one.targets[0].id: one.value for one in reversed(assigned) if isinstance(one.targets[0], ast.Name)}
    for loop in (one for one in walk_scope(function) if isinstance(one, LOOPS)):
        tested = _tested(loop) if isinstance(loop, ast.While) else set()
        values: dict[str, ast.expr | None] = {name: None for name in given(function) if name in tested}
        for name, value in (values | first).items():
            if name not in _changed(loop):
                for text in _changing(loop, name, value):
                    yield from _put_in(source, loop, text)


def _tested(loop: ast.While) -> set[str]:
    """The names in the condition of a loop that no call in it is about."""
    return read(loop.test) - read(*(one for one in ast.walk(loop.test) if isinstance(one, ast.Call)))


def _changing(loop: _Loop, name: str, value: ast.expr | None) -> Iterator[str]:
    """What a line may do with a name, by what it holds before the loop."""
    compared = (one for one in ast.walk(loop) if isinstance(one, ast.Compare) and name in read(*one.comparators))
    new = [one for one in stored(loop) if one != name][-_MOST_NAMES:]
    match value:
        case ast.Call(func=ast.Name(id="set")) | ast.Set():
            yield from (f"{name}.add({one})" for one in dict.fromkeys([*(ast.unparse(o.left) for o in compared), *new]))
        case ast.List():
            yield from (f"{name}.append({one})" for one in new)
        case ast.Constant(value=int() | float()):
            yield from (f"{name} {sign}= 1" for sign in ("+", "-"))
            yield from (line for one in new for line in (f"{name} += {one}", f"{name} = {one}"))
        case ast.Dict() | ast.ListComp() | ast.DictComp() | ast.SetComp() | ast.JoinedStr():
            return
        case _:
            yield from (f"{name} = {one}" for one in new)
            if isinstance(loop, ast.While):
                members = [one.attr for one in ast.walk(loop) if isinstance(one, ast.Attribute)]
                yield from (f"{name} = {name}.{one}" for one in dict.fromkeys(members))
                yield from (f"{name} {sign}= 1" for sign in ("+", "-"))


def _changed(loop: _Loop) -> set[str]:
    """The names that a round of a loop sets, or calls a method of or sets an item of."""
    found = set(stored(loop))
    for node in ast.walk(loop):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
                found.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                found.add(name)
    return found


def _put_in(source: Source, loop: _Loop, text: str) -> Iterator[Lines]:
    """A line at the end of a loop's round, before its last statement, and below the branches that go on at once."""
    body = [one for one in loop.body if source.alone(one)]
    for at, one in enumerate(body):
        goes_on = isinstance(one, ast.If) and isinstance(one.body[-1], ast.Continue | ast.Break | ast.Return)
        if goes_on or at >= len(body) - 2:
            yield source.below(one, text)


def ending_cases(source: Source) -> Iterator[Lines]:
    """A case at the top that ends a function which always calls itself."""
    for function in source.snippet.functions:
        top = source.top(function)
        if top is None or not _always_again(function):
            continue
        names, (row, margin) = given(function), top
        for name in names:
            others = [one for one in names if one != name]
            for test, results in (
                (f"{name} == 0", ("0", "1", *others)),
                (f"{name} <= 1", (name, "1")),
                (f"not {name}", (name, "[]", "0", *others)),
                (f"len({name}) <= 1", (name,)),
                (f"{name} is None", ("None", "0", "[]")),
            ):
                for result in results:
                    yield source.insert(row, f"{margin}if {test}:", f"{margin}{source.unit}return {result}")


def _always_again(function: Function) -> bool:
    """Whether nothing keeps a function from calling itself."""
    for statement in function.body:
        nodes = list(ast.walk(statement))
        if any(isinstance(one, _BRANCHING) for one in nodes):
            return False
        if any(called(one) == function.name for one in nodes):
            return True
    return False


def steps(source: Source) -> Iterator[Lines]:
    """A bound one further, a range in steps, a loop only while something is left."""
    for function in source.snippet.functions:
        loops = [one for one in walk_scope(function) if isinstance(one, LOOPS)]
        ends = {name for one in loops if isinstance(one, ast.While) for name in _bounding(one)}
        targets = {name: None for one in loops if not isinstance(one, ast.While) for name in sorted(stored(one.target))}
        for node in walk_scope(function):
            match node:
                case ast.While(test=ast.Constant(value=True) as test):
                    yield from (source.put(test, name) for name in dict.fromkeys(_taken_from(node)))
                case ast.Call(func=ast.Name(id="range"), args=[_, last]):
                    yield from (source.behind(last, f", {step}") for step in ("-1", "2", *targets))
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name() as value) if name in ends:
                    yield from (source.behind(value, end) for end in (" + 1", " - 1"))
                case ast.Compare(left=ast.Call(func=ast.Name(id="len")) as left, ops=[ast.Eq() | ast.Lt()]):
                    yield source.splice(source.end(left), source.end(node), " <= 1")


def _bounding(loop: ast.While) -> set[str]:
    """The names that are compared in a loop's condition."""
    tests = (one for one in ast.walk(loop.test) if isinstance(one, ast.Compare) and isinstance(one.ops[0], _ORDERS))
    return read(*tests)


def _taken_from(loop: ast.While) -> Iterator[str]:
    for node in ast.walk(loop):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in _TAKING:
                yield name
