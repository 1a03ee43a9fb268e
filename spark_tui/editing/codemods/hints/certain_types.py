"""Types that the code itself, its docstring or an instruction leaves no doubt about."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, docstring_node, parameters, walk_scope
from spark_tui.editing.codemods.dead_code import leaves
from spark_tui.editing.codemods.hints.type_prose import without_messages

_WORDS = {
    "string": "str", "integer": "int", "boolean": "bool", "dictionary": "dict", "nothing": "None",
}  # fmt: skip
_KNOWN = frozenset({*_WORDS.values(), "float", "bytes", "list", "set", "tuple", "object", "complex", "frozenset"})
_CALLS = {
    "str": "str", "repr": "str", "int": "int", "len": "int", "float": "float", "bool": "bool", "list": "list",
    "set": "set", "tuple": "tuple", "sorted": "list", "isinstance": "bool", "any": "bool", "all": "bool",
    "hasattr": "bool", "callable": "bool", "issubclass": "bool", "bytes": "bytes", "hash": "int", "ord": "int",
    "id": "int", "chr": "str", "dict": "dict",
}  # fmt: skip
_DUNDERS = {
    "__init__": "None", "__str__": "str", "__repr__": "str", "__len__": "int", "__bool__": "bool", "__hash__": "int",
    "__setattr__": "None", "__delattr__": "None", "__setitem__": "None", "__delitem__": "None", "__contains__": "bool",
}  # fmt: skip
_DISPLAYS: dict[type[ast.expr], str] = {
    ast.JoinedStr: "str", ast.List: "list", ast.ListComp: "list", ast.Dict: "dict", ast.DictComp: "dict",
    ast.Set: "set", ast.SetComp: "set", ast.Tuple: "tuple",
}  # fmt: skip
_NAME = r"[A-Za-z_][\w.]*"
_TYPE = rf"{_NAME}(?:\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])?(?:\s*\|\s*{_NAME}(?:\[[^\[\]]*\])?)*"


def type_of(node: ast.expr) -> str | None:
    """The type that an expression surely has."""
    match node:
        case ast.Constant(value=None):
            return "None"
        case ast.Constant(value=bool() | int() | float() | str() | bytes() as value):
            return type(value).__name__
        case ast.Compare(ops=[ast.Is() | ast.IsNot() | ast.In() | ast.NotIn()]) | ast.UnaryOp(op=ast.Not()):
            return "bool"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return type_of(operand)
    return _DISPLAYS.get(type(node)) or _type_of_call(node)


def _type_of_call(node: ast.expr) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return _CALLS.get(name)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="join" | "format")):
            return "str"
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
            return "str"
    return None


def parameter_types(function: Function) -> dict[str, str]:
    """The parameters without hint whose type the docstring or the default tells."""
    documented, defaults = documented_types(function), dict(default_values(function))
    found = {}
    for name in (one.arg for one in parameters(function) if one.annotation is None):
        told, known = documented.get(name), type_of(defaults[name]) if name in defaults else None
        if told and known == "None" and "None" not in told:
            told = f"{told} | None"
        if certain := told or (known if known != "None" else None):
            found[name] = certain
    return found


def default_values(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """The parameters that have defaults, with them."""
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args]
    if spec.defaults:
        yield from zip((one.arg for one in positional[-len(spec.defaults) :]), spec.defaults, strict=True)
    yield from ((one.arg, value) for one, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value)


def may_be_none(function: Function) -> set[str]:
    """The parameters that default to None or whose hint says that they may be."""
    found = {
        name for name, value in default_values(function) if isinstance(value, ast.Constant) and value.value is None
    }
    hinted = ((one.arg, ast.unparse(one.annotation)) for one in parameters(function) if one.annotation)
    return found | {name for name, hint in hinted if re.search(r"\bNone\b|\bOptional\[", hint)}


def return_type(function: Function) -> str | None:
    """What a function without return hint surely returns."""
    if function.returns is not None:
        return None
    if function.name in _DUNDERS:
        return _DUNDERS[function.name]
    if told := documented_types(function).get("return"):
        return told
    nodes = list(walk_scope(function))
    body = function.body[1:] if docstring_node(function) else function.body
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes) or _is_stub(body):
        return None
    values = [node.value for node in nodes if isinstance(node, ast.Return)]
    types = {type_of(value) if value is not None else "None" for value in values}
    if not ends(body):
        types.add("None")
    certain = sorted(one for one in types if one and one != "None")
    if None in types or len(certain) > 1:
        return None
    return (f"{certain[0]} | None" if "None" in types else certain[0]) if certain else "None"


def _is_stub(body: list[ast.stmt]) -> bool:
    """Whether it is only there to be overridden, or always raises."""
    raising = bool(body) and isinstance(body[-1], ast.Raise) and not any(isinstance(one, ast.Return) for one in body)
    return all(isinstance(one, ast.Pass | ast.Expr) and not _calls(one) for one in body) or raising


def _calls(node: ast.stmt) -> bool:
    return any(isinstance(part, ast.Call | ast.Await) for part in ast.walk(node))


def ends(body: list[ast.stmt]) -> bool:
    """Whether the end of the body is surely not reached."""
    last = body[-1]
    if isinstance(last, ast.With | ast.AsyncWith):
        return ends(last.body)
    if isinstance(last, ast.Try):
        return all(map(ends, [last.orelse or last.body, *(one.body for one in last.handlers)]))
    if isinstance(last, ast.Match):
        final = last.cases[-1]
        caught = isinstance(final.pattern, ast.MatchAs) and final.pattern.pattern is None and final.guard is None
        return caught and all(ends(one.body) for one in last.cases)
    endless = isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and bool(last.test.value)
    return leaves(last) or endless


_DOCUMENTED = [
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf":type (?P<name>\w+):\s*(?P<type>{_TYPE})\s*$",
        rf":param (?P<type>{_TYPE}) (?P<name>\w+):",
        rf":(?P<result>rtype):\s*(?P<type>{_TYPE})\s*$",
        rf"^\s+(?P<name>\w+) \((?P<type>{_TYPE})(?:, optional)?\):",
        rf"^\s*(?P<name>\w+) : (?P<type>{_TYPE})(?:, optional)?\s*$",
        rf"^\s*(?P<result>Returns):\s*\n\s+(?P<type>{_TYPE}):",
    )
]


def documented_types(function: Function) -> dict[str, str]:
    """The types that a docstring states in one of the usual forms; `return` is the name of the result."""
    text = ast.get_docstring(function, clean=False) or ""
    found: dict[str, str] = {}
    for pattern in _DOCUMENTED if ":" in text else ():
        for match in pattern.finditer(text):
            if type_ := plain_type(match["type"]):
                found.setdefault("return" if "result" in match.groupdict() else match["name"], type_)
    return found


def plain_type(text: str, *, trusted: bool = False) -> str | None:
    """A type in words or code as code. Args: trusted: a name nobody knows is a type, too."""
    text = _WORDS.get(text.strip(), text.strip())
    names = re.findall(r"[A-Za-z_][\w.]*", text)
    if not re.fullmatch(_TYPE, text) or not names:
        return None
    return text if all(name in _KNOWN or trusted for name in names) else None


def told_types(instruction: str, names: list[str]) -> dict[str, str]:
    """The types an instruction gives to these names and to `return`."""
    text = without_messages(instruction).replace("`", "").replace("'", "").replace('"', "")
    found: dict[str, str] = {}
    article = r"(?:(?:a|an|the|of type|type|an?\s+optional)\s+)*"
    joint = r"\s*(?::|=|\bis\b|\bare\b|\bas\b|\bto be\b|\bshould be\b|\bmust be\b|\bto\b|\bhas type\b)\s*"
    for name in names:
        for between_them in (joint, r"\s+(?=[A-Z][\w.\[\]]*(?:[,.;]|\s*$|\s+and\b))"):
            if name not in found and (
                match := re.search(rf"\b{re.escape(name)}{between_them}{article}({_TYPE})", text)
            ):
                found |= _told(name, match[1])
    found |= {
        name: type_ for name, type_ in _told_together(text, names, rf"{joint}{article}").items() if name not in found
    }
    noun = r"return(?:s|ing)?" if "result" in names else r"(?:return(?:s|ing)?|results?)"
    result = rf"(?:\b{noun}\b(?: type| value| annotation)?(?:{joint})?\s*|->\s*){article}({_TYPE})"
    if match := re.search(result, text):
        found |= _told("return", match[1])
    return found


def _told_together(text: str, names: list[str], joint: str) -> dict[str, str]:
    """One type for several names: "a and b are ints", "int in, str out". Args: joint: a pattern of what is between."""
    if match := re.search(rf"({_TYPE}) in,?(?: and)? ({_TYPE}) out\b", text):
        each = [_told(name, match[1]) for name in names] + [_told("return", match[2])]
        return {name: type_ for one in each for name, type_ in one.items()}
    if match := re.search(rf"({_TYPE}) (?:both ways|in and out|(?:for )?everything|everywhere|throughout)\b", text):
        return {name: type_ for one in (*names, "return") for name, type_ in _told(one, match[1]).items()}
    noun = r",? (?:all |both )?(?:the )?(?:type|hint|annotation) "
    listed = rf"((?:\w+(?:, and |, | and | & ))+\w+)(?:{joint}|{noun})({_TYPE})"
    found: dict[str, str] = {}
    for match in re.finditer(listed, text):
        for name in set(re.findall(r"\w+", match[1])).intersection(names):
            found |= _told(name, match[2])
    return found


def _told(name: str, text: str) -> dict[str, str]:
    code = text[:1].isupper() or "[" in text or "." in text.rstrip(".")
    type_ = plain_type(text.rstrip("."), trusted=code)
    return {name: type_} if type_ else {}
