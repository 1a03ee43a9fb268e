"""Expressions that a symptom asks to be written otherwise: `*xs` for `xs`, `d.pop(k)` for `d[k]`, `x[1:]`, `not x`.

Each form is tried where its sort of expression stands, first where the words speak of what stands there.
"""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from spark_tui.editing.code import MAX_WIDTH, Position, end_of, splice, start_of
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.bugs.call_changes import in_annotations
from spark_tui.editing.codemods.bugs.slips import Spot, spots
from spark_tui.editing.codemods.common.expression_places import weight
from spark_tui.editing.snippet import Snippet

_HELD = (ast.Call, ast.keyword, ast.Assign, ast.AnnAssign, ast.Return, ast.Tuple, ast.List, ast.Dict, ast.Yield)
_PLAIN = (ast.Name, ast.Attribute)
_TUPLE = "(@,)"
Texts = Callable[[Spot, str], Sequence[str]]


class Form(NamedTuple):
    """Words for a trouble, and what an expression becomes against it; "@" stands for the expression itself."""

    trouble: re.Pattern[str]
    texts: Texts
    most: int = 6


def form(trouble: str, texts: Texts, most: int = 6) -> Form:
    """A form that is tried where the words hold a pattern."""
    return Form(re.compile(trouble, re.IGNORECASE), texts, most)


def forms_cured(before: Snippet, request: Request, forms: Sequence[Form]) -> Iterator[Ops]:
    """The edits that the forms make of the expressions within what is selected."""
    told = [one for one in forms if one.trouble.search(request.instruction)]
    if not told:
        return
    first, last = request.selected or (0, len(before.lines))
    hints = in_annotations(before)
    inside = [
        one
        for one in spots(before.tree)
        if first <= one.node.lineno - 1 <= last
        and (one.node.end_lineno or 0) <= len(before.lines)
        and id(one.node) not in hints
        and not isinstance(getattr(one.node, "ctx", None), ast.Store | ast.Del)
    ]
    scores: dict[int, int] = {}
    for each in told:
        found = [(one, texts) for one in inside if (texts := each.texts(one, request.instruction))]
        for one, _ in found:
            if id(one.node) not in scores:
                scores[id(one.node)] = weight(before, request.instruction, one.node)
        found.sort(key=lambda pair: -scores[id(pair[0].node)])
        for one, texts in found[: each.most]:
            yield from _written(before, one.node, texts)


def _written(before: Snippet, node: ast.expr, texts: Sequence[str]) -> Iterator[Ops]:
    start, end = start_of(before, node), end_of(before, node)
    bracketed = _TUPLE in texts and _bracketed(before, start, end)
    for text in ["@,"] if bracketed else texts:
        lines = list(before.lines)
        if "@" in text:
            head, _, tail = text.partition("@")
            lines = splice(splice(lines, end, end, tail), start, start, head)
        else:
            lines = splice(lines, start, end, text)
        if all(len(line) <= MAX_WIDTH or line in before.lines for line in lines) and parses(lines):
            yield between(before, lines)


def _bracketed(before: Snippet, start: Position, end: Position) -> bool:
    """Whether an expression stands in brackets that are no call's."""
    ahead, behind = before.lines[start[0]][: start[1]], before.lines[end[0]][end[1] :]
    return bool(re.search(r"[^\w\])]\($", ahead)) and behind.startswith(")")


def is_argument(spot: Spot) -> bool:
    """Whether an expression is what a call is given."""
    return isinstance(spot.parent, ast.Call) and spot.parent.func is not spot.node


def is_held(spot: Spot) -> bool:
    """Whether an expression is passed, set, or given back."""
    return isinstance(spot.parent, _HELD) and not (isinstance(spot.parent, ast.Call) and spot.parent.func is spot.node)


def is_variable(node: ast.expr) -> bool:
    """Whether an expression is a name or a member that is no class and no constant."""
    last = getattr(node, "attr", getattr(node, "id", ""))
    return isinstance(node, _PLAIN) and last not in ("self", "cls") and not last[:1].isupper()


