import pytest

from spark_tui.editing.codemods.remove_prints import RemovePrints
from tests.editing.codemods.tables import listed

PAIRS = [
    ("a()\nprint(x)\nb()", "a()\nb()"),
    ("def f():\n    print(1)", "def f():\n    pass"),
    ("def f():\n    print(1)\n    print(2)", "def f():\n    pass"),
    ("a()\nif debug:\n    print(1)\nb()", "a()\nb()"),
    ("a()\nfor x in y:\n    print(x)", "a()\nfor x in y:\n    pass"),
    ("a()\nimport pdb; pdb.set_trace()\nb()", "a()\nb()"),
    ("a()\nprint(\n    x,\n)\nb()", "a()\nb()"),
    ("a()\n\nbreakpoint()\n\nb()", "a()\n\nb()"),
]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_prints_and_breakpoints_go(before: str, after: str) -> None:
    assert listed(RemovePrints(), before)[0] == after


@pytest.mark.parametrize("before", ["x = print(1)", "a = 1; print(a)", "if x(): print(1)", "log.info(1)"])
def test_what_cannot_go_by_lines_stays(before: str) -> None:
    assert listed(RemovePrints(), before) == []


def test_the_words_say_which() -> None:
    before = "a()\nprint(x)\nprint(long_name)\nbreakpoint()"
    assert len(listed(RemovePrints(), before)) == 5
    assert listed(RemovePrints(), before, "drop the breakpoint") == ["a()\nprint(x)\nprint(long_name)"]
    assert listed(RemovePrints(), before, "remove print(long_name)") == ["a()\nprint(x)\nbreakpoint()"]
    assert listed(RemovePrints(), before, "remove it", (1, 1)) == ["a()\nprint(long_name)\nbreakpoint()"]
