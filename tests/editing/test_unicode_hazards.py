import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.confusables import MOST, Suspect, skeleton, suspects, warning
from spark_tui.editing.hunks import diff
from spark_tui.editing.text import Text

FILE = "import os\nscope = 1\naccess = 'user'\n"


def found(after: str, before: str = FILE) -> list[Suspect]:
    """What is suspicious in a whole change."""
    base = Text.from_bytes(before.encode())
    hunks = diff(base, Text.from_bytes(after.encode("utf-8", "surrogatepass")))
    return [each for hunk in hunks for each in suspects(base, hunk)]


def said(line: str, before: str = FILE) -> str:
    return "; ".join(each.what for each in found(before + line + "\n", before))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (
            "if access != 'user\u202e \u2066# admin\u2069 \u2066'",
            "U+202E RIGHT-TO-LEFT OVERRIDE, changes the direction",
        ),
        ("x = 1 # \u200f", "U+200F RIGHT-TO-LEFT MARK, invisible"),
        ("x = '\u200b'", "U+200B ZERO WIDTH SPACE, invisible"),
        ("x = '\u00ad'", "U+00AD SOFT HYPHEN, invisible"),
        ("x = '\ufe01'", "U+FE01 VARIATION SELECTOR-2, invisible"),
        ("\u3164 = 1", "U+3164 HANGUL FILLER, invisible"),
        ("x = '\U000e0041'", "U+E0041 TAG LATIN CAPITAL LETTER A, invisible tag"),
        ("x =\u00a01", "U+00A0 NO-BREAK SPACE, unusual space"),
        ("x =\u30001", "U+3000 IDEOGRAPHIC SPACE, unusual space"),
        ("x = '\u2028'", "U+2028 LINE SEPARATOR, invisible"),
        ("x = '\x1b[2J'", "U+001B, control character"),
        ("x = 1\ry = 2", "U+000D, control character"),
        ("\x0c", "U+000C, control character"),
        ("x = '\x85'", "U+0085, control character"),
        ("x = '\x7f'", "U+007F, control character"),
        ("x = '\ue000'", "U+E000, private character"),
        ("sc\u043epe = 2", "looks like scope"),
        ("\u0455\u0441\u043e\u0440\u0435 = 2", "looks like scope"),
        ("l\u0435n = 3", "looks like len"),
        ("i\u03bd = 3", "mixes scripts"),
        ("\u0444\u03b4 = 3", "mixes scripts"),
        ("\u0440\u0430\u0443 = 3", "looks like pay"),
        ("\uff4f\uff53.remove(x)", "is read as os"),
        ("\U0001d5c8\U0001d5cc.remove(x)", "is read as os"),
        ("cafe\u0301 = 1", "is read as café"),
    ],
)
def test_what_is_not_what_it_looks_like_is_told(line: str, what: str) -> None:
    assert what in said(line)


@pytest.mark.parametrize(
    "line",
    [
        "plain = 'ascii'\t# and a tab",
        "café = 'naïve façade, Straße, Łódź'",
        "имя = 'Файл с данными'",
        "# Это комментарий о том, как",
        "名前 = 'データbase'",
        "Δt, σ_max = 1, 2",
        "print('👍🏽 ❤️ 👨‍👩‍👧')",
        "area = '10 m², ½, №'",
        "“quoted” – dashed… · 3 × 4 € °",
    ],
)
def test_what_is_honest_is_not_told(line: str) -> None:
    assert said(line) == ""


