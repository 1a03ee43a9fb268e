"""A phrase tells a value as a whole, or none."""

import pytest

from spark_tui.editing.codemods.signatures.values_said import value_said


@pytest.mark.parametrize(
    ("phrase", "name", "value"),
    [
        ("a newline", "sep", r'"\n"'),
        ("comma followed by a space", "sep", '", "'),
        ("two spaces", "indent", '"  "'),
        ("an empty string", "sep", '""'),
        ("4 KiB", "size", "4 * 1024"),
        ("1 MB", "limit", "1024 * 1024"),
        ("10 MB", "max_mb", "10"),
        ("ten seconds", "delay", "10"),
        ("a quarter of a second", "delay", "0.25"),
        ("5 minutes", "ttl", "300"),
        ("500 ms", "delay", "0.5"),
        ("500 ms", "delay_ms", "500"),
        ("3 retries", "retries", "3"),
        ("50%", "ratio", "0.5"),
        ("latin-1", "encoding", '"latin-1"'),
        ("sys.stdout", "out", "sys.stdout"),
        ("a minute or so", "delay", ""),
        ("whatever fits", "size", ""),
        ("minute", "delay", ""),
    ],
)
def test_values_in_words(phrase: str, name: str, value: str) -> None:
    assert value_said(phrase, name, "", "", '"') == value


def test_a_hint_says_what_can_be_meant() -> None:
    assert value_said("half a second", "delay", "int", "", '"') == ""
    assert value_said("ten seconds", "delay", "timedelta", "", '"') == "timedelta(seconds=10)"
    assert value_said("the current directory", "root", "Path", "", '"') == 'Path(".")'
    assert value_said("a dash", "count", "int", "", '"') == ""
