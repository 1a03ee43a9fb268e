"""What plain words make of a value: "round the total to 2 decimals", "cap it at 60", "strip the trailing slash"."""

import ast
import re

from spark_tui.editing.code import Function, indentation, statement_lines, text_of, walk_scope
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_checks import the_function
from spark_tui.editing.codemods.plain.plain_words import SIGNS, bare, called, names_of
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names, dotted, fitted, quote, top_of

_COUNTS = {"one": "1", "two": "2", "three": "3", "four": "4"}
_ROUND = re.compile(
    r"(?i)round (?:off )?(?:(?:the|its) )?[`'\"]?(?P<what>[^\W\d]\w*)[`'\"]?(?: off)?"
    r"(?: to (?P<digits>\d|one|two|three|four) (?:decimals?(?: (?:places?|digits?))?|digits?|places?|dp)"
    r"|(?: to (?:the nearest |an? )?(?:int(?:eger)?|whole number)))"
)
_NOT = re.compile(
    r"(?i)(?:(?:don'?t|do not|never|stop|no|without|no more) round(?:ing)?(?: off)?|(?:remove|drop) the round(?:ing)?)"
    r"(?: (?:it|this|them|(?:the )?(?:result|value|numbers?|total|any(?:thing| ?more))))*"
)
_NAME = r"(?:(?:the|its|all) )?[`'\"]?(?P<what>[^\W\d]\w*)[`'\"]?"
_BOUND = rf"(?:at most |a maximum of )?`?(?P<{{}}>{SIGNED}|[A-Za-z_]\w*)`?(?: \w+)?"
_HOLD = re.compile(
    rf"(?i)(?:cap|limit|clamp|restrict) {_NAME} (?:at|to) {_BOUND.format('most')}"
    rf"|(?:clamp|limit|keep|restrict) (?:(?:the|its) )?(?P<both>[^\W\d]\w*) (?:to )?(?:between|within|in) "
    r"(?P<low>-?[\w.]+) (?:and|to|-) (?P<high>-?[\w.]+)"
)
_A_NUMBER = re.compile(r"(?i)cap|clamp")
"""What is said of numbers only; texts and lists are limited, too."""
_MUST = r"(?:should|must|may|can|is to|shall) "
_HELD = re.compile(
    rf"(?i){_NAME} {_MUST}(?:(?:be|stay) (?:at most|no more than|never more than)"
    r"|(?:never|not) (?:exceed|go above|be (?:more|greater|larger|higher) than|be above)) "
    rf"{_BOUND.format('most')}"
    rf"|(?:the )?(?P<least>[^\W\d]\w*) {_MUST}(?:(?:be|stay) (?:at least|no less than)"
    rf"|(?:never|not) (?:go|fall|be) (?:below|less than|smaller than|lower than|under)) {_BOUND.format('low')}"
)
_DECODE = re.compile(
    r"(?i)decode (?:(?:the|its) )?`?(?P<what>[^\W\d]\w*)`?"
    r"(?: (?:as|with|using|from|to) (?P<coding>utf-?8|ascii|latin-?1|text|an? str(?:ing)?|str))?"
    r"|return (?:text|a str(?:ing)?) (?:instead of|rather than|not) bytes"
)
_TYPED = re.compile(
    rf"(?i){_NAME} (?:should|must) be an? (?P<type>int|integer|float)|(?:convert|turn|parse|cast) (?:the )?"
    r"`?(?P<other>[^\W\d]\w*)`? (?:in)?(?:to|as) (?:an? )?(?P<into>int|integer|float)"
)
_SIGN = "|".join(sorted(SIGNS, key=len, reverse=True))
_STRIP = re.compile(
    rf"(?i)(?:(?:strip|trim)(?: (?:off|away))?|(?:remove|drop|cut off|cut)(?= (?:the |any |all )*(?:trail|lead))) "
    rf"(?:the |any |all |a )*(?:(?P<side>trailing|leading|surrounding) )?(?P<sign>{_SIGN})(?:e?s)?"
    rf"(?: (?:(?P<around>from around|around)|from|off|of) {_NAME})?"
)
_AT_END = ("newline", "line break", "linebreak")
_NUMBERS = frozenset("int float len round sum abs pow".split())  # noqa: SIM905
_AS_BYTES = frozenset("check_output recv b64decode getvalue".split())  # noqa: SIM905
_IT = frozenset("it this that result value output returned".split())  # noqa: SIM905


def plain_values(before: Snippet, words: str) -> list[Ops]:
    """The value told rounded, held, decoded or stripped, where it is set or else given back; or unrounded; else []."""
    said, functions = bare(before, words), the_function(before, words)
    if len(functions) != 1:
        return []
    if _NOT.fullmatch(said):
        return _unrounded(before, functions[0])
    return next(
        filter(None, (make(before, functions[0], said) for make in (_rounded, _held, _decoded, _stripped, _typed))), []
    )


