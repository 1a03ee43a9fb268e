"""Languages, their grammars, and whether a proposal parses no worse than its base.

Which language a file is written in, by its name alone, and the grammar that reads it, where one is
installed.

What has no grammar here is left out for a reason: every text is Markdown, and no grammar knows
every SQL.

Whether a file parses with an edit no worse than without: by tree-sitter, or exactly where we can;
Python if large.

A grammar goes on behind what it cannot read, so faults are counted: a file with some may have as
many afterwards.

Python's own parser in a process of several threads.
"""

import ast
import json
import re
import tomllib
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from pathlib import PurePosixPath
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from spark_tui.editing.hunks import Hunk, brought
from spark_tui.editing.text import Text

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node


_SECONDS = 2.0
"""How long a grammar may take."""
_PIECE = 8192
"""Bytes after which other threads may run."""


class Language(NamedTuple):
    """A language by its name.

    Args:
        package: Of its grammar, or "".
        function: Of that, which gives the grammar.
    """

    name: str
    package: str = ""
    function: str = "language"


JSON = Language("JSON", "tree_sitter_json")
TOML = Language("TOML")
"""Python itself reads these two exactly; the grammar of JSON is for what has comments."""
HTML = Language("HTML", "tree_sitter_html")
YAML = Language("YAML", "tree_sitter_yaml")
_SHELL = Language("shell", "tree_sitter_bash")
_RUBY = Language("Ruby", "tree_sitter_ruby")

_SUFFIXES = {
    "bash sh": _SHELL,
    "c": Language("C", "tree_sitter_c"),
    "cc cpp cxx h hh hpp hxx": Language("C++", "tree_sitter_cpp"),
    "cjs js jsx mjs": Language("JavaScript", "tree_sitter_javascript"),
    "cs": Language("C#", "tree_sitter_c_sharp"),
    "css": Language("CSS", "tree_sitter_css"),
    "cts mts ts": Language("TypeScript", "tree_sitter_typescript", "language_typescript"),
    "gemspec rake rb": _RUBY,
    "go": Language("Go", "tree_sitter_go"),
    "htm html": HTML,
    "java": Language("Java", "tree_sitter_java"),
    "json jsonc": JSON,
    "kt kts": Language("Kotlin", "tree_sitter_kotlin"),
    "lua": Language("Lua", "tree_sitter_lua"),
    "markdown md": Language("Markdown"),
    "mk": Language("Make"),
    "php": Language("PHP", "tree_sitter_php", "language_php"),
    "py pyi pyw": Language("Python", "tree_sitter_python"),
    "rs": Language("Rust", "tree_sitter_rust"),
    "scala sc": Language("Scala", "tree_sitter_scala"),
    "sql": Language("SQL"),
    "swift": Language("Swift", "tree_sitter_swift"),
    "toml": TOML,
    "tsx": Language("TypeScript", "tree_sitter_typescript", "language_tsx"),
    "yaml yml": YAML,
    "zig": Language("Zig", "tree_sitter_zig"),
}
_NAMES = {
    ".bash_profile .bashrc .profile PKGBUILD": _SHELL,
    "Cargo.lock Pipfile poetry.lock uv.lock": TOML,
    "Containerfile Dockerfile": Language("Dockerfile"),
    "GNUmakefile Makefile makefile": Language("Make"),
    "Gemfile Rakefile": _RUBY,
}
_BY_SUFFIX = {
    suffix: language for suffixes, language in _SUFFIXES.items() for suffix in suffixes.split()
}
_BY_NAME = {name: language for names, language in _NAMES.items() for name in names.split()}


def language_of(path: str) -> Language | None:
    """The language of the file at a path; None where its name does not tell."""
    name = PurePosixPath(path).name
    return _BY_NAME.get(name) or _BY_SUFFIX.get(
        name.rpartition(".")[2].lower() if "." in name else ""
    )


@lru_cache(maxsize=64)
def grammar_of(language: Language) -> "Grammar | None":
    """The grammar of a language; None where there is none, or it is not installed, or is too
    new or old for us.
    """
    if not language.package:
        return None
    try:
        from tree_sitter import Language as Grammar  # noqa: PLC0415 - most that is edited needs none of it

        return Grammar(getattr(import_module(language.package), language.function)())
    except (ImportError, AttributeError, ValueError):
        return None


