from textwrap import indent

import pytest

from spark_tui.editing.codemods.extract_variable import ExtractVariable
from tests.editing.codemods.table import afters


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("f(len(x) - 1)", "extract len(x) - 1 into last", "last = len(x) - 1\nf(last)"),
        ("if g(a.b) > a.b:\n    pass", "call a.b size", "size = a.b\nif g(size) > size:\n    pass"),
        ("y = (a + b) * (a + b)", "put a+b in a variable total", "total = a + b\ny = total * total"),
        ("for i in load_rows(x):\n    pass", "name load_rows(x)", "rows = load_rows(x)\nfor i in rows:\n    pass"),
        ("f(\n    h(1),\n    x,\n)", "introduce `one` for h(1)", "one = h(1)\nf(\n    one,\n    x,\n)"),
        ("return open(p).read()", "keep the result of open in handle", "handle = open(p)\nreturn handle.read()"),
        ("x = a and b(a)", "name b(a) later", "later = b(a)\nx = a and later"),
        ("x = [c for c in d()]", "extract d() to found", "found = d()\nx = [c for c in found]"),
    ],
)
def test_what_is_told_comes_first(before: str, instruction: str, after: str) -> None:
    before, after = ("def k():\n" + indent(one, "    ") for one in (before, after))
    assert afters(ExtractVariable(), before, instruction)[:1] == [after]


@pytest.mark.parametrize(
    "before",
    [
        "while f(x):\n    pass",
        "g(x)",
        "y = g(x)",
        "y = a and f(x)",
        "y = [f(x) for x in z]",
        "x = f'{g(x)}'",
        "x: f(x)",
    ],
)
def test_what_cannot_be_evaluated_before_or_is_no_part_stays(before: str) -> None:
    assert afters(ExtractVariable(), before, "extract it into found_it") == []


def test_nobody_means_a_branch_that_may_not_be_reached() -> None:
    assert afters(ExtractVariable(), "if a:\n    pass\nelif f(x) > 1:\n    pass", "into found_it") == []


LOOP = """\
def copy(self, names, row):
    for name in names:
        if name in row.__dict__:
            self.out[name] = row.__dict__[name]
    return self.conf.size + len(self.conf.parts)"""


@pytest.mark.parametrize(
    ("words", "start", "line", "source", "name"),
    [
        (
            "row.__dict__ all over the loop, bind it to attrs once",
            1,
            "    attrs = row.__dict__",
            "row.__dict__",
            "attrs",
        ),
        ("pull self.conf into a local `conf`, it is there twice", 4, "    conf = self.conf", "self.conf", "conf"),
        ("why self.conf twice? a local", 4, "    conf = self.conf", "self.conf", "conf"),
    ],
)
def test_what_several_statements_use_is_bound_once(words: str, start: int, line: str, source: str, name: str) -> None:
    lines = [one.replace(source, name) for one in LOOP.split("\n")]
    assert "\n".join([*lines[:start], line, *lines[start:]]) in afters(ExtractVariable(), LOOP, words)[:2]


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("return f(MODES[i], x)", "MODES[i] -> mode = MODES[i] on its own line", "mode = MODES[i]\nreturn f(mode, x)"),
        ("f(a[:4], a[4:])", "a local salt_size for the 4s", "salt_size = 4\nf(a[:salt_size], a[salt_size:])"),
        ("if a:\n    raise E('no')", "EM101 message in a variable first", "if a:\n    msg = 'no'\n    raise E(msg)"),
        ("return g(peer[0], 1)", "unpack peer to host, *_ instead", "host, *_ = peer\nreturn g(host, 1)"),
        ("if t.exc() is None:\n    pass\nf(t.exc())", "t.exc() is called twice, keep it in err",
         "err = t.exc()\nif err is None:\n    pass\nf(err)"),
    ],
)  # fmt: skip
def test_a_name_is_told_in_full(before: str, instruction: str, after: str) -> None:
    before, after = ("def k():\n" + indent(one, "    ") for one in (before, after))
    assert afters(ExtractVariable(), before, instruction)[0] == after
