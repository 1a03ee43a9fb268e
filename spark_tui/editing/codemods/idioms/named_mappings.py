"""Mappings by what they are filled with: setdefault, get, defaultdict and Counter for checks whether a key is there."""

import ast
from collections.abc import Iterator
from typing import cast

from spark_tui.editing.codemods.common.tidy import Spot
from spark_tui.editing.codemods.folding.fold_sources import following, same, source_of
from spark_tui.editing.codemods.idioms.named_parts import Filling, Fold, Rule, fillings, folded, lines_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places

_FACTORIES = {"[]": "list", "list()": "list", "{}": "dict", "dict()": "dict", "set()": "set", "0": "int",
              '""': "str", "''": "str", "0.0": "float", "tuple()": "tuple"}  # fmt: skip


def _setdefault(before: Snippet, _: str) -> Iterator[Fold]:
    """The first value and what is done with it in one statement."""
    for one in fillings(before):
        call = f"{one.holder}.setdefault({one.key}, {one.start})"
        if "+=" not in one.then and "setdefault" not in before.lines[one.place.first]:
            yield folded(before, one.place, one.last, one.then.replace("{}", call) or call)
        elif one.apart >= 0:
            yield folded(before, one.place, one.apart, call)
    for place in places(before):
        yield from _kept(before, place)


def _kept(before: Snippet, place: Place) -> Iterator[Fold]:
    """`x = d.get(k)` with `if x is None: x = d[k] = v`, and `d[k] = d.get(k, v)`."""
    match place.node:
        case ast.Assign(
            targets=[ast.Subscript(value=held, slice=index)],
            value=ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[key, start]),
        ) if same(held, owner) and same(index, key):
            texts = [source_of(before, one) for one in (held, index, start)]
            yield folded(before, place, place.last, f"{texts[0]}.setdefault({texts[1]}, {texts[2]})")
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[key]),
        ):
            for after in following(place):
                if start_value := _set_anew(after, name, owner, key):
                    call = f"{source_of(before, owner)}.setdefault({source_of(before, key)}, "
                    last = (after.end_lineno or 0) - 1
                    yield folded(before, place, last, f"{name} = {call}{source_of(before, start_value)})")


def _set_anew(after: ast.stmt, name: str, owner: ast.expr, key: ast.expr) -> ast.expr | None:
    """The value that a name and the element both get where the name is None."""
    element = ast.Subscript(value=owner, slice=key, ctx=ast.Load())
    match after:
        case ast.If(
            test=ast.Compare(left=ast.Name(id=tested), ops=[ast.Is()], comparators=[ast.Constant(value=None)]),
            body=body,
            orelse=[],
        ) if tested == name:
            pass
        case _:
            return None
    match body:
        case [ast.Assign(targets=[one, other], value=value)]:
            pair = {ast.unparse(one), ast.unparse(other)}
        case [
            ast.Assign(targets=[one], value=value),
            ast.Assign(targets=[other], value=ast.Name(id=again)),
        ] if again == name == ast.unparse(one):
            pair = {name, ast.unparse(other)}
        case _:
            return None
    return value if pair == {name, ast.unparse(element)} else None


def _get(before: Snippet, _: str) -> Iterator[Fold]:
    """What is counted up, or begun and added to, as `d[k] = d.get(k, 0) + n`."""
    for one in fillings(before):
        head, _plus, more = one.then.partition(" += ")
        if head == "{}" and ".get(" not in before.lines[one.place.first]:
            text = f"{one.element} = {one.holder}.get({one.key}, {one.start}) + {more}"
            yield folded(before, one.place, one.last, text)


