import pytest

from tests.editing.codemods.results import results

CODE = "def load(self, path, n=1, *rest):"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (CODE, "path is a list of strings", ["def load(self, path: list[str], n=1, *rest):"]),
        (CODE, "annotate `n` as float | None", ["def load(self, path, n: float | None = 1, *rest):"]),
        (CODE, "rest: either str or Path", ["def load(self, path, n=1, *rest: str | Path):"]),
        (CODE, "missing type hints", ["def load(self, path, n: int = 1, *rest):"]),
        (CODE, "ANN001 missing type for path", []),
        ("def f(x: int):", "x is a dict mapping str to int", ["def f(x: dict[str, int]):"]),
        ("x = 1", "x is an int", []),
    ],
)
def test_parameters_get_the_type_told_or_that_of_the_default(before: str, instruction: str, after: list[str]) -> None:
    found = results("add_parameter_type", before + "\n    pass" * before.endswith(":"), instruction)
    assert [one.split("\n", 1)[0] for one in found] == after


def test_a_type_that_is_optional_gets_no_none_besides() -> None:
    found = results("add_parameter_type", "def f(size=None):\n    return size", "size should be Optional[int]")
    assert "def f(size: Optional[int] = None):\n    return size" in found
    assert not any("| None" in one for one in found)
