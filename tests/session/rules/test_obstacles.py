"""What in the code stands in the way of a wish is told, and only where it does for certain."""

from pathlib import Path

import pytest

from spark_tui.context.regions import Region
from spark_tui.editing.script import Replace
from spark_tui.session.events import Status
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.obstacles import absence, obstacle
from spark_tui.session.turn import Request, Turn
from tests.fakes import ops_script, scripted_session

LOAD = '''def load(path: str, *, strict=False) -> list:
    """Read it."""
    rows = parse(path, strict)
    for row in rows:
        print(row)
    return rows
'''
FILE = (
    f"import os\nfrom json import loads\n\nHERE = os.getcwd()\nTEXT = loads('[]')\n\n\n{LOAD}\ndef dump():\n    pass\n"
)


def _code(words: str) -> Code:
    region = Region("a.py", 8, 13, "load", None, "", "symbol")
    return Code(words, "a.py:8-13 (load)", region, LOAD.splitlines(), FILE.splitlines())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rename total to amount", "there is no total in a.py:8-13 (load)"),
        ("please rename the variable `total` to amount", "there is no total"),
        ("rename rows to 3x", "3x is no name in Python"),
        ('rename rows to "a b"', "a b is no name in Python"),
        ("rename the parameter path to 1", "1 is no name in Python"),
        ("remove the parameter limit", "load has no parameter limit; its parameters are path, strict"),
        ("remove the import sys", "sys is not imported in a.py"),
        ("drop the re import", "re is not imported in a.py"),
        ("remove the unused imports", "every import of a.py is used"),
        ("remove the unused variable", "every variable in a.py:8-13 (load) is used"),
        ("remove the unused parameter", "every parameter of load is used"),
        ("inline the variable spent", "there is no spent"),
        ("inline path", "path is a parameter of load: there is nothing to inline"),
        ('change "hello" to "bye"', 'there is no "hello"'),
        ("remove the comment", "there is no comment"),
        ("comment the loop", "say what the comment is to say"),
        ("please comment this function", "say what the comment is to say"),
        ("turn the while loop into a for loop", "there is no while loop"),
        ("remove the decorator from load", "there is no decorator"),
        ("simplify the else branch", "there is no else"),
        ("remove the if", "there is no if"),
        ("remove the call to validate", "there is no validate"),
        ("add a type hint to limit", "there is no limit"),
        ("remove os", "os is used, in line 4 of a.py"),
        ("remove sys", "sys is not imported in a.py"),
        ("get rid of imports that nothing uses", "every import of a.py is used"),
        ("remove the import os", "os is used, in line 4 of a.py"),
        ("drop the unused loads import", "loads is used, in line 5 of a.py"),
        ("rename rows to path", "path is a name in a.py:8-13 (load) already; say another one"),
        ("rename rows to rows", "rows is called that already"),
        ("rename load to rows", "rows is a name in a.py:8-13 (load) already; say another one"),
    ],
)
def test_what_is_to_be_changed_and_is_not_there_is_named(words: str, said: str) -> None:
    assert absence(words, _code(words)).startswith(said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rename rows to class", "class is a word of Python itself; say another name"),
        ("rename load to dump", "dump is defined in line 15 of a.py already; say another name"),
        ("rename rwos to items", "there is no rwos in a.py:8-13 (load); did you mean rows?"),
        ("add a return type of dict", "load has a return type (list) already"),
        ("add a parameter strict", "load has a parameter strict already"),
        ("add import os", "os is imported already, in line 1 of a.py"),
        ("import loads from json", "loads is imported already, in line 2 of a.py"),
        ("from json import loads", "loads is imported already, in line 2 of a.py"),
        ("sort the imports", "the imports of a.py are in order already"),
        ("import loads", "loads is imported already, in line 2 of a.py"),
        (
            "print it to stderr and return 1",
            "cannot do both at once here; ask for “print it to stderr” first, and then for “return 1”",
        ),
        (
            "add a comment above the loop",
            "say what the comment is to say, as in “add a comment above the loop saying one pass is enough”",
        ),
    ],
)
def test_what_is_there_already_and_what_is_misspelt_are_told_but_take_no_edit_back(words: str, said: str) -> None:
    assert obstacle(words, _code(words)) == said
    assert not absence(words, _code(words))


