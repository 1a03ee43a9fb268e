"""Small changes of values, arguments, bases, fields and texts that are read to their last word."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed

ADD = (
    "def add(self, args, data, owner):",
    '    title = data["title"]',
    "    print(round(owner, 2))",
    "    self.put(args.title)",
    '    print("removed", title)',
    "    self.close()",
)
CLASSES = (
    "class Oops(Exception):",
    "    pass",
    "class Task:",
    "    title: str",
    "    done: bool = False",
    "class Level(Enum):",
    "    LOW = 1",
    "class More(Task): pass",
)


@pytest.mark.parametrize(
    ("words", "gone", "new"),
    [
        ("strip the title", 'title = data["title"]', 'title = data["title"].strip()'),
        ("make the owner lower case", "", "owner = owner.lower()"),
        ("pass the priority to put too", "self.put(args.title)", "self.put(args.title, args.priority)"),
        ("round to 3 places", "print(round(owner, 2))", "print(round(owner, 3))"),
        ("say deleted instead of removed", 'print("removed", title)', 'print("deleted", title)'),
        ("leave out the last line", "self.close()", ""),
        ("remove the first print", "print(round(owner, 2))", ""),
    ],
)
def test_a_piece_of_a_function_is_changed_as_told(words: str, gone: str, new: str) -> None:
    assert changed(words, ADD) == ([gone] * bool(gone), [new] * bool(new))


@pytest.mark.parametrize(
    ("words", "gone", "new"),
    [
        ("make Oops a ValueError", "class Oops(Exception):", "class Oops(ValueError):"),
        ("add a notes field to Task, empty string by default", "", 'notes: str = ""'),
        ("give Task a count field that defaults to 0", "", "count: int = 0"),
        ("add an urgent level with value 4", "", "URGENT = 4"),
    ],
)
def test_a_class_gets_what_is_told(words: str, gone: str, new: str) -> None:
    assert changed(words, CLASSES) == ([gone] * bool(gone), [new] * bool(new))


@pytest.mark.parametrize(
    "words",
    [
        "make Task frozen",
        "make Oops a property",
        "make Task a More",
        "add a tags field to Task, empty list by default",
        "add a thing field to Task, None by default",
        "add a done field to Task, False by default",
        'add an urgent level with value "4"',
    ],
)
def test_what_is_not_to_be_known_is_left_to_others(words: str) -> None:
    assert changed(words, CLASSES) == ([], [])


@pytest.mark.parametrize(
    "words",
    ["strip the name", "pass path to print", "say title instead of data", "remove the third print", "pass it to put"],
)
def test_what_is_not_there_or_is_a_name_is_left_to_others(words: str) -> None:
    assert changed(words, ADD) == ([], [])
