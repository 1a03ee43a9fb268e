"""Other words for calls: `d.setdefault(k, v)` for an assignment, `super()` for a class.

Rules like those of `said_otherwise`.
"""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.common.negation import ATOM
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.codemods.rewording.said_otherwise import Rule, same, source_of, within
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, quote

_UNDERSCORED = {"__delitem__": "del {0}[{1}]", "__setitem__": "{0}[{1}] = {2}", "__getitem__": "{0}[{1}]"}
_OPERATORS = {"difference": "-", "union": "|", "intersection": "&", "symmetric_difference": "^"}
_SIGNS = {ast.Sub: "difference", ast.BitOr: "union", ast.BitAnd: "intersection", ast.BitXor: "symmetric_difference"}
_STDERR = {"print": "file=sys.stderr", "echo": "err=True", "secho": "err=True"}
_NAMED_PLACES = {"splitlines": ("keepends",), "round": ("", "ndigits"), "open": ("", "mode"), "int": ("", "base")}


def _set_default(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`d[k] = v` as `d.setdefault(k, v)`, but where it is only done for keys that are not there."""
    if any(
        node in one.body for one in ast.walk(before.tree) if isinstance(one, ast.If) and _asks_what_is_not(one.test)
    ):
        return
    match node:
        case ast.Assign(targets=[ast.Subscript(value=owner, slice=key)], value=value):
            if not isinstance(key, ast.Slice):
                yield f"{source_of(before, owner)}.setdefault({source_of(before, key)}, {source_of(before, value)})"


def _asks_what_is_not(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn)


def _set_always(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`d.setdefault(k, v)` and `d.update({k: v})` as `d[k] = v`."""
    match node:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=owner, attr="setdefault"), args=[key, value])
            | ast.Call(
                func=ast.Attribute(value=owner, attr="update"),
                args=[ast.Dict(keys=[ast.expr() as key], values=[value])],
            )
        ):
            yield f"{source_of(before, owner)}[{source_of(before, key)}] = {source_of(before, value)}"


