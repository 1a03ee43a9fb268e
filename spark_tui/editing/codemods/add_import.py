"""Imports asked for, or of names that nothing defines, below the imports at the top of a module."""

import ast
import builtins
import keyword
import re
from collections.abc import Container, Iterable, Iterator
from itertools import pairwise, permutations
from typing import ClassVar, NamedTuple

from spark_tui.editing import code
from spark_tui.editing.codemods.base import Codemod, Ops, Request, applied, between
from spark_tui.editing.codemods.common.additions import parsed
from spark_tui.editing.codemods.imports.import_moves import import_moves
from spark_tui.editing.codemods.imports.import_places import put_among, put_in
from spark_tui.editing.codemods.imports.import_rewrites import rewrites
from spark_tui.editing.codemods.imports.imports_listed import lines_listed
from spark_tui.editing.codemods.imports.imports_mended import mended
from spark_tui.editing.codemods.imports.imports_missing import import_spots, missing_imports
from spark_tui.editing.codemods.imports.usual_imports import is_module, usual_import
from spark_tui.editing.script import TOP, Insert
from spark_tui.editing.snippet import Snippet

_WORD = re.compile(r"(?<![\w.])\.*[^\W\d]\w*(?:\.\w+)*")
_GLUE = frozenset([
    "a", "absent", "add", "added", "also", "an", "and", "any", "as", "at", "available", "be", "bring", "but",
    "by", "call", "called", "come", "comes", "could", "defined", "defines", "does", "f821", "file", "fixme",
    "flake8", "for", "forget", "forgot", "forgotten", "found", "from", "front", "get", "gone", "got", "has",
    "have", "here", "how", "i", "if", "import", "imported", "importing", "imports", "in", "include", "insert",
    "into", "introduce", "is", "isn", "it", "its", "just", "lack", "lacking", "lacks", "let", "line", "lint",
    "linter", "list", "live", "lives", "make", "missing", "module", "moved", "must", "name", "nameerror",
    "need", "needs", "never", "no", "not", "of", "off", "offers", "on", "one", "or", "out", "please",
    "provides", "put", "really", "scope", "see", "should", "so", "some", "something", "statement", "stick", "t",
    "thanks", "that", "the", "then", "there", "this", "to", "todo", "too", "top", "true", "undefined", "up",
    "use", "used", "useful", "using", "variable", "want", "was", "way", "we", "well", "what", "when", "where",
    "which", "why", "will", "with", "without", "would", "yet", "you", "your",
])  # fmt: skip
_BEFORE = re.compile(
    r"\b(?:imports?:?|has|import of|import for|needs?|offers|provides|called|call it|name|variable|missing:?|list:"
    r"|make|bring|load|add|use|put|from|in|of|the|as|get|pull|isn't|is not|bring in|to|it is|be) $|\($"
)
_AFTER = re.compile(
    r" (?:import|in from|is|isn't|should|needs|ought|must|has|had|went|lives|to the imports|in the imports|available"
    r"|into|at the top|called|offers|moved|provides|as|from|of|comes|for)\b"
)
_CODE_LIKE = re.compile(r"\w*[_\d]\w*|[A-Za-z]+[a-z][A-Z]\w*|\.*\w+(?:\.\w+)+|\.+\w+")
_HAS = re.compile(r"(?:^has|offers|provides|contains|exports|defines)$")
_AS = re.compile(r"(?:.*imported |in )?as|under the name|,? ?(?:called|aliased(?: to| as)?|known as)|.*\bcall it")
_STANDS_FOR = re.compile(r"not defined, it is$|\bbe$")
_FROM = re.compile(r"\b(?:from|(?:is|lives|found) in|moved to|out of)$|^(?:of|.*\()$")
_ALIAS = re.compile(r"(?:\bas|\bname|\bvariable|\bbe|\bit is) $")
_END = re.compile(r"\W*$|[.,?!]| is not| (?:at|here|please|thanks|too)\b")


_BESIDE = re.compile(
    r"\b(?:next to|beside|besides|alongside|along with|together with|same (?:place|module|file|package) as|where)"
    r" [`'\"]?([^\W\d]\w*)"
)
_IDIOMS = frozenset(["well", "imported", "it", "discussed", "agreed", "mentioned", "requested", "promised", "usual"])
"""What may follow "as" and is no alias."""


