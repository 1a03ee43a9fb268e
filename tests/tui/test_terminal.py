import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from spark_tui.tui.driver import EscFirstParser, KeyParser


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
def test_keys_that_begin_with_an_escape_character_stay_whole(
    data: str, expected: list[str]
) -> None:
    assert keys(data) == expected
    assert keys(*data) == expected


def said(*chunks: str) -> list[str]:
    """What a keyboard makes of chunks of input: keys by name, pastes by their text in quotes."""
    keyboard = KeyParser()
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


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def late(*chunks: str, pause: float = 1.0) -> list[str]:
    """What a keyboard makes of chunks so far apart that each has had its time."""
    clock = Clock()
    keyboard = KeyParser(clock=clock)
    found: list[str] = []
    for chunk in chunks:
        messages = [*keyboard.feed(chunk)]
        clock.now += pause
        messages += keyboard.tick()
        for message in messages:
            assert isinstance(message, events.Key | events.Paste)
            found.append(message.key if isinstance(message, events.Key) else repr(message.text))
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
    keyboard = KeyParser()
    idle = keyboard.patience
    assert not list(keyboard.feed("\x1b"))
    assert keyboard.patience < idle
    list(keyboard.feed("[A"))
    assert keyboard.patience == idle


REPORTS = [
    "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
    "\x1b]4;1;rgb:ffff/0000/0000\x07",
    "\x1b]52;c;YW55\x1b\\",
    "\x1bP1$r0m\x1b\\",
    "\x1bP>|tmux 3.3a\x1b\\",
    "\x1bP1+r544e=787465726d\x1b\\",
    "\x1bP!|7E565445\x1b\\",
    "\x1b_Gi=31;OK\x1b\\",
    "\x1b^at\x1b\\",
    "\x1b[?62;22c",
    "\x1b[>41;354;0c",
    "\x1b[0n",
    "\x1b[?997;1n",
    "\x1b[8;24;80t",
    "\x1b[4;600;800t",
    "\x1b[?1u",
    "\x1b[<32;NaN;NaNM",
    "\x1b[<0;undefined;3m",
    "\x1b[<0;-inf;1M",
    "\x1b[35;NaN;NaNM",
    "\x1b[48;NaN;80;0;0t",
    "\x1b[1;;;;2y",
    "\x1b[99999999999999999999~",
    "\x1b[97~",
    "\x1b[114;5A",
    "\x1b[2;1$w",
]
UNUSUAL = [
    "\x1b]lyes\x1b\\",
    "\x1b^any\x1b\\",
    "\x1b_any\x1b\\",
    "\x1bXany\x1b\\",
    "\x1b]0;yes \xe9\u4e16\x07",
    "\x1b]11;rgb:1e1e/1e1e/2e2e\x9c",
]


@pytest.mark.parametrize("report", [*REPORTS, *UNUSUAL])
def test_a_report_of_the_terminal_is_no_key_and_no_text(report: str) -> None:
    assert said(report, "j") == ["j"]
    assert said(f"j{report}k{report * 3}") == ["j", "k"]
    assert late(report, "j") == ["j"]


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_in_pieces_is_no_key_and_no_text(report: str) -> None:
    assert said(*report, "j") == ["j"]
    for cut in range(3, len(report)):
        assert said(report[:cut], report[cut:], "j") == ["j"]


@pytest.mark.parametrize("report", [each for each in REPORTS if "n" not in each.lower()])
def test_a_report_whose_end_comes_late_is_no_key_and_no_text(report: str) -> None:
    for cut in range(3, len(report)):
        assert late(report[:cut], report[cut:], "j") == ["j"]


@pytest.mark.parametrize("start", ["\x1b", "\x1b]", "\x1bP", "\x1b["])
def test_the_rest_of_a_report_whose_escape_character_became_esc_is_no_text(start: str) -> None:
    for report in REPORTS:
        if report.startswith(start) and "[48" not in report:
            keys_before = late(start)
            assert late(start, report[len(start) :], "j") == [*keys_before, "j"]


def test_a_color_that_comes_in_several_late_pieces_is_no_text() -> None:
    assert late("\x1b]11;rgb:1e", "1e/1e1e", "/2e2e\x1b", "\\", "j") == ["j"]


