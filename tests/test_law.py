"""The law: words are the model's business. No pattern reads the user's English, and no other room looks for words.

Every module that may see what was typed and that reads text with patterns stands here, with what that text is.
"""

import ast
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "spark_tui"
ROOMS = ("session", "context", "editing", "answering", "tui", "places.py")


class Text(StrEnum):
    """What a module's patterns read."""

    CODE = "source code, its names and its comments"
    OUTPUT = "what another program put out"
    SENT = "what a server or a model wrote, in the form it was asked for"
    OURS = "what spark itself wrote: its messages, names and settings"
    BYTES = "characters as such: encodings, controls, colours, marks of a terminal"
    SHAPES = "what is typed, by its shape alone: / and @, paths, line ranges, names as the code has them"


READ = {
    "answering/chat_stream.py": Text.BYTES,
    "answering/chat_template.py": Text.OURS,
    "answering/script_writer.py": Text.SENT,
    "context/blamed.py": Text.OUTPUT,
    "context/finding.py": Text.CODE,
    "context/renaming.py": Text.CODE,
    "context/outlines.py": Text.CODE,
    "context/parts.py": Text.SHAPES,
    "context/symbols.py": Text.CODE,
    "context/terms.py": Text.SHAPES,
    "editing/fences.py": Text.SENT,
    "editing/identifiers.py": Text.CODE,
    "editing/markers.py": Text.CODE,
    "editing/mutations/names.py": Text.CODE,
    "editing/mutations/returns.py": Text.CODE,
    "editing/mutations/source.py": Text.CODE,
    "editing/pairing.py": Text.CODE,
    "editing/quoting_grammar.py": Text.SENT,
    "editing/search_replace.py": Text.SENT,
    "editing/text.py": Text.BYTES,
    "editing/unicode_hazards.py": Text.CODE,
    "editing/wellformed.py": Text.CODE,
    "places.py": Text.SHAPES,
    "session/commit_words.py": Text.SHAPES,
    "session/editor.py": Text.OURS,
    "session/elsewhere.py": Text.CODE,
    "session/fixing/fixes_weighed.py": Text.OUTPUT,
    "session/fixing/outcome.py": Text.OUTPUT,
    "session/fixing/search.py": Text.OUTPUT,
    "session/fixing/trial.py": Text.OUTPUT,
    "session/result.py": Text.OURS,
    "session/tape.py": Text.BYTES,
    "tui/commands.py": Text.SHAPES,
    "tui/completing.py": Text.SHAPES,
    "tui/keymap.py": Text.OURS,
    "tui/marks.py": Text.CODE,
    "tui/output_filter.py": Text.BYTES,
    "tui/places.py": Text.OURS,
    "tui/screens/undo_preview.py": Text.OURS,
    "tui/themes.py": Text.OURS,
    "tui/widgets/said.py": Text.BYTES,
}
ALLOWED = {"context/terms.py": {"line"}}
"""Words looked for all the same: of a frame of a traceback."""
_NO_LETTERS = re.compile(
    r"\\[pPuUxN](?:\{[^}]*\}|[0-9a-fA-F]+)?|\\[a-zA-Z]|\(\?P?[<=!:>](?:\w+>|\w+\))?|\(\?[a-zA-Z]+\)|\[[^\]]*\]"
)
"""What stands in a pattern and is no text to be found: escapes, names of groups, flags, sets of characters."""
_WORD = re.compile(r"[A-Za-z]{2,}")


def readers() -> dict[str, ast.Module]:
    """The modules of those rooms that import `re`."""
    paths = [
        path
        for room in ROOMS
        for path in ([PACKAGE / room] if room.endswith(".py") else (PACKAGE / room).rglob("*.py"))
    ]
    trees = {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in sorted(paths)}
    return {name: tree for name, tree in trees.items() if "re" in _imported(tree)}


def _imported(tree: ast.Module) -> set[str]:
    found = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def words_in_patterns(tree: ast.Module) -> Iterator[str]:
    """The words that the patterns of a module look for."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=[pattern, *_]):
                for part in ast.walk(pattern):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield from _WORD.findall(_NO_LETTERS.sub(" ", part.value))


def test_what_reads_text_with_patterns_says_what_text() -> None:
    assert sorted(readers()) == sorted(READ), "say in READ what its patterns read; the user's words are the model's"


@pytest.mark.parametrize("name", [name for name, text in READ.items() if text is Text.SHAPES])
def test_a_pattern_over_what_was_typed_looks_for_no_word(name: str) -> None:
    assert set(words_in_patterns(readers()[name])) <= ALLOWED.get(name, set())


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
