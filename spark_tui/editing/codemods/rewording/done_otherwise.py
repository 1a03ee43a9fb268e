"""Other words for a statement: `x.clear()` for `del x[:]`, `del d[k]` for a pop, `x.extend(y)` for `x += y`."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.rewording.said_otherwise import Rule, source_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_LEVELS = ("debug", "info", "warning", "error", "critical", "exception", "log")
_HOLE = re.compile(r"(?<!\{)\{([^{}!:]+)(!r)?\}(?!\})")


def _cleared(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    match node:
        case (
            ast.Delete(targets=[ast.Subscript(value=owner, slice=ast.Slice(lower=None, upper=None, step=None))])
            | ast.Assign(
                targets=[ast.Subscript(value=owner, slice=ast.Slice(lower=None, upper=None, step=None))],
                value=ast.List(elts=[]),
            )
        ):
            yield f"{source_of(before, owner)}.clear()"
        case ast.Assign(
            targets=[target],
            value=ast.List(elts=[])
            | ast.Dict(keys=[])
            | ast.Call(func=ast.Name(id="set" | "dict" | "list"), args=[], keywords=[]),
        ):
            yield f"{source_of(before, target)}.clear()"


def _popped(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    match node:
        case ast.Delete(targets=[ast.Subscript(value=owner, slice=key)]) if not isinstance(key, ast.Slice):
            yield f"{source_of(before, owner)}.pop({source_of(before, key)})"


def _deleted(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="pop"), args=[key, *_], keywords=[])):
            yield f"del {source_of(before, owner)}[{source_of(before, key)}]"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="clear"), args=[], keywords=[])):
            yield f"del {source_of(before, owner)}[:]"


def _extended(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    match node:
        case ast.AugAssign(target=target, op=ast.Add(), value=ast.List(elts=[one])) if "append" in words:
            yield f"{source_of(before, target)}.append({source_of(before, one)})"
        case ast.AugAssign(target=target, op=ast.Add(), value=value):
            yield f"{source_of(before, target)}.extend({source_of(before, value)})"
        case ast.AugAssign(target=target, op=ast.BitOr(), value=value):
            yield f"{source_of(before, target)}.update({source_of(before, value)})"


def _augmented(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="extend"), args=[given])):
            yield f"{source_of(before, owner)} += {source_of(before, given)}"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[given])) if "+=" in words:
            yield f"{source_of(before, owner)} += [{source_of(before, given)}]"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="update"), args=[given])) if "|=" in words:
            yield f"{source_of(before, owner)} |= {source_of(before, given)}"


def _merged(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x.update(y)` as a new dict of both."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="update"), args=[given], keywords=[])):
            one, other = source_of(before, owner), source_of(before, given)
            yield f"{one} = {{**{one}, **{other}}}"
            yield f"{one} = {one} | {other}"


def _lazy(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """A logging call whose text is an f-string, with `%s` and arguments."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=level), args=[ast.JoinedStr() as text, *rest]) if (
            level in _LEVELS and "log" in (dotted(owner) or "self.log").lower()
        ):
            source = source_of(before, text)
            holes = list(_HOLE.finditer(source))
            if source[:1] not in "fF" or len(holes) != source.replace("{{", "").count("{"):
                return
            plain = _HOLE.sub(lambda match: "%r" if match[2] else "%s", source[1:].replace("%", "%%"))
            given = [match[1] for match in holes] + [source_of(before, one) for one in rest]
            words = [f"{one.arg}={source_of(before, one.value)}" for one in node.keywords if one.arg]
            yield f"{source_of(before, node.func)}({', '.join([plain, *given, *words])})"


