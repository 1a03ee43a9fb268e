"""What is to be done to a value, told by a word: "strip it", "int() around it", "hand out a copy", "sort the names"."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from spark_tui.editing.code import MAX_WIDTH, Position, end_of, indentation, parameters, start_of, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.bugs.call_changes import in_annotations, is_value
from spark_tui.editing.codemods.bugs.slips import Spot, spots
from spark_tui.editing.codemods.bugs.wraps_together import done_to_all, unbracketed
from spark_tui.editing.codemods.common.expression_places import weight
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, places, top_of

_TYPE = r"bool|int|str|float|list|tuple|set|frozenset|dict|bytes|repr|len|sorted|abs|round|sum|bytearray|Path|Decimal"
_AS_TYPE = re.compile(
    r"(?:\b(?:as|to|be|becomes?|make (?:it|that|this|them|[\w.]+)|return|real|cast|store \w+ as|into|an int|coerce)"
    r"(?: it| them| that)?(?: just)?(?: an?| the| real| plain| proper)* "
    rf"(?P<one>{_TYPE}|string|integer|boolean)(?:\b(?!\()|\(\)(?=\W*$))"
    r"(?! (?:or|of|hint|annot|compreh|type|literal|copy|path|with|values?|keys?|names?)|\s*[\[|]|\.\w|, not)"
    rf"|\b(?P<two>{_TYPE})(?:\(\))? (?:it|them|that|around|each|every|first)\b|(?:^|, |\n)(?P<three>{_TYPE})\(\) the\b"
    rf"|(?:\bwrap|\bput|\bconvert|\bthrough\b|\bwith\b).{{0,40}}? (?P<four>{_TYPE})\(\))"
)
_MESSAGES = re.compile(
    r"\w+Error: .*|\b(?:argument|value|text|name|got|type) must be (?:an? )?\w+|\bset to\b|\bset (?:before|after|the)\b"
    r"|\bgiven as\b[^,.]*"
)
_NAMES = {"string": "str", "integer": "int", "boolean": "bool"}
_NO_VALUE = re.compile(
    r"annot|\bhints?\b|\btyped\b|\btype of|signature|docstring|\bdocs?\b|->|comment|missing (?:return )?type|message"
    r"|rename|\bimport",
    re.IGNORECASE,
)
_BLANKS = r"(?:\w+ )?(?:blanks?|spaces?|whitespace|newlines?)"
_COPY = (
    r"\b(?:an?|own|shallow|real) (?:\w+ )?cop(?:y|ies)\b"
    r"|\bcop(?:y|ied|ies)(?: it| them| that)?(?: first| before|[.,!]?$)"
)
_WORDS = {
    r"\blist cop(?:y|ies)": ("list({})", "{}.copy()", "{}[:]"),
    _COPY:
        ("{}.copy()", "list({})"),
    rf"\btrailing {_BLANKS}|\brstrip\b|\bright-strip": ("{}.rstrip()",),
    rf"\bleading {_BLANKS}|\blstrip\b": ("{}.lstrip()",),
    r"\b(?:strip\w*|trim\w*|blanks|whitespace|blanks? (?:behind|before|after|around|in front)"
    r"|wh?it\w*space|padded|padding)\b": ("{}.strip()",),
    r"\blower(?:-?| )case|\blower(?:ed|ing|s)?\b|(?:regardless of|regard to|ignor\w+(?: the)?) case|\bcase-?insens":
        ("{}.lower()",),
    r"\bupper(?:-?| )case|\bupper(?:ed|ing|s)?\b": ("{}.upper()",),
    r"\bcapitals?\b|\bcapitali[sz]ed\b": ("{}.lower()", "{}.upper()"),
    r"\bcasefold\w*": ("{}.casefold()",),
    r"\b(?:sort|sorted|sorting|sorts)\b": ("sorted({})",),
    r"\babs(?:olute)?\b(?! path)": ("abs({})",),
    r"\brounded\b|^round\b|(?<!way)(?<!other) round (?:it|to|up|down|the)\b|\b(?:should|must|to|and) round\b":
        ("round({})",),
    r"\bduplicat\w+|\bdedup\w*|\bunique\b|\b(?:several|many) times\b|\bonce (?:each|and in order|is enough|only)\b":
        ("list(dict.fromkeys({}))", "dict.fromkeys({})", "set({})"),
    r"\breversed\b": ("reversed({})", "{}[::-1]"),
    r"\bencod(?:e|ed|ing) (?:it|them|that|the)\b|\bas bytes\b|\bencode\(\)": ("{}.encode()",),
    r"\bdecod(?:e|ed|ing) (?:it|them|that|the)\b|\bdecode\(\)": ("{}.decode()",),
    r"\bexpand ?user\b|\btilde\b": ("os.path.expanduser({})", "{}.expanduser()"),
    r"\bresolve(?:d| it| the)\b": ("{}.resolve()",),
    r"\b(?:type|class) name\b": ("{}.__name__",),
}  # fmt: skip
_DIGITS = re.compile(r"\bto (\w+) (?:digits?|places|decimals?)")
_COUNTS = {"one": "1", "two": "2", "three": "3", "four": "4"}
_CALLED = re.compile(
    r"(?<![\w.])(?P<one>(?:[^\W\d]\w*\.)*[^\W\d]\w*)\(\) (?:it|them|around|first)\b"
    r"|(?:\bwrap|\bput|\bsend|\brun|\bthrough\b).{0,40}? (?P<two>(?:[^\W\d]\w*\.)*[^\W\d]\w*)\(\)"
    r"|\n(?P<three>(?:[^\W\d]\w*\.)+[^\W\d]\w*)$"
)
_BESIDE = re.compile(r"\b(befor|after|then)e?\b (?:the |it |that )?[`.]?([^\W\d]\w{2,})")
_PLACES: dict[str, tuple[type[ast.AST], ...]] = {
    r"\breturn\w*|\bhand\w* (?:it |them )?(?:out|back)|\bgiv\w+ back|\bcomes? out|\bgets?\b|\bresult": (ast.Return,),
    r"\bstor(?:e|ed|es|ing)\b|\bkeep|\bkept\b|\bassign|\bset\b|\bmake it|\bturn|\bafterwards|\bpass in":
        (ast.Assign, ast.AnnAssign),
    r"\bloop|\biterat|\bgo over|\bwalk|\bsort|\border\b|\bwhile we\b": (ast.For, ast.comprehension),
    r"\blook\w* ?up|\blookup|\bkey\b": (ast.Subscript, ast.Call),
    r"\bpass(?:ed|es|ing)? (?:it |them )?on|\bhand\w* on|\bargument": (ast.Call, ast.keyword),
    r"\bcompar|\bequal|\btest|\bcheck|\bif\b|\bcondition|\bcount": (ast.Compare, ast.If, ast.BoolOp),
}  # fmt: skip
_TIGHT = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, ast.ListComp, ast.JoinedStr)
_WRAPPABLE = (*_TIGHT[:4], ast.BinOp, ast.BoolOp, ast.IfExp, ast.ListComp, ast.GeneratorExp, ast.Compare)
_HOLDING = (
    ast.Attribute,
    ast.SetComp,
    ast.GeneratorExp,
    ast.DictComp,
    ast.IfExp,
    ast.Yield,
    ast.Set,
    ast.Starred,
    ast.comprehension,
)
_COLLECTING = ("list(", "tuple(", "set(", "frozenset(", "sorted(", "dict.fromkeys(", "list(dict.fromkeys(", "reversed(")
_FIRST = re.compile(r"\b(?:befor\w*|after|first|start|top|each|then|loop)\b", re.IGNORECASE)
_MOST, _MOST_ALL = 5, 2
_NEAR = 9


@dataclass(frozen=True, slots=True)
class Wrapped:
    """An expression and the form it gets, "{}" standing for it."""

    spot: Spot
    form: str
    score: int


def wraps_told(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after what the words say was done to a value, the likeliest first."""
    forms = list(dict.fromkeys(_forms(before, request.instruction)))
    if not forms:
        return
    values, owners = list(_values(before, request)), owners_of(before)
    found = [
        Wrapped(spot, form, _score(before, request.instruction, spot, owners.get(id(spot.node), "")) - at)
        for at, form in enumerate(forms)
        for spot in values
        if _can(before, spot, form)
    ]
    found.sort(key=lambda one: -one.score)
    kept = [one for one in found[:_MOST] if one.score >= found[0].score - _NEAR]
    made = [lines for one in kept if (lines := unbracketed(before, one.spot.node, one.form))]
    made += [written(before, one.spot.node, one.form) for one in kept]
    near = [(one.spot, one.form) for one in found if one.score >= found[0].score - _NEAR]
    made += islice(done_to_all(before, near), _MOST_ALL)
    if _FIRST.search(request.instruction):
        made[2:2] = reassigned(before, request, forms[0])
    for lines in made:
        if all(len(line) <= MAX_WIDTH or line in before.lines for line in lines):
            yield lines


