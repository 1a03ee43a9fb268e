"""Expressions told in code or by a name, put where they fit."""

import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("max(...) -> min(limits)", "top = max(a, f(b), c)", "top = min(limits)"),
        ("wrap(...) -> fill(...)", "text = textwrap.wrap(line, 70)", "text = textwrap.fill(line, 70)"),
        (
            "choice(a) == 1 -> random.random() < p",
            "if random.choice(a) == 1:\n    go()",
            "if random.random() < p:\n    go()",
        ),
        ("open(p, 'r') -> open(p)", 'with open(p,  "r") as f:\n    pass', "with open(p) as f:\n    pass"),
        ("in the loop: 3600 -> 60 * 60", "for one in rows:\n    wait(3600)", "for one in rows:\n    wait(60 * 60)"),
        (
            "except: -> except OSError:",
            "try:\n    go()\nexcept:\n    pass",
            "try:\n    go()\nexcept OSError:\n    pass",
        ),
        ('__name__ -> "app.log"', "log = getLogger(__name__)", 'log = getLogger("app.log")'),
    ],
)
def test_code_becomes_the_code_behind_the_arrow(words: str, old: str, new: str) -> None:
    assert results("replace_text", old, words) == [new]


@pytest.mark.parametrize("words", ["'%s' % name -> f-string", "t.daemon = True -> an argument of it"])
def test_prose_behind_an_arrow_is_no_code(words: str) -> None:
    found = results("replace_text", "t.daemon = True\nlog('%s' % name)", words)
    assert not any("f-string" in one or "argument of" in one for one in found)


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("should be fullmatch", "ok = PATTERN.match(text)", "ok = PATTERN.fullmatch(text)"),
        ("KeyError instead", "raise ValueError(name)", "raise KeyError(name)"),
        ("that's a TypeErorr", "raise ValueError('no number')", "raise TypeError('no number')"),
        ("rsplit here, please", "head = path.split('/', 1)", "head = path.rsplit('/', 1)"),
        ("monotonic can't jump", "start = time.time()", "start = time.monotonic()"),
        ("xrange is gone, the builtin does it", "for i in xrange(9):\n    go(i)", "for i in range(9):\n    go(i)"),
        ("datetime.UTC is shorter", "now(tz=datetime.timezone.utc)", "now(tz=datetime.UTC)"),
        ("lowercase list, please", "def f(a: List[int]): ...", "def f(a: list[int]): ..."),
        ("there is size() for that", "show(box._size)", "show(box.size())"),
        ("round, don't cut off", "def f() -> int:\n    return int(a)", "def f() -> int:\n    return round(a)"),
    ],
)
def test_a_name_takes_the_place_of_the_one_most_like_it(words: str, old: str, new: str) -> None:
    assert new in results("replace_text", old, words)[:2]


def test_a_name_told_for_several_places_is_put_in_each_and_in_all() -> None:
    before = "same = a.lower() == b.lower()"
    one, other, both = (before.replace(*pair) for pair in (("a.l", "a.cf"), ("b.l", "b.cf"), (".l", ".cf")))
    told = [text.replace(".cfower", ".casefold") for text in (one, other, both)]
    assert results("replace_text", before, "casefold instead")[:3] == told
    assert results("replace_text", before, "casefold in both")[0] == told[2]


@pytest.mark.parametrize(
    "words", ["KeyError: 'a'", "match the name first", "rename index to find", "catch TimeoutError as well", "no match"]
)
def test_names_that_are_not_told_to_be_there_stay_away(words: str) -> None:
    before = "raise ValueError(a.search(b), c.index(d))"
    assert not any(one.count(".match") or "KeyError" in one for one in results("replace_text", before, words))
