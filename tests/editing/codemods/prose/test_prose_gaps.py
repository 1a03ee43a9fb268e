import pytest

from spark_tui.editing.codemods.replace_text import ReplaceText
from tests.editing.codemods.table import afters

CODE = 'def f(x):\n    """Load a list of rows.\n\n    {}\n    """\n    return x'


@pytest.mark.parametrize(
    ("there", "words", "wanted"),
    [
        ("Read according the given spec.", "'according the' misses a to", "Read according to the given spec."),
        ("What needs to computed later.", "typo: needs to computed", "What needs to be computed later."),
        ("It fails since it is can be slow.", 'grammar: "since it is can be"', "It fails since it can be slow."),
        ("Rows only go only once.", "docstring says only twice", "Rows go only once."),
        ("Rows attending the order.", "according to, not attending", "Rows according to the order."),
        ("It gives option to skip rows.", "it gives *an* option to skip", "It gives an option to skip rows."),
    ],
)
def test_a_small_slip_is_mended(there: str, words: str, wanted: str) -> None:
    assert CODE.format(wanted) in afters(ReplaceText(), CODE.format(there), words)


def test_what_a_docstring_says_wrongly_gets_the_article_that_fits() -> None:
    found = afters(ReplaceText(), CODE.format("Slow."), "docstring says list but it's an iterator")
    assert CODE.format("Slow.").replace("a list", "an iterator") in found
