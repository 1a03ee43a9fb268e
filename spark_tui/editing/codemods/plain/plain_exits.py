"""Another way to leave where there is one: "raise a KeyError instead of printing", "return -1 if not found".

The words tell the way that goes ("instead of returning None"), or the condition under which it is taken.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import Function, statement_lines, text_of, walk_scope
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.codemods.plain.plain_conditions import Conditions
from spark_tui.editing.codemods.plain.plain_words import bare, called, value_told
from spark_tui.editing.script import Delete, Replace
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, is_generator, places, quote
from spark_tui.editing.trees import parse

_NAME = r"(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout|Exit|NotFound|Failure)"
_ERROR = rf"[`'\"]?(?P<error>{_NAME})[`'\"]?(?P<call>\([^()]*\))?"
_TEXT = r"(?:,? (?:with|saying)(?: the)?(?: message| text)? (?P<text>\"[^\"]*\"|'[^']*'))?"
_RAISE = rf"(?:raise|throw)s? (?:an? )?{_ERROR}{_TEXT}"
_RETURN = r"(?:return|give back)s? (?:just )?(?:an? |the )?(?P<value>[^,]+?)"
_WHILE = r"(?:,? (?:if|when|in case|on|for) .+)?"
_OLD = (
    r" (?:instead of|rather than|not|and not) (?:just |only |simply |silently )?(?:an? |the |to )?"
    r"(?P<verb>return|rais|throw|print|exit|log|continu|skip|ignor|swallow|pass|break|quit)(?:ing|e|p?ping)?"
    rf"(?: (?P<old>(?!if\b|when\b)\S+(?: \S+)?))?{_WHILE}"
)
_IF = r",? (?:if|when|whenever|in case) (?P<test>.+)"
_NOT_FOUND = re.compile(
    r"(?i)(?:(?:it|its|it's|the \w+|\w+|nothing|none)(?: is| was|'s)? )?"
    r"(?:not|isn'?t|wasn'?t|never) (?:found|there|present)"
    r"|nothing (?:is |was )?(?:found|matche[sd])|no(?:ne| \w+)? (?:is |was )?(?:found|matches|matched)"
    r"|there(?: is|'s) no(?:ne| match| \w+)"
)
_INSTEAD = re.compile(rf"(?:{_RAISE}|{_RETURN})(?: there| here)? instead(?: of (?:that|this|it))?")
_OF = re.compile(rf"(?:{_RAISE}|{_RETURN}){_OLD}")
_WHEN = re.compile(rf"(?:{_RAISE}|{_RETURN}){_IF}")
_FIRST = re.compile(rf"(?:if|when|whenever|in case) (?P<test>.+?),? (?:then )?(?:{_RAISE}|{_RETURN})")
_TELLING = frozenset("print warn warning error critical exception info debug log fail".split())  # noqa: SIM905
_EXITS = frozenset(["exit", "quit", "_exit"])
_CALLS = {"print": {"print"}, "log": _TELLING - {"print"}, "exit": _EXITS, "quit": _EXITS}
_WAYS: dict[str, type[ast.stmt] | tuple[type[ast.stmt], ...]] = {
    "continu": ast.Continue, "skip": ast.Continue, "ignor": (ast.Continue, ast.Pass), "pass": ast.Pass,
    "swallow": ast.Pass, "break": ast.Break,
}  # fmt: skip
_VALUES = {
    "none": "None", "false": "False", "true": "True", "empty list": "[]", "empty dict": "{}", "empty string": '""',
}  # fmt: skip
_NOTHING = ("None", "False", "-1", '""', "[]", "{}")
_SAME = re.compile(r"(?:not )?(?P<x>[\w.]+)(?: (?:is|==|is not|!=) None)?|len\((?P<y>[\w.]+)\) == 0")


def plain_raised(before: Snippet, words: str) -> list[Ops]:
    """An error in the place of the one way out that the words tell; else []."""
    return _exits(before, words, "error")


def plain_left(before: Snippet, words: str) -> list[Ops]:
    """Another value returned at the one way out that the words tell; else []."""
    return _exits(before, words, "value")


def _exits(before: Snippet, words: str, sort: str) -> list[Ops]:
    said = re.sub(r"^[A-Z](?=[a-z])", lambda first: first[0].lower(), bare(before, words))
    for pattern in (_OF, _INSTEAD, _WHEN, _FIRST):
        told = pattern.fullmatch(said)
        if told is None or not told[sort]:
            continue
        among = functions_named(before, words) or before.functions
        found = [(function, one) for function in among for one in _meant(before, function, told)]
        if len(found) == 1 and (new := _new(before, found[0][0], told, found[0][1])):
            return [ops] if (ops := _replaced(before, found[0][1], new)) else []
    return []


def _meant(before: Snippet, function: Function, told: re.Match[str]) -> Sequence[Place]:
    groups = told.groupdict()
    own = [one for one in places(before) if one.function is function]
    if groups.get("verb"):
        return [one for one in own if _is_way(before, one.node, groups["verb"], groups["old"])]
    if groups.get("test"):
        return list(_where(function, own, groups["test"]))
    failing = [one for one in own if _is_failure(one.node) and one.node is not function.body[0]]
    telling = [one for one in failing if _tells(one.node)]
    return telling or failing


def _is_way(before: Snippet, node: ast.stmt, verb: str, old: str | None) -> bool:
    """Whether a statement leaves in the way that a verb tells, and gives what is told."""
    name = called(node.value) if isinstance(node, ast.Expr) else ""
    match node:
        case ast.Return(value=value) if verb == "return":
            shown = text_of(before, value) if value else "None"
            return shown == _VALUES.get(old.lower(), old.strip("`")) if old else shown in _NOTHING
        case ast.Raise() if verb in ("rais", "throw"):
            anything = old is None or old.lower().rpartition(" ")[2] in ("it", "error", "exception")
            return anything or (old or "") in text_of(before, node)
        case ast.Expr():
            return name in _CALLS.get(verb, ())
    return isinstance(node, _WAYS.get(verb, ()))


def _where(function: Function, own: Sequence[Place], test: str) -> Iterator[Place]:
    """The ways out that are taken under a condition; what a search falls through to where that is "not found"."""
    read = Conditions(function).read(test)
    if read:
        about = _SAME.fullmatch(read.source)
        for one in own:
            if isinstance(one.node, ast.If) and not one.node.orelse and len(one.node.body) == 1:
                source = ast.unparse(one.node.test)
                negated = "not " in read.source or "None" in read.source or " == 0" in read.source
                same = about and _absent(source) == (about["x"] or about["y"]) and negated
                if source == ast.unparse(parse(read.source, mode="eval")) or same:
                    yield from (inner for inner in own if inner.node is one.node.body[0] and _leaves(inner.node))
    elif _NOT_FOUND.fullmatch(test.strip()) and (last := _fallen_through(function)):
        yield from (one for one in own if one.node is last)


def _absent(source: str) -> str:
    """What a test says to be nothing, or ""."""
    told = re.fullmatch(r"not ([\w.]+)|([\w.]+) (?:is|==) None|len\(([\w.]+)\) == 0", source)
    return next((one for one in told.groups() if one), "") if told else ""


def _fallen_through(function: Function) -> ast.stmt | None:
    """The last statement, where it returns a constant below a loop that returns what it finds."""
    match function.body:
        case [*_, ast.For() | ast.While() as loop, ast.Return(value=None | ast.Constant() | ast.UnaryOp()) as last]:
            if any(isinstance(one, ast.Return) for one in ast.walk(loop)) and not is_generator(function):
                return last
    return None


def _leaves(node: ast.stmt) -> bool:
    return isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break)


def _is_failure(node: ast.stmt) -> bool:
    """Whether a statement says that something went wrong: it returns nothing much, prints, exits or raises."""
    match node:
        case ast.Return(value=None | ast.Constant(value=None | False | "")):
            return True
        case ast.Return(value=ast.List(elts=[]) | ast.Dict(keys=[]) | ast.UnaryOp(operand=ast.Constant(value=1))):
            return True
        case ast.Raise(exc=ast.expr()) | ast.Pass():
            return True
    return _tells(node) or (isinstance(node, ast.Expr) and called(node.value) in _EXITS)


def _tells(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and called(node.value) in _TELLING - {"info", "debug", "log"}


def _new(before: Snippet, function: Function, told: re.Match[str], place: Place) -> str:
    """The statement that comes, or ""."""
    if not told["error"]:
        value = value_told(before, function, re.sub(_WHILE + "$", "", told["value"]))
        given = any(isinstance(one, ast.Return) and one.value for one in walk_scope(function))
        return f"return {value}" if value and (given or value != "None" or isinstance(place.node, ast.Raise)) else ""
    if told["call"]:
        return f"raise {told['error']}{told['call']}"
    text = quote(before, told["text"][1:-1]) if told["text"] else _text(before, told, place.node)
    return f"raise {told['error']}({text})" if text else f"raise {told['error']}"


def _text(before: Snippet, told: re.Match[str], node: ast.stmt) -> str:
    """The message that the statement shows now, or the condition in words."""
    match node:
        case ast.Expr(value=ast.Call(args=[ast.Constant(value=str()) | ast.JoinedStr() as text], keywords=[])):
            return text_of(before, text)
        case ast.Raise(exc=ast.Call(args=[text], keywords=[])):
            return text_of(before, text)
    test = re.sub(r"^it(?:'s| is|s)? ", "", told.groupdict().get("test") or "")
    return quote(before, test) if test and re.fullmatch(r"[\w ]+", test) else ""


def _replaced(before: Snippet, place: Place, new: str) -> Ops:
    """The edit: what only left behind what is replaced goes, too."""
    if new.strip() == before.lines[place.first].strip():
        return ()
    found: list[Replace | Delete] = [Replace(place.first, place.last, (place.indent + new,))]
    rest = place.block[place.index + 1 :]
    within = place.function is not None and place.block is not place.function.body
    if within and len(rest) == 1 and (_is_failure(rest[0]) or isinstance(rest[0], ast.Return)):
        found.append(Delete(*statement_lines(rest[0])))
    elif within and rest:
        return ()
    return tuple(found)
