"""The law: words are the model's business.

No pattern reads the user's English, and no other room looks for words.

ruff bans `re` unless the import says behind `noqa: TID251` what text its patterns read; a module
that makes letters small without it says so at the line. `Text` has the few answers.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "spark_tui"
ROOMS = (
    "editors",
    "tasks",
    "session",
    "context",
    "editing",
    "providers",
    "tui",
    "cli",
    "mentions.py",
)
"""Where what was typed may be seen."""


class Text(StrEnum):
    """What a module reads."""

    CODE = "source code"
    OUTPUT = "another program's output"
    ANSWER = "an answer"
    OURS = "names and settings"
    BYTES = "characters as such"
    CHOICE = "a choice of a few"
    SHAPES = "what is typed, by its shape"


ALLOWED = {"context/verbatim_names.py": {"line"}}
"""Words looked for all the same: of a frame of a traceback."""
_NO_LETTERS = re.compile(
    r"\\[pPuUxN](?:\{[^}]*\}|[0-9a-fA-F]+)?|\\[a-zA-Z]|\(\?P?[<=!:>](?:\w+>|\w+\))?|\(\?[a-zA-Z]+\)|\[[^\]]*\]"
)
"""What stands in a pattern and is no text to be found: escapes, names of groups, flags, sets of
characters.
"""
_WORD = re.compile(r"[A-Za-z]{2,}")


_SAYS = re.compile(r"# (?:noqa: TID251 - )?reads (?P<text>.+)")
_SAYS_ABOVE = re.compile(r"\s*# reads (?P<text>.+)")


@cache
def modules() -> Mapping[str, str]:
    """The sources of these rooms by their names."""
    rooms = [
        (PACKAGE / room).rglob("*.py") if "." not in room else [PACKAGE / room] for room in ROOMS
    ]
    return {
        path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
        for path in sorted(chain.from_iterable(rooms))
    }


def reading_lines(source: str) -> Iterator[int]:
    """The lines, from 1, where a module imports `re` or, without it, makes letters small."""
    nodes = list(ast.walk(ast.parse(source)))
    imports = [
        node
        for node in nodes
        if isinstance(node, ast.Import) and any(alias.name == "re" for alias in node.names)
    ]
    assert not any(isinstance(node, ast.ImportFrom) and node.module == "re" for node in nodes), (
        "import re as a whole"
    )
    if imports:
        yield from (node.lineno for node in imports)
        return
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in {"lower", "casefold"}:
            yield node.end_lineno or node.lineno


def said_texts(source: str) -> set[str]:
    """What a module says that it reads, and "" where it does not say so at the line or above it."""
    lines = ["", *source.splitlines()]
    texts = set[str]()
    for number in reading_lines(source):
        found = _SAYS.search(lines[number]) or _SAYS_ABOVE.match(lines[number - 1])
        texts.add(found["text"] if found else "")
    return texts


def words_in_patterns(tree: ast.Module) -> Iterator[str]:
    """The words that the patterns of a module look for."""
    given = {
        name.id: each.value
        for each in tree.body
        if isinstance(each, ast.Assign)
        for name in _names(each.targets)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=[pattern, *_]):
                parts = [
                    pattern,
                    *(given[name.id] for name in _names(ast.walk(pattern)) if name.id in given),
                ]
                for part in chain.from_iterable(map(ast.walk, parts)):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield from _WORD.findall(_NO_LETTERS.sub(" ", part.value))


def _names(nodes: Iterable[ast.AST]) -> list[ast.Name]:
    return [node for node in nodes if isinstance(node, ast.Name)]


def test_what_reads_text_with_patterns_says_what_text() -> None:
    wrong = {name: said_texts(source) - set(Text) for name, source in modules().items()}
    assert not {name: texts for name, texts in wrong.items() if texts}, (
        "say `# reads ...` with one of Text there; the user's words are the model's"
    )


def test_an_instruction_is_asked_for_nothing_but_its_blanks() -> None:
    asked = set[str]()
    for node in chain.from_iterable(ast.walk(ast.parse(each)) for each in modules().values()):
        match node:
            case ast.Attribute(value=ast.Name("instruction") | ast.Attribute(attr="instruction")):
                asked.add(node.attr)
            case ast.Compare(
                ops=[ast.In()],
                comparators=[ast.Name("instruction") | ast.Attribute(attr="instruction")],
            ):
                asked.add(ast.unparse(node))
    assert asked == {"split"}


def test_a_pattern_over_what_was_typed_looks_for_no_word() -> None:
    found = {
        name: set(words_in_patterns(ast.parse(source)))
        for name, source in modules().items()
        if Text.SHAPES in said_texts(source)
    }
    assert found
    wrong = {name: words - ALLOWED.get(name, set()) for name, words in found.items()}
    assert not {name: words for name, words in wrong.items() if words}


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"(?i)\b(?:please|can you)\b", {"please", "can", "you"}),
        (r"(?P<path>[\w./-]+)(?::(?P<line>\d+))?\Z", set()),
        (r"(?<![\w/])@[^\s]+(?=[,;]|$)|\x1b\u2028|(?P=path)", set()),
    ],
)
def test_words_of_a_pattern_are_found_and_nothing_else(pattern: str, words: set[str]) -> None:
    tree = ast.parse(f"import re\nX = re.compile({pattern!r}, re.VERBOSE)\n")
    assert set(words_in_patterns(tree)) == words


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("import re  # noqa: TID251 - reads source code\nx = y.lower()\n", {"source code"}),
        ("import re\n", {""}),
        ("x = y.lower()\n", {""}),
        ("x = y.lower()  # reads an answer\nz = y.casefold()\n", {"an answer", ""}),
        ("# reads an answer\nx = y.lower()\n", {"an answer"}),
        ("x = y.upper()\n", set()),
    ],
)
def test_what_reads_is_found_and_what_it_says(source: str, texts: set[str]) -> None:
    assert said_texts(source) == texts
