"""What may be mistaken beside names and operators: parts in the wrong order, a parameter nobody reads, a keyword.

Each gives slips for one of the codemods for bugs.
"""

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.code import Function, Position, end_of, parameters, start_of, text_of, walk_scope
from spark_tui.editing.codemods.bugs.mistaken import Slip, plain_nodes
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_FIELD_NAME = re.compile(r"(?<!\{)\{(?:\w+\()*([^\W\d]\w*)")
_WORD = re.compile(r"[^\W_]{3,}")
_FIELD = re.compile(r"(?<!\{)\{([^{}:!]+)")
_TAKES_ONE = re.compile(r"(?:[\w.]+\(\) )?takes (?:exactly |at most )?(?:one|1) (?:\w+ )?arguments? \(\d+ given\)")
_TAKES_MORE = re.compile(
    r"(?:[\w.]+\(\) )?(?:missing \d+ required positional|takes (?:\w+ )?(?:two|three|[2-9]) arguments? \(1 given)"
)
_ERROR = re.compile(r"(?:Error|Exception)$")
_WORDS: dict[type[ast.stmt], tuple[tuple[str, str], ...]] = {
    ast.Return: (("return ", "yield "),), ast.Raise: (("raise ", "return "),), ast.While: (("while ", "if "),),
    ast.Break: (("break", "continue"), ("break", "return")),
    ast.Continue: (("continue", "break"), ("continue", "return")),
}  # fmt: skip
"""Which other word may be meant for one that a statement begins with."""
_MAPPING = re.compile(r"(?:\w+\.)?(?:[Dd]ict|\w*Mapping)\b")
_TABLE = re.compile(r"_TO_|_BY_|_MAP$|^MAP_")
_MOST_MISSED, _MOST_LOOKED_UP = 24, 8
_TYPES = ("str", "bytes", "int", "float", "list", "tuple", "dict", "set", "frozenset", "bool", "slice", "bytearray")
_LIKE = {
    "list": ("tuple", "dict"), "tuple": ("list",), "dict": ("list",), "str": ("bytes",), "bytes": ("str",),
    "int": ("float", "str"), "float": ("int",), "set": ("frozenset", "list"),
}  # fmt: skip


def parts_swapped(before: Snippet) -> Iterator[Slip]:
    """Values of a `%`, entries that a dict takes over, branches with constants, object and argument; swapped."""
    for node in plain_nodes(before.tree):
        match node:
            case ast.BinOp(op=ast.Mod(), right=ast.Tuple(elts=parts)):
                yield from _neighbours(before, parts)
            case ast.Dict(keys=keys, values=values) if None in keys:
                yield from _neighbours(before, values, [_before_stars(before, one) for one in values])
            case ast.IfExp(body=left, orelse=right) if isinstance(
                right, ast.Constant | ast.List | ast.Dict | ast.Tuple
            ):
                yield from _around(before, left, right)
            case ast.Call(func=ast.Attribute(value=owner), args=[only], keywords=[]) if isinstance(
                only, ast.Name | ast.Attribute
            ) and isinstance(owner, ast.Name | ast.Attribute):
                yield from _around(before, owner, only)
            case ast.Tuple(elts=[_, _, *_] as parts, ctx=ast.Load()) if len(parts) < 5:
                yield from _neighbours(before, parts)
            case ast.Call(keywords=[_, _, *_] as words):
                if len(words) == 3:
                    yield from _around(before, words[0].value, words[-1].value)


def _before_stars(before: Snippet, node: ast.expr) -> Position:
    """Where an entry begins, with the stars before it."""
    row, column = start_of(before, node)
    return (row, column - 2) if before.lines[row][:column].endswith("**") else (row, column)


def _neighbours(before: Snippet, parts: Sequence[ast.expr], starts: Sequence[Position] = ()) -> Iterator[Slip]:
    begins = starts or [start_of(before, one) for one in parts]
    for (left, at), (right, then) in pairwise(zip(parts, begins, strict=True)):
        end, last = end_of(before, left), end_of(before, right)
        if at[0] == last[0] and text_of(before, left) != text_of(before, right):
            line = before.lines[at[0]]
            one, glue, two = line[at[1] : end[1]], line[end[1] : then[1]], line[then[1] : last[1]]
            if glue.strip() == ",":
                yield Slip(at, last, f"{two}{glue}{one}", (one, two, "swap", "order"))


