"""Decorators told, or those that the words ask for, above functions and classes."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import Function, end_of, indentation, is_receiver, parameters, start_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.named import call_at, quotations, surely_named, words
from spark_tui.editing.codemods.common.said import certain
from spark_tui.editing.script import Insert, Replace
from spark_tui.editing.snippet import Snippet

Owner = Function | ast.ClassDef
_MEANT = (
    (re.compile(r"\bstatic ?method|\bno self\b|\bstatic\b", re.IGNORECASE), "staticmethod"),
    (re.compile(r"\bclass ?method\b", re.IGNORECASE), "classmethod"),
    (
        re.compile(
            r"\bproperty\b|\bbound method\b|'(?:method|function)'|(?:a|the) (?:method|function),? not\b"
            r"|\bwithout (?:the )?(?:parens|parentheses)\b",
            re.IGNORECASE,
        ),
        "property",
    ),
    (re.compile(r"\bdata ?class\b", re.IGNORECASE), "dataclass"),
    (re.compile(r"\bcontext ?manager\b", re.IGNORECASE), "contextmanager"),
    (
        re.compile(
            r"\babstract\b|\b(?:forg[eo]t\w*|without|lacks?|miss\w+)\b.{1,60}\b(?:TypeError|complain\w*|error)"
            r"|\bcan (?:be )?(?:instantiat\w+|make an instance)",
            re.IGNORECASE,
        ),
        "abstractmethod",
    ),
    (re.compile(r"\bfixture\b", re.IGNORECASE), "pytest.fixture"),
    (
        re.compile(
            r"\bruntime[_ -]?check\w*|\binstance and class checks\b|\bisinstance\b.{0,60}(?:TypeError|protocol|fail)",
            re.IGNORECASE,
        ),
        "runtime_checkable",
    ),
    (re.compile(r"\boverload\w*|\bvariants?\b|\b(?:already|re)-?defined\b|\bno-redef\b", re.IGNORECASE), "overload"),
    (re.compile(r"\boverrid\w+", re.IGNORECASE), "override"),
    (
        re.compile(
            r"\b(?:is|like) a method|\balways tru\w+|\bit's true even\b|\btakes 1 positional argument but 2\b",
            re.IGNORECASE,
        ),
        "property",
    ),
    (
        re.compile(r"\btakes 1 positional argument but 2\b|\b(?:every|each) (?:time|access|call)\b", re.IGNORECASE),
        "cached_property",
    ),
    (re.compile(r"\btakes \d positional arguments? but \d\b", re.IGNORECASE), "staticmethod"),
    (
        re.compile(r"\bcached? (?:the )?(?:results?|return|value|it|this)|\bmemoi[sz]e|\bcached\b", re.IGNORECASE),
        "cache",
    ),
    (re.compile(r"\bcache (?:it|this)\b", re.IGNORECASE), "functools.lru_cache(maxsize=None)"),
)
_TYPING = ("runtime_checkable", "overload", "override", "final", "no_type_check")
_OF_MODULES = {
    "typing": _TYPING, "t": _TYPING, "functools": ("cache", "cached_property", "lru_cache", "wraps", "total_ordering"),
    "abc": ("abstractmethod",), "dataclasses": ("dataclass",), "contextlib": ("contextmanager", "asynccontextmanager"),
}  # fmt: skip
_CUE = re.compile(
    r"(?:@|\b(?:decorat\w+|wrap\w*|mark\w*|tag\w*|label|flag|appl\w+|use|using|with|by|via|through|add|put|attach|a|an"
    r"|the|needs?|lacks|missing|wants|annotation|wrapper|give|have|register|forgot|insert|introduce|include|append"
    r"|(?:bring|stick|drop|throw|slip|put|add) in)(?:[:,] | ))[`'\"]?$",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"[`'\"]?(?: (?:decorator|annotation|decoration|wrapper|@|to|on|above|over|for|as|is|in|here)\b|\W*$|[.,:;!?])"
)
_NOUN = re.compile(r"[`'\"]? (?:@-)?(?:decorator|annotation|decoration|wrapper)\b", re.IGNORECASE)
_CODE = re.compile(r"\(.|\.|[a-z][A-Z]|[a-z]_[a-z]")
_NOUNS = frozenset(
    [
        "decorator",
        "decoration",
        "annotation",
        "wrapper",
        "function",
        "method",
        "def",
        "it",
        "this",
        "class",
        "a",
        "an",
        "the",
    ]
)


class AddDecorator(Codemod):
    """`def f():` becomes `@cache` over `def f():`, below the decorators that are already there."""

    kind: ClassVar[str] = "add_decorator"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Each decorator that may be meant, on each function or class that may be; those named alone."""
        owners = _owners(before)
        names = surely_named(request.instruction, (one.name for one in owners))
        said = words(request.instruction)
        meant = [one for one in owners if one.name in said] if names else owners
        known = frozenset(one.name for one in owners)
        for source in (_as_imported(before, one) for one in decorators_said(request.instruction, known)):
            for owner in meant if _may_be(before, source, request.instruction) else ():
                if _fits(owner, source):
                    yield _without_self(before, owner, decorated(before, owner, source), source)


