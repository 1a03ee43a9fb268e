import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("if rows:\n    run()", "test rows against None", "if rows is not None:"),
        ("if not self._rows:\n    run()", "compare with None", "if self._rows is None:"),
        ("if rows is None:\n    run()", "empty rows count as none, too", "if not rows:"),
        ("if rows is None or big(rows):\n    run()", "empty rows run, too", "if not rows or big(rows):"),
        ("if n is not None and n != 0:\n    run()", "just test n for truth", "if n:"),
        ("size = n or 3", "n=0 is fine, only None is not", "size = n if n is not None else 3"),
        ("size = n or f()", "a zero is fine, only None is not", "size = f() if n is None else n"),
        ("size = n if n is not None else 3", "`or` is enough", "size = n or 3"),
    ],
)
def test_truth_and_none_take_each_others_place(before: str, instruction: str, after: str) -> None:
    found = results("fix_condition", before, instruction)
    assert any(after in one.split("\n") for one in found)


def test_nothing_is_tested_against_none_unasked() -> None:
    assert not any(
        "None" in one for one in results("fix_condition", "if rows:\n    run()", "the condition is inverted")
    )
