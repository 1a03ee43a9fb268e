"""Languages, their grammars, and whether a proposal parses no worse than its base.

The page has three parts:

- `language_of` and `tree_of`: the language of a file, by its name alone, and the tree-sitter
  grammar that reads the file where one is installed. A language without a grammar is left out for
  a reason: every text is Markdown, and no grammar knows every SQL.
- `parses_no_worse`: whether a file parses with an edit no worse than without. TOML and JSON are
  read exactly, other languages by their grammars. A grammar goes on after what it cannot read, so
  faults are counted: a file with faults may have as many afterwards.
- `parse`, `read_tree` and `parse_error`: Python's own parser, in a process of several threads. Very
  large Python files are read by the grammar instead (`is_large`).
"""

import ast
import json
import re  # noqa: TID251 - reads source code
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from spark_tui.editing.hunks import Hunk, places_of_new_lines
from spark_tui.editing.text import Text

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node


_SECONDS = 2.0
"""How long a grammar may take for one file."""
_PIECE = 8192
"""Bytes that a grammar is given at once; between two pieces other threads may run."""


class Language(NamedTuple):
    """A language.

    Args:
        name: The name as people write it.
        package: The package of its grammar, or "".
        function: The function of the package that gives the grammar.
    """

    name: str
    package: str = ""
    function: str = "language"


JSON = Language("JSON", "tree_sitter_json")
TOML = Language("TOML")
"""Python itself reads these two exactly; the grammar of JSON is for files with comments."""
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


def _one_by_one(languages: Mapping[str, Language]) -> dict[str, Language]:
    """The table with a key for each word; in `languages`, one key may hold several words."""
    table: dict[str, Language] = {}
    for words, language in languages.items():
        table |= dict.fromkeys(words.split(), language)
    return table


BY_SUFFIX = _one_by_one(_SUFFIXES)
_BY_NAME = _one_by_one(_NAMES)


def language_of(path: str) -> Language | None:
    """The language of the file at a path; None where the name does not tell."""
    name = path.rpartition("/")[2]  # asked of every file: a PurePosixPath takes ten times as long
    if name in _BY_NAME:
        return _BY_NAME[name]
    _, dot, suffix = name.rpartition(".")
    return BY_SUFFIX.get(suffix.lower()) if dot else None


@lru_cache(maxsize=64)
def grammar_of(language: Language) -> "Grammar | None":
    """The grammar of a language.

    Returns:
        None where there is none, where it is not installed, or where its version does not fit.
    """
    if not language.package:
        return None
    try:
        # imported only here, as most edits need no grammar
        from tree_sitter import Language as Grammar  # noqa: PLC0415

        return Grammar(getattr(import_module(language.package), language.function)())
    except (ImportError, AttributeError, ValueError):
        return None


def tree_of(source: str, language: Language) -> "Node | None":
    """The root of the tree that a grammar makes of a text.

    Returns:
        None where there is no grammar, or reading takes too long.
    """
    grammar = grammar_of(language)
    if grammar is None:
        return None
    from tree_sitter import Parser  # noqa: PLC0415 - most edits need no grammar

    data = source.encode("utf-8", "replace")
    until = monotonic() + _SECONDS
    parser = Parser(grammar)  # one for each call: threads must not share a parser
    try:
        return parser.parse(
            lambda at, _: data[at : at + _PIECE],
            encoding="utf8",
            progress_callback=lambda _, __: monotonic() > until,
        ).root_node
    except ValueError:
        # the parser was told to stop: some texts without any sense take minutes
        return None


MOST_READ = 1_000_000
"""The most characters of a file that is read at all."""
_MOST_FAULTS = 1000
"""The most faults that are counted: a file with so many is in another language."""
_SHOWN = 40
"""The most characters of a faulty line that a message quotes."""
_TEMPLATED = (HTML, YAML, JSON)
# Jinja and Django, ERB and EJS, Mustache, PHP; but `${{` is plain YAML, for GitHub Actions
_TEMPLATE = re.compile(r"\{%|<%|(?<!\$)\{\{|<\?(?!xml)")
"""What a template language within a file looks like."""
_COMMENTED = re.compile(
    r"\.jsonc$|(^|/)(ts|js)config[^/]*\.json$|(^|/)\.(vscode|devcontainer)/", re.IGNORECASE
)
"""Files that are called JSON and may hold comments."""
_PREPROCESSED = ("C", "C++")
# a directive, or a name in capitals at the start of the line or before a parenthesis
_MACRO = re.compile(r"^\s*(?:#|[A-Z_][A-Z0-9_]+\b)|\b[A-Z_][A-Z0-9_]+\(")
"""What looks like a macro, which may stand for anything: its definition is not read."""
# how a message of tomllib ends
_AT_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


class Verdict(NamedTuple):
    """Whether an edit may stand.

    `detail`: what is wrong, or what was not checked and why; "" where all is well.
    """

    ok: bool
    detail: str = ""


