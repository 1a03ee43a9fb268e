import pytest

from spark_tui.editing.codemods.texts.texts_missing import texts_missing
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("raise ValueError", 'give it "no rows"', 'raise ValueError("no rows")'),
        ("raise ValueError()", "it should say 'no rows'", 'raise ValueError("no rows")'),
        ("raise errors.Gone", 'pass f"no {name}"', 'raise errors.Gone(f"no {name}")'),
        ("assert rows", 'let it say "no rows in {path}"', 'assert rows, f"no rows in {path}"'),
    ],
)
def test_an_error_without_a_text_gets_the_one_told(before: str, instruction: str, after: str) -> None:
    assert after in results("change_message", before, instruction)


def test_an_error_that_is_passed_on_gets_no_text() -> None:
    assert list(texts_missing(Snippet(("raise error",)), 'say "no rows"')) == []


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("assert rows in (\n    1,\n)", "the assert should show rows", "assert rows in (\n    1,\n), rows"),
        ("raise Gone()", "it should tell the class, type(self).__name__ is enough", "raise Gone(type(self).__name__)"),
        ("assert m in x", "also says f\"unexpected {m['t']}\"", "assert m in x, f\"unexpected {m['t']}\""),
    ],
)
def test_an_error_or_an_assert_shows_the_value_that_is_told(before: str, instruction: str, after: str) -> None:
    assert after in results("change_message", before, instruction)