def tree_of(source: str, language: Language) -> "Node | None":
    """The root of the tree that a grammar makes of a text; None where there is no grammar, or
    it takes too long.
    """
    if (grammar := grammar_of(language)) is None:
        return None
    from tree_sitter import Parser  # noqa: PLC0415 - most that is edited needs none of it

    data = source.encode("utf-8", "replace")
    until = monotonic() + _SECONDS
    parser = Parser(grammar)  # its own: threads must not share one
    try:
        return parser.parse(
            lambda at, _: data[at : at + _PIECE],
            encoding="utf8",
            progress_callback=lambda _, __: monotonic() > until,
        ).root_node
    except (
        ValueError
    ):  # what is said when it was told to stop: some texts without any sense take minutes
        return None


MOST_READ = 1_000_000
"""Characters of a file beyond which it is not read."""
_MOST_FAULTS = 1000
_SHOWN = 40
_TEMPLATED = (HTML, YAML, JSON)
_TEMPLATE = re.compile(r"\{%|<%|(?<!\$)\{\{|<\?(?!xml)")
"""What another language in a file looks like, which fills it in."""
_COMMENTED = re.compile(
    r"\.jsonc$|(^|/)(ts|js)config[^/]*\.json$|(^|/)\.(vscode|devcontainer)/", re.IGNORECASE
)
"""Files that are called JSON and may hold comments."""
_PREPROCESSED = ("C", "C++")
_MACRO = re.compile(r"^\s*(?:#|[A-Z_][A-Z0-9_]+\b)|\b[A-Z_][A-Z0-9_]+\(")
"""What looks like one: it may stand for anything, and where it is defined is not read."""
_AT_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


class Verdict(NamedTuple):
    """Whether an edit may stand.

    `detail`: what is wrong, or what was not checked and why, or "".
    """

    ok: bool
    detail: str = ""


class SyntaxFault(NamedTuple):
    """What a grammar cannot read: lines [first, last] (0-based).

    `missing`: what should be there, or "".
    """

    first: int
    last: int
    missing: str = ""


def reads(path: str) -> bool:
    """Whether anything here can read such a file."""
    language = language_of(path)
    return language is not None and (language is TOML or bool(language.package))


def parses_no_worse(base: Text, proposed: Text, path: str, hunks: Sequence[Hunk]) -> Verdict | None:
    """Compare a file without and with an edit.

    Never raises.

    Returns:
        None of a language that nothing here reads.
    """
    language = language_of(path)
    if language is None or not reads(path):
        return None
    if max(base.size, proposed.size) > MOST_READ:
        return Verdict(ok=True, detail="not checked: the file is very large")
    if language is not TOML and (language is not JSON or _COMMENTED.search(path)):
        return _judged(language, base, proposed, hunks)
    exact = _wrong_toml if language is TOML else _wrong_json
    before = exact(_source(base)) if _source(base).strip() else ""
    after = exact(_source(proposed))
    if language is TOML or not before or not after:
        return compared(before, after)
    counted = _judged(language, base, proposed, hunks)
    return counted if counted.detail else compared(before, after)


def _source(text: Text) -> str:
    """Without a byte order mark or carriage returns, which grammars take differently."""
    return "".join(f"{line}\n" for line in text.lines)


def compared(before: str, after: str) -> Verdict:
    """Args:
    before, after: What is wrong with a file without and with an edit, or "".
    """
    if not after:
        return Verdict(ok=True, detail="it did not parse before" if before else "")
    if before:
        return Verdict(ok=True, detail=f"it did not parse before either ({before})")
    return Verdict(False, after)


@lru_cache(maxsize=16)
def _wrong_toml(source: str) -> str:
    try:
        tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = f"line {found[1]}" if found and found[1] else "at its end"
        return f"{line}: {_AT_LINE.sub('', str(error))}"
    except RecursionError:
        return "it is nested too deeply to be read"
    return ""


@lru_cache(maxsize=16)
def _wrong_json(source: str) -> str:
    try:
        json.loads(source)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError):  # a number of very many digits
        return "it cannot be read"
    return ""


def _judged(language: Language, base: Text, proposed: Text, hunks: Sequence[Hunk]) -> Verdict:
    if grammar_of(language) is None:
        return Verdict(
            ok=True, detail=f"not checked: {language.package.replace('_', '-')} is not installed"
        )
    before = _faults(_source(base), language)
    after = _faults(_source(proposed), language)
    if before is None or after is None:
        return Verdict(ok=True, detail="not checked: it takes too long to read")
    if not after:
        return Verdict(ok=True, detail="not all of it could be read before" if before else "")
    if len(after) <= len(before):
        told = _told(before[0], before[0].first, base.lines, language)
        return Verdict(ok=True, detail=f"not all of it could be read before either ({told})")
    fault, line = _first(before, after, brought(hunks))
    excuse = _excuse(language, proposed, fault)
    return Verdict(bool(excuse), excuse or _told(fault, line, proposed.lines, language))


