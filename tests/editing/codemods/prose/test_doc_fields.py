import pytest

from spark_tui.editing.codemods.add_docstring import AddDocstring
from tests.editing.codemods.table import afters

CODE = 'def f(a, b):\n    """Load rows.\n\n    :param a: the name\n    :rtype: int\n    """\n    return a'


@pytest.mark.parametrize(
    ("words", "above", "line"),
    [
        ("document b: the other name", ":param a: the name", ":param b: the other name"),
        ("mention that it raises KeyError if a is unknown", ":rtype: int", ":raises KeyError: if a is unknown"),
        ("document that KeyError is raised when a is odd", ":rtype: int", ":raises KeyError: when a is odd"),
    ],
)
def test_a_field_told_comes_where_its_like_stand(words: str, above: str, line: str) -> None:
    assert afters(AddDocstring(), CODE, words)[0] == CODE.replace(above, f"{above}\n    {line}")


def test_without_fields_one_comes_below_a_blank_line() -> None:
    before = CODE.replace("\n\n    :param a: the name\n    :rtype: int\n    ", "")
    found = afters(AddDocstring(), before, "say in the docs that it raises OSError if the disk is full")
    assert before.replace('rows."""', 'rows.\n\n    :raises OSError: If the disk is full.\n    """') in found


def test_with_sections_a_section_comes_in() -> None:
    before = 'def f(a):\n    """Load rows.\n\n    Args:\n        a: The name.\n    """\n    return a'
    found = afters(AddDocstring(), before, "mention in the docstring that it raises KeyError if a is odd")
    assert before.replace("name.\n", "name.\n\n    Raises:\n        KeyError: If a is odd.\n") in found
