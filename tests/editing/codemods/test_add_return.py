import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(x):\n    x + 1", "def f(x):\n    return x + 1"),
        ("def f(x):\n    y = x + 1", "def f(x):\n    y = x + 1\n    return y"),
        ("def f(x):\n    if x:\n        g(x)\n    return 2", "def f(x):\n    if x:\n        return g(x)\n    return 2"),
        (
            "def f(x):\n    def inner():\n        return x",
            "def f(x):\n    def inner():\n        return x\n    return inner",
        ),
        ("def f(x):\n    if x:\n        return True", "def f(x):\n    if x:\n        return True\n    return False"),
        ("def f(x):\n    sum(\n        x\n    )", "def f(x):\n    return sum(\n        x\n    )"),
        ("async def f(x):\n    await g(x)", "async def f(x):\n    return await g(x)"),
    ],
)
def test_the_likeliest_edit_puts_the_return_back(before: str, after: str) -> None:
    assert results("add_return", before)[0] == after


@pytest.mark.parametrize(
    "before",
    [
        "def f(x):\n    return x",
        "def f():\n    print(1)",
        "def f():\n    yield 1",
        "def f(x) -> None:\n    g(x)",
        'def f(x):\n    """Text."""',
        "def __init__(self):\n    self.x = 1",
        "x = 1\nx",
    ],
)
def test_nothing_is_missing(before: str) -> None:
    assert results("add_return", before) == []


def test_a_function_named_for_certain_is_the_one() -> None:
    before = "def get_a(x):\n    x\n\ndef get_b(x):\n    x"
    assert results("add_return", before, "get_b returns None")[:1] == [
        "def get_a(x):\n    x\n\ndef get_b(x):\n    return x"
    ]


def test_a_parameter_that_is_stored_may_be_returned() -> None:
    before = "def f(c, value):\n    c.x = value"
    assert f"{before}\n    return value" in results("add_return", before)


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("def run(self, rows: list[str]) -> list[str]:\n    self.seen = set(rows)", "    return rows"),
        ("def stop(self):\n    if self.calm:\n        self.wait()\n    self.kill()", "        return"),
        ("def mark(text):\n    def wrap(func):\n        func.text = text\n\n    return wrap", "        return func"),
    ],
)
def test_what_is_promised_is_returned_and_branches_leave(before: str, line: str) -> None:
    found = results("add_return", before, "mark gives None" if "mark" in before else "it goes on")
    assert any(line in after.split("\n") for after in found)


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("otherwise return an empty list", "[]"),
        ("it falls off the end, make that explicit", "None"),
        ("R1710 inconsistent-return-statements", "None"),
        ("at the end give back False", "False"),
    ],
)
def test_a_return_is_told_by_its_value(words: str, value: str) -> None:
    code = "def f(x):\n    if x:\n        return [x]"
    assert results("add_return", code, words)[0] == f"{code}\n    return {value}"


def test_a_branch_that_only_complains_may_have_to_leave() -> None:
    code = "def f(x):\n    if x is None:\n        log.error('no x')\n    x.go()"
    wanted = code.replace("    x.go", "        return\n    x.go")
    assert wanted in results("add_return", code, "it complains and still crashes with an AttributeError")


LONGEST = """def longest(words):
    best = ""
    for word in words:
        if len(word) > len(best):
            best = word"""


@pytest.mark.parametrize(
    "words", ["returns None", "it always returns None", "I get None back instead of the longest word"]
)
def test_what_a_loop_makes_and_forgets_is_returned_where_none_comes_back(words: str) -> None:
    assert results("add_return", LONGEST, words) == [LONGEST + "\n    return best"]
    assert results("add_return_type", LONGEST, words) == []