def reassigned(before: Snippet, request: Request, form: str) -> list[list[str]]:
    """The lines with a variable that is said set anew, where it is a parameter, of a loop, or one of several."""
    said = set(re.findall(r"\w+", request.instruction))
    found = []
    for place in places(before):
        node = place.node
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if top := top_of(before, node):
                names, (after, indent) = [one.arg for one in parameters(node)], top
            case ast.For(target=target) if node.body[0].lineno > node.lineno:
                names, after = _targets(target), node.body[0].lineno - 2
                indent = indentation(before.lines[after + 1])
            case ast.Assign(targets=[ast.Tuple() as target]):
                names, after, indent = _targets(target), place.last, place.indent
            case _:
                continue
        for name in names:
            if name in said:
                line = f"{indent}{name} = {form.format(name)}"
                found.append([*before.lines[: after + 1], line, *before.lines[after + 1 :]])
    return found[:3]


def _targets(target: ast.expr) -> list[str]:
    return [one.id for one in ast.walk(target) if isinstance(one, ast.Name)]


def owners_of(before: Snippet) -> dict[int, str]:
    """What values are called by what they are given to: a variable, a keyword, the key of a dict; by their ids."""
    found: dict[int, str] = {}
    for node in before.nodes:
        match node:
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                found[id(value)] = (dotted(target) or "").rpartition(".")[2]
            case ast.keyword(arg=str(name), value=value):
                found[id(value)] = name
            case ast.Dict(keys=keys, values=values):
                found |= {id(one): str(getattr(key, "value", "")) for key, one in zip(keys, values, strict=True)}
            case ast.IfExp(body=body, orelse=other) if id(node) in found:
                found |= {id(body): found[id(node)], id(other): found[id(node)]}
            case ast.BoolOp(values=[first, *_]) if id(node) in found:
                found[id(first)] = found[id(node)]
            case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]):
                found.setdefault(id(first), name)
    return found


