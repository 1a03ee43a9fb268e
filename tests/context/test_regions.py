import textwrap
from collections.abc import Mapping
from hashlib import sha256
from time import process_time

import pytest

from spark_tui.context.regions import Region, find_region
from spark_tui.errors import FileError, UsageError


def code(text: str) -> bytes:
    return textwrap.dedent(text).lstrip().encode()


def padded(data: bytes, lines: int = 80) -> bytes:
    """The same with enough comment lines below that the file is not short."""
    return data + b"# more\n" * lines


READER = code(
    '''
    """Reads things."""
    import csv

    LIMIT = 10


    class Reader:
        """Reads rows."""

        def __init__(self, path):
            self.path = path

        def read(self):
            return open(self.path).read()

        def close(self):
            log("closing")


    class Writer:
        def close(self):
            pass


    def convert(rows):
        total = 0

        def helper(row):
            return row

        for row in rows:
            total += helper(row)
        return total
    '''
)
FILES = {
    "pkg/reader.py": padded(READER),
    "pkg/tools.py": padded(code("def convert_all(paths):\n    return paths\n\n\ndef main():\n    return 1\n")),
    "tests/test_reader.py": code("def test_convert():\n    assert 1\n"),
    "bad.py": b"def main(): pass\n\0",
}


def find(instruction: str = "fix it", files: Mapping[str, bytes] = FILES, **where: object) -> Region:
    def read(path: str) -> bytes:
        if path not in files:
            raise FileError(f"there is no file {path}")
        return files[path]

    return find_region(instruction, sorted(files), read, **where)  # type: ignore[arg-type]


def place(region: Region) -> tuple[str, str | None, str]:
    return region.path, region.symbol, region.found_by


@pytest.mark.parametrize(
    ("lines", "symbol", "region", "selected"),
    [
        ((14, 14), "Reader.read", (13, 14), (1, 1)),
        ((13, 14), "Reader.read", (13, 14), None),
        ((14, 16), "Reader", (7, 17), (7, 9)),
        ((29, 29), "convert.helper", (28, 29), (1, 1)),
        ((31, 32), "convert", (25, 33), (6, 7)),
        ((2, 4), None, (2, 4), None),
        ((14, 26), None, (14, 26), None),
    ],
)
def test_given_lines_are_selected_in_the_smallest_definition_around_them(
    lines: tuple[int, int], symbol: str | None, region: tuple[int, int], selected: tuple[int, int] | None
) -> None:
    found = find(path="pkg/reader.py", lines=lines)
    assert (found.symbol, (found.start_line, found.end_line), found.selected) == (symbol, region, selected)
    assert (found.found_by, found.base_hash) == ("lines", sha256(FILES["pkg/reader.py"]).hexdigest())


def test_given_lines_of_a_file_that_is_not_python_are_the_region() -> None:
    found = find(path="a.txt", lines=(2, 3), files={"a.txt": b"def f():\n    pass\n    pass\n"})
    assert (found.start_line, found.end_line, found.symbol) == (2, 3, None)


@pytest.mark.parametrize("lines", [(0, 1), (3, 2), (114, 114), (-1, -1)])
def test_lines_that_are_not_there_are_refused(lines: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match=r"pkg/reader\.py has no lines .* it has 113"):
        find(path="pkg/reader.py", lines=lines)


def test_too_many_lines_are_refused() -> None:
    with pytest.raises(UsageError, match=r"a\.txt:1-256 has 256 lines and spark edits at most 255"):
        find(path="a.txt", lines=(1, 256), files={"a.txt": b"\n" * 300})


@pytest.mark.parametrize(
    ("symbol", "found"),
    [
        ("read", "Reader.read"),
        ("Reader.read", "Reader.read"),
        ("reader.Reader.read", "Reader.read"),
        ("pkg.reader.convert", "convert"),
        ("helper", "convert.helper"),
        ("Writer", "Writer"),
    ],
)
def test_a_given_symbol_is_found_by_the_end_of_its_name(symbol: str, found: str) -> None:
    assert place(find(path="pkg/reader.py", symbol=symbol)) == ("pkg/reader.py", found, "symbol")
    assert place(find(symbol=symbol)) == ("pkg/reader.py", found, "symbol")


