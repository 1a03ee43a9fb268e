"""Steps that make one value as one expression."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from spark_tui.editing.code import start_of, text_of
from spark_tui.editing.codemods.folding.fold_sources import (
    New,
    Rule,
    body_lines,
    following,
    head_of,
    last_row,
    same,
    source_of,
)
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place

_FIELD = re.compile(r"\{(![rsa])?(:[^{}]*)?\}")


def _begun(before: Snippet, place: Place) -> Iterator[New]:
    """An object made and then given attributes as one call; a dict filled by updates as one literal."""
    match place.node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            below = list(place.block[place.index + 1 :])
            told = _told(before, name, below)
            whole = _made(before, value, told) if told else ""
            match below[len(told) : len(told) + 1]:
                case [ast.Return(value=ast.Name(id=returned)) as end] if returned == name and whole:
                    yield place.first, last_row(end), [f"return {whole}"]
                    if isinstance(value, ast.Call) and not value.args and len(told) == 1 and told[0][:2] == "**":
                        yield place.first, last_row(end), [f"return {source_of(before, value.func)}({told[0][2:]})"]
            if whole:
                yield place.first, last_row(below[len(told) - 1]), [head_of(before, place.node) + whole]


def _told(before: Snippet, name: str, below: Sequence[ast.stmt]) -> list[str]:
    """What the statements right below give to an object: keywords for its attributes, dicts that it is updated by."""
    found: list[str] = []
    for node in below:
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner), attr=attr)], value=one) if owner == name:
                found.append(f"{attr}={source_of(before, one)}")
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="update"), args=[more], keywords=[])
            ) if owner == name:
                found.append(f"**{source_of(before, more)}")
            case _:
                break
    return found


def _made(before: Snippet, value: ast.expr, told: Sequence[str]) -> str:
    """What an object is made by together with what it is told after; "" where that is no one expression."""
    if all(one.startswith("**") for one in told):
        begun = _begun_with(before, value)
        return "" if begun is None else f"{{{', '.join((*begun, *told))}}}"
    if isinstance(value, ast.Call) and not any(one.startswith("**") for one in told):
        gap = ", " if value.args or value.keywords else ""
        return f"{source_of(before, value)[:-1]}{gap}{', '.join(told)})"
    return ""


def _begun_with(before: Snippet, value: ast.expr) -> list[str] | None:
    """What a dict begins with, as the parts of a literal; None for what is no dict."""
    match value:
        case ast.Dict(keys=keys):
            return [ast.unparse(value)[1:-1]] if keys else []
        case (
            ast.Call(func=ast.Name(id="dict"), args=[source], keywords=[])
            | ast.Call(func=ast.Attribute(attr="copy", value=ast.Name(id="copy")), args=[source])
            | ast.Call(func=ast.Attribute(value=source, attr="copy"), args=[])
        ):
            return [f"**{source_of(before, source)}"]
        case ast.Call(func=ast.Name(), args=[], keywords=[]):
            return []
    return None


def _handed(before: Snippet, place: Place) -> Iterator[New]:
    """A value set and returned right below, whatever lines it has, as one return; with what is taken of it."""
    match place.node, following(place):
        case (
            (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ),
            [ast.Return(value=ast.expr() as given) as end],
        ) if text_of(before, given):
            text = text_of(before, given)
            tail = re.match(rf"{name}(?!\w)((?:[.\[(].*)?)$", text)
            uses = [node for node in ast.walk(given) if isinstance(node, ast.Name) and node.id == name]
            if tail and len(uses) == 1 and (not tail[1] or isinstance(value, ast.Call | ast.Name | ast.Attribute)):
                row = value.lineno - 1
                lines = [line.removeprefix(place.indent) for line in before.lines[row : place.last + 1]]
                shift = len(before.lines[row]) - len(lines[0])
                start = start_of(before, value)[1] - shift
                lines[0] = f"return {lines[0][start:]}"
                lines[-1] = lines[-1].rstrip() + tail[1]
                yield place.first, last_row(end), lines


def _formatted(before: Snippet, place: Place) -> Iterator[New]:
    """A template and the call that fills it as an f-string."""
    match place.node, following(place):
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str()) as value), [user]:
            source, row = text_of(before, value), user.lineno - 1
            for node in ast.walk(user):
                match node:
                    case ast.Call(
                        func=ast.Attribute(value=ast.Name(id=owner), attr="format"), args=args, keywords=[]
                    ) if owner == name and (call := text_of(before, node)):
                        filled = _filled(source, [source_of(before, one) for one in args])
                        if filled:
                            yield place.first, row, [before.lines[row].replace(call, filled).removeprefix(place.indent)]


def _filled(source: str, given: Sequence[str]) -> str:
    """A template as an f-string with expressions in its fields, or ""."""
    parts = re.split(_FIELD, source)
    if source[:1] not in "'\"" or len(parts) != 3 * len(given) + 1:
        return ""
    fields = (f"{{{one}{parts[3 * at + 1] or ''}{parts[3 * at + 2] or ''}}}" for at, one in enumerate(given))
    return "f" + "".join(text + field for text, field in zip_longest(parts[::3], fields, fillvalue=""))


def _walrus(before: Snippet, place: Place) -> Iterator[New]:
    match place.node, following(place):
        case ast.Assign(targets=[ast.Name(id=name)], value=value), [ast.If(test=ast.Name(id=tested)) as one] if (
            name == tested and place.first < place.last
        ):
            lines = [line.removeprefix(place.indent) for line in before.lines[place.first : place.last + 1]]
            lines[0] = "if " + lines[0].replace(" = ", " := ", 1)
            lines[-1] += ":"
            yield place.first, one.lineno - 1, lines
        case ast.Assign(targets=[ast.Name(id=name)], value=value), [
            ast.While(
                test=test, body=[_, *_, ast.Assign(targets=[ast.Name(id=again)], value=more) as end], orelse=[]
            ) as one
        ] if name == again and same(value, more) and text_of(before, test):
            said = re.sub(
                rf"(?<![\w.]){name}(?!\w)", f"({name} := {source_of(before, value)})", text_of(before, test), count=1
            )
            body = body_lines(before, place, one.body[:-1])
            yield place.first, last_row(end), [f"while {said}:", *body]


STEPS: tuple[tuple[str, Rule], ...] = (
    (
        (
            r"daemon|constructor|keyword|argument|direct|dire?cly|at once|creation|literal|\{\*\*|copy"
            r"|update|afterwards|just return|\bone\b"
        ),
        _begun,
    ),
    (r"return|retrun|direct|inline|no need|straight", _handed),
    (r"f-?string|format|\bf\"|inline|\bfold", _formatted),
    (r"walrus|:=|assignment expression", _walrus),
)
