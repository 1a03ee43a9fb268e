import pytest

from spark_tui.editing.codemods.use_with import UseWith
from tests.editing.codemods.pairs import listed

DONE = "n = 1\nwith open(p) as f:\n    x = f.read()"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("n = 1\nf = open(p)\nx = f.read()\nf.close()", DONE),
        ("n = 1\nf = open(p)\ntry:\n    x = f.read()\nfinally:\n    f.close()", DONE),
        ("n = 1\nx = open(p).read()", DONE),
        ("if a:\n  f = open(p)\n  x = f.read()\n  g(x)", "if a:\n  with open(p) as f:\n    x = f.read()\n  g(x)"),
        ("for a in open(p):\n    g(a)", "with open(p) as f:\n    for a in f:\n        g(a)"),
        ("x = json.load(open(p))", "with open(p) as f:\n    x = json.load(f)"),
        ("self.lock.acquire()\ntry:\n    g()\nfinally:\n    self.lock.release()", "with self.lock:\n    g()"),
        ("lock.acquire()\ng()\n\nh()\nlock.release()\nk()", "with lock:\n    g()\n\n    h()\nk()"),
    ],
)  # fmt: skip
def test_one_place(before: str, after: str) -> None:
    assert listed(UseWith(), before) == [after]


@pytest.mark.parametrize(
    "before",
    [
        "f = open(p)\nx = f.read()\nf.close()\nprint(f.name)",
        "def g():\n    f = open(p)\n    return f",
        "f = open(p)\ntry:\n    g(f)\nexcept E:\n    pass\nfinally:\n    f.close()",
        "f = open(p)\ns = '''\n'''\nf.close()",
        "with open(p) as f:\n    f.read()",
        "c = connect(p)\nc.run()\nc.close()",
    ],
)
def test_nothing(before: str) -> None:
    assert listed(UseWith(), before) == []
