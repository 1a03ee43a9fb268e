"""Another value right where one may be None or missing: `xs or ()` in a loop, `d.get(k, 0)` for `d[k]`."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import stands_alone, text_of
from spark_tui.editing.codemods.bugs.mistaken import no_attribute
from spark_tui.editing.codemods.bugs.slips import Found, Spot, replaced, spots
from spark_tui.editing.codemods.common.named import words
from spark_tui.editing.codemods.common.negation import OR, strength
from spark_tui.editing.codemods.common.values_told import values_told
from spark_tui.editing.script import Indent, Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import COMPOUND, dotted, movable, places, quote
from spark_tui.editing.trees import literal_value

_NONE = re.compile(r"\bnone(?:type)?\b|\bnull\b", re.IGNORECASE)
_MISSING = re.compile(
    r"\b(?:KeyError|missing|unknown|absent|unset|lacks?|lacking|without|not (?:there|given|set|known|in)"
    r"|(?:has|have|is|are) no|no such|new|unseen)\b",
    re.IGNORECASE,
)
_LOOPS = re.compile(r"not iterable|has no len|\bloops?\b|\bnot subscriptable|\biterat\w+", re.IGNORECASE)
_TEXTS = re.compile(r"\b(?:blank|empty string|empty text|empty|leave it)\b|\"\"|''", re.IGNORECASE)
_TAKERS = frozenset(
    "map filter list tuple set sorted sum any all len enumerate zip dict join reversed iter max min".split()  # noqa: SIM905
)
_ARE = re.compile(r"\b(?:are|is|get|gets|then|becomes?) (\"[^\"]*\"|'[^']*'|\[\]|\{\}|\(\))(?=\W|$)")
_VALUES = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
_LOOSE = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Attribute, ast.Subscript, ast.BoolOp, ast.IfExp, ast.Await)
_MOST, _MOST_TOLD = 8, 2


def absent_values(before: Snippet, instruction: str) -> Iterator[Found]:
    """Each place where another value could stand in, with the values told, else those that fit the place."""
    yield from _attributes(before, instruction)
    none, missing = _NONE.search(instruction), _MISSING.search(instruction)
    if not (none or missing):
        return
    told = [source for source, _, _ in values_told(before, instruction) if source != "None"][:_MOST_TOLD]
    told = told or [match[1] for match in _ARE.finditer(instruction)][:_MOST_TOLD]
    said = words(instruction)
    every = [spot for spot in spots(before.tree) if isinstance(spot.node, _VALUES)]
    every.sort(key=lambda spot: (_name(spot.node) not in said, isinstance(spot.parent, ast.Call)))
    looked_up = [one for spot in every if missing for one in _looked_up(before, spot, told)]
    stand_ins = [one for spot in every if none for one in _stand_ins(before, spot, told, instruction)]
    if missing and (ifs := list(_under_tests(before, instruction, told))):
        yield from ifs[:_MOST]
    yield from [*looked_up, *stand_ins][:_MOST]


def _attributes(before: Snippet, instruction: str) -> Iterator[Found]:
    """An attribute that a message says there is none of, read with a default."""
    attr = no_attribute(instruction)
    told = [source for source, _, _ in values_told(before, instruction) if attr and _is_literal(source)]
    for spot in spots(before.tree) if attr else ():
        match spot.node:
            case ast.Attribute(value=value, attr=name, ctx=ast.Load()) if name == attr and text_of(before, value):
                for one in dict.fromkeys([*told[:_MOST_TOLD], "None", "False"]):
                    read = f"getattr({text_of(before, value)}, {quote(before, attr)}, {one})"
                    called = isinstance(spot.parent, ast.Call) and spot.parent.func is spot.node
                    yield spot.function, None if called else replaced(before, spot.node, read)


def _is_literal(source: str) -> bool:
    """Whether a source is a constant or an empty collection."""
    try:
        literal_value(source)
    except (ValueError, SyntaxError):
        return False
    return True


def _looked_up(before: Snippet, spot: Spot, told: list[str]) -> Iterator[Found]:
    """A look-up that has something to give where there is no such key."""
    match spot.node:
        case ast.Subscript(value=value, slice=key, ctx=ast.Load()) if isinstance(value, ast.Name | ast.Attribute):
            owner, source = text_of(before, value), text_of(before, key)
            number = isinstance(key, ast.Slice | ast.UnaryOp | ast.Tuple) or isinstance(
                getattr(key, "value", None), int
            )
            if owner and source and not number:
                yield from (
                    (spot.function, replaced(before, spot.node, f"{owner}.get({source}, {one})")) for one in told
                )
                yield from (
                    (spot.function, replaced(before, spot.node, f"{owner}.setdefault({source}, {one})"))
                    for one in (*told, "[]")
                    if isinstance(spot.parent, ast.Attribute) and one[0] in "[{"
                )
        case ast.Call(func=ast.Attribute(attr="pop" | "get"), args=[_], keywords=[]):
            text = text_of(before, spot.node)
            for one in told or ["None"] if text else ():
                if one != "None" or ".pop(" in text:
                    yield spot.function, replaced(before, spot.node, f"{text[:-1]}, {one})")


def _under_tests(before: Snippet, instruction: str, told: list[str]) -> Iterator[Found]:
    """What needs a key or a member done only where there is one, or the function left before it."""
    said = words(instruction)
    found = [(place, pair) for place in places(before) if (pair := _needed(before, place.node)) and place.function]
    named = [one for one in found if said & {text.rpartition(".")[2] for text in one[1]}]
    for place, (member, holder) in named or found:
        if movable(place.node) and stands_alone(before, place.node) and isinstance(place.node, ast.Expr | ast.Delete):
            head = f"{place.indent}if {member} in {holder}:"
            yield place.function, (Insert(place.first - 1, (head,)), Indent(place.first, place.last))
        word = (
            "continue" if place.in_loop else "return" if place.function and place.block is place.function.body else ""
        )
        leaving = [f"return {one}" for one in told] if told and word == "return" else [word] if word else []
        for one in leaving:
            lines = (f"{place.indent}if {member} not in {holder}:", f"{place.indent}{before.layout.unit}{one}")
            yield place.function, (Insert(place.first - 1, lines),)


def _needed(before: Snippet, node: ast.stmt) -> tuple[str, str] | None:
    """What must be in what for a statement to work."""
    if isinstance(node, COMPOUND):
        return None
    for one in ast.walk(node):
        match one:
            case ast.Call(func=ast.Attribute(value=holder, attr="remove" | "index" | "pop"), args=[member]):
                pass
            case ast.Subscript(value=ast.Name() | ast.Attribute() as holder, slice=member, ctx=ast.Load() | ast.Del()):
                pass
            case _:
                continue
        if isinstance(member, ast.Name | ast.Attribute) and dotted(holder):
            return text_of(before, member), text_of(before, holder)
    return None


def _stand_ins(before: Snippet, spot: Spot, told: list[str], instruction: str) -> Iterator[Found]:
    text = text_of(before, spot.node)
    if not text or text in ("self", "cls") or strength(before, spot.node) < OR:
        return
    match spot.node:
        case ast.Call(func=ast.Attribute(attr="get" | "pop"), args=[_, ast.Constant(value=None) as default]):
            defaults = told or (["()", "[]"] if _LOOPS.search(instruction) else [])
            yield from ((spot.function, replaced(before, default, one)) for one in defaults)
        case ast.Call(func=ast.Attribute(attr="get") as getter, args=[key, default], keywords=[]):
            bare, own = f"{text_of(before, getter)}({text_of(before, key)})", text_of(before, default)
            put = f"{bare} or {own}"
            yield spot.function, replaced(before, spot.node, f"({put})" if isinstance(spot.parent, _LOOSE) else put)
    loop, other = _is_looped(spot), _takes_another(spot)
    if not (loop or other):
        return
    fits = ["()", "[]"] if loop and _LOOPS.search(instruction) else []
    if _TEXTS.search(instruction):
        fits.append(quote(before, ""))
    given = [] if _TEXTS.search(instruction) else told
    texts = [f"{text} or {one}" for one in dict.fromkeys([*given, *fits])]
    for one in texts:
        yield spot.function, replaced(before, spot.node, f"({one})" if isinstance(spot.parent, _LOOSE) else one)


def _name(node: ast.expr) -> str:
    """The last name of a value, of what is called for a call."""
    match node:
        case ast.Call(func=func):
            return _name(func)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_looped(spot: Spot) -> bool:
    match spot.parent:
        case ast.For(iter=over) | ast.comprehension(iter=over):
            return over is spot.node
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _TAKERS and spot.node in spot.parent.args
        case ast.Starred():
            return True
    return False


def _takes_another(spot: Spot) -> bool:
    """Whether a value is assigned, returned, passed on or has a method called."""
    match spot.parent:
        case ast.Assign(value=value) | ast.Return(value=value) | ast.keyword(value=value):
            return value is spot.node
        case ast.Attribute():
            return isinstance(spot.node, ast.Call)
        case ast.Call():
            return spot.node in spot.parent.args
    return False
