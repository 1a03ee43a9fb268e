import pytest

from tests.editing.codemods.results import objection

CODE = "def f(x):\n    y = x\n    return y"


@pytest.mark.parametrize(
    ("after", "fits"),
    [
        ("def f(x):\n    y = x\n    log(y, 1)\n    return y", True),
        ("def f(x):\n    log( y, 1 )\n    y = x\n    return y", True),
        (CODE, False),
        ("def f(x):\n    y = x\n    log(y, 2)\n    return y", False),
        ("def f(x):\n    y = x\nlog(y, 1)\n    return y", False),
        ("def f(x):\n    y = x\n        log(y, 1)\n    return y", False),
        ("def f(x):\n    y = 2\n    log(y, 1)\n    return y", False),
    ],
)
def test_only_the_line_told_is_added(after: str, fits: bool) -> None:
    assert (not objection("insert_line", CODE, after, "add log(y, 1) after y = x")) == fits
