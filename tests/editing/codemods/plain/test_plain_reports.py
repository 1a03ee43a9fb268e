"""Crashes with what is to be done instead, the order of a sort, numbers by what stands beside them, awaits at once."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed

LOAD = (
    "def load(self, key, rows, text):",
    "    match = re.match(text, key)",
    "    row = self.conn.execute(key).fetchone()",
    "    for each in rows:",
    "        page = fetch(each)",
    "        rows.append(page.html)",
    "    first, rest = text.split('=')",
    "    ranked = sorted(rows, key=len)",
    "    if not key:",
    '        print("no key given")',
    "        return 1",
    "    return match.group(1), row[0]",
)


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("AttributeError: 'NoneType' object has no attribute 'group', return an empty string",
         ["if match is None:", 'return ""']),
        ("TypeError: 'NoneType' object is not subscriptable for unknown keys. return None",
         ["if row is None:", "return None"]),
        ("TypeError when fetch returned None, skip those pages", ["if page is None:", "continue"]),
        ("ValueError: too many values to unpack when the value has a = in it", ["first, rest = text.split('=', 1)"]),
        ("longest rows first", ["ranked = sorted(rows, key=len, reverse=True)"]),
        ("it lists the ones with the fewest letters", ["ranked = sorted(rows, key=len, reverse=True)"]),
        ("exit with 2 if no key is given", ["return 2"]),
    ],
)  # fmt: skip
def test_what_is_told_with_its_outcome_is_done(words: str, new: list[str]) -> None:
    assert changed(words, LOAD)[1] == new


@pytest.mark.parametrize(
    "words",
    [
        "TypeError: 'NoneType' object is not callable, return None",  # nothing here is used so
        "shortest rows first",  # as it is
        "exit with 2 if the file is missing",  # nothing speaks of it
        "it should list the ones with the fewest letters",  # a wish that this may fulfil
    ],
)
def test_what_is_not_plain_is_left_to_the_ranking(words: str) -> None:
    assert changed(words, LOAD) == ([], [])


def test_a_crash_on_nothing_is_a_check_as_told() -> None:
    lines = ("def mean(values):", "    return sum(values) / len(values)")
    assert changed("ZeroDivisionError for an empty list, return 0 then", lines)[1] == ["if not values:", "return 0"]


@pytest.mark.parametrize(
    ("words", "now", "new"),
    [
        ("sizes with two decimals", 'return "%.1f KB" % size', 'return "%.2f KB" % size'),
        ("one decimal instead of whole numbers", "return round(size * 100)", "return round(size * 100, 1)"),
        ("wrong size should be a 401", 'raise HTTPError(403, "wrong size")', 'raise HTTPError(401, "wrong size")'),
        ("use assertEqual", "self.assertTrue(size == 2)", "self.assertEqual(size, 2)"),
        ("assertEquals is deprecated", "self.assertEquals(size, 2)", "self.assertEqual(size, 2)"),
    ],
)
def test_one_line_is_put_right(words: str, now: str, new: str) -> None:
    assert changed(words, ("def shown(self, size):", f"    {now}"))[1] == [new]


def test_what_is_awaited_one_by_one_is_gathered() -> None:
    lines = ("async def every(self, paths):", "    found = []", "    for path in paths:",
             "        found.append(await self.get(path))", "    return found")  # fmt: skip
    gathered = "await asyncio.gather(*(self.get(path) for path in paths))"
    assert changed("do these in parallel", lines)[1] == [f"return {gathered}"]
    assert changed("use gather", (*lines[:-1], "    print(found)"))[1] == [f"found = list({gathered})"]


def test_a_try_that_must_fail_is_a_with() -> None:
    lines = ("def test_it(self):", "    try:", '        load("abc")', "        self.fail()", "    except ValueError:",
             "        pass")  # fmt: skip
    assert changed("use assertRaises", lines)[1] == ["with self.assertRaises(ValueError):"]
