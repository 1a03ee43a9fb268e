"""Slips of grammar, code without backticks, comments cut short, and marks for tools with their codes."""

import pytest

from tests.editing.codemods.results import results

ROAD = '''def road(path):
    """Find a road. The old one will blocked."""
    # it can results in hikers who has been gone astray
    # over path.join
    # and more of it (once we knew
    # why that is)
    return f"no " f"way" + path  # type: ignore'''


@pytest.mark.parametrize(
    ("kind", "words", "old", "new"),
    [
        ("replace_text", 'docstring, "will blocked"', "will blocked", "will be blocked"),
        ("replace_text", 'fix "it can results in"', "can results in", "can result in"),
        ("replace_text", '"has been gone", would you lose the gone?', "been gone", "been"),
        ("replace_text", "path.join in backticks, please", "path.join", "`path.join`"),
        (
            "replace_text",
            'the comment should end after "and more of it"',
            " (once we knew\n    # why that is)",
            "",
        ),
        ("add_comment", "it's union-attr, put the code into the ignore", "ignore", "ignore[union-attr]"),
        ("change_literal", "no placeholders in it, drop the f", 'f"way"', '"way"'),
        ("add_docstring", 'another sentence: "It may be long."', 'blocked."""', 'blocked. It may be long."""'),
    ],
)
def test_what_is_told_of_a_slip_mends_it(kind: str, words: str, old: str, new: str) -> None:
    assert ROAD.count(old) == 1
    assert ROAD.replace(old, new) in results(kind, ROAD, words)


def test_a_checker_is_silenced_by_its_rule() -> None:
    assert "a = b  # noqa: S301" in results("add_comment", "a = b", "S301 unsafe\nours, silence it")
    assert "a = b  # type: ignore[arg-type]" in results("add_comment", "a = b", "bad [arg-type]\nignore it here")


def test_a_word_that_names_are_made_of_is_no_slip() -> None:
    code = 'def f():\n    raise ExpiredSignatureError("Signature has expired")'
    assert not results("replace_text", code, "fix the typo in the message")
