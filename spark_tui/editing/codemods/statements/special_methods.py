"""Special methods of one line that words ask for: a length, a truth, a text, a hash, of the attributes they name."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.attributes import Holder, holders
from spark_tui.editing.code import indentation, statement_lines
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.hints.certain_types import type_of
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_ASKED = {
    "__len__": r"__len__|\blen\(|\blength\b",
    "__bool__": r"__bool__|\bbool\b|\bfalsy\b|\btruthy\b|`if \w+:?`|\btruth\b",
    "__str__": r"__str__|\bstr\(|\bstr of\b",
    "__hash__": r"__hash__|\bhash\w*",
    "__iter__": r"__iter__|\biterab\w+|\biterat\w+|\bloop over\b",
    "__contains__": r"__contains__|`?\bin`? (?:check|test|operator)|\bmembership\b",
    "__fspath__": r"__fspath__|\bfspath\b",
    "__repr__": r"\brepr\b|__repr__",
}
_NEW = re.compile(
    r"\b(?:add|give|giving|needs?|want|have|missing|lacks?|too|with|so that|make|should|pls|please|would|also|let)\b"
    r"|^\W*\w+,",
    re.IGNORECASE,
)
_FORMS = {
    "__len__": ("", "int", "len({0})"),
    "__bool__": ("", "bool", "bool({0})"),
    "__str__": ("", "str", "{0}"),
    "__hash__": ("", "int", "hash({0})"),
    "__iter__": ("", "Iterator", "iter({0})"),
    "__contains__": (", item", "bool", "item in {0}"),
    "__fspath__": ("", "str", "{0}"),
}
_OF_CONTAINERS = ("__len__", "__iter__", "__contains__")
_CONTAINERS = ("list", "dict", "set", "tuple", "frozenset")
_MOST = 2


def special_methods(before: Snippet, words: str) -> Iterator[Ops]:
    """Each that is asked for and not there, at the end of the class and behind `__init__`."""
    asked = [name for name, pattern in _ASKED.items() if re.search(pattern, words)]
    if not asked or not _NEW.search(words):
        return
    for holder in holders(before):
        for name in asked:
            if name in holder.methods:
                continue
            for value in _values(before, holder, name, words):
                extra, returns, _ = _FORMS.get(name, ("", "str", ""))
                hint = f" -> {returns}" if holder.hinted and name not in ("__iter__", "__contains__") else ""
                yield from _placed(before, holder, [f"def {name}(self{extra}){hint}:", f"\treturn {value}"])


def _values(before: Snippet, holder: Holder, name: str, words: str) -> Iterator[str]:
    told = [one for one in holder.attributes if re.search(rf"(?<!\w){re.escape(one.strip('_'))}(?!\w)", words)]
    if name == "__repr__":
        yield from _shown(before, holder, tuple(told) or holder.public)
        return
    if name == "__bool__" and re.search(r"\bfalsy\b", words):
        yield "False"
    if name == "__hash__" and re.search(r"\btype\b|\bclass\b|\bconstant\b", words):
        yield from ("hash(type(self))", "hash(self.__class__)")
    held = [one for one in holder.attributes if one in _containers(before)] if name in _OF_CONTAINERS else []
    for one in (told or held or [*holder.public])[:_MOST]:
        yield _FORMS[name][2].format(f"self.{one}")
    if name == "__hash__" and len(told) > 1:
        yield f"hash(({', '.join(f'self.{one}' for one in told)}))"


def _containers(before: Snippet) -> set[str]:
    """The attributes that are set to a container, as far as that shows."""
    return {
        target.attr
        for node in before.nodes
        if isinstance(node, ast.Assign | ast.AnnAssign) and (type_of(node.value) if node.value else "") in _CONTAINERS
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Attribute)
    }


def _shown(before: Snippet, holder: Holder, shown: tuple[str, ...]) -> Iterator[str]:
    """The forms of a `__repr__` that ask the object for its class, or that show plain values."""
    mark = quote(before, "")[0]
    named = ", ".join(f"{one.strip('_')}={{self.{one}!r}}" for one in shown)
    plain = ", ".join(f"{{self.{one}!r}}" for one in shown)
    for name in ["{type(self).__name__}", *([holder.name] if holder.name else [])]:
        yield from (f"f{mark}{name}({inner}){mark}" for inner in (named, plain))


def _placed(before: Snippet, holder: Holder, body: list[str]) -> Iterator[Ops]:
    """The method at the end of its class, and behind `__init__`; a tab stands for one level."""
    last = max(
        (
            statement_lines(one)[1]
            for one in before.functions
            if indentation(before.lines[one.lineno - 1]) == holder.indent
        ),
        default=holder.after,
    )
    for at in dict.fromkeys((last, holder.after)):
        rest = before.lines[at + 1 : at + 2]
        lines = [holder.indent + one.replace("\t", before.layout.unit) for one in body]
        yield (Insert(at, ("", *lines, *([""] if rest and rest[0].strip() else []))),)