class SyntaxFault(NamedTuple):
    """Lines first..last (0-based, inclusive) that a grammar cannot read.

    `missing`: what should be there, or "".
    """

    first: int
    last: int
    missing: str = ""


def reads(path: str) -> bool:
    """Whether the language of a file can be checked here."""
    language = language_of(path)
    return language is not None and (language is TOML or bool(language.package))


def parses_no_worse(base: Text, proposed: Text, path: str, hunks: Sequence[Hunk]) -> Verdict | None:
    """Compare a file without and with an edit. Never raises.

    Returns:
        None where nothing here reads the language of the file.
    """
    language = language_of(path)
    if language is None or not reads(path):
        return None
    if max(base.size, proposed.size) > MOST_READ:
        return Verdict(ok=True, detail="not checked: the file is very large")
    # Python reads TOML and JSON exactly, so one fault is enough. A grammar goes on after a fault,
    # so faults are counted; so they are in JSON that may hold comments.
    if language is TOML:
        return compared(_wrong_before(_wrong_toml, base), _wrong_toml(_source(proposed)))
    if language is not JSON or _COMMENTED.search(path):
        return _judged(language, base, proposed, hunks)
    before = _wrong_before(_wrong_json, base)
    after = _wrong_json(_source(proposed))
    if before and after:
        # wrong JSON may hold comments: what the grammar says of it is more to the point
        counted = _judged(language, base, proposed, hunks)
        if counted.detail:
            return counted
    return compared(before, after)


def _wrong_before(wrong: Callable[[str], str], base: Text) -> str:
    """What is wrong with a file before an edit; "" for an empty file, which is new."""
    source = _source(base)
    return wrong(source) if source.strip() else ""


def _source(text: Text) -> str:
    """A text without byte order mark and carriage returns, which grammars take differently."""
    return "".join(f"{line}\n" for line in text.lines)


def compared(before: str, after: str) -> Verdict:
    """The verdict on a file that is read exactly.

    Args:
        before: What is wrong with the file without an edit, or "".
        after: What is wrong with the edit, or "".
    """
    if before and after:
        return Verdict(ok=True, detail=f"it did not parse before either ({before})")
    if before:
        return Verdict(ok=True, detail="it did not parse before")
    return Verdict(ok=not after, detail=after)


@lru_cache(maxsize=16)
def _wrong_toml(source: str) -> str:
    """Why a text is no TOML, or ""."""
    try:
        tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _AT_LINE.search(message)
        line = f"line {place[1]}" if place and place[1] else "at its end"
        return f"{line}: {_AT_LINE.sub('', message)}"
    except RecursionError:
        return "it is nested too deeply to be read"
    return ""


@lru_cache(maxsize=16)
def _wrong_json(source: str) -> str:
    """Why a text is no JSON, or ""."""
    try:
        json.loads(source)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError):  # a number of very many digits
        return "it cannot be read"
    return ""


def _judged(language: Language, base: Text, proposed: Text, hunks: Sequence[Hunk]) -> Verdict:
    """The verdict on a file that a grammar reads, by the number of faults."""
    if grammar_of(language) is None:
        package = language.package.replace("_", "-")
        return Verdict(ok=True, detail=f"not checked: {package} is not installed")
    before = _faults(_source(base), language)
    after = _faults(_source(proposed), language)
    if before is None or after is None:
        return Verdict(ok=True, detail="not checked: it takes too long to read")
    # No faults, no more of them than before, or more: only the last is held against the edit,
    # unless another tool changes the lines before anybody parses them.
    if not after:
        detail = "not all of it could be read before" if before else ""
        return Verdict(ok=True, detail=detail)
    if len(after) <= len(before):
        described = _described(before[0], before[0].first, base.lines, language)
        return Verdict(ok=True, detail=f"not all of it could be read before either ({described})")
    fault, line = _first(before, after, places_of_new_lines(hunks))
    if excuse := _excuse(language, proposed, fault):
        return Verdict(ok=True, detail=excuse)
    return Verdict(ok=False, detail=_described(fault, line, proposed.lines, language))


