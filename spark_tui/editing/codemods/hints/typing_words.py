"""Types that an instruction says, in code or in words ("a list of strings"), and those that code gives away."""

import ast
import re
from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from types import UnionType

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.codemods.common.named import call_at
from spark_tui.editing.codemods.hints.certain_types import ends
from spark_tui.editing.codemods.hints.type_prose import is_prose, without_messages
from spark_tui.editing.statements import is_generator
from spark_tui.editing.trees import parse

_WORDS = {
    "string": "str", "strings": "str", "strs": "str", "integer": "int", "integers": "int", "ints": "int",
    "floats": "float", "boolean": "bool", "booleans": "bool", "bools": "bool", "dictionary": "dict", "dicts": "dict",
    "dictionaries": "dict", "lists": "list", "tuples": "tuple", "sets": "set", "paths": "Path", "nothing": "None",
    "none": "None", "anything": "Any",
}  # fmt: skip
_PLURALS = {"callables": "Callable", "functions": "Callable", "types": "type", "classes": "type"}
_PLAIN = frozenset([
    "str", "int", "float", "bool", "bytes", "list", "dict", "set", "tuple", "object", "complex", "frozenset", "range",
    "bytearray", "memoryview", "datetime", "date", "timedelta", "None",
])  # fmt: skip
_MANY = {
    "list": "list", "set": "set", "frozenset": "frozenset", "iterator": "Iterator", "iterable": "Iterable",
    "sequence": "Sequence", "generator": "Iterator", "optional": "Optional", "deque": "deque", "tuple": "tuple",
}  # fmt: skip
_NUMBERS = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4}
_DISPLAYS: tuple[tuple[type[ast.expr] | UnionType, str], ...] = (
    (ast.JoinedStr, "str"),
    (ast.List | ast.ListComp, "list"),
    (ast.Dict | ast.DictComp, "dict"),
    (ast.Set | ast.SetComp, "set"),
    (ast.Tuple, "tuple"),
    (ast.Compare, "bool"),
)
_MAKERS = {"len": "int", "sorted": "list", "repr": "str", "isinstance": "bool", "any": "bool", "all": "bool"}
_ARTICLES = frozenset({"a", "an", "the", "A", "An", "The"})
_CODE_NAME = re.compile(r"(?:(?:[a-z_]\w*|[A-Z])\.)+\w+|[A-Z]\w*[a-z]\w*|_+[A-Z]\w*|[A-Z]{2,}|[A-Z]")
_GENERIC = re.compile(r"\bSelf\b|\b_?[A-Z]{1,2}(?:_co|_contra)?\b|\bTypeGuard\b")
_RULE = re.compile(r"[A-Z]+\d+")
_BARE_TYPE = re.compile(r"(?:->|:|\bas|\bis|\bis a|\breturning|\bplain|\bsimply|\bjust) type\b")
_TYPING = re.compile(r"\b(?:typing\.|t\.)?(List|Dict|Tuple|Set|FrozenSet|Type)(?=\[)")
_TOKEN = re.compile(r"[`'\"]+|\.\.\.|->|[^\W\d]\w*|\d+|\S")


