import pytest

from spark_tui.editing.codemods.dead_code import DeadCode
from tests.editing.codemods.tables import listed

PAIRS = [
    ("def f():\n    return 1\n    x = 2\n    y()", "def f():\n    return 1"),
    ("if a:\n    exit()\nelse:\n    raise E\ny()", "if a:\n    exit()\nelse:\n    raise E"),
    ("def f():\n    sys.exit(1)\n\n    y()\n\nz = 1", "def f():\n    sys.exit(1)\n\nz = 1"),
    ('def f():\n    """Doc."""\n    pass', 'def f():\n    """Doc."""'),
    ("a()\n# x = compute(1)\n# see (below)\nb()", "a()\n# see (below)\nb()"),
    ("a()\n# if x:\n#     go()\nb()", "a()\nb()"),
    ("a()\nif False:\n    b()\nc()", "a()\nc()"),
    ("if True:\n    b()\nelse:\n    c()", "b()"),
    ("def f():\n    while False:\n        b()", "def f():\n    pass"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_what_never_runs_goes(before: str, after: str) -> None:
    assert listed(DeadCode(), before)[0] == after


@pytest.mark.parametrize(
    "before",
    ["def f():\n    return\n    yield", "def f():\n    pass", "a()\n# Note: this\n# not found\n# type: ignore\nb()"],
)
def test_live_code_and_prose_stay(before: str) -> None:
    assert listed(DeadCode(), before) == []


def test_the_sort_that_is_named_is_the_only_one_listed() -> None:
    before = "def f():\n    pass\n    # a = 1\n    return 1\n    b()"
    assert listed(DeadCode(), before, "drop the commented-out code") == ["def f():\n    pass\n    return 1\n    b()"]
    assert len(listed(DeadCode(), before)) == 4
