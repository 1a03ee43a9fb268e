"""Sorting by what is told: "sort by name", "by price, largest first", "sort descending"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.folding.fold_sources import source_of
from spark_tui.editing.codemods.idioms.element_loops import singular
from spark_tui.editing.codemods.idioms.named_parts import Fold, Rule, said
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, quote

_BY = re.compile(
    r"\b(?:by|on)\s+(?:the |their |its )?[`'\"]?(?P<one>\w+)[`'\"]?"
    r"(?:(?:,? (?:and )?then(?: by)?| and(?: by)?|, by) (?:the |their |its )?[`'\"]?(?P<two>\w+))?"
)
_BACK = re.compile(
    r"\bin reverse\b|\bdescending|\bdesc\b|\breversed?\b|\bdecreasing"
    r"|\b(?:largest|highest|biggest|newest|latest|most) first"
)
_FUNCTIONS = {"length": "len", "len": "len"}


def sorts_backward(words: str) -> bool:
    """Whether words may want a sort backwards: all but those that only tell what to sort by."""
    return not re.search(r"(?i)\bsort\w*\b.{0,40}?\bby\b", words) or _BACK.search(words.lower()) is not None


def _sorted_by(before: Snippet, words: str) -> Iterator[Fold]:
    """Each sort with the key that is told, and backwards where that is."""
    told = _BY.search(words)
    back = bool(_BACK.search(words.lower()))
    if not told and any("revers" in line for line in before.lines):
        return
    for node in outside_fstrings(before.tree):
        match node:
            case ast.Call(func=ast.Name(id="sorted"), args=[over], keywords=keywords):
                given = f"{source_of(before, over)}, "
            case ast.Call(func=ast.Attribute(value=over, attr="sort"), args=[], keywords=keywords):
                given = ""
            case ast.Call(func=ast.Attribute(attr="order_by"), args=[now], keywords=[]) if told and not told["two"]:
                if column := _column(before, now, told["one"], back):
                    yield said(before, node, f"{source_of(before, node.func)}({column})")
                continue
            case _:
                continue
        known = {one.arg or "": one.value for one in keywords}
        key = _key(before, over, known.get("key"), told) if told else ""
        if "" in known or (told and not key):
            continue
        named = {name: source_of(before, value) for name, value in known.items()}
        named |= {"key": key} if key else {}
        named |= {"reverse": "True"} if back else {}
        text = given + ", ".join(f"{name}={value}" for name, value in named.items())
        yield said(before, node, f"{source_of(before, node.func)}({text})")


def _column(before: Snippet, now: ast.expr, name: str, back: bool) -> str:
    """What a query is ordered by, written as it is now, backwards where it is; "" where that is not to be seen."""
    match now:
        case ast.Call(func=ast.Attribute(value=inner, attr="desc"), args=[]):
            return _column(before, inner, name, back=True)
        case ast.Attribute(value=ast.Name(id=model)):
            return f"{model}.{name}" + ".desc()" * back
        case ast.Constant(value=str(text)) if re.fullmatch(r"-?\w+", text):
            return quote(before, "-" * (back or text.startswith("-")) + name)
    return ""


def _key(before: Snippet, over: ast.expr, now: ast.expr | None, told: re.Match[str]) -> str:
    """The key for what is told, written as the one there is now or as elements are read here; "" where none shows."""
    names = [name for name in (told["one"], told["two"]) if name]
    if len(names) == 1 and names[0].lower() in _FUNCTIONS:
        return _FUNCTIONS[names[0].lower()]
    match now:
        case ast.Lambda(args=ast.arguments(args=[ast.arg(arg=each)]), body=body):
            form = _form(body.elts[0] if isinstance(body, ast.Tuple) and body.elts else body)
        case ast.Call(func=func, args=[ast.Constant(value=str())]) if ast.unparse(func).endswith(
            ("attrgetter", "itemgetter")
        ):
            return f"{ast.unparse(func)}({', '.join(quote(before, name) for name in names)})"
        case None:
            each, form = next(iter(singular(ast.unparse(over))), "item"), _read(before, names[0])
        case _:
            return ""
    parts = [form.format(each, name) for name in names] if form else []
    return f"lambda {each}: {parts[0] if len(parts) == 1 else '(' + ', '.join(parts) + ')'}" if parts else ""


def _form(body: ast.expr) -> str:
    """How a key takes its part of an element."""
    match body:
        case ast.Attribute(value=ast.Name()):
            return "{}.{}"
        case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str())):
            return '{}["{}"]'
    return ""


def _read(before: Snippet, name: str) -> str:
    """How a part of that name is taken somewhere in these lines, or ""."""
    for node in before.nodes:
        match node:
            case ast.Attribute(attr=attr) if attr == name:
                return "{}.{}"
            case ast.Subscript(slice=ast.Constant(value=str(key))) if key == name:
                return '{}["{}"]'
    return ""


ORDERS: tuple[tuple[str, Rule], ...] = (
    (rf"\b(?:sort|order)(?:ed|ing)?\b.{{0,40}}?\b(?:by|on)\b|\bsort\w*\b.*(?:{_BACK.pattern})", _sorted_by),
)
"""What names a rule, and the rule."""