class _Said(NamedTuple):
    """A name in the instruction, with its place in the text without quotation marks."""

    text: str
    start: int
    end: int


class AddImport(Codemod):
    """One import more: where the order of those at the top wants it, else below them, or first where there are none."""

    kind: ClassVar[str] = "add_import"
    local: ClassVar[bool] = False

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One written in another way; those that may be meant; when none is named, those of undefined names."""
        words = request.instruction
        if (lines := lines_listed(words)) is not None:
            yield from _all_of(before, lines)
            return
        for after in (*rewrites(before, words), *import_moves(before, request), *mended(before, words)):
            yield between(before, after)
        place = _place(before)
        if place is None:
            return
        known = set(bound(before))
        missing = missing_imports(words, known)
        for line in list(_beside(before, words)) or missing or lines_said(words) or _needed(before):
            if _binds(line) not in known and line not in before.lines:
                put = put_in(before, line)
                if put is None and missing and line not in words:
                    yield from import_spots(before, line, words)
                yield put or (Insert(place[0], (*place[1], line, *place[2])),)
                if put is None and (among := put_among(before, line)):
                    yield among


def _all_of(before: Snippet, lines: Iterable[str]) -> Iterator[Ops]:
    """Every one of several imports, the known ones passed over."""
    after: Snippet | None = before
    for line in lines:
        if after is not None and _binds(line) not in bound(after):
            after = with_import(after, line)
    if after is not None:
        yield between(before, after.lines)


def with_import(before: Snippet, line: str) -> Snippet | None:
    """The top of a module with an import more, or None for a mere part of a module."""
    place = _place(before)
    if place is None:
        return None
    new = (Insert(place[0], (*place[1], line, *place[2])),)
    ops = put_in(before, line) or put_among(before, line) or new
    return Snippet(tuple(applied(before, ops)), before.around)


def top_block(snippet: Snippet) -> list[ast.Import | ast.ImportFrom]:
    """The unbroken run of imports at the top of a module, each on lines of its own."""
    block: list[ast.Import | ast.ImportFrom] = []
    for node in code.body_after_docstring(snippet.tree):
        if not isinstance(node, ast.Import | ast.ImportFrom) or not code.stands_alone(snippet, node):
            break
        block.append(node)
    return block if not snippet.margin else []


def bound(snippet: Snippet) -> list[str]:
    """The names the imports at the top bind."""
    return [alias.asname or alias.name for node in top_block(snippet) for alias in node.names]


def _beside(before: Snippet, instruction: str) -> Iterator[str]:
    """What is told to come from where another name does: "Sequence, next to Iterable"."""
    told = _BESIDE.search(instruction)
    if told is None:
        return
    for node in top_block(before):
        if isinstance(node, ast.ImportFrom) and told[1] in [alias.asname or alias.name for alias in node.names]:
            source = "." * node.level + (node.module or "")
            wanted = [name for name in _WORD.findall(instruction[: told.start()]) if _is_name(name) and name != told[1]]
            yield from (f"from {source} import {name}" for name in dict.fromkeys(wanted))


def _is_name(word: str) -> bool:
    """Whether a word is a name and hardly prose: like code, or a class."""
    return word.isidentifier() and word.lower() not in _GLUE and (not word.islower() or "_" in word)


def lines_said(instruction: str) -> list[str]:
    """The imports an instruction may ask for, as source."""
    return [line for line in dict.fromkeys(_lines_said(instruction)) if parsed([line])]


def _lines_said(instruction: str) -> Iterable[str]:
    quoted = frozenset(re.findall(r"[`'\"](\.*\w+(?:\.\w+)*)[`'\"]", instruction))
    apart = re.sub(r"(?<=\w[`'\"])\.(?=[`'\"]?\w)|\.something\b", " ", instruction)
    text = re.sub(r"(?<!\w)[`'\"]|[`'\"](?!\w)", "", apart)
    found = [_Said(one[0], one.start(), one.end()) for one in _WORD.finditer(text)]
    names = [one for one in found if _is_sure(one.text, quoted) or _may_be_meant(text, one)]
    both = [line for one, other in pairwise(names) if (line := _joined(text, one, other))]
    if both:
        return both
    sure = [one for one in names if _is_sure(one.text, quoted)]
    if len({one.text for one in sure}) > 1:
        return (line for one, other in permutations(sure, 2) for line in _paired(one.text, other.text))
    return (line for one in sure or names for line in _single(one.text))


def _is_sure(name: str, quoted: Container[str]) -> bool:
    if name in quoted or _CODE_LIKE.fullmatch(name):
        return re.fullmatch(r"[A-Z]+\d+|[Ff]lake8|\w*Error|report[A-Z]\w+", name) is None
    return name.lower() not in _GLUE and usual_import(name) is not None


def _may_be_meant(text: str, one: _Said) -> bool:
    before = text[: one.start]
    if keyword.iskeyword(one.text) or one.text in ("a", "the") or one.text.endswith("Error"):
        return bool(before.endswith(" as ") and _END.match(text, one.end)) and not keyword.iskeyword(one.text)
    if one.text in _GLUE or (one.start == 0 and one.text.lower() in _GLUE):
        return bool(_ALIAS.search(before) and _END.match(text, one.end)) and one.text not in _IDIOMS
    return one.text not in _IDIOMS and bool(_BEFORE.search(before) or _AFTER.match(text, one.end))


def _joined(text: str, one: _Said, other: _Said) -> str | None:
    """One import that two names make together, by the words between them."""
    gap, before = text[one.end : other.start].lower().strip(), text[: one.start].lower()
    owns = _HAS.search(gap) or (not gap and "." in one.text) or (gap == "import" and before.endswith("from "))
    if owns:
        return f"from {one.text} import {other.text}" if other.text.isidentifier() else None
    if _AS.fullmatch(gap):
        return f"import {one.text} as {other.text}"
    if _STANDS_FOR.search(gap):
        return f"import {other.text} as {one.text}"
    if _FROM.search(gap) and one.text.isidentifier() and len(gap) < 45:
        return f"from {other.text} import {one.text}"
    return None


def _paired(one: str, other: str) -> Iterator[str]:
    """What two names may ask for when the words between them do not tell: `other` is the module."""
    if one.isidentifier() and not other[:1].isupper() and not (is_module(one) and not is_module(other)):
        yield f"from {other} import {one}"
    if one.islower() and other.isidentifier() and other.strip("_")[:1].lower() == one[:1]:
        yield f"import {one} as {other}"


def _single(name: str) -> Iterator[str]:
    """What one name alone may ask for."""
    if name.startswith("."):
        return
    owner, _, last = name.rpartition(".")
    if owner and last[:1].isupper():
        yield f"from {owner} import {last}"
        return
    if owner == "os.path" or (is_module(owner.partition(".")[0]) and "." in owner and last.islower()):
        yield f"import {owner.removesuffix('.path')}"
        return
    if is_module(owner) and not (last.islower() and last.isalpha()):
        yield f"import {owner}"
        return
    usual = usual_import(name)
    if usual:
        yield usual
    if not usual or (is_module(name) and usual.startswith("from ")):
        yield f"import {name}"


def _binds(line: str) -> str:
    return re.split(r"\bas |\bimport ", line)[-1].strip()


def _place(snippet: Snippet) -> tuple[int, tuple[str, ...], tuple[str, ...]] | None:
    """Below which line an import goes, and the blank lines above and below it; None for a mere part of a module."""
    if block := top_block(snippet):
        return code.statement_lines(block[-1])[1], (), ()
    body = code.body_after_docstring(snippet.tree)
    docstring = code.docstring_node(snippet.tree)
    if snippet.margin or not body or (len(body) == 1 and not docstring and not snippet.around.opens):
        return None
    first = code.statement_lines(body[0])[0]
    blank = ("",) * (2 if isinstance(body[0], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else 1)
    if docstring:
        last = code.statement_lines(docstring)[1]
        return last, ("",), (() if first > last + 1 else blank)
    heading = next((at for at, line in enumerate(snippet.lines) if not line.startswith("#")), 0)
    return (heading - 1, (), blank) if heading else (TOP, (), blank)


def _needed(snippet: Snippet) -> Iterator[str]:
    """The usual imports of names that the region uses and nothing defines."""
    stored = {name for node in snippet.nodes for name in _defined(node)}
    for node in snippet.nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name not in stored and not hasattr(builtins, name):
                if line := usual_import(name):
                    yield line


def _defined(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.alias(name=name, asname=asname):
            yield (asname or name).partition(".")[0]
        case ast.ExceptHandler(name=str(name)):
            yield name
        case _:
            return