def _excuse(language: Language, proposed: Text, fault: SyntaxFault) -> str:
    """Why a fault may be none, or "".

    Another tool, a template engine or a preprocessor, may turn the lines into something else.
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
    """The first fault that an edit brought, as far as can be told.

    Returns:
        The fault, and the line (0-based) to name for it.
    """
    # A fault that meets a changed line, else one that is not where a fault was before. The latter
    # is weak: faults below a change move with their lines.
    for fault in after:
        for lines in changed:  # a hunk without new lines stands for the line below
            if fault.first <= max(lines.start, lines.stop - 1) and lines.start <= fault.last:
                return fault, max(fault.first, lines.start)
    new = [fault for fault in after if fault not in before] or after
    return new[0], new[0].first


def _described(fault: SyntaxFault, line: int, lines: Sequence[str], language: Language) -> str:
    """A fault for a reader, by the number and the beginning of a line."""
    line = max(0, min(line, len(lines) - 1))
    if fault.missing:
        return f"line {line + 1}: {fault.missing} is missing"
    text = lines[line].strip() if lines else ""
    if len(text) > _SHOWN:
        text = text[: _SHOWN - 1] + "…"
    extent = " from here on" if fault.last > line else ""
    return f"line {line + 1}: not {language.name}{extent}: {text}"


def fault_count(lines: Sequence[str], path: str) -> int | None:
    """Count the faults of a file in its language.

    Returns:
        None where nothing here reads the language, or reading takes too long.
    """
    language = language_of(path)
    source = "".join(f"{line}\n" for line in lines)
    if language is None or len(source) > MOST_READ:
        return None
    if language is TOML:
        return int(bool(_wrong_toml(source)))
    faults = _faults(source, language)
    return None if faults is None else len(faults)


@lru_cache(maxsize=16)
def _faults(source: str, language: Language) -> tuple[SyntaxFault, ...] | None:
    """The faults that a grammar finds in a text, from top to bottom, up to `_MOST_FAULTS`.

    Returns:
        None where reading takes too long.
    """
    root = tree_of(source, language)
    if root is None:
        return None
    # HTML allows nearly everything, so faults may lie where its grammar sees no error
    return tuple(_faults_below(root, everywhere=language is HTML))


def _faults_below(root: "Node", *, everywhere: bool) -> Iterator[SyntaxFault]:
    """The faults at and below a node.

    Args:
        everywhere: Whether to look even below nodes that hold no error, according to the grammar.
    """
    # a stack rather than recursion, as trees of odd texts are very deep
    waiting = [root]
    count = 0
    while waiting and count < _MOST_FAULTS:
        node = waiting.pop()
        inner = [child for child in node.children if child.has_error or _is_fault(child)]
        # what is missing may have no visible node of its own
        if _is_fault(node) or (node.has_error and not inner):
            count += 1
            yield SyntaxFault(node.start_point[0], node.end_point[0], _missing(node))
        # The last one waiting is taken first, so that faults come from top to bottom.
        further = node.children if everywhere else inner
        waiting += reversed(further)


def _is_fault(node: "Node") -> bool:
    # HTML: an end tag that closes nothing is no error of the grammar, but a node of this type
    return node.is_error or node.is_missing or node.type == "erroneous_end_tag"


def _missing(node: "Node") -> str:
    """What is missing at a node, in words, or "" where lines are wrong."""
    if _is_fault(node) and not node.is_missing:
        return ""
    # has an error, and no visible child to blame
    if not node.is_missing:
        return "the end of this"
    return node.type.replace("_", " ") if node.is_named else f"`{node.type}`"


MOST_PARSED = 300_000
"""The most characters of a file that Python's own parser is given.

No other thread runs while the parser reads, so the screen would stand still.
"""
_PARSING = RLock()
"""Held while Python's parser runs.

CPython 3.11 to 3.13 count the depth in a tree in one place for all threads. Where another thread
runs in the middle (garbage was collected, and a finalizer ran) and parses as well, the count is
wrong, and parsing ends in "SystemError: AST constructor recursion depth mismatch".
"""
_MOST_TRIES = 5
"""How often a parse is tried that another thread upset.

Libraries parse without `_PARSING`: Textual reads the arguments of an action, once for each action.
"""
_SETTING = RLock()
"""Held while warnings are off.

Warning filters are set for the whole process: of two threads that set them side by side, the last
one to end would leave the other's filters behind for good.
"""


def parse(source: str | bytes, name: str = "<unknown>") -> ast.Module:
    """Call `ast.parse`, one thread at a time.

    Args:
        name: The name of the source in errors.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: As `ast.parse`.
    """
    with _PARSING:
        for _ in range(_MOST_TRIES - 1):
            # the count of the depth was wrong, not the code
            with suppress(SystemError):
                return ast.parse(source, name)  # noqa: TID251 - one thread at a time
        return ast.parse(source, name)  # noqa: TID251 - as above


def read_tree(source: str | bytes) -> ast.Module | None:
    """The tree of some code, without a warning; None where Python cannot read it."""
    try:
        with no_warnings():
            return parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@contextmanager
def no_warnings() -> Iterator[None]:
    """Turn warnings off, in all threads, while code is only read."""
    with _SETTING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def is_large(text: Text) -> bool:
    """Whether a Python file is too large for Python's own parser."""
    return text.size > MOST_PARSED


@lru_cache(maxsize=16)
def parse_error(source: bytes) -> str:
    """Why Python cannot compile a file, or ""."""
    try:
        with no_warnings():
            # finds faults that the grammar allows, like a lone `return`
            compile(source, "file", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    except (ValueError, RecursionError, MemoryError):
        return "it is nested too deeply to be read"
    return ""
