"""Calls put around an expression or taken off it, parentheses that make a call or no call, results that are kept."""

import ast
from collections.abc import Iterator

from spark_tui.editing.code import Function, is_receiver, parameters
from spark_tui.editing.mutations.base import RECEIVERS, Lines, Source, Spot, called, dotted, is_number, is_text

_WRAPPERS = frozenset("str int float len list tuple set dict bool sorted repr range enumerate".split())  # noqa: SIM905
_METHODS = frozenset("strip lower upper split items keys values encode decode copy splitlines isoformat".split())  # noqa: SIM905
_UNARY = _METHODS | frozenset("""
read readline readlines close rstrip lstrip sort reverse clear pop popitem isdigit isalpha isalnum isspace isupper
islower exists is_file is_dir resolve absolute now utcnow today cwd getcwd home commit rollback start stop flush title
capitalize total_seconds timestamp mean std tolist numpy cpu detach numel backward zero_grad fetchone fetchall cursor
acquire release is_alive is_set cancel done raise_for_status group groups groupdict hexdigest digest getvalue tell
fileno get_event_loop uuid4 monotonic perf_counter getpid nonzero any all conjugate as_posix expanduser stat iterdir
poll communicate cancelled exception result bit_length squeeze flatten ravel
""".split())  # noqa: SIM905  # fmt: skip
"""Methods and functions that are called without arguments, nearly always."""
_PURE = frozenset("""
lower upper strip lstrip rstrip title casefold capitalize replace format encode decode removeprefix removesuffix ljust
rjust zfill center expandtabs translate swapcase astimezone with_suffix with_name resolve absolute expanduser
""".split())  # noqa: SIM905  # fmt: skip
"""Methods that change nothing, so that what they give has to be kept."""
_DOING = frozenset("""
append extend add update insert remove discard pop clear sort reverse write writelines close open start stop run put
debug info warning warn error exception critical log print send connect commit rollback flush setdefault join wait
acquire release set show draw save delete register emit notify cancel shutdown sleep execute check raise_for_status
validate ensure seek mkdir makedirs unlink rmtree fail setattr delattr exec next exit isinstance super input
""".split())  # noqa: SIM905  # fmt: skip
"""What is called for what it does, not for what it gives."""
_LAZY = frozenset("map filter zip range reversed keys values items".split())  # noqa: SIM905
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_WRAPPABLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
_TIGHT = (ast.BinOp, ast.Compare, ast.UnaryOp, ast.Attribute, ast.Subscript, ast.BoolOp)


def calls(source: Source) -> Iterator[Lines]:
    """One call more, less or kept."""
    bare = _called_bare(source)
    for spot in source.spots:
        node = spot.node
        text = source.text(node) if isinstance(node, ast.expr) else ""
        if text and isinstance(node, _WRAPPABLE) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            for word in _fitting(spot, node):
                once = called(node) != word and called(spot.parent) != word
                wrapped = f"{text}.{word}()" if word in _METHODS else f"{word}({text})"
                yield from [source.put(node, wrapped)] if once else []
            if _lacks_parentheses(spot, bare):
                yield source.put(node, f"{text}()")
            yield from _taken_off(source, spot, text)
    for spot in source.spots:
        yield from _uncalled(source, spot)
        yield from _kept(source, spot)


def _fitting(spot: Spot, node: ast.expr) -> Iterator[str]:
    """The calls that the place of an expression suggests."""
    yield from _operand(spot.parent, node)
    match spot.parent:
        case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over) if over is node:
            yield from _iterated(node, target)
        case ast.Call(func=ast.Name(id="range")) if not is_number(node):
            yield from ("len", "int")
        case ast.Call(func=ast.Attribute(attr="write"), args=[only]) if only is node:
            yield from ("str", "encode")
        case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, name, *_]) if name is node:
            yield "lower"
        case ast.Attribute(attr="startswith" | "endswith" | "split"):
            yield from ("lower", "strip")
        case ast.Subscript(slice=index) if index is node and not isinstance(node, ast.Attribute):
            yield "int"
        case ast.Assign() | ast.Return() | ast.keyword():
            yield from _assigned(node)


def _operand(parent: ast.AST, node: ast.expr) -> Iterator[str]:
    """What makes a value fit the one that it is added to or compared with."""
    as_text: tuple[str, ...]
    as_number: tuple[str, ...]
    match parent:
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
            other, as_text, as_number = right if left is node else left, ("str",), ("int", "float", "len")
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _ORDERS):
            other, as_text, as_number = right if left is node else left, ("strip", "lower", "str"), ("len", "int")
        case _:
            return
    if isinstance(op, ast.Add | ast.Eq | ast.NotEq) and is_text(other) and not is_text(node):
        yield from as_text
    elif is_number(other) and not is_number(node):
        yield from as_number


