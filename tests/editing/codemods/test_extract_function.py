from textwrap import indent

import pytest

from spark_tui.editing.codemods.extract_function import ExtractFunction
from tests.editing.codemods.table import afters


def function(head: str, body: str) -> str:
    return f"def {head}:\n" + indent(body, "    ")


LOOP = "total = 0\nfor item in items:\n    total += item\n"


@pytest.mark.parametrize(
    ("body", "selected", "helper", "call"),
    [
        ("x = a\nprint(x)\n", (2, 2), ("(x)", "print(x)"), "x = a\nnew_one(x)\n"),
        (
            "x = a\ny = x + b\nreturn y\n",
            (1, 2),
            ("(a, b)", "x = a\ny = x + b\nreturn y"),
            "y = new_one(a, b)\nreturn y\n",
        ),
        (
            "if a:\n    b = 1\nreturn b\n",
            (1, 2),
            ("(a, b)", "if a:\n    b = 1\nreturn b"),
            "b = new_one(a, b)\nreturn b\n",
        ),
        (
            "for i in a:\n    # why\n    print(i)\nreturn a\n",
            (1, 1),
            ("(a)", "for i in a:\n    # why\n    print(i)"),
            "new_one(a)\nreturn a\n",
        ),
        (
            "n = 0\nfor i in a:\n    n += i\n    b.add(n)\n",
            (3, 4),
            ("(b, n, i)", "n += i\nb.add(n)\nreturn n"),
            "n = 0\nfor i in a:\n    n = new_one(b, n, i)\n",
        ),
    ],
)
def test_selected_lines_move(body: str, selected: tuple[int, int], helper: tuple[str, str], call: str) -> None:
    after = function(f"new_one{helper[0]}", helper[1]) + "\n\n\n" + function("f(a, b)", call).strip()
    assert afters(ExtractFunction(), function("f(a, b)", body), "extract new_one", selected) == [after]


def test_a_method_gets_a_method_and_awaits_it() -> None:
    before = '    @cache\n    async def f(self):\n        """Doc."""\n        x = await self.g()\n        return x'
    helper = "    async def new_one(self):\n        x = await self.g()\n        return x\n\n"
    after = helper + before.replace("await self.g()", "await self.new_one()")
    assert afters(ExtractFunction(), before, "to new_one", (3, 3)) == [after]


def test_a_block_is_told_by_its_sort() -> None:
    before = function("f(items)", f"{LOOP}if total:\n    print(total)\n    print(items)\nreturn total")
    first = afters(ExtractFunction(), before, "move the loop into add_up")[0]
    assert first.startswith(
        "def add_up(items, total):\n    for item in items:\n        total += item\n    return total\n\n\n"
    )
    assert "total = add_up(items, total)" in first


@pytest.mark.parametrize(
    ("body", "selected"),
    [
        ("x = a\nreturn x", (2, 2)),
        ("for i in a:\n    if i:\n        break\n", (2, 3)),
        ("x = a\nyield x\nprint(b)", (1, 2)),
        ("if a:\n    x = 1\nreturn x", (1, 2)),
        ("try:\n    x = a()\n    b()\nexcept E:\n    x = None\nfinally:\n    b(x)", (2, 2)),
        ("if a:\n    x = '''\n'''\nreturn b", (2, 3)),
        ("global x\nx = a\nreturn b", (1, 2)),
        ("x = locals()\nreturn x", (1, 1)),
        ("print(a)", (1, 1)),
    ],
)
def test_what_leaves_the_lines_or_cannot_be_sure_stays(body: str, selected: tuple[int, int]) -> None:
    assert afters(ExtractFunction(), function("f(a, b)", body), "to new_one", selected) == []
