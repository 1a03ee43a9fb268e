"""The colors of Python: spans that say what characters are, and never change them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.tui.widgets.diff_rows import DiffRows
from spark_tui.tui.widgets.diff_view import DiffView
from spark_tui.tui.widgets.highlight import NAMES, Ink, Syntax, changed_words, colored, inked
from tests.tui.test_rows import change
from tests.tui.test_widgets import Frame, line

SNIPPETS = st.sampled_from(
    [
        "def f(x: int):",
        "    return 'é'",
        '"""',
        "# c",
        "x = 1.5",
        "class A(B):",
        "    @deco.x(1)",
        "f'{a!r}日本' + b",
        "\t\x1b[31m",
        "    with open(p) as f:",
        "if not x is None:",
        "",
        "'''",
        "\\",
        "\udce9 = 3",
        "lambda: (",
        "print(a.b.c(None))",
    ]
)
LINES = st.lists(
    SNIPPETS | st.text(st.characters(exclude_characters="\n"), max_size=12), max_size=30
)


def read(lines: list[str]) -> Syntax:
    found = Syntax(lines, "a.py")
    found.read()
    return found


@given(LINES, st.data())
def test_spans_lie_in_their_lines_in_order_whatever_the_text(
    lines: list[str], data: st.DataObject
) -> None:
    found = read(lines)
    start = data.draw(st.integers(0, len(lines)))
    hunk = change(start, (), tuple(data.draw(LINES)))
    spans = [found.line(number) for number in range(len(lines))]
    spans += [found.new_line(hunk, number) for number in range(len(hunk.new_lines))]
    for text, parts in zip([*lines, *hunk.new_lines], spans, strict=True):
        assert {name for _, _, name in parts} <= set(NAMES)
        edges = [edge for first, last, _ in parts for edge in (first, last)]
        assert edges == sorted(edges)
        assert all(first < last <= len(text) for first, last, _ in parts)
        words = changed_words(text, text[::-1])[0]
        assert "".join(piece for piece, _, _ in colored(text, words, parts)) == "".join(
            p for p, _ in inked(text)
        )


def names_of(source: str) -> list[tuple[str, str]]:
    lines = source.splitlines()
    found = read(lines)
    return [(lines[at][a:b], name) for at in range(len(lines)) for a, b, name in found.line(at)]


def test_what_is_what() -> None:
    assert names_of(
        "@lru.cache\ndef f(x: int) -> None:\n    return g('é' + a.h(1), not x)  # why"
    ) == [
        ("@", "function"),
        ("cache", "function"),
        ("def", "keyword"),
        ("f", "function"),
        ("int", "type"),
        ("None", "number"),
        ("return", "keyword"),
        ("g", "function"),
        ("'", "string"),
        ("é", "string"),
        ("'", "string"),
        ("h", "function"),
        ("1", "number"),
        ("not", "keyword"),
        ("# why", "comment"),
    ]


def test_new_lines_inside_a_docstring_are_a_string_and_behind_it_are_not() -> None:
    base = ["def f():", '    """What', "    it does.", '    """', "    return 1"]
    found = read(base)
    inside = found.new_line(change(2, (), ("    for all of it",)), 0)
    assert {name for _, _, name in inside} == {"string"}
    behind = found.new_line(change(4, (), ("    for x in y:",)), 0)
    assert {name for _, _, name in behind} == {"keyword"}


def test_in_another_language_everything_is_plain() -> None:
    other = Syntax(["def f():"], "a.txt")
    other.read()
    assert (other.line(0), other.new_line(change(0, (), ("def g():",)), 0)) == ((), ())


async def test_a_large_file_is_plain_first_and_colored_once_it_was_read() -> None:
    diff = DiffView()
    async with Frame(diff).run_test(size=(60, 5)) as pilot:
        diff.show(DiffRows(["return 1"] * 9000), cursor=0, path="a.py")
        assert not diff.syntax.is_small
        assert "return" in line(diff)
        await pilot.app.workers.wait_for_complete()
        assert diff.syntax.line(8999)


async def test_a_changed_word_keeps_its_mark_and_an_odd_character_its_own() -> None:
    diff = DiffView()
    async with Frame(diff).run_test(size=(80, 6)):
        diff.show(
            DiffRows(["return old + 1"], [change(0, ("return old + 1",), ("return new\x1b + 1",))]),
            cursor=0,
            path="a.py",
        )
        styles = {segment.text: segment.style for segment in diff.render_line(1) if segment.style}
        bright = diff.app.theme_variables["spark-added-bright"]
        assert [
            text for text, style in styles.items() if style.bgcolor and style.bgcolor.name == bright
        ] == ["new"]
        keyword_color = diff.app.theme_variables["spark-syntax-keyword"]
        assert styles["return"].color is not None
        assert styles["return"].color.name == keyword_color
        assert "␛" in styles
    assert [ink for _, ink, _ in colored("a\x1b", [(0, 2)], [(0, 2, "string")])] == [
        Ink.WORD,
        Ink.MARK,
    ]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        (
            "a.js",
            "// why\nfunction show(a) { return run(`x ${a + 1} y`, null); }",
            {"// why": "comment", "function": "keyword", "show": "function", "run": "function"}
            | {"`x ": "string", " y`": "string", "1": "number", "null": "number"},
        ),
        ("a.go", "func Add(a int) string { return f(1) }", {"Add": "function", "int": "type"}),
        ("a.rs", "fn main() -> R<i32> { let x = 3; }", {"fn": "keyword", "i32": "type"}),
        ("a.c", 'int main(void) { printf("a", 0x1F); }', {"printf": "function", '"a"': "string"}),
        ("a.java", "class A { int f() { return 1; } }", {"A": "type", "f": "function"}),
        ("a.sh", "f() { echo 'b'; } # c", {"f": "function", "'b'": "string", "# c": "comment"}),
        ("a.html", "<a href='x'>t</a>", {"a": "keyword", "href": "function"}),
        ("a.json", '{"a": [1, true]}', {'"a"': "string", "1": "number", "true": "number"}),
    ],
)
def test_other_languages_have_the_colors_that_grammars_have_in_common(
    path: str, source: str, expected: dict[str, str]
) -> None:
    lines = source.splitlines()
    syntax = Syntax(lines, path)
    syntax.read()
    names = {
        line[start:end]: name
        for number, line in enumerate(lines)
        for start, end, name in syntax.line(number)
    }
    assert expected.items() <= names.items()


@pytest.mark.parametrize("path", ["a.js", "a.html", "a.rs", "a.yaml", "a.sh"])
@given(lines=LINES)
def test_spans_of_other_languages_lie_in_their_lines_in_order(path: str, lines: list[str]) -> None:
    syntax = Syntax(lines, path)
    syntax.read()
    for number, text in enumerate(lines):
        parts = syntax.line(number)
        assert {name for _, _, name in parts} <= set(NAMES)
        edges = [edge for first, last, _ in parts for edge in (first, last)]
        assert edges == sorted(edges)
        assert all(first < last <= len(text) for first, last, _ in parts)