def _excuse(language: Language, proposed: Text, fault: SyntaxFault) -> str:
    """Why a fault may be none, or "": another tool comes first, and makes of it what nothing
    here knows.
    """
    if language in _TEMPLATED and _TEMPLATE.search(_source(proposed)):
        return f"not checked: it is a template of {language.name}"
    around = proposed.lines[max(fault.first - 1, 0) : fault.last + 1]
    if language.name in _PREPROCESSED and any(map(_MACRO.search, around)):
        return "not checked: only a compiler can read the macros there"
    return ""


def _first(
    before: Sequence[SyntaxFault], after: Sequence[SyntaxFault], changed: Sequence[range]
) -> tuple[SyntaxFault, int]:
    """The first fault that an edit brought, as far as can be told, and the line (0-based) to
    name for it.
    """
    for fault in after:
        for lines in changed:  # of a hunk that brought none, the one that it stands above
            if fault.first <= max(lines.start, lines.stop - 1) and lines.start <= fault.last:
                return fault, max(fault.first, lines.start)
    new = [fault for fault in after if fault not in before] or after
    return new[0], new[0].first


def _told(fault: SyntaxFault, line: int, lines: Sequence[str], language: Language) -> str:
    line = max(0, min(line, len(lines) - 1))
    if fault.missing:
        return f"line {line + 1}: {fault.missing} is missing"
    text = lines[line].strip() if lines else ""
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    how = " from here on" if fault.last > line else ""
    return f"line {line + 1}: not {language.name}{how}: {shown}"


@lru_cache(maxsize=16)
def _faults(source: str, language: Language) -> tuple[SyntaxFault, ...] | None:
    """What a grammar cannot read of a text, from top to bottom, up to very many; None where it
    takes too long.
    """
    if (root := tree_of(source, language)) is None:
        return None
    return tuple(_found(root, all_of_it=language is HTML))


def _found(root: "Node", *, all_of_it: bool) -> Iterator[SyntaxFault]:
    """Args:
    all_of_it: Whether there may be faults where the grammar sees none, as HTML allows nearly
        everything.
    """
    left = [root]
    count = 0
    while left and count < _MOST_FAULTS:
        node = left.pop()
        inner = [child for child in node.children if child.has_error or _is_fault(child)]
        if _is_fault(node) or (
            node.has_error and not inner
        ):  # what is missing may have no node that can be seen
            count += 1
            yield SyntaxFault(node.start_point[0], node.end_point[0], _missing(node))
        left += reversed(node.children if all_of_it else inner)


def _is_fault(node: "Node") -> bool:
    return node.is_error or node.is_missing or node.type == "erroneous_end_tag"


def _missing(node: "Node") -> str:
    if not node.is_missing:
        return "" if _is_fault(node) else "the end of this"
    return node.type.replace("_", " ") if node.is_named else f"`{node.type}`"


MOST_PARSED = 300_000
"""Characters of a file that it is given: no other thread runs while it reads, so the screen
would stand still.
"""
_PARSING = RLock()
"""CPython 3.11 to 3.13 count how deep they are in a tree in one place for all threads.

Where another thread goes on in the middle (garbage was collected, and something that went had code
of its own to run) and parses as well, the count is wrong, and parsing ends in "SystemError: AST
constructor recursion depth mismatch".
"""
_SETTING = RLock()
"""What becomes of a warning is set for the whole process: of two threads that did so side by
side, the one to end last would leave the other's setting behind for good.
"""


def parse(source: str | bytes, name: str = "<unknown>") -> ast.Module:
    """See `ast.parse`, for one thread at a time.

    Args:
        name: Of the source, in errors.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: As `ast.parse`.
    """
    with _PARSING:
        return ast.parse(source, name)


def read_tree(source: str | bytes) -> ast.Module | None:
    """The tree of some code, without a warning; None where Python cannot read it."""
    try:
        with no_warnings():
            return parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@contextmanager
def no_warnings() -> Iterator[None]:
    """Let nothing be warned of for a moment, in any thread: the code is only read."""
    with _SETTING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def is_large(text: Text) -> bool:
    """Whether a Python file is not given to Python's own parser."""
    return text.size > MOST_PARSED


@lru_cache(maxsize=16)
def parse_error(source: bytes) -> str:
    """Why a Python file does not parse, or ""."""
    try:
        with no_warnings():
            compile(
                source, "file", "exec", dont_inherit=True
            )  # finds what the grammar allows, like a lone `return`
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    except (ValueError, RecursionError, MemoryError):
        return "it is nested too deeply to be read"
    return ""
