import pytest

from tests.editing.codemods.results import results

PLAIN = "def f(x):\n    if x:\n        return 1\n    else:\n        x += 1\n        return x"
PARTED = "if a:\n    return 1\nif b:\n    raise c\nd()"
CHAIN = "if a:\n    return 1\nelif b:\n    raise c\nelse:\n    d()"
LOOP = "for a in b:\n    c(a)\nelse:\n    d()"
BOTH = "for a in b:\n    if a:\n        continue\n    else:\n        d()\nif b:\n    raise c\nelse:\n    e()"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (PLAIN, "", ["def f(x):\n    if x:\n        return 1\n    x += 1\n    return x"]),
        (CHAIN, "no else", ["if a:\n    return 1\nelif b:\n    raise c\nd()"]),
        (CHAIN, "elif after return", [PARTED, CHAIN.replace("else:\n    d()", "d()"), CHAIN.replace("elif", "if")]),
        (LOOP, "", ["for a in b:\n    c(a)\nd()"]),
        (BOTH, "else after raise", [BOTH.replace("else:\n    e()", "e()")]),
        (LOOP.replace("c(a)", "break"), "", []),
        (PLAIN.replace("return 1", "x -= 1"), "", []),
        (PLAIN.replace("else:", "else:  # why"), "", []),
        (PLAIN.replace("x += 1", 'x = """\n"""'), "", []),
    ],
)
def test_an_else_goes_when_what_is_before_it_leaves(before: str, instruction: str, after: list[str]) -> None:
    found = results("remove_else", before, instruction)
    assert set(found) == set(after)
    assert found[:1] == after[:1]


def test_a_selection_says_which_else() -> None:
    assert results("remove_else", BOTH, "drop this", (3, 4)) == [BOTH.replace("    else:\n        d()", "    d()")]


def test_an_else_that_does_nothing_is_the_useless_one() -> None:
    code = "if a:\n    b = 1\nelse:\n    b = 2\nif b:\n    c = 1\nelse:\n    c = c"
    assert results("remove_else", code, "drop the useless else") == [code.removesuffix("\nelse:\n    c = c")]