@lru_cache(maxsize=64)
def types_said(instruction: str, names: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The types an instruction may mean, as source, in order; the longest reading at each place.

    Args: names: those that the code uses; a capitalised word among them may be a type where others are prose.
    """
    instruction = without_messages(instruction)
    found: list[str] = []
    for quoted in re.findall(r"`([^`]+)`|(?<!\w)\"([^\"]+)\"(?!\w)|(?<!\w)'([^']+)'(?!\w)", instruction):
        text = next(filter(None, quoted))
        if _is_type(text):
            found.append(text)
    reader = TypeReader(instruction, names)
    at = 0
    while at < len(reader.tokens):
        read = reader.union(at)
        if read is None:
            at += 1
        else:
            found.append(read[0])
            at = read[1]
    if not found and _BARE_TYPE.search(instruction):
        found.append("type")
    return tuple(dict.fromkeys(found))


def type_of(node: ast.expr | None) -> str:
    """The type that an expression has for certain, or ""."""
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | bytes() as value):
            return type(value).__name__
        case ast.UnaryOp(op=ast.Not()):
            return "bool"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return type_of(operand)
        case ast.Call(func=ast.Name(id=name)):
            return name if name in _PLAIN else _MAKERS.get(name, "")
    return next((name for sort, name in _DISPLAYS if isinstance(node, sort)), "")


def modern(text: str) -> str:
    """A type with the built-in names for those of typing."""
    return _TYPING.sub(lambda found: found[1].lower(), text)


def names_used(tree: ast.AST) -> frozenset[str]:
    """The names that code uses, imports and annotations among them, but not those it only defines."""
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imported = (node for node in ast.walk(tree) if isinstance(node, ast.alias))
    return frozenset(found.union(node.asname or node.name for node in imported))


def delegates(functions: Iterable[Function]) -> dict[str, str]:
    """What a call (`f`, `self.f`) surely gives: the return types that the functions called are annotated with."""
    found: dict[str, set[str]] = {}
    for one in functions:
        plain = isinstance(one, ast.FunctionDef) and not one.decorator_list and one.returns
        first = next((parameter.arg for parameter in code.parameters(one)), "")
        name = f"self.{one.name}" if first == "self" else one.name
        source = ast.unparse(plain) if plain else ""
        found.setdefault(name, set()).add("" if _GENERIC.search(source) else source)
    return {name: next(iter(kinds)) for name, kinds in found.items() if len(kinds) == 1 and "" not in kinds}


def return_type_of(function: Function, known: Mapping[str, str] | None = None) -> str:
    """What a function surely returns, or "". Args: known: what calls give (`delegates`)."""
    if is_generator(function):
        return ""
    values = [node.value for node in code.walk_scope(function) if isinstance(node, ast.Return)]
    given = [value for value in values if value and not (isinstance(value, ast.Constant) and value.value is None)]
    if not given:
        return "None"
    kinds = {type_of(value) or _delegated(value, known or {}) for value in given}
    if len(kinds) != 1 or "" in kinds:
        return ""
    kind = kinds.pop()
    maybe = len(given) < len(values) or not ends(function.body)
    return kind + (" | None" if maybe and "None" not in kind else "")


def _delegated(value: ast.expr, known: Mapping[str, str]) -> str:
    return known.get(ast.unparse(value.func), "") if isinstance(value, ast.Call) else ""


def _is_type(text: str) -> bool:
    try:
        node = parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp | ast.Constant) and _looks(text)


def _looks(text: str) -> bool:
    name = re.match(r"[\w.]*", text)
    first = name[0] if name else ""
    return first in _PLAIN or first == "type" or bool(_CODE_NAME.fullmatch(first)) or text[:1] in "'\"" or "[" in text


class TypeReader:
    """Reads types from the tokens of an instruction: each method returns a type and where it ends, or None."""

    def __init__(self, text: str, names: Container[str]) -> None:
        self.tokens: list[str] = []
        at = 0
        while match := _TOKEN.search(text, at):
            token = call_at(text, match.start(), "[") or match[0]
            at = match.start() + len(token)
            if token == "I" or is_prose(text, match.start(), at, names):
                token = token.lower()
            if not set(token) <= set("`'\""):
                self.tokens.append(token)

    def union(self, at: int) -> tuple[str, int] | None:
        """`A or B`, `either A or B`, `A | B`, or one type."""
        either = self._is(at, "either")
        read = self._one(at + either)
        while read and self._is(read[1], "or", "|"):
            start = read[1] + 1 + self._is(read[1] + 1, "else")
            more = self._one(start)
            if more is None:
                break
            read = f"{read[0]} | {more[0]}", more[1]
        return read

    def _one(self, at: int) -> tuple[str, int] | None:
        start = at + self._is(at, *_ARTICLES)
        if self._is(at, "any") and self._is(at + 1, "number") and self._is(at + 2, "of"):
            inner = self._simple(at + 3)
            return (f"tuple[{inner[0]}, ...]", inner[1] + 3) if inner else None
        return self._compound(start) or self._simple(start)

    def _compound(self, at: int) -> tuple[str, int] | None:
        word = self._word(at).lower()
        if word == "(":
            return self._tuple(at + 1, ",", ")", "tuple")
        if word in ("tuple", "pair") and self._is(at + 1, "of", "with"):
            return self._tuple_of(at + 2) or self._many(word, at)
        if word in ("dict", "dictionary", "mapping") and self._is(at + 1, "of", "mapping", "from"):
            return self._pair(at + 2, "dict", ("to",))
        if word in ("dict", "dictionary", "mapping") and self._is(at + 1, "with"):
            return self._keyed(at + 2)
        if word in ("subclass", "class"):
            inner = self._simple(at + 1 + self._is(at + 1, "of"))
            return (f"type[{inner[0]}]", inner[1] + self._is(inner[1], "itself")) if inner else None
        return self._many(word, at) or self._mapping(at)

    def _tuple_of(self, at: int) -> tuple[str, int] | None:
        """`two floats`, `any number of floats`, `a float and an int`."""
        if self._is(at, "any") and self._is(at + 1, "number"):
            inner = self._simple(at + 3)
            return (f"tuple[{inner[0]}, ...]", inner[1]) if inner else None
        if (many := _NUMBERS.get(self._word(at))) and (inner := self._simple(at + 1)):
            return f"tuple[{', '.join([inner[0]] * many)}]", inner[1]
        return self._pair(at, "tuple", ("and", "then"))

    def _keyed(self, at: int) -> tuple[str, int] | None:
        """`str keys and int values`."""
        first = self._simple(at)
        if first is None or not self._is(first[1], "keys") or not self._is(first[1] + 1, "and", ","):
            return None
        second = self._simple(first[1] + 2)
        return (f"dict[{first[0]}, {second[0]}]", second[1]) if second else None

    def _many(self, word: str, at: int) -> tuple[str, int] | None:
        optional = word == "optional" and self._word(at) == "Optional"
        if word not in _MANY or not (self._is(at + 1, "of") or optional):
            return None
        plural = _PLURALS.get(self._word(at + 2).lower(), "")
        inner = (plural, at + 3) if plural else self._simple(at + 1 + self._is(at + 1, "of"))
        return (f"{_MANY[word]}[{inner[0]}]", inner[1]) if inner else None

    def _mapping(self, at: int) -> tuple[str, int] | None:
        """`str to int dict`."""
        first = self._simple(at)
        second = self._simple(first[1] + 1) if first and self._is(first[1], "to") else None
        if first is None or second is None or not self._is(second[1], "dict"):
            return None
        return f"dict[{first[0]}, {second[0]}]", second[1] + 1

    def _pair(self, at: int, outer: str, glue: Iterable[str]) -> tuple[str, int] | None:
        first = self._simple(at)
        second = self._simple(first[1] + 1) if first and self._is(first[1], *glue) else None
        return (f"{outer}[{first[0]}, {second[0]}]", second[1]) if first and second else None

    def _tuple(self, at: int, glue: str, end: str, word: str) -> tuple[str, int] | None:
        read = self._pair(at, "tuple", (glue,))
        return (read[0], read[1] + 2) if read and self._is(read[1], end) and self._is(read[1] + 1, word) else None

    def _simple(self, at: int) -> tuple[str, int] | None:
        at += self._is(at, *_ARTICLES)
        word = self._word(at)
        name = _WORDS.get(word, word)
        head = re.match(r"[\w.]*", name)
        if word == "type" and self._word(at - 1) in ("of", "or", "and", "then", "else", "|", ","):
            return None if self._is(at - 1, "of") and self._simple(at + 1) else (word, at + 1)
        known = name in _PLAIN or (head and head[0] in (*_PLAIN, "type") and name != head[0])
        if name in ("True", "False") or not (
            known or (_CODE_NAME.fullmatch(head[0] if head else "") and not _RULE.fullmatch(name))
        ):
            return None
        return name, at + 1 + self._is(at + 1, "objects", "object")

    def _word(self, at: int) -> str:
        return self.tokens[at] if at < len(self.tokens) else ""

    def _is(self, at: int, *words: str) -> bool:
        return self._word(at) in words
