import pytest

from spark_tui.editing.codemods.add_comment import AddComment, texts
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.tables import listed

BEFORE = "def f(x):\n    y = g(x)\n    return y"
PAIRS = [
    ("add a comment 'why not' above line 2", "def f(x):\n    # why not\n    y = g(x)\n    return y"),
    ('put the comment "fast path" at the end of `return y`', "def f(x):\n    y = g(x)\n    return y  # fast path"),
    ('add a todo "cache it" above `g(x)`', "def f(x):\n    # TODO: cache it\n    y = g(x)\n    return y"),
    ("right of `return y`, comment: 'fast path'", "def f(x):\n    y = g(x)\n    return y  # fast path"),
    ("add noqa: E501 to line 2", "def f(x):\n    y = g(x)  # noqa: E501\n    return y"),
    (
        "type: ignore[no-any-return] on the last line",
        "def f(x):\n    y = g(x)\n    return y  # type: ignore[no-any-return]",
    ),
]


@pytest.mark.parametrize(("instruction", "after"), PAIRS)
def test_the_comment_told_goes_where_it_is_told(instruction: str, after: str) -> None:
    assert listed(AddComment(), BEFORE, instruction) == [after]


def test_what_is_told_without_quotes_comes_as_it_is_or_as_a_sentence() -> None:
    made = listed(AddComment(), BEFORE, "add a comment above `return y` saying it is slow")
    assert list(dict.fromkeys(made)) == [
        BEFORE.replace("    r", f"    # {text}\n    r") for text in ("it is slow", "It is slow.", "It is slow")
    ]
    assert BEFORE.replace("    r", "    # No row is lost.\n    r") in listed(
        AddComment(), BEFORE, "explain this in a comment: no row is lost", (2, 2)
    )


def test_without_a_place_every_line_is_one() -> None:
    assert len(listed(AddComment(), BEFORE, "comment: 'slow'")) == 3
    assert len(listed(AddComment(), BEFORE, "comment: 'slow'", (2, 2))) == 1


def test_without_a_text_there_is_no_edit() -> None:
    assert listed(AddComment(), BEFORE, "make it faster") == []
    assert list(texts(Snippet(("x = 1",)), "comment above: so it is")) == ["so it is"]
