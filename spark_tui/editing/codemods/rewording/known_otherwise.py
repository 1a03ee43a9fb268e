"""Other words for well known expressions: `itemgetter(0)` for a lambda, a timezone for `utcnow`, a raw or bytes string.

Rules like those of `said_otherwise`.
"""

import ast
import re
import warnings
from collections.abc import Iterator

from spark_tui.editing.codemods.common.negation import ATOM
from spark_tui.editing.codemods.rewording.said_otherwise import Rule, source_of, within
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted
from spark_tui.editing.trees import parse

_ESCAPED = re.compile(r"\\\\")


def _aware(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`datetime.utcnow()` as `datetime.now(timezone.utc)`, however that is written."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="utcnow" | "utcfromtimestamp" as name), args=given):
            root = (dotted(owner) or "").partition(".")[0]
            zones = ["UTC"] if re.search(r"\bUTC\b", "\n".join(before.lines)) else []
            ahead = f"{root}." if "." in (dotted(owner) or "") else ""
            zones += [f"{ahead}timezone.utc", f"{ahead}UTC"]
            sources = [source_of(before, one) for one in given]
            for zone in sorted(dict.fromkeys(zones), key=lambda one: one.lower() not in words):
                args = ", ".join([*sources, f"tz={zone}" if sources else zone])
                yield f"{source_of(before, owner)}.{name.removeprefix('utc')}({args})"
        case ast.Call(func=ast.Attribute(value=owner, attr="now"), args=[], keywords=[]):
            if (dotted(owner) or "").endswith("datetime"):
                zone = "timezone.utc" if dotted(owner) == "datetime" else "datetime.timezone.utc"
                yield f"{source_of(before, owner)}.now({zone})"


def _getters(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`lambda x: x[0]` as `itemgetter(0)`, `lambda x: x.name` as `attrgetter("name")`; and back."""
    match node:
        case ast.Lambda(args=ast.arguments(args=[ast.arg(arg=name)]), body=body):
            match body:
                case ast.Subscript(value=ast.Name(id=used), slice=key) if used == name:
                    yield f"itemgetter({source_of(before, key)})"
                    yield f"operator.itemgetter({source_of(before, key)})"
                case ast.Attribute(value=ast.Name(id=used), attr=attr) if used == name:
                    yield f'attrgetter("{attr}")'
                    yield f'operator.attrgetter("{attr}")'
        case ast.Call(func=func, args=[ast.expr() as key]) if (dotted(func) or "").endswith("itemgetter"):
            yield f"lambda item: item[{source_of(before, key)}]"
        case ast.Call(func=func, args=[ast.Constant(value=str(attr))]) if (dotted(func) or "").endswith("attrgetter"):
            yield f"lambda item: item.{attr}"


def _factory(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`lambda: []` as `list`, `lambda: f()` as `f`."""
    match node:
        case ast.Lambda(args=ast.arguments(args=[], kwonlyargs=[]), body=body):
            match body:
                case ast.List(elts=[]):
                    yield "list"
                case ast.Dict(keys=[]):
                    yield "dict"
                case ast.Call(func=func, args=[], keywords=[]):
                    yield source_of(before, func)


def _bound_late(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """A lambda in a loop with the loop's variables as defaults."""
    match node:
        case ast.Lambda(args=spec, body=body):
            own = {one.arg for one in spec.args}
            loops = [
                {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
                for loop in before.nodes
                if isinstance(loop, ast.For | ast.comprehension)
            ]
            targets = set().union(*loops)
            used = [one.id for one in ast.walk(body) if isinstance(one, ast.Name) and one.id in targets - own]
            if used and not spec.vararg and not spec.kwarg:
                given = [ast.unparse(spec)] if ast.unparse(spec) else []
                more = [f"{name}={name}" for name in dict.fromkeys(used)]
                yield f"lambda {', '.join([*given, *more])}: {source_of(before, body)}"


def _mapped(before: Snippet, node: ast.AST, parent: ast.AST, __: str) -> Iterator[str]:
    """`map(f, xs)` as a generator, `list(map(f, xs))` as a list, with a variable called after what is gone over."""
    match node:
        case ast.Call(
            func=ast.Name(id="list" | "set" | "tuple" as kind), args=[ast.Call(func=ast.Name(id="map")) as inner]
        ):
            pair = {"list": "[]", "set": "{}"}.get(kind)
            if text := _each(before, inner):
                yield f"{pair[0]}{text}{pair[1]}" if pair else f"tuple({text})"
        case ast.Call(func=ast.Name(id="map")) if text := _each(before, node):
            yield text if isinstance(parent, ast.Call) and len(parent.args) == 1 else f"({text})"


def _each(before: Snippet, call: ast.Call) -> str:
    match call.args:
        case [ast.Name() | ast.Attribute() as function, items]:
            word = re.findall(r"[a-z]+", (dotted(items) or "").rpartition(".")[2])
            many = word[-1] if word else "x"
            name = many[:-1] if many.endswith("s") and len(many) > 3 else many[:1]
            return f"{source_of(before, function)}({name}) for {name} in {source_of(before, items)}"
    return ""


def _rows(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`[[]] * n` as a list of lists of their own, `dict.fromkeys(keys, [])` too."""
    match node:
        case ast.BinOp(left=ast.List(elts=[inner]), op=ast.Mult(), right=size) if not isinstance(inner, ast.Constant):
            yield f"[{source_of(before, inner)} for _ in range({source_of(before, size)})]"
        case ast.Call(func=func, args=[keys, value]) if (dotted(func) or "") == "dict.fromkeys":
            yield f"{{key: {source_of(before, value)} for key in {source_of(before, keys)}}}"


def _raw(before: Snippet, node: ast.AST, parent: ast.AST, __: str) -> Iterator[str]:
    if isinstance(node, ast.Constant | ast.JoinedStr) and not isinstance(parent, ast.JoinedStr):
        text = source_of(before, node)
        prefix = text[: len(text) - len(text.lstrip("fFbBuU"))]
        if "\\" in text and "r" not in prefix.lower():
            raw = f"{prefix.replace('u', '')}r{text[len(prefix) :]}" if prefix != "f" else f"rf{text[1:]}"
            single = f"{prefix}r{_ESCAPED.sub(lambda _: chr(92), text[len(prefix) :])}"
            ways = [raw, single] if _ESCAPED.search(text) else [raw]
            yield from [one for one in ways if _value(one) == _value(text)] or ways


def _value(source: str) -> str:
    """What a literal stands for, as it would be shown."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.dump(parse(source, mode="eval"))
    except SyntaxError:
        return source


def _bytes(before: Snippet, node: ast.AST, parent: ast.AST, __: str) -> Iterator[str]:
    """`"x"` as `b"x"`, and the other way; `u"x"` as `"x"`."""
    match node:
        case ast.Constant(value=str() as value) if value.isascii() and not isinstance(parent, ast.Expr | ast.JoinedStr):
            text = source_of(before, node)
            if text[:1] in "uU":
                yield text[1:]
            elif text[:1] in "'\"":
                yield f"b{text}"
        case ast.Constant(value=bytes()):
            yield source_of(before, node)[1:]
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str() as value) as literal, attr="encode"), args=given
        ):
            if value.isascii() and (not given or "utf" in source_of(before, given[0]).lower()):
                yield f"b{source_of(before, literal)}"


def _deep(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x.copy()`, `dict(x)` and `copy.copy(x)` as `copy.deepcopy(x)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="copy"), args=[], keywords=[]):
            yield f"copy.deepcopy({source_of(before, owner)})"
        case ast.Call(func=func, args=[given], keywords=[]) if dotted(func) in ("copy.copy", "copy", "dict", "list"):
            yield f"copy.deepcopy({source_of(before, given)})"


def _opened(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """A file opened in binary mode."""
    match node:
        case ast.Call(func=func, args=[given, *rest]) if (dotted(func) or "").rpartition(".")[2] == "open":
            mode = rest[0].value if rest and isinstance(rest[0], ast.Constant) else "r"
            mark = source_of(before, rest[0])[-1] if rest else '"'
            if "b" not in str(mode) and not node.keywords:
                binary = f"{mark}{str(mode).replace('t', '')}b{mark}"
                yield f"{source_of(before, func)}({source_of(before, given)}, {binary})"


def _own_class(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`self.__class__` as `type(self)`, and back."""
    match node:
        case ast.Attribute(value=owner, attr="__class__"):
            yield f"type({source_of(before, owner)})"
        case ast.Call(func=ast.Name(id="type"), args=[ast.Name() as owner], keywords=[]):
            yield f"{source_of(before, owner)}.__class__"


def _last(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x[len(x) - 1]` as `x[-1]`."""
    match node:
        case ast.Subscript(
            value=owner,
            slice=ast.BinOp(
                left=ast.Call(func=ast.Name(id="len"), args=[held]), op=ast.Sub(), right=ast.Constant() as n
            ),
        ) if ast.dump(owner) == ast.dump(held):
            yield f"{source_of(before, owner)}[-{source_of(before, n)}]"


def _of_any_case(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """Both sides of a comparison in lower case; a sort by lower case."""
    how = "casefold" if "casefold" in words else "lower"
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() | ast.In() | ast.NotIn() as op], comparators=[right]):
            sign = {ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in"}[type(op)]
            one, other = (
                source_of(before, side) if isinstance(side, ast.Constant) else f"{within(before, side, ATOM)}.{how}()"
                for side in (left, right)
            )
            yield f"{one} {sign} {other}"
        case ast.Call(func=ast.Name(id="sorted"), args=[given], keywords=[]):
            yield f"sorted({source_of(before, given)}, key=str.{how})"
        case ast.Call(func=ast.Attribute(attr="sort"), args=[], keywords=[]):
            yield f"{source_of(before, node.func)}(key=str.{how})"
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name), args=given, keywords=[]) if (
            name != "escape"
        ):
            if "|" not in source_of(before, given[-1]) and "re." not in source_of(before, given[-1]):
                yield f"re.{name}({', '.join([*(source_of(before, one) for one in given), 're.IGNORECASE'])})"


def _close(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`a == b` as `math.isclose(a, b)`."""
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]):
            call = f"math.isclose({source_of(before, left)}, {source_of(before, right)})"
            yield call if isinstance(op, ast.Eq) else f"not {call}"


def _squared(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x * x` as `x ** 2`, `pow(x, y)` as `x ** y`, and back; `x ** 0.5` as `math.sqrt(x)`."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if ast.dump(left) == ast.dump(right):
            yield f"{source_of(before, left)} ** 2"
        case ast.Call(func=ast.Name(id="pow"), args=[base, power]):
            yield f"{within(before, base, ATOM)} ** {within(before, power, ATOM)}"
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=0.5)):
            yield f"math.sqrt({source_of(before, left)})"
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=2)):
            yield f"{source_of(before, left)} * {source_of(before, left)}"


def _chosen_first(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x and x.y` as `x.y if x else None`."""
    match node:
        case ast.BoolOp(op=ast.And(), values=[test, value]):
            yield f"{source_of(before, value)} if {source_of(before, test)} else None"


def _got_softly(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`d[key]` as `d.get(key)`, with the default that is told."""
    match node:
        case ast.Subscript(value=owner, slice=ast.Name() | ast.Attribute() | ast.Call() as key, ctx=ast.Load()):
            told = [one for one in ("False", "True", "[]", "{}", "0", "''", '""') if one.lower() in words]
            told += ["''"] if "empty string" in words else ["[]"] if "empty list" in words else []
            text = f"{source_of(before, owner)}.get({source_of(before, key)}"
            yield from (f"{text}, {one})" for one in told[:1])
            yield f"{text})"


def _returned(__: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`return None` as `return`, and back."""
    match node:
        case ast.Return(value=ast.Constant(value=None)):
            yield "return"
        case ast.Return(value=None):
            yield "return None"
            yield from (f"return {one}" for one in ("False", "True", "[]", "{}", "0", '""') if one.lower() in words)


KNOWN: tuple[tuple[str, Rule], ...] = (
    (r"\butc|\btimezone|\btime zone|\btz\b|\baware\b|\bnaive\b|\bdtz\d|\bdeprecat", _aware),
    (r"getter\b|\blambda", _getters),
    (r"\blambda|\bfactory|\bpie807|\bplw0108", _factory),
    (r"\blate\b|\blast (?:one|value|name|item)|\bb023\b|\balways the\b|\bclosure|\bloop variable|\bbind", _bound_late),
    (r"\bmap\b|\bc417\b|\bcomprehension|\bgenerator", _mapped),
    (r"\bshare|\bsame (?:list|dict|object|row)|\beach\b|\ball (?:rows|lists|of them)\b|\bown\b|\bruf024", _rows),
    (r"\braw\b|\bescape|\bw605\b|\bbackslash|\br\"|\br'|\bregex\b|syntaxwarning", _raw),
    (r"\bbytes\b|\bbytes-like|\bb\"|\bb'|\bu prefix|\bu\"|\bu'|\bup025|\bup012|\bprefix|\bencode\b", _bytes),
    (r"\bdeep", _deep),
    (r"\bbinary\b|\bbytes\b|\brb\b|\bwb\b", _opened),
    (r"\b__class__\b|\btype\(", _own_class),
    (r"\blen\b|-1\]|\bnegative ind|\blast\b", _last),
    (r"\bcase\b|\bcase-|\blower|\bcasefold|\bupper-?case|\bcapital", _of_any_case),
    (r"\bisclose\b|\btoleran|\bfloat", _close),
    (r"\bpow\b|\*\*|\bsquare|\bsqrt\b|\bpower\b", _squared),
    (r"\bternary|\bconditional|\bif .*else\b", _chosen_first),
    (
        r"\bunknown|\bmissing|\bkeyerror|\bnot (?:there|in)\b|\bnone (?:for|if|when)|\babsent|\bget\(|\bno such",
        _got_softly,
    ),
    (r"\breturn\b.*\bnone\b|\bnone\b.*\breturn|\bbare return|\bret50|\bexplicit|\bimplicit", _returned),
)
"""What names a rule in lower case, and the rule."""
