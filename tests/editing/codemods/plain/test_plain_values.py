"""What plain words make of a value: held within bounds, as text, without a sign at its end, given back."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed

DELAY = ("def delay(n, text, most):", "    wait = 2 ** n", "    name, age = text.split()", "    return wait, name, age")
READ = (
    "def read(path):",
    "    with open(path) as handle:",
    "        rows = csv.reader(handle)",
    "        return [row[0] for row in rows]",
)
LINES = ("def read(path):", "    for line in path.read_text().splitlines():", "        print(line)")
OUTPUT = ("def head():", "    result = run(['git'], capture_output=True)", "    return result.stdout")
SORTED = ("def ordered(names):", "    return names.sort()")
BUMP = ("def bump(level, step):", "    level = level + step", "    return level")
FILL = ("def fill(self, amount):", "    self.level += amount", "    self.name += 'x'")
SAVED = ("def save(path):", "    path.touch()")


@pytest.mark.parametrize(
    ("words", "lines", "new"),
    [
        ("cap wait at 60 seconds", DELAY, ["wait = min(2 ** n, 60)"]),
        ("cap the wait at most", DELAY, ["wait = min(2 ** n, most)"]),
        ("wait should be at least 1", DELAY, ["wait = max(2 ** n, 1)"]),
        ("clamp wait between 1 and 60", DELAY, ["wait = max(1, min(2 ** n, 60))"]),
        ("cap level at 10", BUMP, ["level = min(level + step, 10)"]),
        ("cap the level at 10", FILL, ["self.level = min(self.level, 10)"]),
        ("limit n to 10", DELAY, ["n = min(n, 10)"]),
        ("strip the trailing slash from text", DELAY, ['text = text.rstrip("/")']),
        ("strip quotes from name", DELAY, ['return wait, name.strip("\\"\'"), age']),
        ("age should be an int", DELAY, ["return wait, name, int(age)"]),
        ("decode the output", OUTPUT, ["return result.stdout.decode()"]),
        ("decode stdout as utf-8", OUTPUT, ["return result.stdout.decode('utf-8')"]),
        ("skip the header", READ, ["next(rows, None)"]),
        ("skip the first line", LINES, ["for line in path.read_text().splitlines()[1:]:"]),
        (
            "skip the header",
            ("def f(p):", "    a = p.readlines()", "    for b in a:", "        c(b)"),
            ["for b in a[1:]:"],
        ),
        ("it returns None", SORTED, ["names.sort()", "return names"]),
        ("return True on success", SAVED, ["return True"]),
    ],
)
def test_a_value_becomes_what_is_told(words: str, lines: tuple[str, ...], new: list[str]) -> None:
    assert changed(words, lines)[1] == new


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("n must be at most 10", DELAY),
        ("limit text to 10", DELAY),
        ("cap n at 3", (DELAY[0].replace("most", "most=None"), *DELAY[1:])),
        ("cap name at 3", DELAY),
        ("cap name at 3", FILL),
        ("limit level to 10", FILL),
        ("strip the trailing slash", DELAY),
        ("decode the output", (OUTPUT[0], OUTPUT[1].replace(")", ", text=True)"), OUTPUT[2])),
        ("skip the header", (*READ[:2], READ[2].replace("reader", "DictReader"), READ[3])),
        ("skip the header", (*READ[:3], "        next(rows)", READ[3])),
        ("return True on success", ("def found(key):", "    return key in KEYS")),
    ],
)
def test_what_may_mean_something_else_is_left_to_the_ranking(words: str, lines: tuple[str, ...]) -> None:
    assert changed(words, lines) == ([], [])