def _around(before: Snippet, left: ast.expr, right: ast.expr) -> Iterator[Slip]:
    """Two parts of one line in each other's place, whatever stands between them."""
    (row, start), (last, end) = start_of(before, left), end_of(before, right)
    one, two = text_of(before, left), text_of(before, right)
    if row == last and one and two and one != two:
        between = before.lines[row][start + len(one) : end - len(two)]
        yield Slip((row, start), (row, end), f"{two}{between}{one}", (one, two))


def names_in_fields(before: Snippet) -> Iterator[tuple[Slip, Function | None]]:
    """The names that f-strings show, each as a slip whose text is the name, with the function around it."""
    owners = {id(node): function for function in before.functions for node in walk_scope(function)}
    for node in plain_nodes(before.tree):
        if isinstance(node, ast.JoinedStr) and (text := text_of(before, node)):
            row, column = start_of(before, node)
            for match in _FIELD_NAME.finditer(text):
                start, end = (row, column + match.start(1)), (row, column + match.end(1))
                yield Slip(start, end, match[1]), owners.get(id(node))


def field_slips(before: Snippet) -> Iterator[Slip]:
    """Another name of the function in the place of one that an f-string shows."""
    for slip, function in names_in_fields(before):
        names = _values(function) if function else []
        if slip.text in ("self", "cls"):
            continue
        for name in names:
            if name != slip.text and (len(names) < 6 or _alike(slip.text, name) or hasattr(builtins, slip.text)):
                yield Slip(slip.start, slip.end, name, (slip.text, name))


