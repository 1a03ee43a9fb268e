import re

import pytest

from spark_tui.editing.numbers import SIGNED, number
from tests.editing.codemods.results import results

NUMBERS = ("0", "-1", "0o777", "0b101", "0xFF", "1_000", "1e-9", "2.5E+3", "1j", ".5", "0.25", "-0x1f")
NO_NUMBERS = ("0b3", "0o8", "12a", "1.2.3", "3rd")
CODE = """TABLE = {"a": 1}
LIMIT = 10


def load(path, mode=5):
    size = 8
    if path:
        return 7
    return open(path, mode)"""
ASKED = {
    "a default": ("change_default", "change the default of mode to {}", "mode={}):"),
    "a parameter": ("add_parameter", "add a parameter depth: int = {} to load", "depth: int = {}):"),
    "a parameter in words": ("add_parameter", "add a parameter depth defaulting to {} to load", "depth={}):"),
    "a literal": ("change_literal", "change 8 to {}", "size = {}\n"),
    "a returned value": ("change_literal", "return {} instead of 7", "return {}\n"),
    "a constant": ("change_literal", "set LIMIT to {}", "LIMIT = {}\n"),
    "an argument": ("fix_arguments", "pass buffering={} to open", "open(path, mode, buffering={})"),
    "an entry": ("add_element", 'add "b": {} to TABLE', '"b": {}}}\n'),
    "a value for an error": (
        "wrap_try",
        "wrap the body of load in try except OSError and return {}",
        "except OSError:\n        return {}\n",
    ),
}


@pytest.mark.parametrize("value", NUMBERS)
@pytest.mark.parametrize("what", ASKED)
def test_a_number_told_is_taken_whole(what: str, value: str) -> None:
    kind, words, edited = ASKED[what]
    assert any(edited.format(value) in f"{one}\n" for one in results(kind, CODE, words.format(value)))


@pytest.mark.parametrize("value", [*NUMBERS, *NO_NUMBERS])
@pytest.mark.parametrize("what", ASKED)
def test_the_beginning_of_a_number_is_never_taken_for_it(what: str, value: str) -> None:
    kind, words, edited = ASKED[what]
    beginnings = {value[:end] for end in range(1, len(value))} - {"-", ".", "0."}
    for one in results(kind, CODE, words.format(value)):
        assert not any(edited.format(less) in f"{one}\n" for less in beginnings)


@pytest.mark.parametrize("text", NUMBERS)
def test_what_is_found_is_what_python_reads(text: str) -> None:
    found = re.search(SIGNED, f"set it to {text}. Then go on")
    assert found
    assert (found[0], number(found[0])) == (text, complex(text) if "j" in text else eval(text))


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number_is_not_found(text: str) -> None:
    assert re.match(SIGNED, text) is None
    assert number("007") is None
