"""Docstrings, comments and texts reworded, cut down and mended where the words tell only a part of what is meant."""

import pytest

from tests.editing.codemods.results import results

TRAIL = '''def trail(path, steps):
    """Walk a trail, which may be closed.

    Fails when the gate of the trail is
    not open (unless forced). It should to be short, and eg muddy.
    Example:
        walk(Trail('a'))

    Args:
        path (str): The Walk ID.
        steps: Number of steps (unused)
    """
    # New since Python 3.5, see `walk("a") for more & others,
    # ``steps`` at 00:00:00 will be ran
    if not path:
        raise ValueError("the path must have a bool for steps")
    return path'''


@pytest.mark.parametrize(
    ("kind", "words", "old", "new"),
    [
        ("replace_text", '"when the gate is not open" is clearer', "gate of the trail is\n", "gate is\n"),
        ("replace_text", 'should read "Walk a trail that may be closed."', "a trail, which may", "a trail that may"),
        ("change_message", 'say "must have True or False"', "must have a bool", "must have True or False"),
        ("replace_text", '"which may be closed", nobody needs that', ", which may be closed", ""),
        ("replace_text", "steps isn't unused in the docs", " (unused)", ""),
        ("replace_text", "Example: needs a second colon", "Example:", "Example::"),
        ("replace_text", "close the backtick in the comment", '`walk("a")', '`walk("a")`'),
        ("replace_text", "the ampersand in the comment should be spelled out", "more & others", "more and others"),
        ("replace_text", "in the comment, Python 3.5 -> the old days", "Python 3.5", "the old days"),
        ("replace_text", "the docstring example takes an AsyncTrail", "Trail('a')", "AsyncTrail('a')"),
        ("replace_text", "comment: 00:00:00.000", "00:00:00", "00:00:00.000"),
        ("replace_text", "docstring up to \"forced)\"", " It should to be short, and eg muddy.", ""),
        ("replace_text", "the sentence about the gate on one line", "trail is\n    not open", "trail is not open"),
        ("replace_text", "e.g. not eg", "eg", "e.g."),
        ("replace_text", '"will be ran" hurts', "be ran", "be run"),
        ("replace_text", '"It should to be", that "to" is too much', "should to be", "should be"),
        ("replace_text", 'path (str): "The Walk ID" is wrong, put "The way to go."', "The Walk ID.", "The way to go."),
    ],
)  # fmt: skip
def test_a_part_of_what_is_meant_is_enough(kind: str, words: str, old: str, new: str) -> None:
    assert old in TRAIL
    assert TRAIL.replace(old, new, 1) in results(kind, TRAIL, words)


@pytest.mark.parametrize("words", ["no steps here", "remove path", "use a Trail of steps"])
def test_words_about_code_change_no_prose_by_themselves(words: str) -> None:
    head = TRAIL.partition("if not path")[0]
    assert all(
        one.partition("if not path")[0].count("\n") == head.count("\n") for one in results("replace_text", TRAIL, words)
    )
