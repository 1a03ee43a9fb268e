"""Renaming that the words only hint at."""

import re

import pytest

from tests.editing.codemods.results import results

READ = "def read(self, _loop, el):\n    with open(el) as file_handle:\n        self.loop = _loop or file_handle"


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("the underscore in _loop is silly, people pass it by name", "_loop", "loop"),
        ("shorter handle: f", "file_handle", "f"),
        ("el is an element", "el", "element"),
        ("element, unabbreviated", "el", "element"),
        ("shorten file_handle", "file_handle", "handle"),
    ],
)
def test_a_name_is_only_hinted_at(words: str, old: str, new: str) -> None:
    wanted = re.sub(rf"(?<![\w.]){old}\b", new, READ)
    assert wanted in results("rename", READ, words)
