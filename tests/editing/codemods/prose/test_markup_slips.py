import pytest

from spark_tui.editing.codemods.replace_text import ReplaceText
from tests.editing.codemods.table import afters

CODE = 'def f(x):\n    """Load rows.\n\n    {}\n    """\n    return x'


@pytest.mark.parametrize(
    ("there", "words", "wanted"),
    [
        (".. versionadded: 1.2", "typo in the docstring, should be versionadded::", ".. versionadded:: 1.2"),
        ("..note:: slow", "the directive lacks a space after the dots", ".. note:: slow"),
        ("Gives :class:`str'. Or not.", "mismatched quote in the docstring", "Gives :class:`str`. Or not."),
        ("Goes to``x`` only.", "a space is missing in the docstring", "Goes to ``x`` only."),
        ("Like `x` .", "stray space before the period in the docs", "Like `x`."),
        ("One \u2014 or two.", "plain hyphens in the docstring please", "One -- or two."),
        ("Use \u201cx\u201d.", "straight quotes", 'Use "x".'),
    ],
)
def test_markup_is_mended(there: str, words: str, wanted: str) -> None:
    assert CODE.format(wanted) in afters(ReplaceText(), CODE.format(there), words)


def test_an_empty_prompt_goes_with_its_line() -> None:
    before = CODE.format(">>> f(1)\n    1\n    >>> ")
    found = afters(ReplaceText(), before, "take out the empty doctest prompt")
    assert CODE.format(">>> f(1)\n    1") in found
