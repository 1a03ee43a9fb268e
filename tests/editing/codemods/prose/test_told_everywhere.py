"""Words that become others on every line that has them."""

import pytest

from tests.editing.codemods.results import results

AWARE = '''def aware(dt):
    """Whether a time is aware.

    :param value: the time
    :type value: datetime
    """
    log("checking a time", dt)
    print("checking a time %s")
    return dt.tzinfo'''


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("the docstring says value but the parameter is dt, put dt in both lines", "value", "dt"),
        (":param value: -> :param moment:, and its type line", "value", "moment"),
        ('"checking a time" -> "looking at a time", the printed one as well', "checking", "looking at"),
    ],
)
def test_all_lines_with_the_old_words_get_the_new_ones(words: str, old: str, new: str) -> None:
    assert AWARE.replace(old, new) in results("replace_text", AWARE, words)
