"""Docstrings with words that were given, or made from a name."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, Function, docstring_node, end_of, header, indentation, parameters
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.additions import parsed
from spark_tui.editing.codemods.common.named import surely_named
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.codemods.plain.plain_docs import docs_asked_of, plain_docs, scopes_asked
from spark_tui.editing.codemods.prose.comments_as_docs import comments_as_docs
from spark_tui.editing.codemods.prose.doc_entries import doc_entries
from spark_tui.editing.codemods.prose.doc_fields import doc_fields
from spark_tui.editing.codemods.prose.docs_told import docs_told
from spark_tui.editing.script import TOP, Insert, Replace
from spark_tui.editing.snippet import Snippet

_Scope = Function | ast.ClassDef | ast.Module
_WORD = re.compile(r"\w+")
_WHOLE = re.compile(r"(\"\"\"|''')(.+?)\1")
_TOLD = re.compile(
    r"(?:[:>]|\b(?:saying|that says|that reads|which says|should (?:just )?(?:say|read)))\s+(?=\S+\s+\S)"
)

_MORE = re.compile(
    r"\b(?:(?:add|append|put)\b.{0,20}|another|last|final|closing) (?:line|sentence|paragraph)\b|\bmention\b"
    r"|\balso say\b|\bsay in the doc"
)
"""Asks for more in a docstring that is there."""
_PLAIN = re.compile(
    r"\bdoc ?strings?\b|\bdocs\b|\bdocument(?:ed)?\b|\bundocumented\b|\bD10\d\b|\bC011[56]\b", re.IGNORECASE
)
_FEW = 10
"""Words of an instruction that can hardly tell what a docstring is to say."""


class AddDocstring(Codemod):
    """One docstring more, or more in one, and nothing else in the tree changed."""

    kind: ClassVar[str] = "add_docstring"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_docs`; where nothing is told of what it is to say, one made from the name."""
        words = request.instruction
        if docs_asked_of(words) is None:
            return plain_docs(before, words)
        bare = (one for one in scopes_asked(before, words) if docstring_node(one) is None)
        return [ops for one in bare for ops in _from_name(before, one)]

    def edits(self, before: Snippet, request: Request) -> list[Ops] | None:
        """The text told, for what is named or else for what comes first; where a docstring is asked for and nothing
        told of it, one made from the name; None for all else.
        """
        text = text_told(request.instruction)
        words = request.instruction
        fields = list(doc_fields(before, words))
        found = [*doc_entries(before, words), *fields, *(_edits(before, text, request) if text else ())]
        found += islice(docs_told(before, words), 4 if fields else None)
        found += comments_as_docs(before, request)
        if not (found or text):
            plain = _PLAIN.search(words) is not None and len(words.split()) <= _FEW
            return list(_from_names(before, words)) if plain or not _bare(before) else None
        return found

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It says what is no docstring, or what words were not asked for."""
        if self.lists(before, after, request):
            return ""
        tree = parsed(after)
        if tree is None or len(after) <= len(before.lines):
            return "no docstring was added"
        old, new = _scopes(before.tree), _scopes(tree)
        fresh = [two for one, two in zip(old, new, strict=False) if not docstring_node(one) and docstring_node(two)]
        if len(fresh) != 1:
            return "more or less than one docstring was added"
        text = ast.get_docstring(fresh[0]) or ""
        fresh[0].body = fresh[0].body[1:]
        if ast.dump(tree) != ast.dump(before.tree):
            return "something else was changed"
        said = _plain(request.instruction)
        if text and (_plain(text) in said or _plain(text) == _plain(words_of(getattr(fresh[0], "name", "")))):
            return ""
        return "the words of the docstring were not asked for"


def words_of(name: str) -> str:
    """A name as the words it is made of."""
    return " ".join(re.findall(r"[A-Z]?[^\W_A-Z]+|[A-Z]+", name)).lower()


def _bare(before: Snippet) -> list[_Scope]:
    """What has no docstring yet."""
    return [one for one in _placeable(before) if docstring_node(one) is None]


def _from_names(before: Snippet, words: str) -> Iterator[Ops]:
    """A docstring for each that is named, or lacks one: its name in words, one word with what it is given."""
    scopes = [one for one in _placeable(before) if not isinstance(one, ast.Module)]
    named = surely_named(words, (one.name for one in scopes))
    for scope in scopes if named or len(_bare(before)) == len(_placeable(before)) else ():
        if docstring_node(scope) is None and (scope.name in named or not named):
            yield from _from_name(before, scope)


def _from_name(before: Snippet, scope: Function | ast.ClassDef) -> Iterator[Ops]:
    said = words_of(scope.name)
    given = [] if isinstance(scope, ast.ClassDef) else parameters(scope)
    given = [one for one in given if one.arg not in ("self", "cls")]
    text = said if " " in said or not given else f"{said} {words_of(given[0].arg)}"
    yield from _placed(before, scope, f"{text[:1].upper()}{text[1:]}.")


def _scopes(tree: ast.Module) -> list[_Scope]:
    return [node for node in ast.walk(tree) if isinstance(node, _Scope)]


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def text_told(instruction: str) -> str:
    """What an instruction tells a docstring to say: the longest text it quotes, else what follows a colon; or ""."""
    quoted = [span.text.strip() for span in spans(instruction) if span.mark and " " in span.text.strip()]
    if whole := _WHOLE.search(instruction):
        text = whole[2].strip()
    elif quoted:
        text = max(quoted, key=len)
    elif paragraphs := [
        part.strip() for part in instruction.split("\n\n")[1:] if re.search(r"\S \S.*[.!]$", part.strip())
    ]:
        text = paragraphs[0]
    else:
        told = _TOLD.search(instruction)
        text = instruction[told.end() :].strip() if told else ""
    return text if len(text.split()) > 1 and not {'"', "\\", "`", "\n"} & set(text) else ""


def _edits(before: Snippet, text: str, request: Request) -> Iterator[Ops]:
    scopes = _placeable(before)
    named = surely_named(request.instruction, (one.name for one in scopes if not isinstance(one, ast.Module)))
    meant = [one for one in scopes if getattr(one, "name", "") in named] or scopes
    if _MORE.search(request.instruction) and (full := [node for one in meant if (node := docstring_node(one))]):
        gaps: list[tuple[str, ...]] = [(), ("",)] if re.search(r"\bline\b", request.instruction) else [("",), ()]
        yield from filter(None, (_with_more(before, node, text, gap) for gap in gaps for node in full))
        yield from filter(None, (_with_sentence(before, node, text) for node in full))
        return
    for scope in sorted(meant, key=lambda one: docstring_node(one) is not None):
        if (node := docstring_node(scope)) is not None:
            first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
            yield (Replace(first, last, (f'{indentation(before.lines[first])}"""{text}"""',)),)
        elif isinstance(scope, ast.Module):
            yield (Insert(TOP, (f'"""{text}"""', "")),)
        else:
            yield from _placed(before, scope, text)


def _placed(before: Snippet, scope: Function | ast.ClassDef, text: str) -> Iterator[Ops]:
    """A docstring below the header, where there is room for one."""
    if (end := _header_end(before, scope)) is not None and scope.body[0].lineno > end:
        inner = min([scope.body[0].lineno, *(one.lineno for one in getattr(scope.body[0], "decorator_list", []))])
        yield (Insert(end - 1, (f'{indentation(before.lines[inner - 1])}"""{text}"""',)),)


def _with_more(before: Snippet, node: ast.Expr, text: str, gap: Sequence[str]) -> Ops | None:
    """A docstring with one more line at its end, below the lines of `gap`; None where there is no such place."""
    row, column = end_of(before, node)
    indent = indentation(before.lines[node.lineno - 1])
    last, marks = before.lines[row][: column - 3].rstrip(), before.lines[row][column - 3 :]
    if marks[:3] not in ('"""', "'''"):
        return None
    new = [*([last] if last.strip() else []), *gap, indent + text, indent + marks]
    return between(before, [*before.lines[:row], *new, *before.lines[row + 1 :]])