def _rounded(before: Snippet, function: Function, said: str) -> list[Ops]:
    told = _ROUND.fullmatch(said)
    if told is None or any(_is_round(one) for one in before.nodes):
        return []
    digits = told["digits"] and _COUNTS.get(told["digits"].lower(), told["digits"])
    return _made(before, _meant(function, told["what"]), f"round({{}}{f', {digits}' if digits else ''})")


def _made(before: Snippet, value: ast.expr | None, form: str) -> list[Ops]:
    """A value with what is made of it in its place."""
    text = value and text_of(before, value)
    if value is None or not text:
        return []
    simple = isinstance(value, ast.Call | ast.Subscript | ast.Attribute | ast.Name | ast.Constant)
    lines = fitted(before, [(value, form.format(text if simple or form.endswith(")}") else _grouped(text, form)))])
    return [between(before, lines)] if lines else []


def _grouped(text: str, form: str) -> str:
    return f"({text})" if form.startswith("{}") else text


def _held(before: Snippet, function: Function, said: str) -> list[Ops]:
    """A number held within the bounds told; what a parameter must be is a check, and no bound."""
    said = said.replace("self.", "")
    commanded = _HOLD.fullmatch(said)
    told = commanded or _HELD.fullmatch(said)
    parts = told.groupdict() if told else {}
    low, most = parts.get("low"), parts.get("most") or parts.get("high")
    name = parts.get("what") or parts.get("both") or parts.get("least") or ""
    given = set(argument_names(function))
    if not told or not all(_is_bound(one, given - {name}) for one in (low, most) if one):
        return []
    form = f"min({{}}, {most})" if most else "{}"
    form = f"max({low}, {form})" if low and most else f"max({{}}, {low})" if low else form
    if name in given and name not in _stored(function):
        none = any(isinstance(one, ast.Constant) and one.value is None for one in function.args.defaults)
        used = not none and any(_reckons(one, name) for one in walk_scope(function))
        return _first(before, function, name, form) if commanded and used else []
    value = _meant(function, name) if name in _IT | names_of(function) else None
    if value is not None and _is_reckoned(function, value):
        return _made(before, value, form)
    return _held_once_changed(before, function, name, form) if commanded and _A_NUMBER.match(said) else []


def _held_once_changed(before: Snippet, function: Function, name: str, form: str) -> list[Ops]:
    """What one statement adds to, held right behind that."""
    stored = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For)
    found = [one for one in walk_scope(function) if isinstance(one, stored) and name in map(_last, _targets(one))]
    match found:
        case [ast.AugAssign(op=ast.Add() | ast.Sub() | ast.Mult(), target=target, value=value) as one]:
            if isinstance(value, ast.List) or _is_text(value):
                return []
            last, path = statement_lines(one)[1], ast.unparse(target)
            indent = indentation(before.lines[statement_lines(one)[0]])
            return [(Insert(last, (f"{indent}{path} = {form.format(path)}",)),)]
        case [ast.Assign(value=ast.BinOp(op=ast.Add(), left=left, right=right) as value)]:
            reads = {one.id for one in (left, right) if isinstance(one, ast.Name)}
            return [] if name not in reads or _is_text(left) or _is_text(right) else _made(before, value, form)
    return []


def _targets(node: ast.stmt) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", ast.Constant(None))]


def _last(target: ast.expr) -> str:
    """The last part of the name that something is given, or ""."""
    return (dotted(target) or "").rpartition(".")[2]


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str))


def _is_bound(text: str, given: set[str]) -> bool:
    return text[-1].isdigit() or text.isupper() or text in given


def _reckons(node: ast.AST, name: str) -> bool:
    """Whether a piece of code takes a name for a number."""
    match node:
        case ast.BinOp(left=left, right=right) if not isinstance(node.op, ast.Add | ast.Mod):
            return any(isinstance(one, ast.Name) and one.id == name for one in (left, right))
        case ast.Call(func=ast.Name(id="range") | ast.Attribute(attr="sleep"), args=args):
            return any(isinstance(one, ast.Name) and one.id == name for one in args)
    return False


def _is_reckoned(function: Function, value: ast.expr, of: frozenset[str] = frozenset()) -> bool:
    """Whether a value is surely a number, and not held yet. Args: of: the names that it makes up."""
    match value:
        case ast.Name(id=name):
            found = [one.value for one in walk_scope(function) if isinstance(one, ast.Assign) and _sets(one, name)]
            told = len(found) == 1 and not isinstance(found[0], ast.Name) and name not in of
            return told and _is_reckoned(function, found[0], of | {name})
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _is_reckoned(function, left, of) or _is_reckoned(function, right, of)
        case ast.BinOp(op=op):
            return not isinstance(op, ast.Mod)
        case ast.Constant(value=int() | float()):
            return True
    return called(value) in _NUMBERS


def _sets(node: ast.Assign, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in node.targets)


