"""What a base class is passed, and collections made otherwise, told in few words."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed

LINES = (
    "def __init__(self, message, names, most):",
    "    super().__init__()",
    "    self.missed = [name for name in names if name not in self]",
    "    if most and len(self.missed) > most:",
    "        raise self",
)


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("pass message to super", ["super().__init__(message)"]),
        ("missed as a set", ["self.missed = {name for name in names if name not in self}"]),
        ("make missed a tuple", ["self.missed = tuple(name for name in names if name not in self)"]),
        ("collect missed as a list", []),
        ("pass colour to super", []),
    ],
)
def test_what_is_told_in_few_words_is_done(words: str, new: list[str]) -> None:
    assert changed(words, LINES)[1] == new