def _by_sign(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x.__delitem__(k)` as `del x[k]`, and the like."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=name), args=args)) if name in _UNDERSCORED:
            given = [source_of(before, one) for one in (owner, *args)]
            if _UNDERSCORED[name].count("{") == len(given):
                yield _UNDERSCORED[name].format(*given)


def _moved_end(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`x.insert(0, y)` as `x.append(y)`, and back."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="insert"), args=[ast.Constant(value=0), one]):
            yield f"{source_of(before, owner)}.append({source_of(before, one)})"
        case ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[one]):
            if re.search(r"\b(?:front|first|beginning|start|top|ahead|before)\b", words):
                yield f"{source_of(before, owner)}.insert(0, {source_of(before, one)})"


def _by_operator(before: Snippet, node: ast.AST, parent: ast.AST, words: str) -> Iterator[str]:
    """`a.difference(b)` as `a - b`, and back where the method is told."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[other], keywords=[]) if name in _OPERATORS:
            text = f"{within(before, owner, ATOM)} {_OPERATORS[name]} {within(before, other, ATOM)}"
            yield f"({text})" if isinstance(parent, ast.Attribute | ast.BinOp | ast.UnaryOp) else text
        case ast.BinOp(left=left, op=op, right=right) if _SIGNS.get(type(op), "?") in re.findall(r"\w+", words):
            yield f"{within(before, left, ATOM)}.{_SIGNS[type(op)]}({source_of(before, right)})"


def _any_start(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`any(x.endswith(e) for e in es)` as `x.endswith(tuple(es))`."""
    match node:
        case ast.Call(
            func=ast.Name(id="any"),
            args=[
                ast.GeneratorExp(
                    elt=ast.Call(func=ast.Attribute(attr="startswith" | "endswith") as func, args=[ast.Name(id=used)]),
                    generators=[ast.comprehension(target=ast.Name(id=name), iter=over, ifs=[])],
                )
            ],
        ) if name == used:
            text = source_of(before, over)
            yield f"{source_of(before, func)}({text if isinstance(over, ast.Tuple) else f'tuple({text})'})"
            if isinstance(over, ast.Name | ast.Attribute):
                yield f"{source_of(before, func)}({text})"


def _one_start(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """Two calls of `startswith` beside each other in a longer `or` as one with a tuple."""
    match node:
        case ast.BoolOp(op=ast.Or(), values=values) if len(values) > 2:
            groups: dict[str, list[ast.Call]] = {}
            for one in values:
                match one:
                    case ast.Call(func=ast.Attribute(attr="startswith" | "endswith") as func, args=[_], keywords=[]):
                        groups.setdefault(source_of(before, func), []).append(one)
            for head, calls in groups.items():
                if 1 < len(calls) < len(values):
                    whole = f"{head}(({', '.join(source_of(before, one.args[0]) for one in calls)}))"
                    kept = [one for one in values if one not in calls[1:]]
                    yield " or ".join(whole if one is calls[0] else source_of(before, one) for one in kept)


def _cut_off(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`x.replace("a", "")` and a slice that cuts off a text that is told as `x.removeprefix("a")`."""
    last = bool(re.search(r"suffix|\bend\b|\bending\b|\blast\b", words)) and "prefix" not in words
    how = "removesuffix" if last else "removeprefix"
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="replace"), args=[text, ast.Constant(value="")]):
            yield f"{source_of(before, owner)}.{how}({source_of(before, text)})"
        case ast.Call(func=ast.Attribute(value=owner, attr="lstrip" | "rstrip" as side), args=[text]):
            end = "prefix" if side == "lstrip" else "suffix"
            yield f"{source_of(before, owner)}.remove{end}({source_of(before, text)})"
        case ast.Subscript(value=owner, slice=ast.Slice(lower=ast.Constant(value=int(size)), upper=None)):
            for told in (one.text for one in spans(words) if one.mark and len(one.text) == size):
                yield f"{source_of(before, owner)}.removeprefix({quote(before, told)})"
            if call := re.search(r"removeprefix\(['\"]([^'\"]+)['\"]\)", words):
                yield f"{source_of(before, owner)}.removeprefix({quote(before, call[1])})"


def _read_softly(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`hasattr(x, "a") and x.a is not None` as a test of `getattr(x, "a", None)`."""
    match node:
        case ast.BoolOp(
            op=ast.And(),
            values=[
                ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=str(name)) as key]),
                test,
                *rest,
            ],
        ):
            got = f"getattr({source_of(before, owner)}, {source_of(before, key)}, None)"
            held = test.left if isinstance(test, ast.Compare) else test
            if isinstance(held, ast.Attribute) and held.attr == name and same(owner, held.value):
                whole = got + source_of(before, test)[len(source_of(before, held)) :]
                yield " and ".join([whole, *(source_of(before, one) for one in rest)])


def _asked_if_callable(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value="__call__")]):
            yield f"callable({source_of(before, owner)})"


def _asked_for(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`name in x.__dict__` as `hasattr(x, name)`."""
    match node:
        case ast.Compare(left=name, ops=[ast.In() | ast.NotIn() as op], comparators=[holder]):
            match holder:
                case (
                    ast.Attribute(value=owner, attr="__dict__")
                    | ast.Call(func=ast.Name(id="vars" | "dir"), args=[owner])
                ):
                    no = "not " * isinstance(op, ast.NotIn)
                    yield f"{no}hasattr({source_of(before, owner)}, {source_of(before, name)})"


def _by_map(before: Snippet, node: ast.AST, parent: ast.AST, __: str) -> Iterator[str]:
    """`[f(x) for x in xs]` as `map(f, xs)`, in a list where nothing but a list will do."""
    match node:
        case (
            ast.ListComp(elt=elt, generators=[loop])
            | ast.GeneratorExp(elt=elt, generators=[loop])
            | ast.SetComp(elt=elt, generators=[loop])
        ) if not loop.ifs:
            match elt:
                case ast.Call(func=func, args=[ast.Name(id=used)], keywords=[]) if used == source_of(
                    before, loop.target
                ):
                    mapped = f"map({source_of(before, func)}, {source_of(before, loop.iter)})"
                    # A generator that is all a call is given has the parentheses of the call for its own.
                    alone = (
                        isinstance(node, ast.GeneratorExp) and isinstance(parent, ast.Call) and len(parent.args) == 1
                    )
                    yield f"({mapped})" if alone else mapped
                    if not isinstance(node, ast.GeneratorExp):
                        yield f"{'set' if isinstance(node, ast.SetComp) else 'list'}({mapped})"


def _by_filter(before: Snippet, node: ast.AST, parent: ast.AST, words: str) -> Iterator[str]:
    """`[x for x in xs if x]` as `list(filter(None, xs))`, and back."""
    match node:
        case ast.ListComp(elt=ast.Name(id=elt), generators=[ast.comprehension(target=target, iter=over, ifs=[test])]):
            if elt == source_of(before, target) == source_of(before, test):
                bare = isinstance(parent, ast.Call) and "list" not in words
                filtered = f"filter(None, {source_of(before, over)})"
                yield filtered if bare else f"list({filtered})"
        case ast.Call(func=ast.Name(id="filter"), args=[ast.Constant(value=None), over]):
            yield from (f"{name} for {name} in {source_of(before, over)} if {name}" for name in ("part", "x", "item"))


def _plain_class(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`type(x)` and `x.__class__` with the name of that class."""
    match node:
        case ast.Call(func=ast.Name(id="type"), args=[_], keywords=[]) | ast.Attribute(attr="__class__"):
            yield f"{source_of(before, node)}.__name__"


def _type_name(before: Snippet, node: ast.AST, parent: ast.AST, words: str) -> Iterator[str]:
    if not (isinstance(parent, ast.Attribute) and parent.attr in ("__name__", "__qualname__")):
        yield from _plain_class(before, node, parent, words)


def _logger_name(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`getLogger("x")` as `getLogger(__name__)`, or with a name that is told."""
    match node:
        case ast.Call(func=func, args=args) if (dotted(func) or "").rpartition(".")[2] == "getLogger":
            now = source_of(before, args[0]) if args else ""
            if now != "__name__":
                yield f"{source_of(before, func)}(__name__)"
            told = [one.text for one in spans(words) if one.mark or re.fullmatch(r"[a-z_]\w*(?:[.-]\w+)+", one.text)]
            for name in told[-1:]:
                yield f"{source_of(before, func)}({quote(before, name)})"


def _to_stderr(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`sys.stderr.write(x)` as a print, a print or an echo to stderr."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="write"), args=[text]) if "print" in words:
            if (dotted(owner) or "") in ("sys.stderr", "sys.stdout", "stderr", "stdout"):
                more = f", file={source_of(before, owner)}" if (dotted(owner) or "").endswith("err") else ""
                yield f"print({source_of(before, text)}{more})"
        case ast.Call(func=func, args=[_, *_], keywords=[]) if "stderr" in words:
            told = _STDERR.get((dotted(func) or "").rpartition(".")[2], "")
            if told and isinstance(node, ast.Call):
                yield f"{source_of(before, node)[:-1].rstrip(', ')}, {told})"


def _named_place(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """The last argument, where it is a constant, by the name that is told or known: `splitlines(keepends=True)`."""
    match node:
        case ast.Call(func=func, args=[*_, ast.Constant() as last] as args, keywords=[]):
            known = _NAMED_PLACES.get((dotted(func) or source_of(before, func)).rpartition(".")[2], ())
            told = re.findall(r"(?:called|named|name is|keyword|as|`)\W+([a-z_]\w+)\b", words)
            names = [*known[len(args) - 1 : len(args)], *told[-1:]]
            head, tail = source_of(before, node), source_of(before, last)
            if head.endswith(f"{tail})"):
                yield from (f"{head[: -len(tail) - 1]}{name}={tail})" for name in names if name)