def test_what_is_typed_after_a_report_that_never_ends_is_heard() -> None:
    assert late("\x1b]11;rgb:1e", "j", "k") == ["j", "k"]
    assert late("\x1b]11;rgb:1e", "add a line\r") == [repr("add a line"), "enter"]
    assert said("\x1b]11;rgb:1e", "\r", "j") == ["enter", "j"]
    assert late("\x1b]11;rgb:1e\x1b[A") == ["up"]
    assert late("\x1b]52;c;" + "eA" * 100_000, "j") == ["j"]


def test_a_report_of_any_length_is_one() -> None:
    assert said("\x1b]52;c;" + "eA" * 5000, *["eA" * 2000] * 20, "\x1b", "\\", "j") == ["j"]


TYPED = ["[", "]", "[j", "]j", "P", "X", "^", "_", "O", "Print it", "]]", "Xany"]


@pytest.mark.parametrize("text", TYPED)
def test_what_is_typed_right_after_esc_is_heard_whatever_reports_begin_so(text: str) -> None:
    expected = ["escape", *late(*text)] if text != "[j" else []
    assert late(f"\x1b{text}") == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("\x1b[98;1:1u", ["b"]),
        ("\x1b[98;1:2u", ["b"]),
        ("\x1b[98;1:3u", []),
        ("\x1b[98;:3u", []),
        ("\x1b[98::99;1:1u", ["b"]),
        ("\x1b[98:66:98;5:1u", ["ctrl+b"]),
        ("\x1b[98;5:3u", []),
        ("\x1b[97:65;2:1;65u", ["A"]),
        ("\x1b[97;2:3;65u", []),
        ("\x1b[97;1:4u", []),
        ("\x1b[97;1:1:1u", []),
        ("\x1b[1;1:1A", ["up"]),
        ("\x1b[1;1:2A", ["up"]),
        ("\x1b[1;1:3A", []),
        ("\x1b[5;1:1~", ["pageup"]),
        ("\x1b[5;1:3~", []),
        ("\x1b[13;1:1u", ["enter"]),
        ("\x1b[13;1:3u", []),
        ("\x1b[27;1:1u", ["escape"]),
        ("\x1b[27;1:3u", []),
        ("\x1b[1114112u", []),
        ("\x1b[55296u", []),
        ("\x1b[97;;55296u", []),
        ("\x1b[97;;27u", []),
        ("\x1b[97;999999u", []),
        ("\x1b[97;0u", []),
        (f"\x1b[{'9' * 5000}u", []),
        ("\x1b[;u", []),
        ("\x1b[97;1;1;1u", []),
        ("\x1b[97;;97:98u", ["a", "b"]),
        ("\x1b[27;5;106~", ["ctrl+j"]),
        ("\x1b[27;3;13~", ["alt+enter"]),
        ("\x1b[3$", ["shift+delete"]),
        ("\x1b[1;5C", ["ctrl+right"]),
        ("\x1b[[A", ["f1"]),
        ("\x1b[57441;2u", ["left_shift"]),
    ],
)
def test_a_key_that_says_more_than_itself_is_that_key_and_a_released_one_is_none(
    data: str, expected: list[str]
) -> None:
    assert said(data) == expected
    assert said(*data) == expected
    assert said(data, "j") == [*expected, "j"]


ALPHABET = "\x1b[]P_^XO<M?;:~u\\\x07\x1819NaN$ABcnRty \r\u00e9"


@given(st.lists(st.text(ALPHABET, max_size=12), max_size=8))
def test_whatever_comes_ends_nothing_and_a_key_after_a_while_is_heard(chunks: list[str]) -> None:
    clock = Clock()
    keyboard = KeyParser(clock=clock)
    for chunk in chunks:
        list(keyboard.feed(chunk))
    for _ in range(3):
        clock.now += 10
        list(keyboard.tick())
    (message,) = keyboard.feed("j")
    assert isinstance(message, events.Key)
    assert message.key == "j"


def test_a_mouse_is_still_one() -> None:
    (pressed,) = KeyParser().feed("\x1b[<0;5;7M")
    assert isinstance(pressed, events.MouseDown)
    assert (pressed.x, pressed.y) == (4, 6)
    assert not list(KeyParser().feed("\x1b[<" + "9" * 400 + ";1;1M"))
