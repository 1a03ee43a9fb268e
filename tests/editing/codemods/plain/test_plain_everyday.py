"""Everyday wishes in few words: what loops skip, what calls get, what conditions let through, other fixed values."""

import pytest

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.plain.test_plain_requests import changed

LOOP = (
    "def scan(root, rows, key, limit=None):",
    "    if limit:",
    "        rows = rows[:limit]",
    "    for name in os.listdir(root):",
    "        scan(os.path.join(root, name), rows, key)",
    "    for row in rows:",
    "        if row is root:",
    "            continue",
    '        if row["kind"] == "File":',
    "            print(row[key])",
    '    with open(root, "w") as f:',
    '        f.write("%.1f" % (len(rows) / 1000))',
    '    names = ["a", "b"]',
    '    f.write(",".join(rows))',
)


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("skip hidden names", ['if name.startswith("."):', "continue"]),
        ("rows without the key should be skipped", ["if key not in row:", "continue"]),
        ("ignore rows shorter than 3 characters", ["if len(row) < 3:", "continue"]),
        ("pass limit on in the recursive call", ["scan(os.path.join(root, name), rows, key, limit)"]),
        ("add newline=''", ["with open(root, \"w\", newline='') as f:"]),
        ("print to stderr", ["print(row[key], file=sys.stderr)"]),
        ("limit 0 should work too", ["if limit is not None:"]),
        ("the kind check should be case insensitive", ['if row["kind"].lower() == "file":']),
        ("use 1024", ['f.write("%.1f" % (len(rows) / 1024))']),
        ("show two decimals", ['f.write("%.2f" % (len(rows) / 1000))']),
        ("append instead of overwriting", ['with open(root, "a") as f:']),
        ("names should be a set", ['names = {"a", "b"}']),
        ("join with a comma and a space", ['f.write(", ".join(rows))']),
    ],
)
def test_what_is_told_in_few_words_is_done(words: str, new: list[str]) -> None:
    assert changed(words, LOOP)[1] == [line for line in new if line != "continue"]


@pytest.mark.parametrize(
    "words",
    ["skip hidden cells", "pass colour to scan", "add shell=True", "colour 0 should work", "make it a set", "use it"],
)
def test_what_is_not_there_is_left_to_the_ranking(words: str) -> None:
    assert changed(words, LOOP) == ([], [])


def test_empty_lines_of_a_file_end_in_a_newline() -> None:
    lines = ("def f(path):", "    for line in open(path):", "        print(line)")
    assert changed("skip empty lines", lines)[1] == ["if not line.strip():", "continue"]


@pytest.mark.parametrize("words", ["drop the timeout", "set check=True"])
def test_what_may_be_a_parameter_is_no_argument_of_a_call(words: str) -> None:
    lines = ("def run(command, timeout=3, check=False):", "    return subprocess.run(command, timeout=timeout)")
    assert not codemods()["fix_arguments"].plain(Snippet(lines), Request(words))


def test_a_keyword_that_is_not_wanted_goes() -> None:
    lines = ("def run(command):", "    return subprocess.run(command, shell=True, check=True)")
    assert changed("dont use the shell", lines)[1] == ["return subprocess.run(command, check=True)"]


def test_a_method_made_private_is_so_wherever_its_own_object_calls_it() -> None:
    lines = ("class A:", "    def load(self, x):", "        x.load()", "    def run(self):", "        self.load(2)")
    assert changed("make load private", lines)[1] == ["def _load(self, x):", "self._load(2)"]


def test_an_attribute_made_private_leaves_the_parameter_alone() -> None:
    lines = ("class A:", "    def __init__(self, size):", "        self.size = size")
    assert changed("make the size private", lines)[1] == ["self._size = size"]


PARSER = (
    "async def main(argv, names):",
    "    parser = ArgumentParser()",
    '    parser.add_argument("--verbose", action="store_true")',
    '    with open("log") as f:',
    "        f.write(argv)",
    "    for i in range(len(names)):",
    "        name = names[i]",
    "        print(name)",
    "    for key in names.keys():",
    "        yield key",
    "    save(names, os.path.join(argv))",
    '    line = "a " + argv',
    '    other = "b " + argv',
    "    assert argv.size == 3",
)


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("add a --dry-run flag", ['parser.add_argument("--dry-run", action="store_true")']),
        ("add an int --jobs option, default 4", ['parser.add_argument("--jobs", type=int, default=4)']),
        ("add -v as a short form", ['parser.add_argument("-v", "--verbose", action="store_true")']),
        ("loop over the names directly", ["for name in names:"]),
        ("no need for .keys()", ["for key in names:"]),
        ("dont yield an empty key", ["if key:", "yield key"]),
        ("use an f-string for the other", ['other = f"b {argv}"']),
        ("assert that mode is None", ["assert argv.mode is None"]),
    ],
)
def test_what_lacks_or_is_too_much(words: str, new: list[str]) -> None:
    assert changed(words, PARSER)[1] == new


def test_the_one_call_that_may_lack_an_await() -> None:
    lines = (PARSER[0], *PARSER[3:5], "    data = fetch(names, os.path.join(argv))", "    return data.strip()")
    assert changed("missing await", lines)[1] == ["data = await fetch(names, os.path.join(argv))"]


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("use perf_counter", "start = time.time()", "start = time.perf_counter()"),
        ("use monotonic instead of time", "start = time.time()", "start = time.monotonic()"),
        ("use asyncio.sleep", "time.sleep(start)", "await asyncio.sleep(start)"),
    ],
)
def test_a_function_of_the_same_kind(words: str, old: str, new: str) -> None:
    assert changed(words, ("async def f(start):", f"    {old}", "    return start")) == ([old], [new])


def test_a_call_that_is_wanted_somewhere_is_no_name() -> None:
    lines = ("class A:", "    def __init__(self):", "        self.x = 1", "    def load(self):", "        pass")
    assert not codemods()["rename"].edits(Snippet(lines), Request("call load in the constructor"))
