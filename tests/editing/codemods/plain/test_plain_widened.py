"""A test that is to let more pass gets what is told besides, and an else that only goes on goes."""

import pytest

from spark_tui.session.rules.inverted import inverted
from tests.editing.codemods.plain.test_plain_requests import changed

CHECK = ("def check(url):", '    if not url.startswith("http://"):', '        raise ValueError("no url")')
VOWELS = ("def vowels(text):", '    return sum(c in "aeio" for c in text)')
NAMED = ('VOWELS = "aeio"', "def vowels(text):", "    return sum(c in VOWELS for c in text)")
PICTURES = ("def pictures(names):", '    return [name for name in names if name.endswith(".png")]')


@pytest.mark.parametrize(
    ("words", "lines", "new"),
    [
        ("check for https as well", CHECK, 'if not url.startswith(("http://", "https://")):'),
        ("also allow https://", CHECK, 'if not url.startswith(("http://", "https://")):'),
        ("accept jpg too", PICTURES, 'return [name for name in names if name.endswith((".png", ".jpg"))]'),
        ("also count u", VOWELS, 'return sum(c in "aeiou" for c in text)'),
        ("count u as well", NAMED, 'VOWELS = "aeiou"'),
    ],
)
def test_what_is_told_besides_passes_too(words: str, lines: tuple[str, ...], new: str) -> None:
    assert changed(words, lines)[1] == [new]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("also check for errors", CHECK),
        ("check for https", CHECK),
        ("also count url", CHECK),
        ("also count a", VOWELS),
        ("also count words", VOWELS),
    ],
)
def test_what_is_no_variant_is_left(words: str, lines: tuple[str, ...]) -> None:
    assert changed(words, lines) == ([], [])


def test_more_is_not_the_opposite() -> None:
    after = [CHECK[0], CHECK[1].replace("not ", ""), CHECK[2]]
    assert "wrong way round" in inverted("check for https as well", CHECK, after)
    assert not inverted("the check should be the other way round too", CHECK, after)


EVENS = (
    "def evens(xs):", "    for x in xs:", "        if x % 2 == 0:", "            yield x", "        else:",
    "            continue",
)  # fmt: skip


@pytest.mark.parametrize(
    "words", ["drop the useless else: continue", "remove the else: continue", "remove the pointless continue"]
)
def test_an_else_that_only_goes_on_goes_whole(words: str) -> None:
    assert changed(words, EVENS) == (["else:", "continue"], [])
    assert changed(words, (*EVENS, "        print(x)")) == ([], [])
