"""Statements put under a condition that the words speak of."""

import pytest

from tests.editing.codemods.results import results

SHELF = """def store(self, shelf, key, book):
    moved = self.move(book)
    shelf[key] = []
    self.log.append(book)
    self.door.close()
    return moved"""


@pytest.mark.parametrize(
    ("words", "line", "condition"),
    [
        ("storing under a key a second time wipes the shelf", "    shelf[key] = []", "key not in shelf"),
        ("book may be None, nothing should be appended to the log then", "    self.log.append(book)", "book"),
        (
            "AttributeError: 'NoneType' object has no attribute 'close'",
            "    self.door.close()",
            "self.door is not None",
        ),
        (
            "a curtain has no close, only call it when there is one",
            "    self.door.close()",
            'hasattr(self.door, "close")',
        ),
        ("when nothing was moved the door need not close", "    self.door.close()", "moved"),
    ],
)
def test_a_statement_gets_a_condition(words: str, line: str, condition: str) -> None:
    wanted = SHELF.replace(line, f"    if {condition}:\n    {line}")
    assert any(after.replace("'", '"') == wanted for after in results("guard_clause", SHELF, words)[:3])


def test_without_a_word_for_it_nothing_gets_a_condition() -> None:
    assert results("guard_clause", SHELF, "append the book to the log and close the door") == []