CALLED: tuple[tuple[str, Rule], ...] = (
    (
        r"\bsetdefault\b|\boverrid\w+|\bkeep\b|\bcallers?\b|\balready\b|\bunless\b|\bonly (?:as )?(?:the |a )?default",
        _set_default,
    ),
    (r"\balways\b|\bwins?\b|\breplac|\boverwrit|\bassign|\bone-key|\blater\b|\bplain\b|\bsimply\b", _set_always),
    (r"\bdel\b|\boperator\b|__(?:del|set|get)item__|\bdunder", _by_sign),
    (r"\bappend\b|\blast\b|\bat the end\b|\bbehind\b|\bfront\b|\bfirst\b|\bbeginning\b|\binsert\b", _moved_end),
    (r"\boperators?\b|\bminus\b|\bpipe\b|\bdifference\b|\bunion\b|\bintersection\b|[|&]", _by_operator),
    (r"\btuple\b|\bany\b|\bstartswith\b|\bendswith\b", _any_start),
    (r"\bstartswith\b|\bendswith\b|\btuple\b", _one_start),
    (
        r"\bremove(?:prefix|suffix)\b|\bprefix\b|\bsuffix\b|\bfront\b|\bbeginning\b|\bmiddle\b|\bonly (?:at|from)\b",
        _cut_off,
    ),
    (r"\bgetattr\b", _read_softly),
    (r"\bcallable\b", _asked_if_callable),
    (r"\bhasattr\b", _asked_for),
    (r"\bmap\b", _by_map),
    (r"\bfilter\b|\bcomprehen", _by_filter),
    (
        r"\b(?:type|class)(?:'?s)? names?\b|\bnames? of (?:the|its|their) (?:type|class)|__name__|\bnot the repr\b",
        _type_name,
    ),
    (r"\bloggers?\b", _logger_name),
    (r"\bstderr\b|\bprint\b", _to_stderr),
    (
        r"\b(?:by|the|with its|as) (?:name|keyword|argument)|\bcalled\b|\bname (?:it|that|the)\b|\bkeyword\b",
        _named_place,
    ),
)
"""What names a rule in lower case, and the rule."""
