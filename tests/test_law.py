"""The law: words are the model's business.

No pattern reads the user's English, and no other room looks for words.

Every module that may see what was typed and that reads text with patterns, or whatever its capitals
are, stands here, with what that text is.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "spark_tui"
ROOMS = ("tasks", "session", "context", "editing", "providers", "tui", "cli", "mentions.py")


class Text(StrEnum):
    """What a module reads."""

    CODE = "source code, its names and its comments"
    OUTPUT = "what another program put out"
    SENT = "what a server or a model wrote, in the form it was asked for"
    OURS = "what spark itself wrote: its messages, names and settings"
    BYTES = "characters as such: encodings, controls, colours, marks of a terminal"
    CHOICE = (
        "a name or a letter out of a few that spark offers: models, devices, commands, yes and no"
    )
    SHAPES = (
        "what is typed, by its shape alone: / and @, paths, line ranges, names as the code has them"
    )


_READ = {
    Text.CODE: """
        context/resolver context/file_parts context/search_index context/symbols context/rename
        editing/identifiers editing/conflicts editing/mutations editing/mutation_names
        editing/mutation_source editing/syntax editing/hunks editing/confusables
        session/leftovers tui/widgets/highlight
    """,
    Text.OUTPUT: """
        context/fault_locations session/repair/search session/repair/sandbox
    """,
    Text.SENT: """
        providers/abilities providers/openai_client providers/spark_model providers/openai_stream
        providers/thoughts cli/bench/remote editing/formats/rewrite editing/formats/answer_code
        editing/formats/fences editing/formats/unified_diff editing/formats/file_diffs
        editing/formats/left_out editing/formats/quoted_grammar editing/formats/search_replace
        tasks/steps tasks/tools
    """,
    Text.OURS: """
        providers/chat_template cli/models session/external session/json_output tui/keymap
        tui/screens/undo tui/themes tasks/events
    """,
    Text.BYTES: """
        providers/openai_stream editing/text editing/formats/white_space session/token_log
        tui/driver tui/output_filter tui/widgets/output_log
    """,
    Text.CHOICE: "cli/catalogue cli/keyboard cli/plain cli/journal session/pace",
    Text.SHAPES: """
        context/verbatim_names mentions session/staging tui/commands tui/widgets/completion
    """,
}
READ = {f"{name}.py": text for text, names in _READ.items() for name in names.split()}
ALLOWED = {"context/verbatim_names.py": {"line"}}
"""Words looked for all the same: of a frame of a traceback."""
_NO_LETTERS = re.compile(
    r"\\[pPuUxN](?:\{[^}]*\}|[0-9a-fA-F]+)?|\\[a-zA-Z]|\(\?P?[<=!:>](?:\w+>|\w+\))?|\(\?[a-zA-Z]+\)|\[[^\]]*\]"
)
"""What stands in a pattern and is no text to be found: escapes, names of groups, flags, sets of
characters.
"""
_WORD = re.compile(r"[A-Za-z]{2,}")


@cache
def modules() -> dict[str, ast.Module]:
    """Those of these rooms by their names."""
    rooms = [
        (PACKAGE / room).rglob("*.py") if "." not in room else [PACKAGE / room] for room in ROOMS
    ]
    paths = sorted(chain.from_iterable(rooms))
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths
    }


def reads(tree: ast.Module) -> bool:
    """Whether a module imports `re` or makes letters small."""
    nodes = list(ast.walk(tree))
    assert not any(isinstance(node, ast.ImportFrom) and node.module == "re" for node in nodes), (
        "import re as a whole"
    )
    whole = (alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names)
    asked = (node.attr for node in nodes if isinstance(node, ast.Attribute))
    return "re" in whole or not {"lower", "casefold"}.isdisjoint(asked)


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
    readers = [name for name, tree in modules().items() if reads(tree)]
    assert readers == sorted(READ), (
        "say in READ what its patterns read; the user's words are the model's"
    )


def test_an_instruction_is_asked_for_nothing_but_its_blanks() -> None:
    asked = set[str]()
    for node in chain.from_iterable(map(ast.walk, modules().values())):
        match node:
            case ast.Attribute(value=ast.Name("instruction") | ast.Attribute(attr="instruction")):
                asked.add(node.attr)
            case ast.Compare(
                ops=[ast.In()],
                comparators=[ast.Name("instruction") | ast.Attribute(attr="instruction")],
            ):
                asked.add(ast.unparse(node))
    assert asked == {"split"}


@pytest.mark.parametrize("name", [name for name, text in READ.items() if text is Text.SHAPES])
def test_a_pattern_over_what_was_typed_looks_for_no_word(name: str) -> None:
    assert set(words_in_patterns(modules()[name])) <= ALLOWED.get(name, set())


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