@pytest.mark.parametrize(
    "line",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a joiner that parts
        "# \u06a9\u062a\u0627\u0628\u064e\u200c\u0647\u0627",  # the same behind a mark
        "\u0915\u094d\u200d\u0937",  # Devanagari, with one that joins
        "\u0d28\u0d4d\u200d",  # Malayalam, at the end of a word
        "\u0bb6\u0bcd\u200c\u0bb0",  # Tamil
        "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Sinhala
        "\u05e9\u05dc\u05d5\u05dd\u200f \u05e2\u05d5\u05dc\u05dd",  # Hebrew
        "\u05e9\u05dc\u05d5\u05dd!\u200f",
        "C++\u200e \u05d4\u05d9\u05d0 \u05e9\u05e4\u05d4",  # Hebrew behind a name in Latin
        "\u05d1-C#\u200e.",
        "\u200f\u05e9\u05dc\u05d5\u05dd",
        '# "\u05e9\u05dc\u05d5\u05dd".\u200f',
        "\u05e9\u05dc\u05d5\u05dd 12/05/2026\u200f",
        "\u05e9\u05dc\u05d5\u05dd \u200e(v2)",
        "\u0645\u0631\u062d\u0628\u0627 \u061c(1)",  # Arabic
        "\u200e\u0645\u0631\u062d\u0628\u0627: 5%\u061c",
        "\u0645\u0631\u062d\u0628\u0627\u200e",
        "\u0e20\u0e32\u0e29\u0e32\u200b\u0e44\u0e17\u0e22",  # Thai
        "\u0e17\u0e35\u0e48\u200b\u0e19\u0e35\u0e48",  # the same behind marks
        "\u0e44\u0e17\u0e22\u200b(2)",
        "\u1797\u17b6\u179f\u17b6\u200b\u1781\u17d2\u1798\u17c2\u179a",  # Khmer
        "\u0eaa\u0eb0\u200b\u0e9a\u0eb2\u0e8d",  # Lao
        "\u1019\u103c\u1014\u103a\u200b\u1019\u102c",  # Myanmar
        "\u182e\u1823\u182d\u180b\u182d",  # Mongolian, with a variant of a letter
        "\u182e\u1823\u1829\u182d\u1823\u182f\u180d",
        "\u182c\u180e\u1820",  # with a vowel that stands apart
        "\u182e\u1823\u202f\u1836\u1822\u1828",  # with a suffix
        "\u845b\U000e0100\u98fe",  # Han, with a variant of a letter
        "\u540d\u524d\u3000\u7530\u4e2d",  # Japanese, with a wide space
    ],
)
def test_kind_24_what_letters_of_a_script_need_is_not_told(line: str) -> None:
    assert said(line) == ""


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("sc\u200cope = 1", "U+200C"),
        ("sc\u200dope = 1", "U+200D"),
        ("\u0438\u043c\u200c\u044f = 1", "U+200C"),
        ("\u0645\u200ca = 1", "U+200C"),
        ("a\u200c\u0645 = 1", "U+200C"),
        ("\u0645\u200c\u200c\u0645", "U+200C"),
        ("\u0645\u200c", "U+200C"),
        ("\u200c\u0645", "U+200C"),
        ("\u0645\u200b\u0645", "U+200B"),
        ("x\u200f = 1", "U+200F"),
        ("\u200f", "U+200F"),
        ("\u05e9\u200f\u200f", "U+200F"),
        ("\u05e9\u200e\u05e9", "U+200E"),
        ("\u05e9\u202e\u05e9", "U+202E"),
        ("a\u200e b", "U+200E"),
        ("\u0438\u200f\u043c", "U+200F"),
        ("x\u061c = 1", "U+061C"),
        ("\u05e9 = abcd(\u200fefgh)", "U+200F"),
        ("\u05e9 == 12345678901234567890\u200f", "U+200F"),
        ("\u05e9 admin\u200e", "U+200E"),
        ("admin)\u200e", "U+200E"),
        ("\u05e9\u200e\u200f", "U+200F"),
        ("\u05e9 \u2067\u200f", "U+2067"),
        ("sco\u200bpe = 1", "U+200B"),
        ("\u0e44\u0e17\u0e22\u200babc", "U+200B"),
        ("abc\u200b\u0e44\u0e17\u0e22", "U+200B"),
        ("\u0e44\u0e17\u0e22\u200b\u200b\u0e44", "U+200B"),
        ("\u0e44\u0e17\u0e22\u200b", "U+200B"),
        ("\u200b\u0e44\u0e17\u0e22", "U+200B"),
        ("\u540d\u200b\u524d", "U+200B"),
        ("\u0e44\u0e17\u0e22\u2060\u0e44", "U+2060"),
        ("a\u180bb = 1", "U+180B"),
        ("\u182e\u180b\u180b", "U+180B"),
        ("\u180b\u182e", "U+180B"),
        ("a\u180eb", "U+180E"),
        ("\u182e\u180e", "U+180E"),
        ("a\u202fb", "U+202F"),
        ("a\ufe00", "U+FE00"),
        ("\u0e44\U000e0100", "U+E0100"),
        ("a\u3000b", "U+3000"),
        ("\u845b\ufe0e", "U+FE0E"),
    ],
)
def test_kind_24_a_character_that_no_letter_needs_is_told(line: str, what: str) -> None:
    assert what in said(line)