def test_an_ambiguous_symbol_is_refused_with_its_candidates() -> None:
    with pytest.raises(
        UsageError, match=r"close may mean pkg/reader\.py::Reader\.close, pkg/reader\.py::Writer\.close;"
    ):
        find(path="pkg/reader.py", symbol="close")


def test_the_whole_name_wins_over_the_end_of_another() -> None:
    files = {"a.py": b"class A:\n    def f(self): pass\n\ndef f(): pass\n"}
    assert find(path="a.py", symbol="f", files=files).start_line == 4


def test_candidates_of_one_name_are_told_apart_by_their_lines() -> None:
    files = {"a.py": b"@overload\ndef f(a): ...\n\ndef f(a, b): ...\n"}
    with pytest.raises(UsageError, match=r"f may mean a\.py:1-2, a\.py:4-4; choose one with --at"):
        find(path="a.py", symbol="f", files=files)


@pytest.mark.parametrize(
    ("path", "symbol", "message"),
    [
        ("pkg/reader.py", "Raeder", "no function or class Raeder in pkg/reader.py; did you mean Reader"),
        ("pkg/reader.py", "zzz", "no function or class zzz in pkg/reader.py; choose lines"),
        (None, "zzz", "no function or class zzz in the Python files here"),
        ("a.txt", "f", "in Python files only"),
    ],
)
def test_a_symbol_that_is_not_there_is_refused(path: str | None, symbol: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find(path=path, symbol=symbol, files={**FILES, "a.txt": b"x"})


@pytest.mark.parametrize(
    ("instruction", "symbol"),
    [
        ("rename total to amount in convert", "convert"),
        ("add a docstring to convert", "convert"),
        ("add a docstring to the Writer class", "Writer"),
        ("add a docstring to `Reader.close`", "Reader.close"),
        ("add a docstring to close in Writer", "Writer.close"),
        ("add a docstring to the close method of the class Reader", "Reader.close"),
        ("simplify helper", "convert.helper"),
        ("rename read to read_text", "Reader.read"),
        ("use enumerate in helper() of convert", "convert.helper"),
    ],
)
def test_an_instruction_names_its_symbol(instruction: str, symbol: str) -> None:
    assert place(find(instruction, path="pkg/reader.py")) == ("pkg/reader.py", symbol, "name")


def test_without_a_path_the_instruction_is_looked_up_in_all_files() -> None:
    assert place(find("add a docstring to convert_all")) == ("pkg/tools.py", "convert_all", "name")
    assert place(find("add a docstring to tools.main")) == ("pkg/tools.py", "main", "name")
    assert place(find("rename rows in pkg/reader.py to lines in convert")) == ("pkg/reader.py", "convert", "name")


def test_what_something_is_added_to_is_surely_the_place() -> None:
    files = {
        "a.py": b"class Shelf:\n    def get(self, key):\n        return key\n\n\nclass Hints:\n    type = 1\n",
        "b.py": b"def add(hint):\n    type = hint\n    return type\n",
    }
    for words in ("add type hints to Shelf.get", "add a return annotation to get", "add a parameter flag to get"):
        assert place(find(words, files=files)) == ("a.py", "Shelf.get", "name")


def test_a_file_that_cannot_be_read_is_passed_over_in_a_search() -> None:
    assert place(find("add a docstring to main")) == ("pkg/tools.py", "main", "name")


def test_names_in_several_files_are_refused_with_their_candidates() -> None:
    files = {"a.py": b"def run(): pass\n", "b.py": b"class B:\n    def run(self): pass\n"}
    with pytest.raises(UsageError, match=r"the name may mean a\.py::run, b\.py::B\.run; choose one with --at"):
        find("add a docstring to run()", files=files)


def test_nothing_to_go_by_is_refused_with_what_to_do() -> None:
    with pytest.raises(UsageError, match="name a function or class, or use --file PATH or --at PATH:L1-L2"):
        find("make it better")
    with pytest.raises(UsageError, match="there is no Python file here"):
        find("make it better", files={})


def test_a_short_file_is_a_region_as_a_whole() -> None:
    files = {"a.py": b"x = 1\ny = 2\n"}
    assert find("set x to 2", path="a.py", files=files) == find("set x to 2", files=files)
    found = find("set x to 2", path="a.py", files=files)
    assert (found.start_line, found.end_line, found.symbol, found.found_by) == (1, 2, None, "file")
    assert find("x", path="a.txt", files={"a.txt": b"a\nb"}).end_line == 2


def test_a_short_file_with_several_names_is_a_region_as_a_whole() -> None:
    files = {"a.py": b"def load(): pass\n\ndef save(): pass\n"}
    assert find("use `load` and `save`", path="a.py", files=files).found_by == "file"


@pytest.mark.parametrize(
    ("instruction", "symbol", "lines"),
    [
        ("remove the unused imports", None, (1, 4)),
        ("sort the imports", None, (1, 4)),
        ("import Path from pathlib", None, (1, 4)),
        ("drop the csv import", None, (1, 4)),
        ("import json inside the function", "convert", (25, 33)),
        ("rename total to amount", "convert", (25, 33)),
    ],
)
def test_imports_are_sought_at_the_top_whichever_function_is_pointed_at(
    instruction: str, symbol: str | None, lines: tuple[int, int]
) -> None:
    found = find(instruction, path="pkg/reader.py", symbol="convert")
    assert (found.symbol, found.start_line, found.end_line) == (symbol, *lines)


def test_a_name_alone_that_is_to_go_leads_to_its_import() -> None:
    assert find("remove csv", path="pkg/reader.py").start_line == 1
    assert find("remove csv", files=FILES).path == "pkg/reader.py"


def test_an_empty_file_has_an_empty_region() -> None:
    found = find("add a function", path="a.py", files={"a.py": b""})
    assert (found.start_line, found.end_line) == (1, 0)


@pytest.mark.parametrize(
    ("instruction", "symbol"),
    [
        ("the message 'closing' should say 'closed'", "Reader.close"),
        ("wrong result for total and rows", "convert"),
        ("remove the unused csv import", None),
    ],
)
def test_in_a_long_file_rare_words_lead_to_the_part(instruction: str, symbol: str | None) -> None:
    assert place(find(instruction, path="pkg/reader.py")) == ("pkg/reader.py", symbol, "words")


@pytest.mark.parametrize("instruction", ["make it better", "use self more"])
def test_a_long_file_without_a_clear_part_is_refused(instruction: str) -> None:
    with pytest.raises(UsageError, match=r"pkg/reader\.py has 113 lines .* use --at pkg/reader\.py:L1-L2 or"):
        find(instruction, path="pkg/reader.py")


def test_a_long_file_that_is_not_python_needs_lines() -> None:
    with pytest.raises(UsageError, match=r"a\.txt has 100 lines .* use --at a\.txt:L1-L2$"):
        find("fix the def of f", path="a.txt", files={"a.txt": b"def f\n" * 100})


def test_in_too_long_a_class_rare_words_lead_to_the_method() -> None:
    methods = "".join(f"    def method{n}(self):\n        return {n}\n\n" for n in range(100))
    files = {"a.py": f"class Big:\n{methods}    def last(self):\n        return self.zebra\n".encode()}
    assert place(find("the zebra is wrong in Big", path="a.py", files=files)) == ("a.py", "Big.last", "words")
    assert place(find("the zebra is wrong in Big", files={**files, "b.py": b""})) == ("a.py", "Big.last", "words")
    with pytest.raises(UsageError, match="Big has 303 lines"):
        find("make Big final", path="a.py", files=files)


def test_a_binary_file_is_refused() -> None:
    with pytest.raises(FileError, match=r"bad\.py is binary"):
        find("fix it", path="bad.py")


def test_a_file_that_does_not_parse_still_has_functions() -> None:
    files = {"a.py": padded(b"def f(:\n    return 1\n\ndef g():\n    return 2\n")}
    assert find("fix the g function", path="a.py", files=files).start_line == 4


@pytest.mark.parametrize("where", [{"symbol": "function_20000"}, {"lines": (120_003, 120_004)}, {}])
def test_a_file_of_three_megabytes_takes_seconds_at_most(where: dict[str, object]) -> None:
    body = '    """A docstring of this one."""\n    value = compute_something_long(a, b)\n    return value * {}\n\n\n'
    data = "".join(f"def function_{n}(self, a, b):\n{body.format(n)}" for n in range(23_000)).encode()
    data = data.replace(b"value * 20000", b"value * zebra")
    assert len(data) > 3_000_000
    start = process_time()
    found = find("return twice the value of the zebra", path="a.py", files={"a.py": data}, **where)
    assert process_time() - start < 5.0
    assert found.symbol == "function_20000"


def test_of_a_long_top_the_imports_are_the_region() -> None:
    lines = [
        *(["# licence"] * 20),
        "import os",
        "from a import (",
        "    b,",
        ")",
        *(["X = 1"] * 60),
        "def f():",
        "    pass",
    ]
    found = find("sort the imports", path="a.py", files={"a.py": "\n".join(lines).encode()})
    assert (found.start_line, found.end_line) == (21, 24)


LONG = code(
    """
    import os
    import json


    def load(path):
        text = open(path).read()
        return text


    LIMIT = 3


    def save(path):
        return path
    """
)


@pytest.mark.parametrize(
    ("instruction", "where", "lines", "selected"),
    [
        ("fix line 7", {"path": "a.py"}, (5, 7), (2, 2)),
        ("fix line 7", {"path": "a.py", "symbol": "load"}, (5, 7), (2, 2)),
        ("fix line 7", {"path": "a.py", "lines": (5, 7)}, (5, 7), (2, 2)),
        ("fix line 7 of a.py", {}, (5, 7), (2, 2)),
        ("fix line 7 in load", {}, (5, 7), (2, 2)),
        ("fix line 1", {"path": "a.py"}, (1, 2), (0, 0)),
        ("remove it", {"path": "a.py", "lines": (1, 1)}, (1, 2), (0, 0)),
        ("a.py:1:8: F401 'os' imported but unused", {}, (1, 2), (0, 0)),
        ("rename LIMIT on line 10", {"path": "a.py"}, (8, 12), (2, 2)),
        ("make line 6 and line 7 one", {"path": "a.py"}, (5, 7), (1, 2)),
        ("use the names of line 5 on line 7", {"path": "a.py"}, (5, 7), None),
    ],
)
def test_a_line_told_by_number_is_the_files(
    instruction: str, where: dict[str, object], lines: tuple[int, int], selected: tuple[int, int] | None
) -> None:
    files = {"a.py": padded(LONG), "b.py": padded(b"x = 1\n")}
    region = find_region(instruction, sorted(files), files.__getitem__, **where)  # type: ignore[arg-type]
    assert (region.path, region.start_line, region.end_line, region.selected) == ("a.py", *lines, selected)


@pytest.mark.parametrize(
    ("words", "where", "said"),
    [
        ("fix line 90", {"symbol": "load"}, "line 90 is not in a.py:5-7"),
        ("fix line 1", {"lines": (5, 6)}, "line 1 is not in a.py:5-7"),
        ("fix line 900", {}, "has no lines 900-900"),
    ],
)
def test_a_line_outside_of_the_place_is_refused(words: str, where: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        find_region(words, ["a.py"], lambda _: padded(LONG), path="a.py", **where)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "words",
    [
        "add a docstring to convert saying what it returns",
        "add a docstring to convert that tells of total",
        "add a docstring to convert: it adds up",
    ],
)
def test_what_something_is_added_to_is_the_place_whatever_is_told_of_the_addition(words: str) -> None:
    assert place(find(words)) == ("pkg/reader.py", "convert", "name")


def test_a_name_is_enough_where_nothing_else_has_any_of_the_words() -> None:
    files = {**FILES, "other.py": padded(b"def quux(x):\n    return x\n")}
    assert place(find("please quux it twice", files))[:2] == ("other.py", "quux")
