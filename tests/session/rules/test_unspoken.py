"""An edit of which the words do not speak is not shown; one that half of them are said for is."""

import pytest

from spark_tui.context.source import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.unspoken import unspoken

LINES = ("def load(path):", "    f = open(path)", "    cake = f.read()", "    f.close()", "    return cake")
WITH = (LINES[0], "    with open(path) as f:", "        cake = f.read()", LINES[-1])
RENAMED = ("def load(rose):", "    f = open(rose)", *LINES[2:])


def of(words: str, after: tuple[str, ...], kind: str, *strange: str) -> str:
    region = Region("shop.py", 1, len(LINES), "load", None, "", "symbol")
    return unspoken(words, Code(words, "load", region, LINES, LINES), after, kind, strange)


@pytest.mark.parametrize(
    ("words", "strange"), [("open the window", "window"), ("file a complaint", "complaint"), ("be cake", "")]
)
def test_what_is_never_said_for_an_edit_is_asked_back(words: str, strange: str) -> None:
    assert f"what is {strange or 'to be done'} here?" in of(words, WITH, "use_with", *filter(None, [strange]))


@pytest.mark.parametrize(
    ("words", "strange"),
    [
        ("with statement please", ()),
        ("always close the shop file, no leaks", ("shop",)),
        ("open the window -> with", ("window",)),
        ("with [window]", ("window",)),
        ("does the window stay open? i get an error", ("window", "stay")),
        ("leaks a file when it crashes", ()),
    ],
)
def test_what_is_said_for_an_edit_goes_through(words: str, strange: tuple[str, ...]) -> None:
    assert of(words, WITH, "use_with", *strange) == ""


def test_a_name_becomes_another_only_by_words_that_join_them() -> None:
    assert "called what?" in of("the path of the rose", RENAMED, "rename", "rose")
    assert of("call the path rose", RENAMED, "rename", "rose") == ""
