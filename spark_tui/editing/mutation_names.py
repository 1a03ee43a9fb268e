"""Changes of a name, an attribute, a method or a literal into another one."""

import ast
import builtins
import re  # noqa: TID251 - reads source code
from collections.abc import Iterator, Sequence

from spark_tui.editing.mutation_source import (
    RECEIVERS,
    Function,
    Lines,
    MutableSnippet,
    NodeContext,
    parameters,
    stored,
)

_BUILTINS = frozenset(dir(builtins))
_TWO_SIDED = (ast.Assign, ast.Compare, ast.BinOp)
"""Nodes in which the same name on both sides makes no sense, as in `a = a` or `a < a`."""
_FIRST_VALUES = ("0", "None", "[]", "{}", '""', "1", "set()", "False", "True")
"""Values that a variable often begins with."""
_FLAGS = {"True": ("False",), "False": ("True",), "None": ("True", "False")}
_NUMBER = re.compile(r"-?\d[\w.]*")
_STRING = re.compile(r"""(['"])([^'"\\\n ]{0,30})\1""")


def names(source: MutableSnippet) -> Iterator[Lines]:
    """One use of a name changed into another name of its sort.

    The sorts are constants, classes, functions, modules, builtins, values and free names.
    """
    # First all names by their sort, then the uses, each with the other names of its sort.
    functions = (None, *source.snippet.functions)
    scopes = {function: _bound(source, function) for function in functions}
    uses: list[tuple[NodeContext, str, str]] = []
    groups: dict[str, dict[str, None]] = {}
    for spot in source.spots:
        match spot.node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                sort = "class" if name[0].isupper() else "function"
                groups.setdefault(sort, {})[name] = None
            case ast.Name(id=name) if name not in RECEIVERS:
                sort = _sort(spot, name, scopes[spot.function])
                groups.setdefault(sort, {})[name] = None
                uses.append((spot, name, sort))
    for spot, name, sort in uses:
        values: Sequence[str] = ()
        if sort in ("value", "free"):
            values = scopes[spot.function]
        # A variable may be meant as another variable, or as a name that is bound nowhere.
        beside_sort = "free" if values else sort
        beside = groups.get(beside_sort, {})
        wrong = {name, *RECEIVERS}
        if isinstance(spot.parent, _TWO_SIDED):
            sides = ast.iter_child_nodes(spot.parent)
            wrong.update(side.id for side in sides if isinstance(side, ast.Name))
        # those known to be meant first, then the names in scope, from the inside out
        if isinstance(spot.node, ast.Name) and source.text(spot.node) == name:
            for other in dict.fromkeys([*source.meant.get(name, ()), *values, *beside]):
                if other not in wrong:
                    yield source.put(spot.node, other)


def _bound(source: MutableSnippet, function: Function | None) -> tuple[str, ...]:
    """The parameters and variables of a function, then of the functions around it.

    Args:
        function: None for the module, which has the variables of its own statements.
    """
    bound: list[str] = []
    if function is None:
        for node in source.snippet.tree.body:
            if not isinstance(node, Function | ast.ClassDef):
                bound += stored(node)
        return tuple(bound)
    scopes = [function]
    # functions come in source order, so the innermost of those around comes last
    for outer in reversed(source.snippet.functions):
        if outer.lineno < function.lineno <= (outer.end_lineno or 0):
            scopes.append(outer)
    for scope in scopes:
        bound += _variables(scope)
    return tuple(dict.fromkeys(bound))


def _variables(function: Function) -> Iterator[str]:
    """The names bound in a function, parameters first."""
    yield from (parameter.arg for parameter in parameters(function))
    yield from stored(function)
    for node in ast.walk(function):
        match node:
            case ast.ExceptHandler(name=str() as name) | ast.arg(arg=name):
                yield name


def _sort(spot: NodeContext, name: str, values: Sequence[str]) -> str:
    """The sort of a name, by its spelling and its place.

    Args:
        values: The names bound around the place.
    """
    # the conventions of PEP 8: a constant in capitals, a class with a capital
    bare = name.strip("_")
    if bare[:1].isupper():
        return "constant" if len(bare) > 1 and bare.isupper() else "class"
    if name in values:
        return "value"
    if isinstance(spot.parent, ast.Call) and spot.parent.func is spot.node:
        return "function"
    if name in _BUILTINS:
        return "builtin"
    if isinstance(spot.parent, ast.Attribute):
        return "module"
    return "free"


