import pytest
from textual import events

from spark_tui.tui.terminal import EscFirstParser


def keys(*data: str) -> list[str]:
    parser = EscFirstParser()
    found: list[str] = []
    for chunk in data:
        for message in parser.feed(chunk):
            assert isinstance(message, events.Key)
            found.append(message.key)
    found += [message.key for message in parser.feed("") if isinstance(message, events.Key)]
    return found


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("\x1b", ["escape"]),
        ("\x1ba", ["escape", "a"]),
        ("\x1bb", ["escape", "b"]),
        ("\x1bf", ["escape", "f"]),
        ("\x1b1", ["escape", "1"]),
        ("\x1bA", ["escape", "A"]),
        ("\x1b ", ["escape", "space"]),
        ("\x1b\r", ["escape", "enter"]),
        ("\x1b\t", ["escape", "tab"]),
        ("\x1b[", ["escape", "left_square_bracket"]),
        ("\x1bO", ["escape", "O"]),
        ("\x1badd a line", ["escape", *"add", "space", "a", "space", *"line"]),
        ("\x1b\x1b", ["escape", "escape"]),
    ],
)
def test_esc_and_what_follows_it_are_keys_of_their_own(data: str, expected: list[str]) -> None:
    assert keys(data) == expected
    assert keys(*data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [("\x1b[A", ["up"]), ("\x1bOA", ["up"]), ("\x1b[6~", ["pagedown"]), ("\x1b[27u", ["escape"]), ("j", ["j"])],
)
def test_keys_that_begin_with_an_escape_character_stay_whole(data: str, expected: list[str]) -> None:
    assert keys(data) == expected
    assert keys(*data) == expected
