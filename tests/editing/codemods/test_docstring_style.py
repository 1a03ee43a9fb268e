import pytest

from spark_tui.editing.codemods.docstring_style import DocstringStyle
from tests.editing.codemods.tables import listed

PAIRS = [
    ('"""Do it"""', "end it with a period", '"""Do it."""'),
    ('"""Do it\n\n    More\n    """', "D400", '"""Do it.\n\n    More\n    """'),
    ('"""do it."""', "capital letter please", '"""Do it."""'),
    ("'''Do it.'''", "triple double quotes", '"""Do it."""'),
    ('"""\n    Do it.\n    """', "put it on one line", '"""Do it."""'),
    ('"""Returns it."""', "imperative mood", '"""Return it."""'),
    ('"""Do it.\n    More.\n    """', "D205", '"""Do it.\n\n    More.\n    """'),
    ('""" Do it. """', "D210 no whitespace", '"""Do it."""'),
    ('""" Do it. """', "the docstring is padded", '"""Do it."""'),
    ("'''do it'''", "fix the docstring style", '"""Do it."""'),
]


@pytest.mark.parametrize(("before", "instruction", "after"), PAIRS)
def test_the_docstring_gets_in_shape(before: str, instruction: str, after: str) -> None:
    head = "def f():\n    "
    assert listed(DocstringStyle(), head + before, instruction)[0] == head + after


@pytest.mark.parametrize(
    "before", ['"""Do it."""', '"""Do\n    it.\n    """', "x = 1", '"""It is:\n\n    - this\n    """']
)
def test_what_is_in_shape_stays(before: str) -> None:
    assert listed(DocstringStyle(), "def f():\n    " + before) == []
