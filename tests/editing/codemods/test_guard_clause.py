import pytest

from tests.editing.codemods.results import objection

CODE = 'def f(x):\n    """F."""\n    if x:\n        return 1\n    return x'
HEAD = 'def f(x):\n    """F."""\n'


@pytest.mark.parametrize(
    ("kind", "new", "fits"),
    [
        ("guard_clause", "    if x is None:\n        return None\n", True),
        ("guard_clause", "    if x:\n        return limit\n", True),
        ("guard_clause", "    if x:\n        return bound\n", False),
        ("guard_clause", "    if x:\n        y = 1\n", False),
        ("guard_clause", "    if x:\n        return 1\n    else:\n        return 2\n", False),
        ("guard_clause", "    return None\n", False),
        ("guard_clause", "", False),
        ("raise_if", "    if x > limit:\n        raise TooMuch(x)\n", True),
        ("raise_if", "    if x > limit:\n        return None\n", False),
        ("raise_if", "    if x > limit:\n        raise TooLittle(x)\n", False),
    ],
)
def test_a_check_comes_first_in_the_body(kind: str, new: str, fits: bool) -> None:
    after = CODE.replace(HEAD, HEAD + new)
    said = "return or raise TooMuch if x is None or above limit"
    assert (not objection(kind, CODE, after, said)) == fits
    assert objection(kind, CODE, CODE + "\n" + new.rstrip("\n"), said)