def test_what_was_there_before_is_not_told_again() -> None:
    before = "x =\u00a01\nsc\u043epe = 1\n"
    assert found("y =\u00a01\nsc\u043epe = 2\n", before) == []
    assert [each.what[:6] for each in found("y =\u00a0\u00a01\nsc\u043epe = 2\n", before)] == [
        "U+00A0"
    ] * 2


def test_characters_that_turn_the_direction_are_always_told() -> None:
    assert found("y = '\u202e'\n", "x = '\u202e'\n")


def test_a_place_is_the_line_among_the_new_ones_and_offsets_in_it() -> None:
    first, second = found(FILE + "x = 1\nlet = sc\u043epe\u200b\n")
    assert (first.line, first.start, first.stop) == (1, 6, 11)
    assert (second.line, second.start, second.stop) == (1, 11, 12)
    assert warning((first, second), 4) == (
        "sc\u043epe with U+043E CYRILLIC SMALL LETTER O looks like scope (line 5, column 7); "
        "U+200B ZERO WIDTH SPACE, invisible character (line 5, column 12)"
    )
    assert warning((first, second, first), 4).endswith("; and 1 more")


def test_a_line_that_ends_in_crlf_has_no_control_character_and_undecodable_bytes_are_shown() -> (
    None
):
    assert found("a\r\nb\r\n", "a\r\n") == []
    assert skeleton("plain") == "plain"


@given(st.text(st.characters(codec="utf-8", exclude_characters="\n\0"), max_size=12))
def test_every_character_that_does_not_show_as_itself_is_told(text: str) -> None:
    told = {each.start for each in found(f"{text}|\n", "") if each.what.startswith("U+")}
    hidden = {"Cc", "Cf", "Zl", "Zp", "Zs", "Co", "Cn"}
    for at, char in enumerate(text):
        may_be_needed = char in "\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202f\u3000"
        if unicodedata.category(char) in hidden and not may_be_needed and char not in " \t":
            assert at in told


def test_of_millions_some_are_told() -> None:
    *told, rest = found(FILE + "x = '" + "é\u200b" * 1_000_000 + "'\n")
    assert len(told) == MOST
    assert rest.what == "only 10,000 of 2,000,006 characters were looked at"
    assert found(FILE + "x = '" + "❤\ufe0f" * 1_000 + "plain" * 100_000 + "'\n") == []


def test_letters_that_a_file_in_another_encoding_would_misread_are_told() -> None:
    base = Text.from_bytes(b"name = 'caf\xe9'\nx = 1\n")
    (hunk,) = diff(base, base.replace_lines(1, 2, ["x = 'na\u00efve'"]))
    assert [each.what for each in suspects(base, hunk)] == [
        "U+00EF LATIN SMALL LETTER I WITH DIAERESIS is written as UTF-8, which this file is not"
    ]
