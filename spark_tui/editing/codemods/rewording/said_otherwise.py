"""Other words for an expression: a literal for a call, an f-string for a sum, `a // b` for `int(a / b)`.

A rule gives the sources that an expression may become; what names it in an instruction stands beside it in `SAID`.
"""

import ast
import re
from collections.abc import Callable, Iterator

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.common.negation import ATOM, NOT, strength
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, quote

Rule = Callable[[Snippet, ast.AST, ast.AST, str], Iterator[str]]
_OLD_VIEWS = re.compile(r"(?:iter|view)?(items|keys|values)")
_FIELD = re.compile(r"\{(str|repr|ascii)\(((?:[^(){}]|\([^(){}]*\))+)\)\}")


def source_of(before: Snippet, node: ast.expr | ast.stmt) -> str:
    """The source of an expression, be it of several lines."""
    (first, start), (last, end) = start_of(before, node), end_of(before, node)
    if first == last:
        return before.lines[first][start:end]
    return "\n".join([before.lines[first][start:], *before.lines[first + 1 : last], before.lines[last][:end]])


def within(before: Snippet, node: ast.expr, least: int) -> str:
    """The source of an expression, in parentheses where it holds together less than `least`."""
    text = source_of(before, node)
    return f"({text})" if strength(before, node) < least else text


def same(*nodes: ast.expr) -> bool:
    """Whether expressions are alike."""
    return len({ast.dump(one) for one in nodes}) == 1


def _dict_literal(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Name(id="dict"), args=[] | [ast.Dict()], keywords=words):
            mark = quote(before, "")[0]
            pairs = [
                f"{mark}{one.arg}{mark}: {source_of(before, one.value)}"
                if one.arg
                else f"**{source_of(before, one.value)}"
                for one in words
            ]
            if not node.args:
                yield f"{{{', '.join(pairs)}}}"
        case ast.Call(func=ast.Name(id="list"), args=[], keywords=[]):
            yield "[]"
        case ast.Call(func=ast.Name(id="tuple"), args=[], keywords=[]):
            yield "()"


def _dict_call(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    match node:
        case ast.Dict(keys=[_, *_] as keys, values=values):
            names = [
                str(one.value) if isinstance(one, ast.Constant) and isinstance(one.value, str) else "" for one in keys
            ]
            if all(map(str.isidentifier, names)):
                pairs = zip(names, values, strict=True)
                yield f"dict({', '.join(f'{name}={source_of(before, one)}' for name, one in pairs)})"


def _split_literal(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str() as text) as literal, attr="split"),
            args=given,
            keywords=[],
        ):
            mark = source_of(before, literal)[-1]
            by = given[0].value if given and isinstance(given[0], ast.Constant) else None
            if not given or (isinstance(by, str) and by):
                parts = ", ".join(f"{mark}{one}{mark}" for one in text.split(by if isinstance(by, str) else None))
                yield from (f"({parts})", f"[{parts}]") if "list" not in words else (f"[{parts}]",)


def _fields(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`{repr(x)}` as `{x!r}`, `{str(x)}` as `{x}` or `{x!s}`."""
    if isinstance(node, ast.JoinedStr) and (text := source_of(before, node)):
        signs = {"str": "", "repr": "!r", "ascii": "!a"}
        new = _FIELD.sub(lambda match: f"{{{match[2]}{signs[match[1]]}}}", text)
        if new != text:
            yield new
            if "{str(" in text:
                yield _FIELD.sub(lambda match: f"{{{match[2]}!{match[1][0]}}}", text)


def _views(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`iteritems(d)` and `d.iteritems()` as `d.items()`."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="six"), attr=name), args=[given]) if (
            match := _OLD_VIEWS.fullmatch(name)
        ):
            yield f"{within(before, given, ATOM)}.{match[1]}()"
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[]) if match := _OLD_VIEWS.fullmatch(name):
            if name != match[1]:
                yield f"{source_of(before, owner)}.{match[1]}()"


def _floored(before: Snippet, node: ast.AST, parent: ast.AST, __: str) -> Iterator[str]:
    """`int(a / b)` as `a // b`, `math.ceil(a / b)` as `-(-a // b)`."""
    match node:
        case ast.Call(func=func, args=[ast.BinOp(left=left, op=ast.Div(), right=right)], keywords=[]):
            name = (dotted(func) or "").rpartition(".")[2]
            match left:
                case ast.Call(func=ast.Name(id="float"), args=[bare]):
                    left = bare
            one, other = within(before, left, ATOM), within(before, right, ATOM)
            one = f"({one})" if isinstance(left, ast.BinOp) else one
            other = f"({other})" if isinstance(right, ast.BinOp) else other
            loose = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult | ast.Div | ast.FloorDiv | ast.Pow)
            if name in ("int", "floor"):
                yield f"({one} // {other})" if loose else f"{one} // {other}"
            elif name == "ceil":
                yield f"-(-{one} // {other})"


def _got(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`getattr(x, "a", None) is None` as `not hasattr(x, "a")`, `getattr(x, "a")` as `x.a`."""
    match node:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="getattr"), args=[owner, key, ast.Constant(value=None)]),
            ops=[ast.Is() | ast.IsNot() as op],
            comparators=[ast.Constant(value=None)],
        ):
            word = "not " * isinstance(op, ast.Is)
            yield f"{word}hasattr({source_of(before, owner)}, {source_of(before, key)})"
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name))]) if name.isidentifier():
            yield f"{within(before, owner, ATOM)}.{name}"


