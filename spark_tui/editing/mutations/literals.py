"""Every literal that could be another one: a number near it, the other flag, a string beside, another first value."""

import ast
import re
from collections.abc import Iterator
from http import HTTPStatus

from spark_tui.editing.mutations.alike import opposites
from spark_tui.editing.mutations.base import Lines, Source

_FIRST_VALUES = ("0", "None", "[]", "{}", "''", "1", "set()", "False", "True")
_MODES = ("r", "w", "a", "rb", "wb", "ab", "x")
_NEAR = {"0": ("1", "-1"), "1": ("0", "-1", "2"), "-1": ("1", "0"), "0.0": ("1.0",), "1.0": ("0.0",)}
_FLAGS = {"True": ("False",), "False": ("True",), "None": ("True", "False")}
_MEANT = {"True": "True", "False": "False", "None": "None", "true": "True", "false": "False", "0": "0", "1": "1"}
"""What a text may have been meant to be."""
_NUMBER = re.compile(r"-?\d[\w.]*")
_STRING = re.compile(r"""(['"])([^'"\\\n ]{0,30})\1""")
_TURNED = {"+": "-", "-": "+", "<": ">", ">": "<"}
_HINT = re.compile(r"\b(is|not|==|!=|->|\||:)\s*$|[=!]=\s*$")
_PLAIN_FIELD = re.compile(r"\{([^\W\d]\w*)[\w.()\[\]]*(?:![rsa])?(?::[^{}]*)?\}")


def literals(source: Source) -> Iterator[Lines]:
    """One literal changed."""
    found = list(_literals(source))
    texts = list(dict.fromkeys(text for _, text, _ in found))
    for node, text, whole in found:
        for other in dict.fromkeys(_others(source, node, text, texts, whole=whole)):
            if other != text and {other, text} != {"''", '""'}:
                yield source.put(node, other)
    yield from _missing_prefixes(source)


def _literals(source: Source) -> Iterator[tuple[ast.expr, str, bool]]:
    """The literals on one line, a minus with its number; and whether each is all that something is set to."""
    negated: set[int] = set()
    for node, parent, _ in source.spots:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as inner) if source.text(node):
                negated.add(id(inner))
                yield node, source.text(node), False
            case ast.Constant() if id(node) not in negated and (text := source.text(node)):
                yield node, text, _is_whole(parent, node)
            case ast.List() | ast.Dict() | ast.Call() if _is_whole(parent, node):
                text = source.text(node)
                yield from [(node, text, True)] if text in _FIRST_VALUES else []


def _is_whole(parent: ast.AST, node: ast.AST) -> bool:
    """Whether a node is all that a name or an attribute is set to."""
    match parent:
        case ast.Assign(targets=[ast.Name() | ast.Attribute()], value=value) | ast.AnnAssign(value=value):
            return value is node
    return False


def _others(source: Source, node: ast.expr, text: str, texts: list[str], *, whole: bool) -> Iterator[str]:
    """What may be meant instead of one literal, the likeliest first. Args: texts: all literals."""
    if text[:1] in ("'", '"'):
        yield from (text[0] + one + text[0] for one in source.meant.get(text[1:-1], ()))
    if text in (*_FIRST_VALUES, '""') and whole:
        yield from _FIRST_VALUES
    elif text in _FLAGS:
        row, column = source.start(node)
        hinted = text == "None" and _HINT.search(source.lines[row][:column])
        yield from () if hinted else _FLAGS[text]
    elif _NUMBER.fullmatch(text):
        yield from _numbers(source, text)
        yield from (one for one in texts if _NUMBER.fullmatch(one))
    elif found := _STRING.fullmatch(text):
        yield from _strings(found[1], found[2], texts)


def _numbers(source: Source, text: str) -> Iterator[str]:
    """The numbers near one; the codes of HTTP that the code names."""
    yield from _NEAR.get(text, ())
    if re.fullmatch(r"\d{1,2}(?:\.0)?", text):
        yield from (f"{int(float(text)) + by}{'.0' * ('.' in text)}" for by in (-1, 1, 2, -2) if float(text) + by >= 0)
    if re.fullmatch(r"[1-5]\d\d", text):
        code = re.sub(r"[\W_]", "", "".join(source.lines)).lower()
        yield from (str(one.value) for one in HTTPStatus if one.name.replace("_", "").lower() in code)


def _strings(quote: str, text: str, texts: list[str]) -> Iterator[str]:
    """The texts that may be meant: a mode, the opposite, a sign turned, what is no text, those beside of its sort."""
    others = [*(_MODES if text in _MODES else ()), *(opposites(text) if text.isidentifier() else ())]
    others += [_TURNED[text[0]] + text[1:]] if text[:1] in _TURNED else []
    beside = [one[1:-1] for one in texts if one[:1] in ("'", '"') and quote not in one[1:-1] and "\\" not in one]
    others += [one for one in beside if one and bool(re.match(r"\w", one)) == bool(re.match(r"\w", text))]
    yield from (f"{quote}{one}{quote}" for one in others)
    yield from [_MEANT[text]] if text in _MEANT else []


def _missing_prefixes(source: Source) -> Iterator[Lines]:
    """A text with `{name}` of a name of the snippet, as the f-string that it should be."""
    names = {getattr(one, "id", getattr(one, "arg", None)) for one in source.snippet.nodes}
    for node, parent, _ in source.spots:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not isinstance(parent, ast.Attribute):
            told = _PLAIN_FIELD.findall(node.value)
            if told and set(told) <= names and source.text(node)[:1] in ("'", '"'):
                yield source.before(node, "f")