def _forms(before: Snippet, instruction: str) -> Iterator[str]:
    """What is to be done, as the words say it."""
    if _NO_VALUE.search(instruction):
        return
    if digits := _DIGITS.search(instruction):
        yield f"round({{}}, {_COUNTS.get(digits[1], digits[1])})"
    instruction = _MESSAGES.sub("", instruction)
    for match in _AS_TYPE.finditer(instruction):
        name = next(one for one in match.groups() if one)
        yield f"{_NAMES.get(name, name)}({{}})"
    for match in _CALLED.finditer(instruction):
        yield f"{next(one for one in match.groups() if one)}({{}})"
    for words, forms in _WORDS.items():
        found = re.search(words, instruction, re.IGNORECASE)
        if found and not any(isinstance(node, ast.Name) and node.id == found[0] for node in before.nodes):
            yield from forms


def _values(before: Snippet, request: Request) -> Iterator[Spot]:
    hints = in_annotations(before)
    first, last = request.selected or (0, len(before.lines))
    for spot in spots(before.tree):
        node = spot.node
        if id(node) in hints or not isinstance(node, _WRAPPABLE) or not first <= node.lineno - 1 <= last:
            continue
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del) or (node.end_lineno or 0) > len(before.lines):
            continue
        if is_value(spot) or isinstance(spot.parent, _HOLDING):
            yield spot


def _can(before: Snippet, spot: Spot, form: str) -> bool:
    """Whether a value may get a form: it has not got it yet, and stands where that makes sense."""
    head, _, tail = form.partition("{}")
    name = (head or tail).strip(".()")
    around = _called(before, around_of(spot))
    if name in (_called(before, spot.node), around, getattr(spot.parent, "attr", "")) or _is_no_value(before, spot):
        return False
    return _of_text(spot) if tail in _OF_TEXT else _of_any(spot, head, tail) and (head, around) != ("round(", "int")


def _of_text(spot: Spot) -> bool:
    """Whether a value may be a string."""
    iterated = isinstance(spot.parent, ast.For | ast.comprehension) and spot.node is spot.parent.iter
    return not iterated and not isinstance(spot.node, ast.ListComp | ast.GeneratorExp | ast.Compare | ast.JoinedStr)


def _of_any(spot: Spot, head: str, tail: str) -> bool:
    """Whether a function may be put around a value, or a method that is not of strings behind it."""
    if isinstance(spot.parent, ast.Attribute) and tail != ".resolve()":
        return False
    if head not in ("bool(", "str(") and _is_tested(spot):
        return False
    collects = head in _COLLECTING or tail in (".copy()", "[:]", "[::-1]")
    return not collects or not (
        isinstance(spot.parent, ast.Subscript | ast.BinOp) or isinstance(spot.node, ast.JoinedStr)
    )


def around_of(spot: Spot) -> ast.expr | None:
    """The function that an expression is an argument of."""
    return spot.parent.func if isinstance(spot.parent, ast.Call) else None


_OF_TEXT = (".strip()", ".lstrip()", ".rstrip()", ".lower()", ".upper()", ".casefold()", ".encode()")


def _is_tested(spot: Spot) -> bool:
    """Whether only the truth of a value is looked at, or whether it is None."""
    match spot.parent:
        case ast.Compare(ops=[ast.Is() | ast.IsNot(), *_]) | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            return test is spot.node
    return False


