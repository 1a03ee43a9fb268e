"""Which language a file is written in, by its name alone, and the grammar that reads it, where one is installed.

What has no grammar here is left out for a reason: every text is Markdown, and no grammar knows every SQL.
"""

from functools import lru_cache
from importlib import import_module
from pathlib import PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node

_SECONDS = 2.0
"""How long a grammar may take."""
_PIECE = 8192
"""Bytes after which other threads may run."""


class Language(NamedTuple):
    """A language by its name. Args: package: of its grammar, or "". function: of that, which gives the grammar."""

    name: str
    package: str = ""
    function: str = "language"


JSON, TOML = Language("JSON", "tree_sitter_json"), Language("TOML")
"""Python itself reads these two exactly; the grammar of JSON is for what has comments."""
HTML, YAML = Language("HTML", "tree_sitter_html"), Language("YAML", "tree_sitter_yaml")
_SHELL, _RUBY = Language("shell", "tree_sitter_bash"), Language("Ruby", "tree_sitter_ruby")

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
_BY_SUFFIX = {suffix: language for suffixes, language in _SUFFIXES.items() for suffix in suffixes.split()}
_BY_NAME = {name: language for names, language in _NAMES.items() for name in names.split()}


def language_of(path: str) -> Language | None:
    """The language of the file at a path; None where its name does not tell."""
    name = PurePosixPath(path).name
    return _BY_NAME.get(name) or _BY_SUFFIX.get(name.rpartition(".")[2].lower() if "." in name else "")


@lru_cache(maxsize=64)
def grammar_of(language: Language) -> "Grammar | None":
    """The grammar of a language; None where there is none, or it is not installed, or is too new or old for us."""
    if not language.package:
        return None
    try:
        from tree_sitter import Language as Grammar  # noqa: PLC0415 - most that is edited needs none of it

        return Grammar(getattr(import_module(language.package), language.function)())
    except (ImportError, AttributeError, ValueError):
        return None


def tree_of(source: str, language: Language) -> "Node | None":
    """The root of the tree that a grammar makes of a text; None where there is no grammar, or it takes too long."""
    if (grammar := grammar_of(language)) is None:
        return None
    from tree_sitter import Parser  # noqa: PLC0415 - most that is edited needs none of it

    data, until = source.encode("utf-8", "replace"), monotonic() + _SECONDS
    parser = Parser(grammar)  # its own: threads must not share one
    try:
        return parser.parse(
            lambda at, _: data[at : at + _PIECE], encoding="utf8", progress_callback=lambda _, __: monotonic() > until
        ).root_node
    except ValueError:  # what is said when it was told to stop: some texts without any sense take minutes
        return None
