"""Statements that say nearly the same: what differs chosen first, or looped over, and the rest said once."""

import ast
from collections.abc import Iterator

from spark_tui.editing.code import start_of
from spark_tui.editing.codemods.common.negation import IF_ELSE, OR
from spark_tui.editing.codemods.folding.fold_differing import names_for, single, with_text
from spark_tui.editing.codemods.folding.fold_sources import New, ToldRule, following, last_row, opposite, source_of
from spark_tui.editing.codemods.folding.fold_sources import enclosed_source as enclosed
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place


def _chosen(before: Snippet, place: Place, words: str) -> Iterator[New]:
    """Two branches that differ in one expression as one statement, with a choice in it, above it, or as an `if`."""
    match place.node, following(place):
        case ast.If(test=test, body=[one], orelse=[other]), _:
            last = place.last
        case ast.If(test=test, body=[ast.Return() as one], orelse=[]), [ast.Return() as other]:
            last = last_row(other)
        case _:
            return
    pairs = single(one, other)
    if not pairs or isinstance(other, ast.If) or _whole(one) is pairs[0][0]:
        return
    for lines in _once(before, test, one, other, pairs, words):
        yield place.first, last, lines


def _whole(node: ast.stmt) -> ast.AST | None:
    value = getattr(node, "value", None)
    return value if isinstance(node, ast.Return | ast.Assign | ast.AnnAssign | ast.AugAssign) else None


def _once(
    before: Snippet, test: ast.expr, one: ast.stmt, other: ast.stmt, pairs: list[tuple[ast.expr, ast.expr]], words: str
) -> Iterator[list[str]]:
    (a, b), indent = pairs[0], before.lines[one.lineno - 1][: start_of(before, one)[1]]
    if isinstance(a, ast.Name) and isinstance(a.ctx, ast.Load) and not isinstance(b, ast.Name):
        rest = with_text(before, one, [], "", indent)
        yield [f"if {opposite(before, test)}:", f"{before.layout.unit}{a.id} = {source_of(before, b)}", *rest]
    if isinstance(b, ast.Name) and isinstance(b.ctx, ast.Load) and not isinstance(a, ast.Name):
        rest = with_text(before, other, [], "", before.lines[other.lineno - 1][: start_of(before, other)[1]])
        yield [f"if {source_of(before, test)}:", f"{before.layout.unit}{b.id} = {source_of(before, a)}", *rest]
    places = [pair[0] for pair in pairs]
    choices = list(_choices(before, test, a, b))
    names = names_for(before, words, [a, b], one)
    for choice in choices:
        yield from ([f"{name} = {choice}", *with_text(before, one, places, name, indent)] for name in names)
        if len(places) == 1:
            yield with_text(before, one, places, choice if _stands_alone(one, a) else f"({choice})", indent)


def _choices(before: Snippet, test: ast.expr, a: ast.expr, b: ast.expr) -> Iterator[str]:
    one, other = enclosed(before, a, OR), enclosed(before, b, IF_ELSE)
    if ast.unparse(test) == ast.unparse(a) or ast.unparse(test) == f"{ast.unparse(a)} is not None":
        yield f"{enclosed(before, a, OR)} or {enclosed(before, b, OR)}"
    yield f"{one} if {enclosed(before, test, OR)} else {other}"
    match test:
        case ast.UnaryOp(op=ast.Not()) | ast.Compare(ops=[ast.Is() | ast.NotEq() | ast.IsNot() | ast.NotIn()]):
            yield f"{enclosed(before, b, OR)} if {opposite(before, test)} else {enclosed(before, a, IF_ELSE)}"


def _stands_alone(statement: ast.stmt, node: ast.expr) -> bool:
    """Whether an expression is an argument or an index, so that a choice there needs no parentheses."""
    for one in ast.walk(statement):
        match one:
            case ast.Call(args=args, keywords=named) if node in args or any(node is each.value for each in named):
                return True
            case ast.Subscript(slice=index) if node is index:
                return True
    return False


def _looped(before: Snippet, place: Place, words: str) -> Iterator[New]:
    """Statements in a row that differ in one expression as a loop over these."""
    if place.index and single(place.block[place.index - 1], place.node):
        return
    run = [place.node]
    values: list[ast.expr] = []
    spots: list[ast.expr] = []
    for node in place.block[place.index + 1 :]:
        pairs = single(place.node, node)
        if not pairs or (spots and [id(one) for one, _ in pairs] != [id(one) for one in spots]):
            break
        spots = [one for one, _ in pairs]
        values = values or [pairs[0][0]]
        values.append(pairs[0][1])
        run.append(node)
    if not values or not all(isinstance(getattr(one, "ctx", None) or ast.Load(), ast.Load) for one in values):
        return
    listed = ", ".join(source_of(before, one) for one in values)
    strings = all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in values)
    for name in [*names_for(before, words, values, place.node), *(("name", "key") if strings else ())]:
        body = with_text(before, place.node, spots, name, place.indent)
        deep = [before.layout.unit + line if line else line for line in body]
        yield place.first, last_row(run[-1]), [f"for {name} in ({listed}):", *deep]


CHOICES: tuple[tuple[str, ToldRule], ...] = (
    (
        (
            r"ternar|condition|\bonce\b|\bsingle\b|\bone\b|\bpick|\bchoose|\bmerge|\bboth\b|\btwice\b|\bfold|doubl|dupl"
            r"|\bsame\b|\bonly the\b|\bchoice|\brepeat"
        ),
        _chosen,
    ),
    (r"\bloop\w*\b|\biterat\w*|\bfor\b.*\bboth\b|\bover (?:both|the|all|them)\b|\brepet\w*|\brepeat\w*", _looped),
)
