"""A statement read anew tells the same of lines as all of them do."""

import ast
import inspect
import textwrap
from types import FunctionType

import pytest

from spark_tui.editing.mutations import GROUPS, base
from spark_tui.editing.mutations.pieces import Pieces, edges
from spark_tui.editing.snippet import Snippet

BROKEN = [
    "",
    ")",
    "    )",
    "else:",
    "    else:",
    "        x = (",
    "  x",
    "x = 1",
    '    """',
    "            y = 2",
    "    if x:",
]


def _is_python(lines: list[str]) -> bool:
    try:
        return bool(ast.parse(textwrap.dedent("\n".join(lines))).body)
    except SyntaxError:
        return False


@pytest.mark.parametrize("thing", [base.Source.top, edges, textwrap.indent], ids=lambda one: one.__qualname__)
def test_a_piece_tells_whether_all_is_python(thing: FunctionType) -> None:
    source = base.Source(Snippet(tuple(inspect.getsource(thing).rstrip("\n").split("\n"))))
    pieces = Pieces(source)
    for lines in [lines for find in GROUPS.values() for lines in find(source)][::3]:
        if tuple(lines) != source.lines:
            assert pieces.parses(lines) == _is_python(lines), "\n".join(lines)


@pytest.mark.parametrize("text", BROKEN)
def test_a_piece_never_takes_for_python_what_is_none(text: str) -> None:
    source = base.Source(Snippet(tuple(inspect.getsource(textwrap.indent).rstrip("\n").split("\n"))))
    pieces = Pieces(source)
    for row in range(1, len(source.lines)):
        rest = source.lines[row + 1 :]
        for lines in ([*source.lines[:row], text, *rest], [*source.lines[:row], *rest], source.insert(row, text)):
            if tuple(lines) != source.lines:
                assert _is_python(lines) or not pieces.parses(lines), "\n".join(lines)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("abc", "abc", (3, 0)),
        ("abc", "axc", (1, 1)),
        ("abc", "abbc", (2, 1)),
        ("abbc", "abc", (2, 1)),
        ("", "a", (0, 0)),
    ],
)
def test_edges_are_what_stays(before: str, after: str, found: tuple[int, int]) -> None:
    assert edges(before, after) == found