def _counted(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`len([x for x in y if x > 0])` as a sum over a generator."""
    match node:
        case ast.Call(
            func=ast.Name(id="len"),
            args=[ast.ListComp(elt=elt, generators=[ast.comprehension(ifs=ifs) as loop]) as inner],
        ):
            over = f"for {source_of(before, loop.target)} in {source_of(before, loop.iter)}"
            tests = "".join(f" if {source_of(before, one)}" for one in ifs)
            if len(ifs) == 1 and (isinstance(ifs[0], ast.Compare) or strength(before, ifs[0]) == NOT):
                yield f"sum({source_of(before, ifs[0])} {over})"
            yield f"sum(1 {over}{tests})" if inner.elt is elt else ""


def _without_prefix(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x[5:]` as `x.removeprefix("--no-")`, the text being one of that length in the region."""
    match node:
        case ast.Subscript(value=owner, slice=ast.Slice(lower=ast.Constant(value=int(size)), upper=None, step=None)):
            how = "removeprefix"
        case ast.Subscript(
            value=owner,
            slice=ast.Slice(lower=None, upper=ast.UnaryOp(operand=ast.Constant(value=int(size))), step=None),
        ):
            how = "removesuffix"
        case ast.Subscript(value=owner, slice=ast.Slice(lower=ast.Call(func=ast.Name(id="len"), args=[cut]))):
            yield f"{source_of(before, owner)}.removeprefix({source_of(before, cut)})"
            return
        case _:
            return
    texts = [one for one in before.nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    fits = dict.fromkeys(text_of(before, one) for one in texts if len(str(one.value)) == size)
    yield from (f"{source_of(before, owner)}.{how}({text})" for text in fits if text)


def _quoted_type(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`cast(T, x)` with its type in quotes, or without the ones it has."""
    match node:
        case ast.Call(func=func, args=[kind, value]) if (dotted(func) or "").rpartition(".")[2] == "cast":
            mark, given = quote(before, "")[0], source_of(before, value)
            bare = isinstance(kind, ast.Constant)
            text = str(kind.value) if isinstance(kind, ast.Constant) else f"{mark}{source_of(before, kind)}{mark}"
            yield f"{source_of(before, func)}({text}, {given})" if text and (bare or mark not in text[1:-1]) else ""


def _end(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`sorted(x)[0]` as `min(x)`, `list(x)[0]` as `next(iter(x))`."""
    match node:
        case ast.Subscript(value=ast.Call(func=ast.Name(id=name), args=[given], keywords=words), slice=at):
            more = "".join(f", {source_of(before, one.value)}" for one in words if one.arg is None)
            more += "".join(f", {one.arg}={source_of(before, one.value)}" for one in words if one.arg)
            first = isinstance(at, ast.Constant) and at.value == 0
            last = isinstance(at, ast.UnaryOp) and isinstance(at.operand, ast.Constant) and at.operand.value == 1
            if name == "sorted" and (first or last) and not any(one.arg == "reverse" for one in words):
                yield f"{'min' if first else 'max'}({source_of(before, given)}{more})"
            elif name in ("list", "tuple") and first:
                yield f"next(iter({source_of(before, given)}))"


def _joined_text(before: Snippet, node: ast.AST, parent: ast.AST, __: str) -> Iterator[str]:
    """A sum with texts in it as one f-string."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)) or isinstance(parent, ast.BinOp):
        return
    parts = summands(node)
    literals = [source_of(before, one) for one in parts if isinstance(one, ast.Constant)]
    mark = literals[0][0] if literals and literals[0][0] in "'\"" else ""
    if (
        not mark
        or len(literals) == len(parts)
        or any(not re.fullmatch(f"{mark}[^{mark}]*{mark}", one) for one in literals)
    ):
        return
    whole = ""
    for one in parts:
        text = source_of(before, one)
        if isinstance(one, ast.Constant):
            whole += re.sub(r"(?<!\\N)\{(?!.*\\N)", "{{", text[1:-1])
        elif mark in text or "\\" in text or "\n" in text or isinstance(one, ast.Dict | ast.Set | ast.Lambda):
            return
        else:
            whole += f"{{{text}}}"
    yield f"f{mark}{whole}{mark}"


def summands(node: ast.expr) -> list[ast.expr]:
    """What a sum is of."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*summands(node.left), *summands(node.right)]
    return [node]


def _comprehended(before: Snippet, node: ast.AST, parent: ast.AST, words: str) -> Iterator[str]:
    """A comprehension of the type that is told: `[...]`, `{...}`, `tuple(...)`, a generator."""
    if not isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        return
    inner = source_of(before, node)[1:-1]
    generator = isinstance(node, ast.GeneratorExp)
    bare = isinstance(parent, ast.Call) and source_of(before, parent).endswith(source_of(before, node))
    opening, closing = ("(", ")") if generator and bare else ("", "")
    if re.search(r"\bsets?\b", words) and not isinstance(node, ast.SetComp):
        yield f"{opening}{{{inner}}}{closing}"
    if re.search(r"\blists?\b|\[", words) and not isinstance(node, ast.ListComp):
        yield f"{opening}[{inner}]{closing}"
    for name in re.findall(r"\b(tuple|frozenset|sorted)\b", words):
        yield f"{name}({inner})"
    if "generator" in words and not generator:
        yield f"({inner})"


def _frozen(before: Snippet, node: ast.AST, parent: ast.AST, __: str) -> Iterator[str]:
    """A display as a frozenset."""
    held = isinstance(parent, ast.Assign | ast.AnnAssign) and parent.value is node
    if held and isinstance(node, ast.List | ast.Set | ast.Tuple | ast.SetComp):
        text = source_of(before, node)
        yield f"frozenset({text})"
        if not isinstance(node, ast.Set | ast.SetComp) and text[:1] in "[(":
            yield f"frozenset({{{text[1:-1]}}})"


def _shown(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`'...%s' % x` and `'...{}'.format(x)` as an f-string that shows each value by `!r`."""
    match node:
        case ast.BinOp(left=ast.Constant(value=str()) as literal, op=ast.Mod(), right=right):
            given, hole = (right.elts if isinstance(right, ast.Tuple) else [right]), r"%[sr]"
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()) as literal, attr="format"), args=given):
            hole = r"\{\d?(?:!r)?\}"
        case _:
            return
    text = source_of(before, literal)
    holes, fields = re.findall(hole, text), [source_of(before, one) for one in given]
    if len(holes) == len(fields) and not any(text[-1] in one or "\\" in one for one in fields):
        left = iter(fields)
        bare = re.sub(rf"(?:['\"]{hole}['\"]|{hole})(?=.)", lambda _: f"{{{next(left)}!r}}", text)
        yield f"f{bare}"


SAID: tuple[tuple[str, Rule], ...] = (
    (
        r"dict\W.*\bliteral|literal\W.*\bdict|\bc408\b|\bbraces\b|\{\}|\[\]|\{\.\.\.\}|curly|\bliterals?\b",
        _dict_literal,
    ),
    (r"\bdict\((?!\))|\bdict call|\bkeywords?\b.*\bdict\b|call (?:of|to) dict\b|dict\(\) ", _dict_call),
    (r"\bsplit\b|sim905", _split_literal),
    (r"!r|!s|\brepr\b|\bstr\b|ruf010|conversion", _fields),
    (r"\b(?:iter|view)(?:items|keys|values)\b|\bsix\b|\.(?:items|keys|values)\(", _views),
    (r"//|\bfloor|\binteger division|\bint\(|\bceil", _floored),
    (r"\bgetattr\b|\bhasattr\b|\bb009\b", _got),
    (r"\bsum\b|\bcount", _counted),
    (r"\bremove(?:prefix|suffix)\b|\bfurb188\b", _without_prefix),
    (r"\bcast\b.*\bquot|\bquot\w*.*\bcast\b|tc006", _quoted_type),
    (r"\bmin\b|\bmax\b|\bnext\b|\bruf015|furb192", _end),
    (r"\bf-? ?strings?\b", _joined_text),
    (r"\brepr\b|!r|%r", _shown),
    (r"\bcompreh\w*|\bgenerator|\btuple\b|\bfrozenset\b|\bset comp|\blist comp", _comprehended),
    (r"\bfrozen", _frozen),
)
"""What names a rule in lower case, and the rule."""
