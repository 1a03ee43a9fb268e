"""Other words for what is gathered: `[*x, *y]` for `x + y`, `[0] * n` for a comprehension, `x in ys` for an `any`."""

import ast
from collections.abc import Iterator

from spark_tui.editing.codemods.common.negation import ATOM
from spark_tui.editing.codemods.rewording.said_otherwise import Rule, same, source_of, summands, within
from spark_tui.editing.snippet import Snippet

_DISPLAYS = (ast.List, ast.Tuple)


def _unpacked(before: Snippet, node: ast.AST, parent: ast.AST, words: str) -> Iterator[str]:
    """`x + [y]` as `[*x, y]`, `dict(x, **y)` as `{**x, **y}`, `list(x)` as `[*x]`."""
    match node:
        case ast.BinOp(op=ast.Add()) if not (isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add)):
            parts = summands(node)
            kinds = {type(one) for one in parts} & {ast.List, ast.Tuple}
            plain = not any(isinstance(one, ast.Constant | ast.JoinedStr | ast.BinOp) for one in parts)
            if plain and (kinds or not isinstance(parent, ast.AugAssign)):
                asked = "tuple" in words and "list" not in words
                pair = "()" if ast.List not in kinds and (kinds or asked) else "[]"
                yield f"{pair[0]}{', '.join(_elements(before, one) for one in parts)}{pair[1]}"
        case ast.Call(func=ast.Name(id="dict"), args=[base], keywords=[ast.keyword(arg=None, value=more)]):
            yield f"{{**{source_of(before, base)}, **{source_of(before, more)}}}"
        case ast.Call(func=ast.Name(id="list"), args=[given], keywords=[]) if not isinstance(parent, ast.BinOp):
            yield f"[*{within(before, given, ATOM)}]"


def _elements(before: Snippet, node: ast.expr) -> str:
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return ", ".join(source_of(before, one) for one in parts)
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner], keywords=[]):
            return f"*{source_of(before, inner)}"
        case ast.ListComp():
            return f"*({source_of(before, node)[1:-1]})"
    return f"*{within(before, node, ATOM)}"


def _in_one(before: Snippet, node: ast.AST, parent: ast.AST, _: str) -> Iterator[str]:
    """`[a] + [b] + c` as `[a, b] + c`."""
    match node:
        case ast.BinOp(op=ast.Add()) if not (isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add)):
            joined: list[list[ast.expr]] = []
            for part in summands(node):
                if joined and isinstance(part, _DISPLAYS) and type(joined[-1][-1]) is type(part):
                    joined[-1].append(part)
                else:
                    joined.append([part])
            if any(len(one) > 1 for one in joined):
                yield " + ".join(_display(before, one) for one in joined)


def _display(before: Snippet, parts: list[ast.expr]) -> str:
    if len(parts) == 1:
        return within(before, parts[0], ATOM)
    inner = ", ".join(_elements(before, one) for one in parts)
    return f"[{inner}]" if isinstance(parts[0], ast.List) else f"({inner})"


def _repeated(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`[False for x in xs]` as `[False] * len(xs)`, `{k: 0 for k in ks}` as `dict.fromkeys(ks, 0)`."""
    match node:
        case ast.ListComp(elt=ast.Constant() as value, generators=[ast.comprehension(iter=over, ifs=[])]):
            match over:
                case ast.Call(func=ast.Name(id="range"), args=[size]):
                    yield f"[{source_of(before, value)}] * {within(before, size, ATOM)}"
                case _:
                    yield f"[{source_of(before, value)}] * len({source_of(before, over)})"
        case ast.DictComp(key=key, value=value, generators=[ast.comprehension(target=target, iter=over, ifs=[])]) if (
            ast.unparse(key) == ast.unparse(target)
        ):
            given = source_of(before, value)
            yield f"dict.fromkeys({source_of(before, over)}{'' if given == 'None' else f', {given}'})"


def _any_of(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`any(x == y for y in ys)` as `x in ys`."""
    match node:
        case ast.Call(
            func=ast.Name(id="any"),
            args=[
                ast.GeneratorExp(elt=elt, generators=[loop]) | ast.ListComp(elt=elt, generators=[loop]),
            ],
        ) if isinstance(loop.target, ast.Name) and not loop.ifs:
            name, over = loop.target.id, source_of(before, loop.iter)
            match elt:
                case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                    yield from _contained(before, left, right, name, over)
                    yield from _contained(before, right, left, name, over)


def _contained(before: Snippet, one: ast.expr, other: ast.expr, name: str, over: str) -> Iterator[str]:
    """A value among what a loop gives, or among what is made of that."""
    if isinstance(one, ast.Name) and one.id == name:
        yield f"{source_of(before, other)} in {over}"
    elif any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(one)):
        made = f"{source_of(before, one)} for {name} in {over}"
        yield from (f"{source_of(before, other)} in {pair[0]}{made}{pair[1]}" for pair in ("{}", "[]"))


def _some(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`y in {f(x) for x in xs}` as `any(f(x) == y for x in xs)`."""
    match node:
        case ast.Compare(
            left=left,
            ops=[ast.In()],
            comparators=[(ast.SetComp() | ast.ListComp() | ast.GeneratorExp()) as inner],
        ):
            rest = source_of(before, inner)[1:-1].removeprefix(source_of(before, inner.elt))
            yield f"any({source_of(before, inner.elt)} == {source_of(before, left)}{rest})"
        case ast.BoolOp(op=op, values=values):
            calls = [one for one in values if isinstance(one, ast.Call) and one.args and not one.keywords]
            if len(calls) == len(values) and same(*(one.func for one in calls)) and _differ_last(calls):
                word = "any" if isinstance(op, ast.Or) else "all"
                yield f"{word}({_one_of(before, calls)})"


def _differ_last(calls: list[ast.Call]) -> bool:
    """Whether calls differ in their last argument only."""
    return len({tuple(ast.dump(arg) for arg in call.args[:-1]) for call in calls}) == 1


def _one_of(before: Snippet, calls: list[ast.Call]) -> str:
    function = source_of(before, calls[0].func)
    name = "attr" if function == "hasattr" else "one"
    given = ", ".join([*(source_of(before, arg) for arg in calls[0].args[:-1]), name])
    values = ", ".join(source_of(before, call.args[-1]) for call in calls)
    return f"{function}({given}) for {name} in ({values})"


COLLECTED: tuple[tuple[str, Rule], ...] = (
    (
        (
            r"\bunpack|\bstar|\bruf005|\[\*|\(\*|\*\*|\bsplat|\bspread|\bsplic"
            r"|instead of (?:the |that )?(?:\+|plus|concat|add)"
            r"|\bno (?:\+|plus|concat)"
        ),
        _unpacked,
    ),
    (r"\bone\b|\bmerge|\bjoin|\bsingle|\btogether|\bcombine", _in_one),
    (r"\* ?len|\] ?\*|\bmultipl|\brepeat|\bfromkeys|\btimes\b", _repeated),
    (r"\bany\b|\bset\b|`in`|\bin\b", _any_of),
    (r"\bany\b|\ball\(|\bgenerator", _some),
)
"""What names a rule in lower case, and the rule."""