def _negated(spot: Spot, _: str) -> Sequence[str]:
    node, parent = spot.node, spot.parent
    tested = isinstance(parent, ast.If | ast.While | ast.IfExp | ast.Assert) and parent.test is node
    given = isinstance(parent, ast.Return | ast.Assign | ast.Lambda | ast.BoolOp | ast.keyword)
    filtered = isinstance(parent, ast.comprehension) and node in parent.ifs
    if not (tested or given or filtered) or isinstance(node, ast.Constant | ast.JoinedStr | ast.Compare):
        return ()
    if isinstance(node, ast.UnaryOp | ast.List | ast.Dict | ast.Tuple | ast.BinOp | ast.ListComp | ast.Lambda):
        return ()
    return ("not (@)",) if isinstance(node, ast.BoolOp | ast.IfExp) else ("not @",)


def _uncut(spot: Spot, _: str) -> Sequence[str]:
    """What stands for a whole, without its first or its last, or from its end."""
    over = isinstance(spot.parent, ast.For | ast.comprehension) and spot.parent.iter is spot.node
    kept = is_argument(spot) or isinstance(spot.parent, ast.Return | ast.Assign)
    if not is_variable(spot.node) or not (over or kept):
        return ()
    return ("@[1:]", "@[:-1]")


def _turned_slice(spot: Spot, _: str) -> Sequence[str]:
    match spot.node:
        case ast.Slice(lower=ast.expr() as bound, upper=None, step=None):
            signed = ast.unparse(bound)
            return (f":{signed}", *([f":-{signed}"] if isinstance(bound, ast.Constant) else []))
        case ast.Slice(lower=None, upper=ast.expr() as bound, step=None):
            signed = ast.unparse(bound)
            return (f"{signed}:", *([f"-{signed}:"] if isinstance(bound, ast.Constant) else []))
    return ()


def _moved(spot: Spot, _: str) -> Sequence[str]:
    """One more or less than a number that is shown, passed on or counted with."""
    shown = isinstance(spot.parent, ast.BinOp) and isinstance(spot.parent.op, ast.Mod)
    index = isinstance(spot.parent, ast.Slice) or (
        isinstance(spot.parent, ast.Subscript) and spot.parent.slice is spot.node
    )
    if not is_variable(spot.node) or not (shown or index or is_held(spot)):
        return ()
    return ("(@ + 1)", "(@ - 1)") if shown else ("@ + 1", "@ - 1")


def _starred(spot: Spot, _: str) -> Sequence[str]:
    return ("*@",) if is_argument(spot) and isinstance(spot.node, (*_PLAIN, ast.GeneratorExp, ast.ListComp)) else ()


def _mapped(spot: Spot, _: str) -> Sequence[str]:
    return ("**@",) if is_argument(spot) and is_variable(spot.node) else ()


def _in_tuple(spot: Spot, _: str) -> Sequence[str]:
    held = is_held(spot) or isinstance(spot.parent, ast.AugAssign)
    return (_TUPLE,) if held and isinstance(spot.node, (*_PLAIN, ast.Constant)) else ()


def _called(spot: Spot, _: str) -> Sequence[str]:
    """What is looked up or built is called, with what there is to give."""
    node = spot.node
    if isinstance(spot.parent, ast.Call) and spot.parent.func is node:
        return ()
    looked_up = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "partial", "sync_to_async")
    if not (looked_up or (is_variable(node) and is_held(spot))):
        return ()
    own = [one.arg for one in spot.function.args.args if one.arg not in ("self", "cls")] if spot.function else []
    return ("@()", f"@({own[0]})") if len(own) == 1 else ("@()",)


def _its_values(spot: Spot, _: str) -> Sequence[str]:
    over = isinstance(spot.parent, ast.For | ast.comprehension) and spot.parent.iter is spot.node
    return ("@.values()",) if isinstance(spot.node, _PLAIN) and (over or is_argument(spot)) else ()


def _its_copy(spot: Spot, _: str) -> Sequence[str]:
    return ("@.copy()",) if getattr(spot.node, "attr", "") == "__dict__" and is_held(spot) else ()


