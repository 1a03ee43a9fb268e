"""Every mutation of any code applies, is Python, changes something and comes once."""

import ast
import inspect
import textwrap
from types import FunctionType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing import mutation_source, mutations
from spark_tui.editing.mutation_source import Snippet

SOURCES = [
    mutation_source.MutableSnippet.between,
    mutation_source.stored,
    mutations.of,
    textwrap.indent,
    inspect.getdoc,
]
NAMES = st.sampled_from(["a", "rows", "self.size", "index", '"text"', "3", "None", "é.x"])
EXPRESSIONS = st.recursive(
    NAMES,
    lambda inner: st.one_of(
        st.builds(
            "({} {} {})".format,
            inner,
            st.sampled_from(["+", "-", "%", "<", "==", "and", "or", "in"]),
            inner,
        ),
        st.builds("f({}, {})".format, inner, inner),
        st.builds("not ({})".format, inner),
        st.builds("({}).strip()".format, inner),
        st.builds("rows[{}:{}]".format, inner, inner),
        st.builds("[{} for a in {} if {}]".format, inner, inner, inner),
        st.builds('f"{{a}} {{rows + 1}} {}"'.format, st.sampled_from(["x", "é"])),
        st.builds("({} if {} else {})".format, inner, inner, inner),
    ),
    max_leaves=5,
)
STATEMENTS = st.one_of(
    st.builds("{}".format, EXPRESSIONS),
    st.builds("a = {}".format, EXPRESSIONS),
    st.builds("rows += {}".format, EXPRESSIONS),
    st.builds("return {}".format, EXPRESSIONS),
    st.builds("if {}:\n    rows.append({})\n    a = 1".format, EXPRESSIONS, EXPRESSIONS),
    st.builds(
        "for index in range({}):\n    if index:\n        continue\n    f(rows[index])".format,
        EXPRESSIONS,
    ),
    st.builds("while {}:\n    a, rows = rows, a".format, EXPRESSIONS),
)


def _is_sound(snippet: Snippet) -> None:
    found = list(mutations.of(snippet))
    assert len({one.after for one in found}) == len(found)
    for one in found:
        assert one.after != snippet.lines
        assert ast.parse(textwrap.dedent("\n".join(one.after))).body
        assert one.group in mutations.GROUPS


@pytest.mark.parametrize("thing", SOURCES, ids=lambda one: one.__qualname__)
def test_the_mutations_of_real_code_are_sound(thing: FunctionType) -> None:
    lines = tuple(inspect.getsource(thing).rstrip("\n").split("\n"))
    _is_sound(Snippet(lines))
    _is_sound(Snippet(tuple("    " + line if line else line for line in lines)))


@given(
    st.lists(STATEMENTS, min_size=1, max_size=3),
    st.sampled_from(["def some(self, a, rows=None):", "if True:"]),
)
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_the_mutations_of_any_code_are_sound(body: list[str], head: str) -> None:
    _is_sound(Snippet((head, *textwrap.indent("\n".join(body), "    ").split("\n"))))


@pytest.mark.parametrize("text", ["", "def f(:", "x = 1\r", "(" * 300 + ")" * 300, "\0"])
def test_what_is_no_python_has_no_mutations(text: str) -> None:
    assert not list(mutations.of(Snippet((text,))))


def test_mutations_touch_the_lines_that_are_asked_for() -> None:
    snippet = Snippet(("def f(a, b):", "    if a < b:", "        a.sort()", "    return a + b"))
    every = list(mutations.of(snippet))
    some = list(mutations.of(snippet, lines=(1, 1)))
    changed = [one for one in every if len(one.after) == 4 and one.after[1] != snippet.lines[1]]
    assert changed
    assert {one.after for one in changed} <= {one.after for one in some}
    assert not [one for one in some if len(one.after) == 4 and one.after[:3] == snippet.lines[:3]]