def _with_sentence(before: Snippet, node: ast.Expr, text: str) -> Ops | None:
    """A docstring with one more sentence behind its last one, on the same line."""
    row, column = end_of(before, node)
    marks = before.lines[row][column - 3 : column]
    last = row if before.lines[row][: column - 3].strip() else row - 1
    line = before.lines[last][: column - 3].rstrip() if last == row else before.lines[last].rstrip()
    new = f"{line} {text}" + (before.lines[row][column - 3 :] if last == row else "")
    fits = marks in ('"""', "'''") and line.endswith((".", "!", "?")) and len(new) <= MAX_WIDTH
    return between(before, [*before.lines[:last], new, *before.lines[last + 1 :]]) if fits else None


def _placeable(before: Snippet) -> list[_Scope]:
    """What may get a docstring: functions and classes from the outside in, and the module where it is one."""
    inner: list[_Scope] = [node for node in ast.walk(before.tree) if isinstance(node, Function | ast.ClassDef)]
    alone = len(before.tree.body) == 1 and inner
    return inner if alone or before.margin or before.lines[0][:1] in "# " else [*inner, before.tree]


def _header_end(before: Snippet, scope: Function | ast.ClassDef) -> int | None:
    """The 1-based last line of `def ...:` or `class ...:`; None when it cannot be told."""
    if isinstance(scope, ast.ClassDef):
        return scope.lineno if re.search(r":\s*(#.*)?$", before.lines[scope.lineno - 1]) else None
    found = header(before, scope)
    return None if found is None else found.colon[0] + 1