def _is_no_value(before: Snippet, spot: Spot) -> bool:
    """Whether an expression is a class, a module, self, a question about a type, or an empty container."""
    node, parent, around = spot.node, spot.parent, around_of(spot)
    if {_called(before, node), _called(before, around)} & {
        "isinstance",
        "issubclass",
        "hasattr",
        "super",
        "type",
        "print",
    }:
        return True
    if (
        isinstance(node, ast.Call)
        and _called(before, node) in ("len", "set", "dict", "list", "tuple")
        and not node.args
    ):
        return True
    if isinstance(parent, ast.Raise) or not isinstance(node, ast.Name):
        return isinstance(parent, ast.Raise)
    return node.id in ("self", "cls") or node.id[0].isupper() or node.id in modules_of(before)


def _called(before: Snippet, node: ast.expr | None) -> str:
    """The last name of what a call calls, or of a function."""
    own = node.func if isinstance(node, ast.Call) else node
    return text_of(before, own).rpartition(".")[2] if isinstance(own, ast.Name | ast.Attribute) else ""


def modules_of(before: Snippet) -> set[str]:
    """The modules that are imported, and those that mostly are."""
    named = {alias.asname or alias.name for one in before.nodes if isinstance(one, ast.Import) for alias in one.names}
    return named | {
        "os",
        "re",
        "json",
        "time",
        "datetime",
        "logging",
        "sys",
        "math",
        "random",
        "itertools",
        "functools",
    }


def _score(before: Snippet, instruction: str, spot: Spot, owner: str) -> int:
    """How likely a value is meant: by what it and its place are called, and by what stands before or after it."""
    node, parent = spot.node, spot.parent
    score = weight(before, instruction, node, owner)
    for words, kinds in _PLACES.items():
        if re.search(words, instruction, re.IGNORECASE):
            score += 5 * isinstance(parent, kinds)
    for side, name in _BESIDE.findall(instruction):
        score += 12 * _is_beside(spot, side, name)
    over = isinstance(parent, ast.For | ast.comprehension)
    score += 4 * (over and bool(re.search(r"\bsort|\border\b", instruction.lower())))
    score += 2 * isinstance(parent, ast.Return | ast.Assign) + isinstance(parent, ast.keyword)
    if isinstance(node, ast.Name) and spot.function:
        score += any(node.id == one.arg for one in parameters(spot.function))
    return score - 2 * isinstance(node, ast.BinOp | ast.BoolOp | ast.Compare)


def _is_beside(spot: Spot, side: str, name: str) -> bool:
    """Whether a value is what comes out of the call named ("after the split"), or goes into it ("before int()")."""
    parent = spot.parent
    if side == "befor":
        inside = isinstance(parent, ast.Attribute) and _sounds(parent.attr, name)
        func = parent.func if isinstance(parent, ast.Call) and spot.node in parent.args else None
        return inside or bool(func and _sounds(ast.unparse(func), name))
    own = spot.node.func if isinstance(spot.node, ast.Call) else None
    return bool(own and _sounds(ast.unparse(own), name))


def _sounds(function: str, name: str) -> bool:
    """Whether a word is the name of a function, be it with another ending: `lower` for "lowering"."""
    one, other = function.rpartition(".")[2].lower(), name.lower()
    return one == other or (min(len(one), len(other)) > 3 and (one.startswith(other[:4]) and other.startswith(one[:4])))


def written(before: Snippet, node: ast.expr, form: str) -> list[str]:
    """The lines after an expression got a form; parentheses that it stands in are made those of the call."""
    (row, start), (last, end) = start_of(before, node), end_of(before, node)
    head, _, tail = form.partition("{}")
    lines = list(before.lines)
    opening = _parenthesis(before, (row, start), (last, end))
    if opening and head.count("(") == 1 and tail == ")":
        at, column = opening
        lines[at] = lines[at][:column] + head + lines[at][column + 1 :]
        return lines
    loose = not head and not isinstance(node, _TIGHT) and not opening
    if opening and not head and last == row:
        end += 1
    lines[last] = lines[last][:end] + (")" if loose else "") + tail + lines[last][end:]
    lines[row] = lines[row][:start] + ("(" if loose else "") + head + lines[row][start:]
    return lines


def _parenthesis(before: Snippet, start: Position, end: Position) -> Position | None:
    """Where the parenthesis opens that stands around nothing but an expression; None where there is none."""
    row, left = start[0], before.lines[start[0]][: start[1]].rstrip()
    while not left and row:
        row -= 1
        left = before.lines[row].rstrip()
    last, right = end[0], before.lines[end[0]][end[1] :].lstrip()
    while not right and last + 1 < len(before.lines):
        last += 1
        right = before.lines[last].lstrip()
    if not left.endswith("(") or not right.startswith(")") or re.search(r"[\w\])]\($", left):
        return None
    return row, len(left) - 1
