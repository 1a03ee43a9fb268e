"""An edit that takes words for something else than they plainly say is found out."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.misread import misread


def _said(words: str, before: str, after: str) -> str:
    lines = before.split("\n")
    region = Region("a.py", 1, len(lines), None, None, "", "file")
    return misread(words, Code(words, "a.py", region, lines, lines), after.split("\n"))


LONG = (
    "def f(pw):\n    if len(pw) < 8:\n        return False\n    if pw.isdigit():\n        return False\n    return True"
)
TRIED = "for i in range(3):\n    try:\n        g()\n    except OSError as e:\n        print(e)"
TESTED = "def test():\n    assert add(2) == 4"
READ = "def f(p):\n    with open(p) as f:\n        r = reader(f)\n        rows = g(r)\n    return rows"
SPLIT = 'a, b = line.split("=")'


@pytest.mark.parametrize(
    ("words", "before", "after", "why"),
    [
        ("don't round", "a = round(b, 2)", "a = round(2, b)", "only changes an order"),
        ("round up", "a = b - c", "a = c - b", "only changes an order"),
        ("require a digit", LONG, LONG.replace("< 8", "<= 8"), "only changes how values compare"),
        ("don't print", "print(a)\nprint(b)", "print(b)\nprint(a)", "changes an order"),
        ("round the total to 2 decimals", "show(total)", "show(2)", "does not round anything"),
        (
            "add is_empty",
            "class A:\n    x = 1",
            "class A:\n    x = 1\n\n    def __repr__(self): ...",
            "not add is_empty",
        ),
        (
            "rename the route to /books",
            '@app.route("/a")\ndef f(): ...',
            '@app.books("/a")\ndef f(): ...',
            "/books is no name",
        ),
        ("b is an int", SPLIT, f"{SPLIT.partition('=')[0]}= int(f())", "int gives one value"),
        ("use partition", SPLIT, 'a, b = line.partition("=")', "partition gives 3 values"),
        ("add a message to the assert", TESTED, f"{TESTED}, add", "say what the message is to say"),
        ("raise the last error", TRIED, f"{TRIED}\n        raise", "raises at the first error already"),
        ("start at 1", "def f(n=3):\n    return g(n)", "def f(n=1):\n    return g(n)", "changes the default of n"),
        ("limit to 10 items", "a = b[-1]", "a = b[10]", "does not limit"),
        ("return a reason", LONG, "def f(pw):\n    return len(pw) >= 8 and not pw.isdigit()", "not return a reason"),
        (
            "pull the 7 out into a constant",
            "def f(a):\n    return a[7:]",
            "def f(a):\n    n = 7\n    return a[n:]",
            "capitals",
        ),
        ("use while True and break", "while not a():\n    b()", "while a():\n    b()", "does not use while True"),
        ("use math.hypot", "a = b + c", "a = b + math.hypot", "does not call math.hypot"),
        (
            "it should raise TypeError for strings",
            TESTED,
            "def test():\n    if add(2) != 4:\n        raise TypeError",
            "raises",
        ),
        ("default limit should be 5", "def f(a): ...", "def f(a=5): ...", "there is no limit that has a default"),
        ("port should default to 80", 'a("--port")', 'a("--80")', "takes port away"),
        ("return list(reader)", READ, READ.replace("return rows", "return list(r)"), "reads r after it is closed"),
        ("change x > 8 to x >= 8", "a = x > 80", "a = x > 8", "there is no x > 8"),
        ("change x > 80 to x >= 81", "a = x > 80", "a = x > 81", "does not make it x >= 81"),
    ],
)
def test_what_is_misread_is_said(words: str, before: str, after: str, why: str) -> None:
    assert why in _said(words, before, after)


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("don't round", "a = round(b, 2)", "a = b"),
        ("pull 7 into a constant", "def f(a):\n    return a[7:]", "N = 7\n\n\ndef f(a):\n    return a[N:]"),
        ("round it", "a = b", "a = round(b)"),
        ("return b before a", "a, b", "b, a"),
        ("require at least 8", "a = b > 8", "a = b >= 8"),
        ("don't print twice", "print(a)", "print(a)"),
        ("rename a to `books`", "a = 1", "books = 1"),
        ("use partition", SPLIT, 'a, _, b = line.partition("=")'),
        ("reraise", TRIED, f"{TRIED}\n        raise"),
        ("n should start at 1", "def f(n=3):\n    return g(n)", "def f(n=1):\n    return g(n)"),
        ("limit to 10 items", "a = b", "a = b[:10]"),
        ("return a bool", LONG, "def f(pw):\n    return len(pw) >= 8 and not pw.isdigit()"),
        ("use a condition instead of while True", "while True:\n    b()", "while a():\n    b()"),
        ("use math.hypot", "a = (b * b + c * c) ** 0.5", "a = math.hypot(b, c)"),
        ("return list(reader)", READ, "def f(p):\n    with open(p) as f:\n        return list(reader(f))"),
        ("default limit should be 5", "def f(limit=3): ...", "def f(limit=5): ..."),
        ("change x > 80 to x >= 80", "a = x > 80", "a = x >= 80"),
    ],
)
def test_what_is_done_is_let_through(words: str, before: str, after: str) -> None:
    assert not _said(words, before, after)
