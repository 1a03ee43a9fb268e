"""Values made over in their own name: a copy of what is given, text for bytes, a bound for a number."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.checks.check_spots import check_spots, first_use, values_of
from spark_tui.editing.codemods.checks.states_told import distance
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names

_N = rf"(?P<n>{SIGNED})"
_WAYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"cop(?:y|ies|ied)|caller'?s?'? (?:own )?(?:list|dict|set)|in place|mutat\w+|shared|gets? shorter|side effects?",
     ("{x} = {make}", "{x} = {x}.copy()", "{x} = copy.copy({x})")),
    (r"decod\w+|given as bytes|a bytes|bytes (?:too|as well|also)",
     ("if isinstance({x}, bytes):|{x} = {x}.decode()", "{x} = {x}.decode()")),
    (r"encod\w+|given as (?:an? )?str\w*", ("if isinstance({x}, str):|{x} = {x}.encode()", "{x} = {x}.encode()")),
    (r"(?:cut|trim|strip)\w*|(?:blanks|whitespace|spaces) (?:around|at|before|after)|surrounding (?:blanks|whitespace)",
     ("{x} = {x}.strip()", "if {x}:|{x} = {x}.strip()")),
    (r"lower-?case\w*|lower|case-?insensitive\w*|regardless of case|ignor\w+ (?:the )?case",
     ("{x} = {x}.lower()", "if {x}:|{x} = {x}.lower()")),
    (r"upper-?case\w*|upper", ("{x} = {x}.upper()",)),
    (r"(?:str|strings?|text) (?:paths? )?(?:too|as well|also)|as (?:an? )?(?:Path|path object)s?|plain strings?",
     ("{x} = Path({x})", "if isinstance({x}, str):|{x} = Path({x})")),
    (rf"(?:nothing|never|not|no less) (?:below|under|less than|smaller than) {_N}|at least {_N.replace('<n>', '<n2>')}",
     ("if {x} < {n}:|{x} = {n}", "{x} = max({x}, {n})", "{x} = max({n}, {x})")),
    (rf"(?:nothing|never|not|no more) (?:above|over|more than|bigger than) {_N}|at most {_N.replace('<n>', '<n2>')}",
     ("if {x} > {n}:|{x} = {n}", "{x} = min({x}, {n})", "{x} = min({n}, {x})")),
    (r"(?:a |the |be an? |into an? |make \w+ an? )list|generators?|iterators?|one-shot|exhausted|twice",
     ("{x} = list({x})",)),
    (r"(?:coerce\w*|convert\w*|cast|be|as|in)(?: it)? (?:to|into)? ?(?:an? )?bool\w*", ("{x} = bool({x})",)),
    (rf"cap(?:ped)? (?:\w+ )?(?:at|to) {_N}", ("{x} = min({x}, {n})",)),
    (r"(?:upper|lower|mixed|any) ?-?case (?:too|also|as well|letters)", ("{x} = {x}.lower()", "{x} = {x}.upper()")),
    (r"(?:be|as|into|make \w+) an? int(?:eger)?|numeric strings?", ("{x} = int({x})",)),
    (r"(?:as|into|make \w+|be) an? (?:str|string|text)", ("{x} = str({x})",)),
    (r"(?:single|one|lone|bare|plain) (?:str\w*|value|item|element|name)", ("if isinstance({x}, str):|{x} = [{x}]",)),
    (r"(?:take|use|by) (?:its |their |\w+\.)(?P<attr>__\w+__|[a-z]\w+)",
     ("{x} = getattr({x}, {q}{attr}{q}, {x})", "if not isinstance({x}, str):|{x} = {x}.{attr}",
      "if hasattr({x}, {q}{attr}{q}):|{x} = {x}.{attr}")),
)  # fmt: skip
_PATTERNS = [(re.compile(rf"(?<![\w-])(?:{pattern})(?!\w)", re.IGNORECASE), forms) for pattern, forms in _WAYS]
_METHODS = {
    "dict": "keys values items get setdefault update popitem", "set": "add discard union",
    "list": "append extend insert sort reverse remove pop index",
}  # fmt: skip
_CHANGING = frozenset(["pop", "append", "extend", "insert", "remove", "sort", "reverse", "update", "add", "clear"])
_MOST_NAMES, _MOST, _UNNAMED = 2, 6, 100


def coercions(before: Snippet, words: str) -> Iterator[Ops]:
    """The values that may be meant made over in each way told, where each is there first."""
    found: list[tuple[int, Ops]] = []
    for pattern, forms in _PATTERNS:
        for match in pattern.finditer(words):
            for function in (functions_named(before, words) or before.functions)[:3]:
                found += _of(before, function, words, match, forms)
    found.sort(key=lambda one: one[0])
    yield from list(dict.fromkeys(ops for _, ops in found))[:_MOST]


def _of(
    before: Snippet, function: Function, words: str, match: re.Match[str], forms: tuple[str, ...]
) -> Iterator[tuple[int, Ops]]:
    told, mark = match.groupdict(), '"' if any('"' in line for line in before.lines) else "'"
    fields = {"n": told.get("n") or told.get("n2"), "attr": told.get("attr"), "q": mark}
    for far, name in _meant(function, words, match, fields["n"] is not None):
        spots = [*check_spots(before, function, name)[:2], *first_use(before, function, name)]
        for at, spot in enumerate(dict.fromkeys(spots)):
            for rank, form in enumerate(forms):
                first, _, then = form.format(x=name, make=_made(function, name), **fields).partition("|")
                inner = [spot.indent + before.layout.unit + then] if then else []
                yield far + 6 * at + 4 * rank, (Insert(spot.after, (spot.indent + first, *inner)),)


def _meant(function: Function, words: str, match: re.Match[str], number: bool) -> list[tuple[int, str]]:
    """The values that may be made over, with how far from the way they are told; those changed where none is named."""
    names = [name for name in values_of(function) if "." not in name and name != "it"]
    found = [(distance(words, match.start(), name), name) for name in names]
    near = sorted((far, name) for far, name in found if far < _UNNAMED)[:_MOST_NAMES]
    if near:
        return near
    changed = [name for name in names if _is_changed(function, name, number)]
    return [(_UNNAMED, name) for name in (changed or list(argument_names(function)))[:1]]


def _is_changed(function: Function, name: str, number: bool) -> bool:
    """Whether a function changes a value that it is given; for numbers, whether it bounds one."""
    for node in ast.walk(function):
        match node:
            case ast.If(test=ast.Compare(left=ast.Name(id=left)), body=[ast.Assign(targets=[ast.Name(id=target)])]):
                if number and left == target == name:
                    return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=method)):
                if not number and owner == name and method in _CHANGING:
                    return True
            case ast.Subscript(value=ast.Name(id=owner), ctx=ast.Store() | ast.Del()) if owner == name and not number:
                return True
    return False


def _made(function: Function, name: str) -> str:
    """The copy of a value, by the methods that are called on it."""
    called = {
        node.func.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if isinstance(node.func.value, ast.Name) and node.func.value.id == name
    }
    kinds = [kind for kind, methods in _METHODS.items() if called & set(methods.split())]
    keyed = any(isinstance(node, ast.Subscript | ast.Compare) and _is_keyed(node, name) for node in ast.walk(function))
    kind = "dict" if name.endswith(("kwargs", "options")) else next(iter(kinds), "dict" if keyed else "list")
    return f"{kind}({name})"


def _is_keyed(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=owner), slice=ast.Constant(value=str())):
            return owner == name
        case ast.Compare(
            left=ast.Constant(value=str()), ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=owner)]
        ):
            return owner == name
    return False
