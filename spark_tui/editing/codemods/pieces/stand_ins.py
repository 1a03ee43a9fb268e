"""An expression told in code that is to stand for one that is only called what it is: "x.values() is enough"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, end_of, splice, start_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.named import call_at, words
from spark_tui.editing.codemods.common.said import Span, is_expression, spans
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_ENOUGH = re.compile(
    r"[`'\"]?,? (?:itself |alone |already |here |there |also |just )*(?:is (?:already |just |quite |all |plainly )*"
    r"(?:enough|sufficient|fine|simpler|shorter|clearer|nicer|better|faster|the same|we need|it takes|equivalent)"
    r"|suffices|would suffice|(?:will|would|should|can) do\b|does (?:it|that|the (?:job|same|trick))|says the same"
    r"|works|reads better|instead|is what we want)"
)
_FOR_SORT = re.compile(
    r"\b(?:instead of|rather than|in place of|for|not) (?:the |a |an |this |that )?(?:\w+ )?{}\b".format(
        "(?P<sort>[a-z-]+)"
    )
)
_SORTS: dict[str, tuple[type[ast.expr], ...]] = {
    "comprehension": (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    "generator": (ast.GeneratorExp,),
    "lambda": (ast.Lambda,),
    "ternary": (ast.IfExp,),
    "conditional": (ast.IfExp,),
    "slice": (ast.Subscript,),
    "slicing": (ast.Subscript,),
    "subscript": (ast.Subscript,),
    "index": (ast.Subscript,),
    "comparison": (ast.Compare,),
    "check": (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call),
    "condition": (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call),
    "concatenation": (ast.BinOp,),
    "f-string": (ast.JoinedStr,),
    "literal": (ast.List, ast.Dict, ast.Set, ast.Tuple, ast.Constant),
    "call": (ast.Call,),
}
_ANY: tuple[type[ast.expr], ...] = (ast.Call, ast.Subscript, ast.BinOp, ast.IfExp, *_SORTS["comprehension"])
_MOST = 5


def stand_ins(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after each expression that may be meant gave way to the one told."""
    text = request.instruction
    sorts = [sort for sort in _SORTS if re.search(rf"(?<!\w){sort}s?\b", text.lower())]
    for span in spans(text):
        code = _code(text, span)
        if not code or not (
            _ENOUGH.match(text, span.start + len(code) + bool(span.mark)) or (sorts and _is_first(text, span))
        ):
            continue
        for node in _meant(before, request, code, sorts)[:_MOST]:
            row, column = start_of(before, node)
            shared = isinstance(node, ast.GeneratorExp) and before.lines[row][:column][-1:].isidentifier()
            source = f"({code})" if shared else code
            lines = splice(before.lines, (row, column), end_of(before, node), source)
            if len(lines[node.lineno - 1]) <= MAX_WIDTH:
                yield lines


def _code(text: str, span: Span) -> str:
    """The expression at a place, which is more than a name; "" where there is none."""
    told = span.text if span.mark else call_at(text, span.start)
    return told if re.search(r"[.(\[]", told) and not told[0].isdigit() and is_expression(told) else ""


def _is_first(text: str, span: Span) -> bool:
    """Whether "instead of the lambda" or the like follows a piece of code, or "no need for the lambda" comes before."""
    after = _FOR_SORT.match(text[span.end :].lower().lstrip(" ,`"))
    needless = re.search(r"\bno need for\b|\bneedless|\bunnecessary|\breplace\b|\bdrop\b", text[: span.start].lower())
    return bool((after and after["sort"] in _SORTS) or needless)


def _meant(before: Snippet, request: Request, code: str, sorts: list[str]) -> list[ast.expr]:
    """The expressions of a sort that is said, else any, that use the names of the new one; the nearest to it first."""
    tree = parse(code, mode="eval").body
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    own = used & {node.id for node in before.nodes if isinstance(node, ast.Name)}
    kinds: tuple[type[ast.expr], ...] = tuple(kind for sort in sorts for kind in _SORTS[sort]) or _ANY
    found = [node for node in before.nodes if isinstance(node, kinds) and _fits(before, request, node, tree, own)]
    found = found if own or sorts else []
    named = [node for node in found if any(node in call.args for call in _calls_said(before, request.instruction))]
    return sorted(named or found, key=lambda node: len(_names(node) - own))


def _fits(before: Snippet, request: Request, node: ast.expr, tree: ast.expr, own: set[str]) -> bool:
    """Whether an expression may be one that the other one stands for: it uses the same names and does not hold it."""
    first, last = request.selected or (0, len(before.lines))
    inside = first <= node.lineno - 1 <= last and (node.end_lineno or 0) <= len(before.lines)
    loaded = isinstance(getattr(node, "ctx", None), ast.Load | None)
    return inside and loaded and own <= _names(node) and ast.unparse(tree) not in ast.unparse(node)


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _calls_said(before: Snippet, instruction: str) -> list[ast.Call]:
    """The calls whose function the words name."""
    told = words(instruction)
    calls = [node for node in before.nodes if isinstance(node, ast.Call)]
    return [call for call in calls if ast.unparse(call.func).rpartition(".")[2] in told]