@pytest.mark.parametrize(
    "words",
    [
        "rename rows to items",
        "rename the parameter path to source",
        "add a docstring entry for strict",
        "add type hints",
        "add import sys",
        "remove the print",
        "remove the call to parse",
        "use enumerate",
        "add a type hint to path",
        "remove the default of strict",
        "change the default remark",
        "turn the loop into a comprehension",
        "drop the extra import",
        "remove the variable that is not used",
        "add a comment above the loop saying one pass",
        "wrap the call in try/except",
        "rename Rows to items",
        "inline rows",
        "replace the slice with startswith",
    ],
)
def test_where_nothing_stands_in_the_way_nothing_is_said(words: str) -> None:
    assert obstacle(words, _code(words)) == ""


@pytest.mark.parametrize("words", ["add a docstring", "document this", "document load", "load needs a docstring"])
def test_of_what_has_a_docstring_it_is_told_how_to_have_another(words: str) -> None:
    said = 'load has a docstring already; to have another one say “change the docstring to "..."”'
    assert absence(words, _code(words)) == said


def test_of_several_names_that_nothing_sets_the_one_told_is_asked_for() -> None:
    lines = ("def size(cart):", "    for one in cart:", "        count += one.n", "        missing += 1")
    words = "UnboundLocalError: cannot access local variable 'missing' where it is not associated with a value"
    code = Code(words, "a.py:1-4", Region("a.py", 1, 4, None, None, "", "lines"), lines, lines)
    assert obstacle(words, code).startswith("nothing sets missing before it is added to")


def test_a_division_by_the_length_of_what_is_empty_is_told() -> None:
    lines = ("def mean(values):", "    return sum(values) / len(values)")
    words = "ZeroDivisionError: division by zero"
    code = Code(words, "a.py:1-2", Region("a.py", 1, 2, None, None, "", "lines"), lines, lines)
    assert obstacle(words, code).endswith("“return 0 if values is empty”")


def test_hints_that_nothing_tells_are_asked_for() -> None:
    lines = ("def read(path, mode):", "    return open(path, mode)")
    code = Code("add type hints", "a.py:1-2", Region("a.py", 1, 2, None, None, "", "lines"), lines, lines)
    assert obstacle("add type hints", code) == (
        "nothing here tells the type of path, mode; say it, as in “path is a str”"
    )


def test_lines_that_cannot_be_read_alone_and_files_that_do_not_parse_say_nothing_about_their_code() -> None:
    region = Region("a.py", 1, 2, None, None, "", "lines")
    code = Code("", "a.py:1-2", region, ("else:", "    x = 1"), ("else:", "    x = 1"))
    for words in ("remove the comment", "remove the import os", "remove the unused variable", "add a docstring"):
        assert obstacle(words, code) in {"", "every variable in a.py:1-2 is used"}


def _played(folder: Path, words: str) -> Turn:
    script = ops_script(LOAD, Replace(4, 4, ("        print(path)",)))
    turn = scripted_session(folder, {"a.py": FILE}, {words: script}).begin(Request(words, "a.py", symbol="load"))
    for _ in turn.events():
        pass
    return turn


def test_an_edit_is_not_offered_where_what_it_should_change_is_not_there(tmp_path: Path) -> None:
    turn = _played(tmp_path, "remove the import sys")
    assert (turn.status, turn.hunks) == (Status.ABSTAINED, ())
    assert turn.message.startswith("sys is not imported in a.py")


def test_the_same_edit_is_offered_where_it_may_be_meant(tmp_path: Path) -> None:
    assert _played(tmp_path, "remove the print").message.startswith("bug")


def test_one_of_several_operators_is_not_picked() -> None:
    lines = ["if a > 1: b()", "if a > 2: c()"]
    for selected, said in ((None, "there are 2 > in a.py (line 1, 2)"), ((1, 1), "")):
        region = Region("a.py", 1, 2, None, selected, "", "lines")
        words = "it should be >= not >"
        assert absence(words, Code(words, "a.py:1-2", region, lines, lines)).startswith(said)
        assert bool(absence(words, Code(words, "a.py:1-2", region, lines, lines))) == bool(said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("load(3) gives 8 but should give 9", "make it a test"),
        ("crashes on an empty list", "say what it is to do then"),
        ("return [] when it fails on an empty file", ""),
    ],
)
def test_what_is_to_be_told_of_a_failure_is_asked_for(words: str, said: str) -> None:
    found = obstacle(words, _code(words))
    assert said in found
    assert bool(found) == bool(said)


def test_names_in_a_folder_are_no_paths() -> None:
    lines = ["for name in os.listdir(folder):", "    print(name)"]
    code = Code("skip directories", "a.py", Region("a.py", 1, 2, None, None, "", "file"), lines, lines)
    assert "joined to its folder" in obstacle("skip directories", code)
    assert not obstacle("skip directories", _code("skip directories"))