def _values(function: Function) -> list[str]:
    """The parameters and variables of a function."""
    names = [one.arg for one in parameters(function)]
    names += [one.id for one in walk_scope(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    return [one for one in dict.fromkeys(names) if one not in ("self", "cls", "_")]


def _alike(one: str, other: str) -> bool:
    return bool(set(_WORD.findall(one)) & set(_WORD.findall(other)))


def parameters_missed(before: Snippet) -> Iterator[Slip]:
    """A parameter in the place of a value that is set, passed or returned: one nobody reads, or nearly its name."""
    found = [
        slip
        for function in before.functions
        if (names := _values_given(function))
        for node in walk_scope(function)
        for value in _held(node)
        for slip in _given(before, value, names, node)
    ]
    yield from sorted(found, key=lambda slip: "unused" not in slip.words)[:_MOST_MISSED]


def _values_given(function: Function) -> dict[str, bool]:
    """The parameters of a function, with whether nothing reads them."""
    read = {
        one.id for part in function.body for one in ast.walk(part) if isinstance(one, ast.Name)
        if isinstance(one.ctx, ast.Load)
    }  # fmt: skip
    plain = [one.arg for one in parameters(function) if one.arg not in ("self", "cls")]
    return {name: name not in read for name in plain if not name.startswith("_")}


def _held(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value) | ast.Return(value=ast.expr() as value):
            return [value]
        case ast.Call(args=args, keywords=words):
            return [*args, *(one.value for one in words)]
        case ast.Subscript(slice=key, ctx=ast.Load()):
            return [key]
        case ast.Compare(left=left, comparators=[right]):
            return [left, right]
    return []


def _given(before: Snippet, value: ast.expr, names: dict[str, bool], node: ast.AST) -> Iterator[Slip]:
    text = text_of(before, value)
    if not text or (isinstance(value, ast.Name) and value.id in names):
        return
    inner = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
    own = _called(value) | _target(node, value)
    for name, unused in names.items():
        alone = len(names) == 1 and isinstance(value, ast.Attribute) and dotted(value) and isinstance(node, ast.Call)
        near = _alike_enough(name, own) and not isinstance(value, ast.Call)
        if name not in inner and (unused or alone or near):
            words = (text, name, *(["unused"] if unused else []))
            yield Slip(start_of(before, value), end_of(before, value), name, words)


def _target(node: ast.AST, value: ast.expr) -> set[str]:
    """What a constant is given to by name."""
    if not isinstance(value, ast.Constant):
        return set()
    match node:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return _called(target)
        case ast.Call(keywords=words):
            return {one.arg for one in words if one.arg and one.value is value}
    return set()


def _called(node: ast.expr) -> set[str]:
    """The last name of a value, or the key that it is got by."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return {key}
        case ast.Attribute(attr=name):
            return {name.strip("_")}
        case ast.Name(id=name):
            return {name}
    return set()


def _alike_enough(name: str, own: set[str]) -> bool:
    return any(one == name or len(set(_WORD.findall(one)) & set(_WORD.findall(name))) > 1 for one in own)


def types_mistaken(before: Snippet, instruction: str) -> Iterator[Slip]:
    """Another builtin type in an `isinstance`, or one more: those that the words hold, or what is like it."""
    told = [one for one in _TYPES if re.search(rf"(?<![\w.]){one}(?:s|'|\b)(?!\w)", instruction)]
    for node in plain_nodes(before.tree):
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
                parts = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
                old, texts = text_of(before, kinds), [text_of(before, one) for one in parts]
                for one in (one for one in told if one not in texts):
                    joined = ", ".join([*texts, one])
                    yield Slip(start_of(before, kinds), end_of(before, kinds), f"({joined})", (old, one))
                    yield Slip(start_of(before, kinds), end_of(before, kinds), one, (old, one))
                for part, text in zip(parts, texts, strict=True):
                    for one in _LIKE.get(text, ()):
                        yield Slip(start_of(before, part), end_of(before, part), one, (text, one))


def words_mistaken(before: Snippet) -> Iterator[Slip]:
    """A keyword in the place of another one: return or raise or yield, break or continue."""
    for node in plain_nodes(before.tree):
        if not isinstance(node, ast.stmt):
            continue
        start = start_of(before, node)
        for old, new in _other_word(node):
            if before.lines[start[0]][start[1] :].startswith(old):
                yield Slip(start, (start[0], start[1] + len(old)), new, (old, new.split()[0]))


def _head(node: ast.Call | ast.Name) -> str:
    return dotted(node.func if isinstance(node, ast.Call) else node) or ""


def _other_word(node: ast.stmt) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Return(value=ast.Call() | ast.Name() as held) if _ERROR.search(_head(held)):
            yield "return ", "raise "
        case ast.Expr(value=ast.Yield(value=ast.expr())):
            yield "yield ", "yield from "
            yield "yield ", "return "
        case ast.Expr(value=ast.YieldFrom()):
            yield "yield from ", "yield "
            yield "yield from ", "return "
        case ast.If(orelse=[]):
            yield "if ", "while "
        case ast.Return(value=ast.expr()) | ast.Raise(exc=ast.expr(), cause=None) | ast.While(orelse=[]):
            yield from _WORDS[type(node)]
        case ast.Break() | ast.Continue():
            yield from _WORDS[type(node)]


def lengths_mistaken(before: Snippet) -> Iterator[Slip]:
    """`len(x) != 1` for whether there is anything at all."""
    for node in plain_nodes(before.tree):
        match node:
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="len"), args=[given]), ops=[_], comparators=[ast.Constant(value=int())]
            ) if text := text_of(before, given):
                start, end = start_of(before, node), end_of(before, node)
                yield Slip(start, end, f"not {text}", ("none", "empty", "no", text))
                yield Slip(start, end, text, ("any", text))


def arguments_gathered(before: Snippet, instruction: str) -> Iterator[Slip]:
    """Arguments of a call that takes one, as one tuple; or the one value of a call that takes more, unpacked."""
    few, many = _TAKES_ONE.search(instruction), _TAKES_MORE.search(instruction)
    for node in plain_nodes(before.tree) if few or many else ():
        match node:
            case ast.Call(func=func, args=[first, *_, last], keywords=[]) if few and _is_named(func, few[0]):
                start, end = start_of(before, first), end_of(before, last)
                if start[0] == end[0]:
                    yield Slip(start, end, f"({before.lines[start[0]][start[1] : end[1]]})", ("tuple",))
            case ast.Call(func=func, args=[ast.Name() | ast.Attribute() as only], keywords=[]) if many:
                if _is_named(func, many[0]) and (text := text_of(before, only)):
                    yield Slip(start_of(before, only), end_of(before, only), f"*{text}", (text,))


def _is_named(func: ast.expr, message: str) -> bool:
    name = (dotted(func) or "").rpartition(".")[2]
    told = re.search(r"([^\W\d]\w*)\(\)", message)
    return not told or not name or told[1] in (name, "__init__")


def looked_up(before: Snippet, instruction: str) -> Iterator[Slip]:
    """A name that is passed or set, as what a mapping of the region has for it: `k` that should be `other[k]`."""
    mappings = _mappings(before)
    said = set(re.findall(r"\w+", instruction))
    values = [
        value
        for node in (plain_nodes(before.tree) if mappings else ())
        if not isinstance(node, ast.Compare | ast.Subscript)
        for value in _held(node)
        if isinstance(value, ast.Name | ast.Attribute)
    ]
    slips = [
        Slip(start_of(before, value), end_of(before, value), f"{one}[{text}]", (one, text))
        for one in sorted(mappings, key=lambda one: one not in said)
        for value in values
        if (text := text_of(before, value)) and text != one
    ]
    yield from slips[:_MOST_LOOKED_UP]


def _mappings(before: Snippet) -> list[str]:
    """The names of what is looked up in, or has keys, and of constants that are called so."""
    found: dict[str, None] = {}
    for node in before.nodes:
        match node:
            case (
                ast.Subscript(value=ast.Name(id=name), slice=ast.Name() | ast.Attribute())
                | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="keys" | "items" | "get"))
            ):
                found[name] = None
            case ast.arg(arg=name, annotation=ast.expr() as hint) if _MAPPING.match(ast.unparse(hint)):
                found[name] = None
            case ast.Name(id=name) if _TABLE.search(name):
                found[name] = None
    return list(found)


def fields_in_plain_texts(before: Snippet) -> Iterator[Slip]:
    """A text with `{name}` of a name that its function has, as the f-string that it should be."""
    names = {one.id for one in before.nodes if isinstance(one, ast.Name)} | {
        one.arg for one in before.nodes if isinstance(one, ast.arg)
    }
    formatted = {
        id(one.value) for one in before.nodes if isinstance(one, ast.Attribute) and one.attr in ("format", "format_map")
    }
    for node in plain_nodes(before.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in formatted:
            told = re.findall(r"\{([^\W\d]\w*)[\w.()\[\]]*(?:![rsa])?(?::[^{}]*)?\}", node.value)
            text = text_of(before, node)
            if told and set(told) <= names and text[:1] in "'\"":
                yield Slip(start_of(before, node), end_of(before, node), f"f{text}", tuple(told))


def numbers_in_fields(before: Snippet) -> Iterator[Slip]:
    """A small number in a field of an f-string, one less and one more."""
    for node in plain_nodes(before.tree):
        if isinstance(node, ast.JoinedStr) and (text := text_of(before, node)):
            row, column = start_of(before, node)
            for field in _FIELD.finditer(text):
                for match in re.finditer(r"(?<![\w.])\d(?![\w.])", field[1]):
                    start = column + field.start(1) + match.start()
                    for by in (1, -1):
                        yield Slip((row, start), (row, start + 1), str(int(match[0]) + by), (match[0],))


def own_attributes(before: Snippet) -> Iterator[Slip]:
    """`type(x).name` and `x.__class__.name` as `x.name`."""
    for node in plain_nodes(before.tree):
        match node:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="type"), args=[inner]) as owner, attr=name):
                text = text_of(before, inner)
            case ast.Attribute(value=ast.Attribute(value=inner, attr="__class__") as owner, attr=name):
                text = text_of(before, inner)
            case _:
                continue
        if text and text_of(before, owner):
            yield Slip(start_of(before, owner), end_of(before, owner), text, (text, name, "type"))
