"""Expressions and files by what they are made with: frozenset, `//`, one call with a tuple, read_text, a try."""

import ast
from collections.abc import Iterator

from spark_tui.editing.codemods.common.negation import ATOM
from spark_tui.editing.codemods.folding.fold_sources import enclosed_source, following, last_row, same, source_of
from spark_tui.editing.codemods.idioms.named_parts import Fold, Rule, folded, said
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, places


def _frozen(before: Snippet, _: str) -> Iterator[Fold]:
    """A set as a frozenset."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.Set() | ast.SetComp():
                yield said(before, node, f"frozenset({source_of(before, node)})")
            case ast.Call(func=ast.Name(id="set") as name, args=[_]):
                yield said(before, name, "frozenset")


def _floored(before: Snippet, _: str) -> Iterator[Fold]:
    """`int(a / b)` and `math.floor(a / b)` as `a // b`."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.Call(
                func=ast.Name(id="int" | "floor") | ast.Attribute(value=ast.Name(id="math"), attr="floor"),
                args=[ast.BinOp(left=left, op=ast.Div(), right=right)],
                keywords=[],
            ):
                text = f"{enclosed_source(before, left, ATOM)} // {enclosed_source(before, right, ATOM)}"
                yield said(before, node, text)


def _one_call(before: Snippet, _: str) -> Iterator[Fold]:
    """Calls of one method of one owner beside each other in an `or`, that differ in a text, as one with a tuple."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.BoolOp(op=ast.Or(), values=[ast.Call() as first, *_] as values):
                heads = {_head(one) for one in values}
                if len(heads) == 1 and "" not in heads and isinstance(first, ast.Call):
                    given = ", ".join(source_of(before, one.args[-1]) for one in values if isinstance(one, ast.Call))
                    kept = "".join(f"{source_of(before, one)}, " for one in first.args[:-1])
                    yield said(before, node, f"{source_of(before, first.func)}({kept}({given}))")


def _head(node: ast.expr) -> str:
    """What a call of startswith or isinstance is, but for what it looks for; "" for anything else."""
    match node:
        case ast.Call(func=ast.Attribute(attr="startswith" | "endswith") as func, args=[last], keywords=[]):
            return "" if isinstance(last, ast.Tuple) else ast.unparse(func)
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass" as name), args=[one, last], keywords=[]):
            return "" if isinstance(last, ast.Tuple) else f"{name} {ast.unparse(one)}"
    return ""


def _whole_file(before: Snippet, _: str) -> Iterator[Fold]:
    """A file that is opened to be read or written in one go, by a Path."""
    for place in places(before):
        match place.node:
            case ast.With(
                items=[ast.withitem(context_expr=ast.Call() as opened, optional_vars=ast.Name(id=name))], body=[one]
            ):
                pass
            case _:
                continue
        match opened:
            case ast.Call(func=ast.Name(id="open"), args=[path, *mode]):
                held = f"Path({source_of(before, path)})"
            case ast.Call(func=ast.Attribute(value=path, attr="open"), args=mode):
                held = source_of(before, path)
            case _:
                continue
        modes = [ast.unparse(each).strip("'\"") for each in mode]
        options = [f"{each.arg}={source_of(before, each.value)}" for each in opened.keywords if each.arg]
        kind = "bytes" if modes and "b" in modes[0] else "text"
        match one:
            case (
                ast.Return(value=ast.Call(func=ast.Attribute(value=ast.Name(id=used), attr="read"), args=[]))
                | ast.Assign(
                    targets=[_], value=ast.Call(func=ast.Attribute(value=ast.Name(id=used), attr="read"), args=[])
                )
            ) if used == name and modes in ([], ["r"], ["rt"], ["rb"]):
                head = "return" if isinstance(one, ast.Return) else f"{source_of(before, one.targets[0])} ="
                yield folded(before, place, place.last, f"{head} {held}.read_{kind}({', '.join(options)})")
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=used), attr="write"), args=[given])) if (
                used == name and modes in (["w"], ["wt"], ["wb"])
            ):
                arguments = ", ".join([source_of(before, given), *options])
                yield folded(before, place, place.last, f"{held}.write_{kind}({arguments})")


def _tried(before: Snippet, _: str) -> Iterator[Fold]:
    """`if k in d: return d[k]` with another return behind it, by a KeyError; for an attribute, by an AttributeError."""
    unit = before.layout.unit
    for place in places(before):
        match place.node, following(place):
            case ast.If(test=test, body=[ast.Return(value=ast.expr() as value)], orelse=[]), [ast.Return() as end]:
                last, other = last_row(end), end.value
            case ast.If(test=test, body=[ast.Return(value=ast.expr() as value)], orelse=[ast.Return() as end]), _:
                last, other = place.last, end.value
            case _:
                continue
        error = _lacking(test, value)
        if error:
            default = f" {source_of(before, other)}" if other else ""
            lines = ("try:", f"{unit}return {source_of(before, value)}", f"except {error}:", f"{unit}return{default}")
            yield folded(before, place, last, *lines)


def _lacking(test: ast.expr, value: ast.expr) -> str:
    match test, value:
        case ast.Compare(left=key, ops=[ast.In()], comparators=[owner]), ast.Subscript(value=held, slice=index):
            return "KeyError" if same(key, index) and same(owner, held) else ""
        case ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=name)]), ast.Attribute():
            return "AttributeError" if same(owner, value.value) and name == value.attr else ""
    return ""


def _looked_up(before: Snippet, _: str) -> Iterator[Fold]:
    """A chain of comparisons of one value that each return something fixed, as a look-up in a dict."""
    for place in places(before):
        pairs: list[str] = []
        asked: set[str] = set()
        rest: list[ast.stmt] = [place.node]
        while len(rest) == 1 and (found := _returned_for(rest[0])):
            value, key, given, rest = found
            asked.add(ast.unparse(value))
            pairs.append(f"{source_of(before, key)}: {source_of(before, given)}")
        after = rest or following(place)
        match after:
            case [ast.Return() as end] if len(pairs) > 1 and len(asked) == 1:
                default = f", {source_of(before, end.value)}" if end.value and _fixed(end.value) else ""
                if default or not end.value:
                    text = f"return {{{', '.join(pairs)}}}.get({asked.pop()}{default})"
                    yield folded(before, place, max(place.last, last_row(end)), text)


def _returned_for(node: ast.stmt) -> tuple[ast.expr, ast.expr, ast.expr, list[ast.stmt]] | None:
    match node:
        case ast.If(
            test=ast.Compare(left=value, ops=[ast.Eq()], comparators=[ast.Constant() as key]),
            body=[ast.Return(value=ast.expr() as given)],
            orelse=rest,
        ) if _fixed(given):
            return value, key, given, rest
    return None


def _fixed(node: ast.expr) -> bool:
    """Whether working out an expression too early does no harm."""
    return isinstance(node, ast.Constant | ast.Name)


FORMS: tuple[tuple[str, Rule], ...] = (
    (r"\bfrozen ?set\b", _frozen),
    (r"\b(?:integer|floor|whole) division\b|\bfloor(?:ed|ing)? div", _floored),
    (r"\b(?:combine|merge|collapse|single|one|tuple)\b.*\b(?:startswith|endswith|isinstance)\b", _one_call),
    (r"\b(?:startswith|endswith|isinstance)\b.*\b(?:tuple|once|one|call)\b", _one_call),
    (r"\b(?:read|write)_(?:text|bytes)\b", _whole_file),
    (
        r"\b(?:chain|elifs?|ifs?|branches)\b.*\bdict|\bdict\w*\b.*\b(?:chain|elifs?|ifs?|branches|look-? ?up)\b",
        _looked_up,
    ),
    (r"\beafp\b|\btry\b.*\binstead of\b|\bcatch\w* (?:the |a )?\w*Error\b.*\binstead\b", _tried),
)
"""What names a rule, and the rule."""
