import pytest

from tests.editing.codemods.results import results

CODE = "def f(x):\n    print(x)\n    y = g(\n        x)\n    print(y)\n    return y"
TWO = "def f_one():\n    go()\n    b = 1\n\ndef f_two():\n    go()\n    c = 2"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (CODE, "remove the prints", ["def f(x):\n    y = g(\n        x)\n    return y"]),
        (CODE, "no call to g", [CODE.replace("    y = g(\n        x)\n", "")]),
        (CODE, "drop the return", [CODE.replace("\n    return y", "")]),
        (TWO, "remove the assignment to c", [TWO.replace("\n    c = 2", "")]),
        (TWO, "remove the call of go in f_two", [TWO.replace("    go()\n    c", "    c")]),
        ("x = 1\n\ny = 2\n\nz = 3", "drop the line setting y", ["x = 1\n\nz = 3"]),
        ("if x:\n    y()", "remove y()", []),
        ("if x: y(); z()", "remove y()", []),
    ],
)
def test_statements_and_groups_of_calls_go(before: str, instruction: str, after: list[str]) -> None:
    assert results("remove_statement", before, instruction) == after


def test_what_is_selected_comes_first() -> None:
    found = results("remove_statement", TWO, "remove these", (1, 1))
    assert found[0] == TWO.replace("    go()\n", "", 1)
    assert results("remove_statement", "a()\nb()\nc()", "remove these", (0, 1))[0] == "c()"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("ENDED = {S.DONE, S.REVOKED, S.LOST}", "is revoked really an end? out with it", "ENDED = {S.DONE, S.LOST}"),
        ('x = {"a": 1, "b": 2}', 'drop "b"', 'x = {"a": 1}'),
        ("x = [\n    1,\n    big,\n]", "without big", "x = [\n    1,\n]"),
        ("class A(Base, Mixin): ...", "the Mixin can go", "class A(Base): ..."),
        ("self.xs[:] = kept", "does not support item assignment, why in place?", "self.xs = kept"),
        ("x = name.strip() + suffix", "the strip is needless", "x = name + suffix"),
        ("n = len(xs) + extra", "why the extra?", "n = len(xs)"),
    ],
)
def test_a_piece_of_a_line_may_be_what_goes(before: str, instruction: str, after: str) -> None:
    assert after in results("remove_statement", before, instruction)


def test_pieces_that_nobody_speaks_of_stay() -> None:
    assert "x = [1]" not in results("remove_statement", "x = [1, b]", "remove a()")