def _popped(spot: Spot, _: str) -> Sequence[str]:
    match spot.node:
        case ast.Subscript(value=owner, slice=key) if not isinstance(key, ast.Slice | ast.Tuple):
            return (f"{ast.unparse(owner)}.pop({ast.unparse(key)})",)
        case ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[key]):
            return (f"{ast.unparse(owner)}.pop({ast.unparse(key)}, None)",)
    return ()


def _got(spot: Spot, _: str) -> Sequence[str]:
    """A look-up that need not succeed, with what does for the place where it stands."""
    node = spot.node
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice | ast.Tuple):
        return ()
    owner, key = ast.unparse(node.value), ast.unparse(node.slice)
    match spot.parent:
        case ast.For() | ast.comprehension() | ast.Starred():
            empties = ["[]", "()"]
        case ast.Attribute(attr="items" | "get" | "keys" | "values" | "pop") | ast.Subscript() | ast.keyword(arg=None):
            empties = ["{}"]
        case ast.Attribute() | ast.BinOp() | ast.Compare():
            empties = ['""', "0"]
        case _:
            empties = ["[]", "{}", '""']
    return [f"{owner}.setdefault({key}, {empties[0]})", *(f"{owner}.get({key}, {one})" for one in empties)]


CALLS = (
    form(
        r"\blist|\bsingle|\bnested|positional argument|unhashable|\bgiven\b|\btuple|\bonly the first"
        r"|object\b.* expected|\bhas no len|\bgenerator",
        _starred,
    ),
    form(
        r"positional argument|\bkwargs?\b|\bkeywords?\b|unexpected|\boptions\b.*\b(?:ignor|lost)|\bdict\b",
        _mapped,
    ),
    form(r"\btuple|not iterable|\bletters?\b|\bchars?\b|\bcharacters?\b|not all arguments|\('\w', ?'\w'", _in_tuple),
    form(
        r"\bmethod\b|\bfunction\b|n't call|not call|\bnever (?:runs?|called|happens)|\bnothing happens|\bparens?\b"
        r"|\bcoroutine\b|\bclass\b|\binstance\b|\bbound\b",
        _called,
        4,
    ),
    form(r"'(?:str|int|tuple)' object has no attribute|\bkeys?\b|\bnames\b|values to unpack", _its_values),
    form(r"\bpickl|\bcop(?:y|ie)|\blive\b|\bstate\b|\boriginal|\bwip|\bobject itself", _its_copy),
    form(
        r"unexpected keyword|unrecognized|\bunknown (?:arg|key|opt)|multiple values|\bstill\b|\btwice\b|\bleft over",
        _popped,
    ),
    form(r"\bKeyError\b|\boptional\b|\bmissing\b|\black", _got, 3),
)
CONDITIONS = (
    form(
        r"\bbackward|\bwrong way|\binver[ts]|\bopposite|\bexactly when|\breverse|\bother way|\bnegat|\balthough|\bfix\b"
        r"|\bnot\b|\btrue\b|\bfalse\b|\bperfectly|\bthrown away|\bnothing but|\bsee\b|\balways\b",
        _negated,
        4,
    ),
)
BOUNDS = (
    form(r"^(?!.*\boff[ -]by).*\w", _turned_slice, 4),
    form(
        r"\bfirst\b|\blast\b|\bagain\b|\btwice\b|\bduplicat|\bitself\b|\bstays?\b|\balso\b|\btoo\b|\brecurs|\bheader"
        r"|\bliteral for int|\bconvert|\bprefix|\bsuffix|\b\w, \w and \w|\bits name\b|\bfull\b",
        _uncut,
        4,
    ),
    form(
        r"\boff[ -]by|\bone (?:too|less|more|short|\w+ (?:too|off|short|late|early|deeper))|\blevel|\bnested|\bflat\b"
        r"|\bindent|\bstarts? (?:at|with|from) (?:0|zero|1)|\bat 0\b|\bdeeper|\bgrows\b|\bhigher|\blower\b|\bskipp"
        r"|\bfirst\b|\blast\b|\bnext\b|\bprevious|\bgives? \d|\bsays? \d|\blate\b|\bearly\b|\bbased\b|\bmonth",
        _moved,
        5,
    ),
)