def attributes(source: MutableSnippet) -> Iterator[Lines]:
    """One attribute or method changed into another one.

    The attributes that may be meant come first, then the other attributes of the same object.
    """
    nodes = [spot.node for spot in source.spots]
    # methods become methods, and attributes become attributes
    called_ids = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    uses = [(node, source.text(node.value)) for node in nodes if isinstance(node, ast.Attribute)]
    of_object: dict[tuple[bool, str], dict[str, None]] = {}
    for node, owner in uses:
        of_object.setdefault((id(node) in called_ids, owner), {})[node.attr] = None
    methods = [function.name for function in source.snippet.functions]
    for node, owner in uses:
        is_called = id(node) in called_ids
        others = [*source.meant.get(node.attr, ()), *of_object[is_called, owner]]
        if is_called and owner in RECEIVERS:
            others += methods
        # the name of an attribute is the last thing of its node
        row, end = source.end(node)
        is_special = node.attr.startswith("__")
        for other in dict.fromkeys(others):
            if other not in (node.attr, owner) and other.startswith("__") == is_special:
                yield source.splice((row, end - len(node.attr)), (row, end), other)


def literals(source: MutableSnippet) -> Iterator[Lines]:
    """One literal changed into a number near it, the other flag, another string or first value."""
    places = list(_literals(source))
    texts = list(dict.fromkeys(text for _, text, _ in places))
    for node, text, whole in places:
        for other in dict.fromkeys(_other_literals(source, text, texts, whole=whole)):
            if other != text:
                yield source.put(node, other)


def _literals(source: MutableSnippet) -> Iterator[tuple[ast.expr, str, bool]]:
    """The literals that stand on one line.

    Yields:
        The node (a minus and its number are one), its text, and whether the literal is the whole
        value of an assignment.
    """
    # a parent comes before its children, so a minus is seen before its number
    negated: set[int] = set()
    for node, parent, *_ in source.spots:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as inner):
                negated.add(id(inner))
                yield node, source.text(node), False
            case ast.Constant() | ast.List() | ast.Dict() | ast.Call() if id(node) not in negated:
                whole = isinstance(parent, ast.Assign | ast.AnnAssign)
                text = source.text(node)
                literal = isinstance(node, ast.Constant) or (whole and text in _FIRST_VALUES)
                if literal and text:
                    yield node, text, whole


def _other_literals(
    source: MutableSnippet, text: str, texts: list[str], *, whole: bool
) -> Iterator[str]:
    """What may be meant instead of a literal, the likeliest first.

    Args:
        text: The literal.
        texts: All literals of the snippet.
        whole: Whether the literal is the whole value of an assignment.
    """
    if text[:1] in ("'", '"'):
        quote = text[0]
        yield from (quote + meant + quote for meant in source.meant.get(text[1:-1], ()))
    if whole and text in (*_FIRST_VALUES, "''"):
        yield from _FIRST_VALUES
    elif text in _FLAGS:
        yield from _FLAGS[text]
    elif _NUMBER.fullmatch(text):
        yield from _numbers(text)
        yield from filter(_NUMBER.fullmatch, texts)
    elif string := _STRING.fullmatch(text):
        quote = string[1]
        for other in filter(_STRING.fullmatch, texts):
            # a word for a word, punctuation for punctuation
            if other[1:2].isalnum() == text[1:2].isalnum():
                yield quote + other[1:-1] + quote


def _numbers(text: str) -> Iterator[str]:
    """The numbers near a small number, then the number with its sign turned."""
    if re.fullmatch(r"\d{1,2}(?:\.0)?", text):
        value = int(float(text))
        fraction = ""
        if "." in text:
            fraction = ".0"
        for step in (-1, 1, 2, -2):
            if value + step >= -1:
                yield f"{value + step}{fraction}"
    if text.startswith("-"):
        yield text[1:]
    else:
        yield f"-{text}"