def _as_imported(before: Snippet, source: str) -> str:
    """A decorator of a module that the region reaches only by its name: `typing.overload`."""
    for module in ("typing", "t", "functools", "abc", "dataclasses", "contextlib"):
        if source in _OF_MODULES.get(module, ()) and any(
            re.search(rf"(?<![\w.]){module}\.\w", line) for line in before.lines
        ):
            return f"{module}.{source}"
    return source


def _may_be(before: Snippet, source: str, instruction: str) -> bool:
    """Whether a name can be a decorator: no error, no parameter, nothing of an object, unless it is written as one."""
    name = source.partition("(")[0]
    if f"@{name}" in instruction:
        return True
    parameter = any(isinstance(node, ast.arg) and node.arg == name for node in before.nodes)
    return not (parameter or name.startswith("self.") or name.endswith(("Error", "Exception")))


def _without_self(before: Snippet, owner: Owner, ops: Ops, source: str) -> Ops:
    """A method made static does without its receiver, where it has one that it does not use."""
    if source != "staticmethod" or isinstance(owner, ast.ClassDef) or not (own := parameters(owner)):
        return ops
    used = {node.id for node in ast.walk(owner) if isinstance(node, ast.Name)}
    row = own[0].lineno - 1
    start, end = start_of(before, own[0])[1], end_of(before, own[0])[1]
    line = before.lines[row]
    rest = re.match(r",?\s*", line[end:])
    if not is_receiver(owner, own[0]) or own[0].arg in used or own[0].annotation or not rest or row != owner.lineno - 1:
        return ops
    return (*ops, Replace(row, row, (line[:start] + line[end + rest.end() :],)))


def decorated(snippet: Snippet, owner: Owner, source: str) -> Ops:
    """The edit that decorates a function or class."""
    row = owner.lineno - 1
    return (Insert(row - 1, (f"{indentation(snippet.lines[row])}@{source}",)),)


def worn(owner: Owner) -> list[str]:
    """The names of the decorators that are there."""
    return [ast.unparse(one).partition("(")[0] for one in owner.decorator_list]


def decorators_said(instruction: str, owners: frozenset[str]) -> list[str]:
    """The decorators an instruction may ask for, without their `@`; where one is written with it, only those."""
    written = [call_at(instruction, match.end(), "(") for match in re.finditer(r"@(?=\w)", instruction)]
    if written:
        return list(dict.fromkeys(written))
    found = [one for one in quotations(instruction) if one == call_at(one, 0, "(") and one not in owners]
    for match in re.finditer(r"(?<![\w.'\"`(])[^\W\d]\w*", instruction):
        source = call_at(instruction, match.start(), "(")
        end = match.start() + len(source)
        cued = _CUE.search(instruction[: match.start()]) and _NEXT.match(instruction, end)
        cued = cued or _NOUN.match(instruction, end)
        if source not in owners and (_CODE.search(source) or (cued and _is_name(source))):
            found.append(source)
    found = [one for one in found if one.removesuffix("()") not in owners]
    usual = [name for pattern, name in _MEANT if pattern.search(instruction) and not any(name in one for one in found)]
    return list(dict.fromkeys([*found, *usual]))


def _is_name(source: str) -> bool:
    return source.lower() not in _NOUNS and (
        certain(source) or source in ("property", "cache", "final", "override", "overload", "retry")
    )


def _owners(snippet: Snippet) -> list[Owner]:
    return sorted((one for one in snippet.nodes if isinstance(one, Owner)), key=lambda one: one.lineno)


_OF_FUNCTIONS = (
    "staticmethod", "classmethod", "property", "cached_property", "overload", "override", "abstractmethod", "cache",
    "contextmanager",
)  # fmt: skip
_OF_CLASSES = ("dataclass", "runtime_checkable")


def _is_method(owner: Function) -> bool:
    return any(is_receiver(owner, one) for one in parameters(owner)[:1])


def _fits(owner: Owner, source: str) -> bool:
    """It is not there yet, and a method stays one that can be called."""
    name = source.partition("(")[0]
    if name in worn(owner):
        return False
    last = name.rpartition(".")[2]
    if isinstance(owner, ast.ClassDef):
        protocol = last != "runtime_checkable" or any(
            ast.unparse(base).rpartition(".")[2].startswith("Protocol") for base in owner.bases
        )
        return protocol and last not in _OF_FUNCTIONS
    if last in _OF_CLASSES or (last == "override" and not _is_method(owner)):
        return False
    every = parameters(owner)
    bound = bool(every) and is_receiver(owner, every[0])
    return last not in ("property", "cached_property") or (bound and len(every) == 1)
