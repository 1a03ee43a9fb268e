"""Places that are like the lines of a change, and changes that are alike."""

import re
from collections.abc import Mapping, Sequence

import pytest

from spark_tui.context.likeness import (
    LikePlace,
    change_likeness,
    like_places,
    renames_local,
)
from spark_tui.context.regions import Region
from spark_tui.context.search_index import SearchIndex
from tests.fakes import returned

LOAD = 'def load(path):\n    print("load", path)\n    return open(path).read()\n'
SAVE = 'def save(path):\n    print("save", path)\n    return 1\n'
AREA = "def area(w, h):\n    return w * h\n"


def places(files: Mapping[str, str], lines: Sequence[str]) -> list[LikePlace]:
    """The places like some lines, of which the first function of a.py had the change."""
    data = {path: text.encode() for path, text in files.items()}

    def size(path: str) -> int:
        return len(data[path])

    index = SearchIndex(tuple(files), data.__getitem__, size)
    edited = Region("a.py", 1, 3, "load", None, "")
    return returned(like_places(lines, edited, index))


def test_the_likest_function_of_any_file_comes_first_and_the_changed_one_is_left_out() -> None:
    files = {"a.py": f"{LOAD}\n\n{AREA}", "b/c.py": SAVE}
    found = places(files, ['    print("load", path)'])
    assert [place.region.symbol for place in found] == ["save", "area"]
    assert found[0].likeness > 0.5 > found[1].likeness


def test_a_place_that_holds_the_very_lines_is_as_like_as_can_be() -> None:
    files = {"a.py": LOAD, "b.py": LOAD.replace("def load", "def read")}
    assert places(files, ['    print("load", path)'])[0].likeness == pytest.approx(1.0)


def test_without_lines_no_place_is_like_them() -> None:
    assert places({"a.py": f"{LOAD}\n\n{SAVE}"}, ["", "  "]) == []


@pytest.mark.parametrize(
    ("before", "after", "other", "other_after", "low", "high"),
    [
        ("if a == None:", "if a is None:", "while b == None:", "while b is None:", 1.0, 1.0),
        ("f(x)", "f(x, 1)", "g(y, z)", "g(y, z, 1)", 1.0, 1.0),
        ("list(x)", "sorted(x)", "len(x)", "sorted(x)", 0.0, 0.0),
        ("f(x)", "f(x, 1)", "f(x)", "f(x, key)", 0.4, 0.6),
        ("f(x)", "f(x)", "f(x)", "f(x)", 0.0, 0.0),
    ],
)
def test_changes_are_alike_by_what_goes_and_what_comes(
    before: str, after: str, other: str, other_after: str, low: float, high: float
) -> None:
    assert low <= change_likeness([before], [after], ([other], [other_after])) <= high


@pytest.mark.parametrize(
    ("before", "name", "new"),
    [
        ("def f(a):\n    res = 0\n    res += a\n    return res", "res", "total"),
        ("def f(a):\n    for x in a:\n        g(x)", "x", "row"),
        ("def f(a):\n    with open(a) as f1:\n        g(f1)", "f1", "file"),
        ("func f() {\n\td, err := g()\n\treturn h(d), err\n}", "d", "data"),
        ("func f() {\n\tfor i, m := range a {\n\t\tg(m)\n\t}\n}", "m", "message"),
        ("void f() {\n    struct image *p = g();\n    p->w = 1;\n}", "p", "copy"),
        ("f() {\n  const tmp: string = g();\n  return tmp;\n}", "tmp", "token"),
        ("f() {\n  for (const r of rows) {\n    g(r);\n  }\n}", "r", "row"),
        ("void f() {\n    for (String s : all) {\n        g(s);\n    }\n}", "s", "line"),
    ],
)
def test_another_name_for_a_local_is_known_in_many_languages(
    before: str, name: str, new: str
) -> None:
    after = re.sub(rf"\b{name}\b", new, before)
    assert renames_local(before.split("\n"), after.split("\n"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a):\n    res = 0\n    return res", "def f(a):\n    total = 0\n    return res"),
        ("def f(a):\n    res = g(a)\n    return res", "def f(a):\n    res = h(a)\n    return res"),
        ("def f(a):\n    if a == None:\n        g()", "def f(a):\n    if a == 0:\n        g()"),
        ("def f(a):\n    a.x = 1", "def f(a):\n    a.y = 1"),
        ("def f(a):\n    g(a, x=1)", "def f(a):\n    g(a, y=1)"),
        ("f() {\n  var a = 1;\n}", "f() {\n  const a = 1;\n}"),
        ("f() {\n  int a = 1;\n}", "f() {\n  long a = 1;\n}"),
        ("def f():\n    raise Exception('x')", "def f():\n    raise ValueError('x')"),
        ("MOST = 1", "LIMIT = 1"),
        ("def f():\n    a = 1", "def f():\n    a = 1"),
    ],
)
def test_a_change_of_anything_else_renames_no_local(before: str, after: str) -> None:
    assert not renames_local(before.split("\n"), after.split("\n"))
