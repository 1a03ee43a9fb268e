"""An option is a parameter where callers are to choose it, and a default is no list where it must not be one."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed

LOAD = ("def load(path):", "    with open(path) as f:", "        return f.read()")


@pytest.mark.parametrize(
    ("words", "default"),
    [
        ("let the caller choose the encoding, utf-8 by default", '"utf-8"'),
        ("take the encoding as a parameter, default latin-1", '"latin-1"'),
        ("make the encoding configurable", "None"),
    ],
)
def test_what_callers_choose_is_handed_on_under_its_name(words: str, default: str) -> None:
    new = [f"def load(path, encoding={default}):", "with open(path, encoding=encoding) as f:"]
    assert changed(words, LOAD)[1] == new


def test_what_is_fixed_by_now_is_the_default() -> None:
    lines = (LOAD[0], '    with open(path, encoding="ascii") as f:', LOAD[2])
    new = ['def load(path, encoding="ascii"):', "with open(path, encoding=encoding) as f:"]
    assert changed("let callers pick the encoding", lines)[1] == new


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("let the caller choose the colour", LOAD),
        ("let the caller choose the encoding", (LOAD[0], '    with open(path, "rb") as f:', LOAD[2])),
        ("let the caller choose the encoding", (*LOAD, "def write(path):", "    open(path)")),
        ("let the caller choose the encoding", ("def load(path, encoding):", *LOAD[1:])),
    ],
)
def test_what_nothing_takes_is_no_option(words: str, lines: tuple[str, ...]) -> None:
    assert changed(words, lines) == ([], [])


@pytest.mark.parametrize("words", ["write sorted keys", "keys should be sorted", "dump with keys sorted"])
def test_keys_are_sorted_as_they_are_written(words: str) -> None:
    lines = ("def save(data, f):", "    json.dump(data, f)")
    assert changed(words, lines)[1] == ["json.dump(data, f, sort_keys=True)"]


@pytest.mark.parametrize("words", ["default should not be a list", "the default must not be mutable"])
def test_a_default_is_made_anew_where_it_must_not_be_a_list(words: str) -> None:
    lines = ("def add(item, items=[]):", "    items.append(item)", "    return items")
    assert changed(words, lines)[1] == ["def add(item, items=None):", "if items is None:", "items = []"]
    assert changed(words, (lines[0].replace("item,", "item={},"), *lines[1:])) == ([], [])
