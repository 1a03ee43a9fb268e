"""What a base class is passed, what is logged, and values made otherwise, told in few words."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed
from tests.editing.codemods.results import results

LINES = (
    "def __init__(self, message, names, most):",
    "    super().__init__()",
    "    self.missed = [name for name in names if name not in self]",
    "    if most and len(self.missed) > most:",
    "        raise self",
    '    print(f"{most:.1f}")',
    "    found = []",
    "    found.append(most)",
)


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("pass message to super", ["super().__init__(message)"]),
        ("missed as a set", ["self.missed = {name for name in names if name not in self}"]),
        ("make missed a tuple", ["self.missed = tuple(name for name in names if name not in self)"]),
        ("collect missed as a list", []),
        ("found should be a set", []),
        ("pass colour to super", []),
        ("add a logger.debug with the message at the start", ['logger.debug("message: %s", message)']),
        ("add an info log of most", ['logger.info("most: %s", most)']),
        ("add an info log of colours", []),
        ("three decimals for the share", ['print(f"{most:.3f}")']),
    ],
)
def test_what_is_told_in_few_words_is_done(words: str, new: list[str]) -> None:
    assert changed(words, LINES)[1] == new


def test_an_error_is_no_member_of_what_holds_none() -> None:
    before = "try:\n    sock.connect((host, port))\nexcept gaierror:\n    pass"
    found = results("add_element", before, "also treat ConnectionRefusedError as not found")
    assert not any("port, Connection" in one for one in found)


@pytest.mark.parametrize(
    ("words", "made"), [("add name to the result", '{"name": name}'), ("add size to the dict", None)]
)
def test_the_first_entry_goes_into_an_empty_dict(words: str, made: str | None) -> None:
    before = "def f(name):\n    result = {}\n    return result"
    found = results("add_element", before, words)
    assert (before.replace("{}", made) in found) if made else not found


def test_what_is_told_for_an_empty_text_is_put_there() -> None:
    before = "def f(loader):\n    raise KeyError(f' ')"
    assert all("{loader}" in one for one in results("change_message", before, "append {loader} to the text"))
