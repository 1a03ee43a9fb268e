import pytest

from tests.editing.codemods.results import objection

CODE = "def f(x):\n    y = x\n    return y"


@pytest.mark.parametrize(
    ("after", "fits"),
    [
        ("def f(x):\n    y = x\n    y.append(len(rows))\n    return y", True),
        ("def f(x):\n    y = x\n    return y\n    y += 1", True),
        (CODE, False),
        ("def f(x):\n    y = x\n    y.append(things)\n    return y", False),
        ("def f(x):\n    y = x\n    y\n    return y", False),
        ("def f(x):\n    y = x\n    y += 1\n    return x", False),
        ("def f(x):\n    y = x\n    # y\n    return y", False),
        ("def f(x):\n    y = x\n    y += 1\n    y += 1\n    return y", False),
    ],
)
def test_one_statement_of_known_names_is_added(after: str, fits: bool) -> None:
    assert (not objection("add_statement", CODE, after, "append the length of rows to y")) == fits