def _iterated(node: ast.expr, target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Tuple) and len(target.elts) == 2 and not isinstance(node, ast.Call):
        yield from ("items", "enumerate")
    elif isinstance(target, ast.Name) and (not isinstance(node, ast.Call) or called(node) == "len"):
        yield "range"
    if not isinstance(node, ast.Call) or called(node) in ("keys", "values", "items"):
        yield "list"


def _assigned(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Call():
            yield from ["list"] if called(node) in _LAZY else []
            yield from ("int", "strip") if called(node) in ("input", "readline", "read", "group") else ()
        case ast.Attribute() | ast.Name():
            yield from () if dotted(node) in RECEIVERS else ("copy", "list")


def _called_bare(source: Source) -> frozenset[str]:
    """The names that the snippet calls, or lets be called, without arguments."""
    every = (spot.node for spot in source.spots)
    found = {called(one) for one in every if isinstance(one, ast.Call) and not one.args and not one.keywords}
    plain = (one for one in source.snippet.functions if not one.decorator_list)
    return frozenset(found | {one.name for one in plain if all(is_receiver(one, arg) for arg in parameters(one))})


def _lacks_parentheses(spot: Spot, bare: frozenset[str]) -> bool:
    node, parent = spot.node, spot.parent
    if isinstance(parent, ast.Call) and parent.func is node:
        return False
    if isinstance(parent, Function | ast.ClassDef | ast.ExceptHandler):
        return False
    alone = isinstance(parent, ast.Expr) or (isinstance(parent, ast.While) and node is parent.test)
    match node:
        case ast.Attribute(attr=name):
            return alone or name in bare | _UNARY
        case ast.Name(id=name):
            return (alone or name in bare) and not name[0].isupper()
    return False


def _taken_off(source: Source, spot: Spot, text: str) -> Iterator[Lines]:
    match spot.node:
        case ast.Call(func=ast.Name(id=word), args=[inner], keywords=[]) if word in _WRAPPERS:
            if not isinstance(inner, ast.Starred | ast.GeneratorExp) and (bare := source.text(inner)):
                loose = isinstance(spot.parent, _TIGHT) and not isinstance(inner, (*_WRAPPABLE, ast.Constant))
                yield source.put(spot.node, f"({bare})" if loose else bare)
        case ast.Call(func=ast.Attribute(value=inner, attr=word), args=[], keywords=[]) if word in _METHODS:
            bare = source.text(inner)
            yield source.put(spot.node, f"({bare})" if text.startswith("(") else bare)
        case ast.Call(func=func, args=[], keywords=[]) if not isinstance(spot.parent, ast.Expr | ast.Await | ast.Raise):
            if called(spot.node) not in _UNARY | {"super", ""}:
                yield source.put(spot.node, source.text(func))


def _uncalled(source: Source, spot: Spot) -> Iterator[Lines]:
    """Parentheses after each name and attribute that is returned, kept or tested as a whole."""
    match spot.parent:
        case ast.Return(value=whole) | ast.Assign(value=whole) | ast.While(test=whole) | ast.If(test=whole):
            pass
        case ast.UnaryOp(op=ast.Not(), operand=whole):
            pass
        case _:
            return
    if whole is spot.node and (path := dotted(whole)) and path not in RECEIVERS and source.text(whole):
        yield source.behind(whole, "()")
        own = parameters(spot.function) if spot.function else []
        if len(own) == 2 and own[0].arg in RECEIVERS and isinstance(whole, ast.Attribute):
            yield source.behind(whole, f"({own[1].arg})")


def _kept(source: Source, spot: Spot) -> Iterator[Lines]:
    """`x = ` before a call that stands alone and could give x: `x.strip()`, `re.sub(a, b, x)`, `merged(x, y)`."""
    call = spot.node
    if not isinstance(spot.parent, ast.Expr) or not isinstance(call, ast.Call) or called(call) in _DOING:
        return
    owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    held = owner if called(call) in _PURE else [*owner, *call.args]
    for path in dict.fromkeys(filter(None, map(dotted, held))):
        if path not in RECEIVERS and path.islower():
            yield source.before(call, f"{path} = ")
