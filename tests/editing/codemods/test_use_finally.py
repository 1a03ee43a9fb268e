import pytest

from spark_tui.editing.codemods.use_finally import UseFinally
from tests.editing.codemods.table import afters


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "def f(s):\n    s.p = True\n    yield\n    s.p = False",
            ["def f(s):\n    s.p = True\n    try:\n        yield\n    finally:\n        s.p = False"],
        ),
        (
            "def f():\n    x = g()\n    h()\n\n    #\n    x.close()\n    return 1",
            ["def f():\n    x = g()\n    try:\n        h()\n    finally:\n        #\n        x.close()\n    return 1"],
        ),
        (
            "def f():\n    a.b.acquire()\n    c()\n    d()\n    a.b.release()",
            ["def f():\n    a.b.acquire()\n    try:\n        c()\n        d()\n    finally:\n        a.b.release()"],
        ),
        (
            "def f():\n    try:\n        a()\n    except E:\n        b()\n    c.close()",
            ["def f():\n    try:\n        a()\n    except E:\n        b()\n    finally:\n        c.close()"],
        ),
        (
            "def f():\n    old = cwd()\n    chdir(d)\n    a()\n    chdir(old)",
            ["def f():\n    old = cwd()\n    chdir(d)\n    try:\n        a()\n    finally:\n        chdir(old)"],
        ),
        ("def f():\n    a()\n    b()", []),
        ("def f():\n    x = g()\n    x.close()", []),
        ("def f():\n    x = g()\n    '''\n    '''.h()\n    x.close()", []),
        ("def f():\n    x = 1\n    y = 2\n    x.y = 3", []),
    ],
)
def test_clean_up_moves_into_a_finally(before: str, after: list[str]) -> None:
    assert afters(UseFinally(), before) == after


def test_what_is_selected_moves() -> None:
    before = "def f():\n    a()\n    b()"
    assert afters(UseFinally(), before, "also on errors", (2, 2)) == [
        "def f():\n    try:\n        a()\n    finally:\n        b()"
    ]