def _stored(function: Function) -> set[str]:
    names = (one for one in walk_scope(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    return {one.id for one in names}


def _first(before: Snippet, function: Function, name: str, form: str) -> list[Ops]:
    """A parameter set to what is made of it, first thing."""
    top = top_of(before, function)
    return [(Insert(top[0], (f"{top[1]}{name} = {form.format(name)}",)),)] if top else []


def _decoded(before: Snippet, function: Function, said: str) -> list[Ops]:
    """The only bytes that come from outside as text; none where they come as text already."""
    told = _DECODE.fullmatch(said)
    calls = [one for one in walk_scope(function) if isinstance(one, ast.Call)]
    as_text = {"text", "encoding", "universal_newlines"}
    if told is None or any(one.arg in as_text for call in calls for one in call.keywords):
        return []
    if any(called(one) == "decode" for one in calls):
        return []
    loaded = [one for one in walk_scope(function) if isinstance(one, ast.expr) and _is_bytes(one)]
    named = [one for one in loaded if isinstance(one, ast.Attribute) and one.attr == told["what"]]
    found = named or loaded
    coding = told["coding"] or ""
    argument = quote(before, coding.lower()) if any(mark in coding for mark in "8i1") and "str" not in coding else ""
    return _made(before, found[0], f"{{}}.decode({argument})") if len(found) == 1 else []


def _is_bytes(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(), attr="stdout" | "stderr", ctx=ast.Load()):
            return True
    return called(node) in _AS_BYTES


def _stripped(before: Snippet, function: Function, said: str) -> list[Ops]:
    """A text without a sign told at its ends: the value told, or the only parameter where that is used as a text."""
    told = _STRIP.fullmatch(said)
    if told is None:
        return []
    sign, side = told["sign"].lower(), (told["side"] or "").lower()
    left = {"trailing": "r", "leading": "l"}.get(side, "r" if sign in _AT_END and not side else "")
    literal = f'"{SIGNS[sign]}"' if sign == "quote" else quote(before, SIGNS[sign])
    form = f"{{}}.{left}strip({literal})"
    given = [one for one in argument_names(function) if one not in ("self", "cls")]
    used = {
        one.value.id
        for one in before.nodes
        if isinstance(one, ast.Attribute | ast.Subscript) and isinstance(one.value, ast.Name)
    }
    name = told["what"] or (given[0] if len(given) == 1 and given[0] in used else "")
    if name in given and name not in _stored(function):
        return _first(before, function, name, form)
    return _made(before, _told_text(function, name), form) if name else []


def _typed(before: Snippet, function: Function, said: str) -> list[Ops]:
    """What is unpacked from a text made the number told, where it is used."""
    told = _TYPED.fullmatch(said)
    name, type_ = (told["what"] or told["other"], told["type"] or told["into"]) if told else ("", "")
    value = _told_text(function, name) if name and name not in argument_names(function) else None
    if not isinstance(value, ast.Name):
        return []
    return _made(before, value, {"integer": "int"}.get(type_.lower(), type_.lower()) + "({})")


def _told_text(function: Function, name: str) -> ast.expr | None:
    """What a name is set to, else the one place where a part of what is unpacked is used."""
    if (value := _meant(function, name)) is not None or name not in _stored(function):
        return value
    uses = [one for one in walk_scope(function) if isinstance(one, ast.Name) and one.id == name]
    read = [one for one in uses if isinstance(one.ctx, ast.Load)]
    return read[0] if len(read) == 1 and len(uses) == 2 else None


def _unrounded(before: Snippet, function: Function) -> list[Ops]:
    calls = [one for one in walk_scope(function) if _is_round(one)]
    values = [one.args[0] for one in calls if isinstance(one, ast.Call) and one.args]
    nested = any(inner in calls for one in values for inner in ast.walk(one))
    changes = [(call, text_of(before, value)) for call, value in zip(calls, values, strict=False)]
    if not calls or nested or len(values) != len(calls) or not all(text for _, text in changes):
        return []
    lines = fitted(before, [(call, text) for call, text in changes if isinstance(call, ast.expr)])
    return [between(before, lines)] if lines else []


def _is_round(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "round"


def _meant(function: Function, name: str) -> ast.expr | None:
    """What a name is set to where that is done once, else where it is given back, also by a key or by the function."""
    nodes = list(walk_scope(function))
    returned = [one.value for one in nodes if isinstance(one, ast.Return) and one.value]
    stored = [one for one in nodes if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)]
    once = [one.value for one in nodes if isinstance(one, ast.Assign) and one.targets == stored]
    if len(stored) == 1 and once:
        return once[0]
    given = [one for one in returned if isinstance(one, ast.Name) and one.id == name]
    if given and len(given) == 1:
        return given[0]
    keyed = [value for one in nodes if isinstance(one, ast.Dict) for value in _of_key(one, name)]
    if len(keyed) == 1:
        return keyed[0]
    whole = name.lower() in _IT or name in function.name.split("_")
    return returned[0] if len(returned) == 1 and whole and not stored and _is_number(returned[0]) else None


def _of_key(node: ast.Dict, name: str) -> list[ast.expr]:
    pairs = zip(node.keys, node.values, strict=True)
    return [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name]


def _is_number(node: ast.expr) -> bool:
    """Whether an expression may well be a number."""
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.BinOp)
