"""What more of an instruction the lists take up than the kind by itself would."""

import pytest

from tests.editing.codemods.results import objection, results


@pytest.mark.parametrize(
    ("kind", "words", "old", "new"),
    [
        ("off_by_one", "the bound counts too", "if 0 <= x < (a + b):\n    go()", "if 0 <= x <= (a + b):\n    go()"),
        ("off_by_one", "stops one too late", "if idx == most:\n    stop()", "if idx == most - 1:\n    stop()"),
        ("fstring", "f-string please", 'x = "%s" % f(\n    1\n)', 'x = f"{f(1)}"'),
        ("fstring", "show the name with !r", 'print(f"no {name}, {1 + 1}")', 'print(f"no {name!r}, {1 + 1}")'),
        ("fstring", "!r not str()", 'print(f"no {str(name)}")', 'print(f"no {name!r}")'),
        (
            "remove_else",
            "else after the return in the except",
            "def f():\n    try:\n        go()\n    except OSError:\n        return\n    else:\n        stay()",
            "def f():\n    try:\n        go()\n    except OSError:\n        return\n    stay()",
        ),
        (
            "add_parameter",
            "add an argument sep: str = ';' and use it in the join",
            'def f(rows):\n    """Join by ;."""\n    return ";".join(rows)',
            'def f(rows, sep: str = \';\'):\n    """Join by ;."""\n    return sep.join(rows)',
        ),
        ("complete_hints", "int in, str out", "def f(a): ...", "def f(a: int) -> str: ..."),
        (
            "complete_hints",
            "give a and b the type np.array",
            "def f(a, b): ...",
            "def f(a: np.array, b: np.array): ...",
        ),
        ("complete_hints", "a is Any, b Path, returns bool", "def f(a, b): ...", "def f(a: Any, b: Path) -> bool: ..."),
        ("rename", "drop the underscore of _n", "_n = 1\nprint(_n)", "n = 1\nprint(n)"),
        (
            "add_docstring",
            "add a line 'Never None.' to the docstring",
            'def f(x):\n    """Double x.\n    """\n    return 2 * x',
            'def f(x):\n    """Double x.\n    Never None.\n    """\n    return 2 * x',
        ),
        (
            "add_docstring",
            "say in the docs what comes back:\n\nReturns twice x.",
            'def f(x):\n    """Double x."""\n    return 2 * x',
            'def f(x):\n    """Double x.\n\n    Returns twice x.\n    """\n    return 2 * x',
        ),
    ],
)
def test_it_is_listed(kind: str, words: str, old: str, new: str) -> None:
    assert new in results(kind, old, words)
    assert not objection(kind, old, new, words)


@pytest.mark.parametrize(
    ("kind", "words", "code"),
    [
        ("remove_else", "no else", "try:\n    go()\nexcept OSError:\n    stop()\nelse:\n    stay()"),
        ("fstring", "use !r", 'print(f"{{name}} {name:>3}")'),
    ],
)
def test_what_would_not_be_the_same_is_not(kind: str, words: str, code: str) -> None:
    assert results(kind, code, words) == []


def test_the_default_of_a_new_parameter_stays_where_it_stands_unless_it_is_to_be_used() -> None:
    code = 'def f(rows):\n    return ";".join(rows)'
    assert results("add_parameter", code, "add an argument sep: str = ';'") == [
        code.replace("rows)", "rows, sep: str = ';')", 1)
    ]