def _traced(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`log.error(...)` as `log.exception(...)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="error" | "warning" | "critical")) if (
            "log" in (dotted(owner) or "").lower()
        ):
            head = source_of(before, node.func)
            yield f"{source_of(before, owner)}.exception{source_of(before, node)[len(head) :]}"


def _filtered(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """A comprehension that leaves out what is empty, or nothing any more."""
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) and len(node.generators) == 1:
        text, loop = source_of(before, node), node.generators[0]
        closing = text[-1] if text[-1] in ")]}" else ""
        inner = text[: len(text) - len(closing)]
        if not loop.ifs and isinstance(loop.target, ast.Name):
            test = f"{loop.target.id} is not None" if re.search(r"\bnone\b", words) else loop.target.id
            yield f"{inner} if {test}{closing}"
        elif len(loop.ifs) == 1 and (ifs := source_of(before, loop.ifs[0])) and inner.endswith(f" if {ifs}"):
            yield inner.removesuffix(f" if {ifs}") + closing


def _super(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`Base.method(self, x)` as `super().method(x)`, whatever the bases of the class are; `__new__` gets its class."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=owner, attr=name),
            args=[ast.Name(id="self" | "cls" | "mcs" | "mcls") as own, *rest],
        ):
            if dotted(owner) and dotted(owner) not in ("self", "cls"):
                rest = [own, *rest] if name == "__new__" else rest
                words = [f"{one.arg}=" if one.arg else "**" for one in node.keywords]
                named = [word + source_of(before, one.value) for word, one in zip(words, node.keywords, strict=True)]
                yield f"super().{name}({', '.join([*(source_of(before, one) for one in rest), *named])})"


def _recontained(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """An empty value of another type that is told, with its hint."""
    empty = {"list": "[]", "dict": "{}", "set": "set()", "tuple": "()"}
    match node:
        case ast.AnnAssign(target=target, annotation=ast.Subscript(value=ast.Name(id=old), slice=inner), value=value):
            if old.lower() not in empty or (value and source_of(before, value) not in empty.values()):
                return
            for new in re.findall(r"\b(list|dict|set|tuple|deque)\b", words):
                if new in empty and new != old.lower():
                    head = new.title() if old[0].isupper() else new
                    rest = f" = {empty[new]}" if value else ""
                    yield f"{source_of(before, target)}: {head}[{source_of(before, inner)}]{rest}"


def _reused(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """An expression that a name or an attribute was set to before, by that name."""
    if not isinstance(node, ast.Call | ast.Attribute | ast.Subscript | ast.BinOp):
        return
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    own, said = ast.dump(node), set(re.findall(r"\w+", words))
    for one in before.nodes:
        match one:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if (
                one.end_lineno or 0
            ) < node.lineno and ast.dump(value) == own:
                name = dotted(target) or ""
                if name.rpartition(".")[2] in said:
                    yield name


DONE: tuple[tuple[str, Rule], ...] = (
    (r"\bclear\b|\bdel\b", _cleared),
    (r"\bpop\b", _popped),
    (r"\bdel\b", _deleted),
    (r"\bextend\b|\bappend\b|\bupdate\b", _extended),
    (r"\+=|\|=|\baugmented\b", _augmented),
    (r"\bnew (?:one|dict)|\{\*\*|\bcopy\b|\bmutat|\bchn?ange\b.*\bdict\b|\bmerge|\*\*|\bunpack| \| ", _merged),
    (r"\blazy|\blazily|%s|%-?(?:style|format|arg)|\bg004\b|\bw1203\b|\bno f-?string|\bf-?strings?\b", _lazy),
    (r"\bsuper\b", _super),
    (r"\btracebacks?\b|\bstack ?traces?\b|\btry4\d\d|\bexception\(", _traced),
    (
        r"\bskip|\bempty\b|\btruthy\b|\bblank|\bnone\b|\ball of them\b|\bfilter|\bleave out\b|\bonly the\b|\bwithout\b",
        _filtered,
    ),
    (r"\b(?:list|dict|set|tuple)\b", _recontained),
    (
        r"\breus|\balready (?:have|has|there|set|got|computed)|\bagain\b|\btwice\b|\buse\b|\bthere is\b|\bdouble",
        _reused,
    ),
)
"""What names a rule in lower case, and the rule."""
