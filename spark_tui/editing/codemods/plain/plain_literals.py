"""Fixed values that few words tell another of: "use 1024", "two decimals", "append instead of overwriting"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.codemods.plain.plain_words import bare, called
from spark_tui.editing.codemods.signatures.values_said import value_said
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings, quote, spliced

_NUMBER = re.compile(rf"(?:use|make it|make that|should be|take|set it to) (?P<value>{SIGNED})(?: instead)?")
_COUNTS = {"no": "0", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}
_DECIMALS = re.compile(
    rf"(?:show|use|with|print|give|round to|display|only|make it)? ?(?:only |just )?(?P<count>\d|{'|'.join(_COUNTS)})"
    r" (?:decimals?|decimal places?|digits after the (?:point|comma)|fractional digits)"
    r"(?P<place> (?:for|in|on|of) (?:the )?\w+)?",
    re.IGNORECASE,
)
_NOT = r"(?:,? (?:instead of|rather than|don'?t|do not|not|and not)"
_MODES = tuple(
    (re.compile(words, re.IGNORECASE), old, new)
    for words, old, new in (
        (rf"append(?: to (?:it|the file))?{_NOT} (?:over)?writ\w*)?(?: (?:it|the file))?", "w", "a"),
        (r"(?:don'?t|do not|never) over-?write (?:it|(?:the |an )?\w+),? (?:but |just )?append(?: to it)?", "w", "a"),
        (rf"overwrite(?: (?:it|the file))?{_NOT} append\w*)(?: (?:it|to it|to the file))?", "a", "w"),
    )
)
_KIND = re.compile(
    r"(?:make )?(?:the )?`?(?P<name>[^\W\d][\w.]*)`? (?:(?:should|could|must|can|ought to) (?:just )?be )?(?:an? )?"
    r"(?P<kind>set|tuple|list|frozenset|float)(?: instead)?"
    r"|(?:make |collect |keep |have )?(?:the )?`?(?P<it>[^\W\d][\w.]*)`? as (?:an? )?(?P<as>set|tuple|list|frozenset)",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?:join|separate)(?: (?:it|them|the \w+))? (?:with|by|using|on) (?P<sign>.+)", re.IGNORECASE)
_SHOULD = re.compile(r"\bmake\b|\bshould\b|\bcould\b|\bmust\b|\bcan\b|\bought\b")
_OF_A_LIST = r"\.(?:append|extend|insert|sort|reverse|pop)\(|\[[^\]]*\] = "
"""What is done to a list that other collections do not bear."""
_BRACKETS = {"set": "{}", "tuple": "()", "list": "[]"}
_LITTLE = ("0", "1", "-1", "2")


def plain_literals(before: Snippet, words: str) -> list[Ops]:
    """The values that may be meant, all of them changed; [] where the words do not tell them plainly."""
    said = bare(before, words)
    found = (
        list(_numbers(before, said))
        or list(_decimals(before, said))
        or list(_modes(before, said))
        or list(_kinds(before, words, said))
        or list(_joined(before, said))
    )
    lines = spliced(before, found) if found else []
    return [between(before, lines)] if lines and lines != list(before.lines) else []


def _constants(before: Snippet) -> list[ast.Constant]:
    return [one for one in outside_fstrings(before.tree) if isinstance(one, ast.Constant)]


def _numbers(before: Snippet, said: str) -> Iterator[tuple[ast.expr, str]]:
    """The one number that the region has, but for the little ones, wherever it stands."""
    told = _NUMBER.fullmatch(said)
    numbers = [one for one in _constants(before) if type(one.value) in (int, float)]
    large = [one for one in numbers if text_of(before, one) not in _LITTLE]
    if told and len({text_of(before, one) for one in large}) == 1:
        similar = abs(float(told["value"])) >= 1 or any(isinstance(one.value, float) for one in large)
        yield from ((one, told["value"]) for one in large if similar)


def _decimals(before: Snippet, said: str) -> Iterator[tuple[ast.expr, str]]:
    """Every `.1f` of the texts, in fields too; the only one where a place is told."""
    told = _DECIMALS.fullmatch(said)
    texts = [one for one in outside_fstrings(before.tree) if isinstance(one, ast.Constant | ast.JoinedStr)]
    count = _COUNTS.get(told["count"].lower(), told["count"]) if told else ""
    changed: list[tuple[ast.expr, str]] = []
    for node in texts if told else ():
        source = text_of(before, node)
        new = re.sub(r"(?<=\.)\d+(?=f[\"'}\s%]|f$)", count, source)
        if (isinstance(node, ast.JoinedStr) or isinstance(node.value, str)) and new != source:
            changed.append((node, new))
    yield from changed if told and (len(changed) == 1 or not told["place"]) else ()


def _modes(before: Snippet, said: str) -> Iterator[tuple[ast.expr, str]]:
    """The mode of the one call of open."""
    opened = [one for one in before.nodes if isinstance(one, ast.Call) and called(one) == "open"]
    for words, old, new in _MODES:
        if len(opened) == 1 and words.fullmatch(said):
            given = [*opened[0].args, *(one.value for one in opened[0].keywords if one.arg == "mode")]
            for one in given:
                if isinstance(one, ast.Constant) and isinstance(one.value, str) and set(one.value) <= set("wabt+"):
                    yield one, quote(before, one.value.replace(old, new))
            return


def _joined(before: Snippet, said: str) -> Iterator[tuple[ast.expr, str]]:
    """The sign that the one call of join has."""
    told = _JOINED.fullmatch(said)
    sign = value_said(told["sign"], "sep", "str", '""', quote(before, "")[0]) if told else ""
    held: list[ast.Constant] = []
    for node in before.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()) as literal, attr="join")):
                held.append(literal)
    if told and len(held) == 1 and sign[:1] in ("'", '"'):
        yield held[0], _spaced(sign, held[0].value, told["sign"])


def _spaced(sign: str, old: object, told: str) -> str:
    """A sign as a literal, with the space behind it that the old one has, where it is told by its name."""
    keeps = re.fullmatch(r"\S+ ", str(old)) and re.search(r"\w", told) and re.fullmatch(r".\S.", sign)
    return f"{sign[:-1]} {sign[-1]}" if keeps else sign


def _kinds(before: Snippet, words: str, said: str) -> Iterator[tuple[ast.expr, str]]:
    """What a variable or an attribute is set to: another collection of the same elements, a number as a float."""
    told = _KIND.fullmatch(said)
    if told is None or not (told["it"] or _SHOULD.search(words.lower())):
        return
    scopes = functions_named(before, words) or [before.tree]
    nodes = [node for scope in scopes for node in ast.walk(scope)]
    found = [value for node in nodes for value in _set_to(node, told["name"] or told["it"])]
    made = [(one, new) for one in found if (new := _as_kind(before, one, (told["kind"] or told["as"]).lower()))]
    name = re.escape(told["name"] or told["it"])
    kept = any(re.search(rf"(?<!\w){name}(?:{_OF_A_LIST})", line) for line in before.lines)
    yield from made if len(made) == 1 and not kept else ()


def _set_to(node: ast.AST, name: str) -> Iterator[ast.expr]:
    match node:
        case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
            path = dotted(target) or ""
            if name in (path, path.removeprefix("self.")):
                yield value


def _as_kind(before: Snippet, node: ast.expr, kind: str) -> str:
    match node:
        case ast.ListComp() | ast.SetComp():
            return _collected(text_of(before, node), kind)
        case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
            source = text_of(before, node)
            inner = source[1:-1] if source[:1] in "([{" else source
            if kind == "frozenset":
                return f"frozenset({{{inner}}})" if elts else "frozenset()"
            if kind not in _BRACKETS or not source or not elts:
                return {"set": "set()"}.get(kind, _BRACKETS.get(kind, "")) if source else ""
            comma = "," if kind == "tuple" and len(elts) == 1 and not inner.rstrip().endswith(",") else ""
            return f"{_BRACKETS[kind][0]}{inner}{comma}{_BRACKETS[kind][1]}"
        case ast.Constant(value=int() as value) if kind == "float" and type(value) is int:
            return f"{text_of(before, node)}.0"
    return ""


def _collected(source: str, kind: str) -> str:
    """A comprehension as another collection, or ""."""
    brackets = {"set": "{}", "list": "[]"}.get(kind, f"{kind}()")
    same = not source or kind == "float" or source[0] == brackets[0]
    return "" if same else f"{brackets[:-1]}{source[1:-1]}{brackets[-1]}"