def _defaultdict(before: Snippet, words: str) -> Iterator[Fold]:
    """A dict that is begun empty and only filled from one first value, with all the places that fill it."""
    for place, name in _empty_dicts(before):
        filled = [one for one in fillings(before) if one.holder == name and _within(place, one)]
        kinds = {_FACTORIES.get(one.start, "") for one in filled}
        if len(kinds) != 1 or not (kind := kinds.pop()):
            continue
        spots = [lines_of(before, one.place, *_only_used(one)) for one in filled]
        made = f"{_called(before, words, 'defaultdict')}({kind})"
        yield Fold(cast("ast.expr", place.node), (_begun(before, place, made), *spots))


def _only_used(one: Filling) -> tuple[int, ...] | tuple[int, str]:
    """Until where a filling goes, and the statement that stays of it, if any."""
    if one.apart >= 0:
        return (one.apart,)  # only the check goes, whatever stands below it
    return one.last, one.then.replace("{}", one.element)


def _within(place: Place, one: Filling) -> bool:
    return one.place.function is place.function and one.place.first > place.last


def _empty_dicts(before: Snippet) -> Iterator[tuple[Place, str]]:
    for place in places(before):
        match place.node:
            case (
                ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value)
            ) if ast.unparse(value) in ("{}", "dict()"):
                yield place, ast.unparse(target)


def _called(before: Snippet, words: str, name: str) -> str:
    """What a class of collections is called here: by its module where the words or an import say so."""
    for node in before.nodes:
        match node:
            case ast.ImportFrom(module="collections", names=names) if any(one.name == name for one in names):
                return name
            case ast.Import(names=names) if any(one.name == "collections" for one in names):
                return f"collections.{name}"
    return f"collections.{name}" if f"collections.{name}" in words else name


def _begun(before: Snippet, place: Place, made: str) -> Spot:
    head = before.lines[place.first].partition("=")[0].strip()
    return lines_of(before, place, place.last, f"{head} = {made}")


def _counter(before: Snippet, words: str) -> Iterator[Fold]:
    """A loop that counts what it is over, below an empty dict, as a Counter; else one that begins empty."""
    called = _called(before, words, "Counter")
    for place, name in _empty_dicts(before):
        counted = [one for one in fillings(before) if one.holder == name and _within(place, one)]
        if not counted or any(one.then != "{} += 1" or one.start != "0" for one in counted):
            continue
        if whole := _whole(before, place, counted[0], called):
            yield whole
            continue
        spots = [lines_of(before, one.place, *_only_used(one)) for one in counted]
        yield Fold(cast("ast.expr", place.node), (_begun(before, place, f"{called}()"), *spots))


def _whole(before: Snippet, place: Place, one: Filling, called: str) -> Fold | None:
    """The dict and the loop right below it that does nothing else; with the return behind them where there is one."""
    match following(place, 2):
        case [ast.For(target=target, iter=over, body=[ast.If(test=test, orelse=[], body=body)]) as loop, *rest] if (
            body[0] is one.place.node
        ):
            clause = f" if {source_of(before, test)}"
        case [ast.For(target=target, iter=over, body=body, orelse=[]) as loop, *rest] if body[0] is one.place.node:
            clause = ""
        case _:
            return None
    if (body[-1].end_lineno or 0) - 1 != one.last:
        return None
    each, source = source_of(before, target), source_of(before, over)
    given = source if one.key == each and not clause else f"{one.key} for {each} in {source}{clause}"
    last, head = (loop.end_lineno or 0) - 1, f"{before.lines[place.first].partition('=')[0].strip()} ="
    match rest:
        case [ast.Return(value=ast.Name(id=name)) as end] if name == one.holder:
            last, head = (end.end_lineno or 0) - 1, "return"
    return folded(before, place, last, f"{head} {called}({given})")


MAPPINGS: tuple[tuple[str, Rule], ...] = (
    (r"\bsetdefault\b", _setdefault),
    (r"\b(?:use|with|via|by|to|into|dict)\W+(?:the |a )?(?:dict)?\W*get\b|\bget(?:\(| instead)", _get),
    (r"\bdefault ?dict", _defaultdict),
    (r"\bCounter\b", _counter),
)
"""What names a rule, and the rule."""
