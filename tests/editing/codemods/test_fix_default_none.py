from textwrap import indent

import pytest

from tests.editing.codemods.results import results


def test_a_parameter_gets_a_default_or_a_check() -> None:
    assert results("fix_default_none", "def f(x=None):\n    x.append(1)") == [
        "def f(x=None):\n    if x is None:\n        x = []\n    x.append(1)",
        "def f(x=None):\n    x = x or []\n    x.append(1)",
        "def f(x=None):\n    if x is None:\n        return\n    x.append(1)",
        'def f(x=None):\n    if x is None:\n        raise ValueError("x must not be None")\n    x.append(1)',
        "def f(x=None):\n    if x is not None:\n        x.append(1)",
    ]


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("m = g()\nreturn m.a", "m = g()\nif m is None:\n    return None\nreturn m.a"),
        ("m = g()\nfor x in m:\n    h(x)", "m = g() or []\nfor x in m:\n    h(x)"),
        (
            "for x in xs:\n    m = g(x)\n    h(m.a)",
            "for x in xs:\n    m = g(x)\n    if m is None:\n        continue\n    h(m.a)",
        ),
    ],
)
def test_a_result_is_checked_where_it_is_set(body: str, after: str) -> None:
    def function(text: str) -> str:
        return "def f(xs):\n" + indent(text, "    ")

    assert function(after) in results("fix_default_none", function(body))


@pytest.mark.parametrize(
    "before",
    [
        "def f(x=None):\n    if x is None:\n        x = []\n    x.append(1)",
        "def f(x=None):\n    return g(x)",
        "def f(x=None):\n    return x and x.a",
        "def f():\n    m = Match()\n    return m.a",
        "def f(x=1):\n    return x.a",
    ],
)
def test_nothing_is_unchecked(before: str) -> None:
    assert results("fix_default_none", before) == []


def test_the_request_tells_the_name_and_the_value() -> None:
    before = "def f(x=None, y=None):\n    return x.a, y[0]"
    found = results("fix_default_none", before, "TypeError: 'NoneType' object is not subscriptable, default to 7")
    assert found[1].split("\n")[1] == "    y = y or []"
    assert "def f(x=None, y=None):\n    if y is None:\n        y = 7\n    return x.a, y[0]" in found
    assert not any("if x" in one for one in found)


TOLD = """\
def show(self, title, size):
    name = self.config.get("name")
    owner = find_owner(title)
    for row in self.rows:
        self.writer.put(row)
    print(title, name, size, self.encoding)
    owner.tell()"""
AFTER_NAME = '.get("name")\n'


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        (
            "title can be None: use 'untitled'",
            "size):\n",
            'size):\n    if title is None:\n        title = "untitled"\n',
        ),
        ("title can be None: use 'untitled'", "size):\n", 'size):\n    title = title or "untitled"\n'),
        ("a missing size should count as 1", "size):\n", "size):\n    if size is None:\n        size = 1\n"),
        ("None for size means os.cpu_count()", "size):\n", "size):\n    size = size or os.cpu_count()\n"),
        ("encoding is None on windows, fall back to utf-8", "self.encoding", 'self.encoding or "utf-8"'),
        ("no name? take the title", '"name")', '"name", title)'),
        ("no name? take the title", AFTER_NAME, f"{AFTER_NAME}    if name is None:\n        name = title\n"),
        ("if name is empty use the title", AFTER_NAME, f"{AFTER_NAME}    if not name:\n        name = title\n"),
        ("size may be None, treat that as mth.inf", "size):\n", "size):\n    size = size or math.inf\n"),
        ("owner may be None, don't tell it then", "    owner.t", "    if owner is not None:\n        owner.t"),
        ("skip telling when there is no owner", "    owner.t", "    if owner is None:\n        return\n    owner.t"),
        ("a size of None means wait forever, i.e. math.inf", "size):\n", "size):\n    size = size or math.inf\n"),
        (
            "don't put the rows when writer is None",
            "    for row in self.rows:\n        self.",
            "    if self.writer is not None:\n        for row in self.rows:\n            self.",
        ),
    ],
)
def test_the_words_tell_what_a_value_that_may_be_missing_becomes(words: str, old: str, new: str) -> None:
    assert TOLD.replace(old, new) in results("fix_default_none", TOLD, words)


def test_the_usual_value_is_returned_in_the_place_of_none() -> None:
    before = (
        "def of(self, key):\n    for name, one in self.all:\n        if name == key: return one\n    return self.main"
    )
    words = "AttributeError: 'NoneType' object has no attribute 'run': one set to None means the default"
    assert before.replace("return one", "return one or self.main") in results("fix_default_none", before, words)


def test_a_condition_looks_at_the_value_before_it_reads_something_of_it() -> None:
    before = "def f(user, n):\n    if user.active and n:\n        user.tell()"
    after = before.replace("if user", "if user is not None and user")
    assert after in results("fix_default_none", before, "user may be None, don't tell it then")


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("r += m.group(1)", 'can only concatenate str (not "NoneType") to str', 'r += m.group(1) or ""'),
        (
            "def f(a=None):\n    self.a = a",
            "argument after * must be an iterable, not NoneType",
            "    self.a = a or ()",
        ),
        ("x = a + b", "unsupported operand type(s) for +: 'int' and 'NoneType'", "x = a + (b or 0)"),
    ],
)
def test_none_gives_way_to_what_python_wanted(before: str, instruction: str, after: str) -> None:
    assert any(after in one.split("\n") for one in results("fix_default_none", before, instruction))
