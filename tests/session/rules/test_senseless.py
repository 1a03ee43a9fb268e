"""An edit that cannot be what is meant is found out."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.senseless import senseless

FILE = """def fetch(path, timeout=10) -> Optional[str]:
    tries = 3
    tax = 0.19
    # at most 3 tries are made
    with open(path) as file:
        reader = csv.reader(file)
        rows = [row for row in reader]
    time.sleep(1)
    get(path)
    return rows
""".splitlines()


def _said(words: str, old: str, new: str) -> str:
    """What is said of an edit that puts something for something."""
    after = "\n".join(FILE).replace(old, new, 1).split("\n")
    region = Region("a.py", 1, len(FILE), None, None, "", "file")
    return senseless(words, Code(words, "a.py:1-10", region, FILE, FILE), after)


@pytest.mark.parametrize(
    ("words", "old", "new", "why"),
    [
        ("os.replace instead of get", "get(path)", "os.replace", "os.replace, which does nothing"),
        ("should be str not Optional", "Optional[str]", "str[str]", "str[str], which does nothing or cannot work"),
        ("sleep(0.5)", "sleep(1)", "sleep(sleep(0.5))", "time.sleep(sleep(0.5)), which"),
        ("tries limit of 5", "3 tries", "3 5", "changes a comment only"),
        ("use 5 instead of 3", "most 3", "most 5", "changes a comment only"),
        ("return rows.strip('-')", "return rows", "return [row for row in reader]", "not rows.strip('-')"),
        ("return 0.0 if there are no rows", "return rows", "return 0", "not 0.0"),
        ("return rows + [1] instead", "return rows", "return [row for row in reader] + [1]", "not rows + [1]"),
        ("return list(reader)", "return rows", "return list(reader)", "returns reader where its file is closed"),
        ("return 0 if there's nothing", "    return rows", "    if rows:\n        return 0\n    return 1", "other way"),
        ("newline='' for csv", "rows = [row for row in reader]", "rows = list(reader)", "does not give newline=''"),
        ("make tax 21%", "0.19", "21", "puts 21 where a share of one stood"),
        ("pass the timeout", "get(path)", "get(path, timeout=10)", "passes a fixed value as timeout"),
        ("respond with status 201", "tries = 3", "tries = n + 201", "reckons with 201"),
        ("skip folders", "[row for row in reader]", "[a for a in os.listdir(path) if a.is_dir()]", "join(path, a)"),
        ("poll every half second", "timeout=10", "timeout=0.5", "leaves the sleep as it is"),
        ("use utf-8", "open(path)", 'open(path, "rb", encoding="utf-8")', "to what is opened for bytes"),
        ("use utf-8", "open(path)", 'open(path, "w", "utf-8")', "a text for how much to buffer"),
        ("it crashes on an empty file", "tries = 3", "tries = []", "changes a fixed value only"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_said(words: str, old: str, new: str, why: str) -> None:
    assert why in _said(words, old, new)


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("os.replace instead of get", "get(path)", "os.replace(path)"),
        ("str, not Optional", "Optional[str]", "str"),
        ("sleep(0.5)", "sleep(1)", "sleep(0.5)"),
        ("the comment is wrong, 5", "most 3", "most 5"),
        ("change most to about", "at most", "at about"),
        ("return rows[1:]", "return rows", "return rows[1:]"),
        ("return early", "    tries = 3", "    if not path:\n        return None\n    tries = 3"),
        ("retry every request 5 times", "tries = 3", "tries = 5"),
        ("return list(reader)", "    rows = [row for row in reader]", "    return list(reader)"),
        ("return [] if there are no rows", "return rows", "return rows or []"),
        ("newline='' for csv", "open(path)", "open(path, newline='')"),
        ("make tax 21%", "0.19", "0.21"),
        ("use utf-8", "open(path)", 'open(path, "w", encoding="utf-8")'),
        ("use utf-8", "open(path)", 'codecs.open(path, "w", "utf-8")'),
        ("pass the timeout", "get(path)", "get(path, timeout=timeout)"),
        ("set timeout to 20", "timeout=10", "timeout=20"),
    ],
)
def test_what_may_be_meant_is_let_through(words: str, old: str, new: str) -> None:
    assert not _said(words, old, new)


@pytest.mark.parametrize(
    ("words", "old", "new", "why"),
    [
        ("IndexError: list index out of range", "rows[0]", "rows[1]", "needs as many elements"),
        ("IndexError", "rows[-1]", "rows[1]", "needs as many elements"),
        ("IndexError", "rows[1]", "rows[0]", ""),
        ("IndexError", "rows[0] if a < b else c", "rows[0] if a <= b else c", "no index depends on"),
        ("IndexError", "rows[a] if a <= b else c", "rows[a] if a < b else c", ""),
        ("UnboundLocalError: n", "n += 1", "n = 1", "adds nothing up"),
        ("fails when the key is missing", "rows[key]", "rows[key] if key is None else 0", "not whether it is there"),
        ("fails when the key is missing", "rows[key]", "rows.get(key)", ""),
        ("UnboundLocalError: n", "n += 1", "m += 1", ""),
    ],
)
def test_an_error_shown_is_not_met_by_what_only_moves_it(words: str, old: str, new: str, why: str) -> None:
    region = Region("a.py", 1, 1, None, None, "", "file")
    said = senseless(words, Code(words, "a.py:1", region, [old], [old]), [new])
    assert why in said
    assert bool(said) == bool(why)


def test_a_method_that_uses_its_instance_is_not_made_static() -> None:
    region = Region("a.py", 1, 2, None, None, "", "symbol")
    for body, why in (("return self.n", "makes total static, which uses self"), ("return n", "")):
        lines = ("def total(self, n):", f"    {body}")
        after = ("@staticmethod", *lines)
        said = senseless("make it static", Code("make it static", "total", region, lines, lines), after)
        assert said == (f"the edit that was found {why}; say it in other words" if why else "")
