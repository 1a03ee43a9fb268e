import pytest
from textual import events

from spark_tui.tui.terminal import EscFirstParser, Keyboard


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
        ("\x1b\t", ["escape", "tab"]),
        ("\x1b\x10", ["escape", "ctrl+p"]),
        ("\x1b\x03", ["escape", "ctrl+c"]),
        ("\x1b\x7f", ["escape", "backspace"]),
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
    [
        ("\x1b[A", ["up"]),
        ("\x1bOA", ["up"]),
        ("\x1b[6~", ["pagedown"]),
        ("\x1b[27u", ["escape"]),
        ("j", ["j"]),
        ("\x1b\r", ["alt+enter"]),
        ("\x1b[13;3u", ["alt+enter"]),
        ("\x1b[13;2u", ["shift+enter"]),
        ("\x1b[27;3;13~", ["alt+enter"]),
        ("\x1b[27;2;13~", ["shift+enter"]),
        ("\x1b[106;5u", ["ctrl+j"]),
    ],
)
def test_keys_that_begin_with_an_escape_character_stay_whole(data: str, expected: list[str]) -> None:
    assert keys(data) == expected
    assert keys(*data) == expected


def said(*chunks: str) -> list[str]:
    """What a keyboard makes of chunks of input: keys by name, pastes by their text in quotes."""
    keyboard = Keyboard()
    found = []
    for chunk in chunks:
        for message in keyboard.feed(chunk):
            assert isinstance(message, events.Key | events.Paste)
            found.append(message.key if isinstance(message, events.Key) else repr(message.text))
    return found


@pytest.mark.parametrize("text", ["yay", "an", "return a", "A line"])
def test_text_in_one_piece_that_could_approve_something_is_a_paste(text: str) -> None:
    assert said(text) == [repr(text)]


@pytest.mark.parametrize("keys_pressed", ["a", "aa", "]a", "jjj", "]]", "q"])
def test_a_few_keys_in_one_piece_are_still_keys(keys_pressed: str) -> None:
    assert len(said(keys_pressed)) == len(keys_pressed)


def test_several_lines_in_one_piece_are_one_paste_and_one_line_is_sent_by_its_enter() -> None:
    assert said("yes\rany\r") == [repr("yes\nany\n")]
    assert said("rename a to b\r") == [repr("rename a to b"), "enter"]


def test_a_character_cut_in_two_reads_is_no_end_of_input() -> None:
    assert said("", "j") == ["j"]


def late(*chunks: str) -> list[str]:
    """What a keyboard makes of chunks so far apart that each has had its time."""
    keyboard = Keyboard()
    found: list[str] = []
    for chunk in chunks:
        messages = [*keyboard.feed(chunk)]
        keyboard._due = 0.0 if keyboard._paste is None else keyboard._due
        if keyboard._parser._timeout_time is not None:
            keyboard._parser._timeout_time = 0.0
        messages += keyboard.tick()
        found += [each.key if isinstance(each, events.Key) else repr(each.text) for each in messages]  # type: ignore[attr-defined]
    return found


ODD = "a\x1b[Ay\x1b\x1b[200~\x1bOB" + "\x01any\r" * 9 + "\x1b[97;;97u\x1b[201"


def test_a_paste_is_text_whatever_it_holds_and_however_it_is_cut() -> None:
    whole = f"\x1b[200~{ODD}\x1b[201~"
    for cut in range(1, len(whole)):
        assert said(whole[:cut], whole[cut:], "j") == [repr(ODD), "j"]
    assert said(*whole, "j") == [repr(ODD), "j"]


def test_a_paste_that_comes_slowly_is_a_paste_and_has_its_end() -> None:
    whole = f"\x1b[200~{ODD}\x1b[201~"
    for cut in range(6, len(whole)):
        assert late(whole[:cut], whole[cut:], "j") == [repr(ODD), "j"]
    assert late("\x1b[200~", *whole[6:], "j") == [repr(ODD), "j"]


def test_esc_that_waited_in_vain_for_the_rest_of_a_paste_is_esc_and_the_paste_is_one() -> None:
    assert late("\x1b", "[200~any\r\x1b[201~") == ["escape", repr("any\r")]
    assert late("\x1b", "j", "[200~")[:2] == ["escape", "j"]


def test_esc_right_before_a_paste_comes_before_it() -> None:
    assert said("\x1b\x1b[200~any\x1b[201~") == ["escape", repr("any")]


def test_text_and_esc_in_one_piece_are_text_and_then_esc() -> None:
    assert late("any\x1b") == [repr("any"), "escape"]
    assert late("any\r\x1b") == [repr("any"), "enter", "escape"]
    assert late("jj\x1b[A") == ["j", "j", "up"]


def test_text_right_after_esc_comes_after_it() -> None:
    assert said("\x1b", "an") == ["escape", "a", "n"]


def test_a_lone_escape_character_is_looked_at_again_as_soon_as_it_has_become_esc() -> None:
    keyboard = Keyboard()
    idle = keyboard.patience
    assert not list(keyboard.feed("\x1b"))
    assert keyboard.patience < idle
    list(keyboard.feed("[A"))
    assert keyboard.patience == idle
