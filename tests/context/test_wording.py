import pytest

from spark_tui.context.wording import (
    CODE,
    Sureness,
    asks_for_nothing,
    file_names,
    is_about_imports,
    locations,
    mentions,
    module_names,
    search_terms,
    told_lines,
    with_lines,
)

COMMON, WORD, PLAIN, MARKED, PLACE = Sureness


@pytest.mark.parametrize(
    ("instruction", "name", "sureness"),
    [
        ("add a docstring to `parse`", "parse", MARKED),
        ("add a docstring to parse()", "parse", MARKED),
        ("add a docstring to parse", "parse", PLAIN),
        ("document parse", "parse", PLAIN),
        ("parse and sort the lines", "sort", COMMON),
        ("add type hints for render", "render", PLAIN),
        ("make render faster", "render", PLAIN),
        ("rename load to read", "load", MARKED),
        ("rename d to rows in load", "load", PLACE),
        ("rename d to rows inside the load function", "load", PLACE),
        ("rename d to rows in the `load` function", "load", PLACE),
        ("the return type of the class Reader is missing", "Reader", PLACE),
        ("make the parameters of render floats", "render", PLACE),
        ("the argument of render is wrong", "render", WORD),
        ("simplify the render method", "render", MARKED),
        ("simplify method render", "render", MARKED),
        ("fix read_all", "read_all", MARKED),
        ("fix readAll please", "readAll", MARKED),
        ("remove print from main.", "main", PLACE),
        ("top returns one too few", "top", PLAIN),
        ("wouldn't row be nicer", "row", WORD),
        ("rename the parameter rows to lines", "rows", WORD),
        ("the call of parse is not needed", "parse", WORD),
        ("set self.count to 0 first", "count", WORD),
        ("turn get_prog inside out", "out", COMMON),
        ("turn get_prog inside `out`", "out", PLACE),
    ],
)
def test_how_surely_a_word_names_code(instruction: str, name: str, sureness: Sureness) -> None:
    assert {mention.parts: mention.sureness for mention in mentions(instruction)}[name,] == sureness


@pytest.mark.parametrize(
    ("instruction", "name"),
    [
        ("add it at the top", "top"),
        ("render the page", "render"),
        ("sort a list", "list"),
        ("in the loop", "loop"),
        ("use an f-string", "f"),
    ],
)
def test_commands_and_nouns_name_nothing(instruction: str, name: str) -> None:
    assert (name,) not in [mention.parts for mention in mentions(instruction)]


def test_dotted_names_come_in_parts() -> None:
    assert [mention.parts for mention in mentions("fix Reader.read and self.count")] == [
        ("Reader", "read"),
        ("and",),
        ("count",),
    ]


def test_file_names_are_words_with_a_dot() -> None:
    assert file_names("rename x in ./pkg/report.py, then stop.") == ("pkg/report.py",)


def test_search_terms_weigh_code_and_quoted_text_more_and_leave_fillers_out() -> None:
    terms = search_terms("change the 'Total cost' label of max_retries to 30, please")
    assert terms["Total cost"] >= terms["max_retries"] == CODE
    assert terms["label"] == 1.0
    assert not {"the", "of", "to", "change", "please"} & set(terms)


def test_the_words_of_a_new_text_hardly_tell_a_place() -> None:
    terms = search_terms("change the usage message to 'usage: report PATH'")
    assert terms["usage"] == 1.0
    assert max(terms["report"], terms["path"]) < 1.0
    assert "PATH" not in terms
    assert search_terms("change 'report PATH' to 'report a path'")["PATH"] == CODE


def test_a_name_to_be_given_is_worth_little_and_an_error_class_nothing() -> None:
    terms = search_terms("NameError: name 'row' is not defined, rename it to `my_row`")
    assert terms["row"] >= CODE > terms["my_row"]
    assert "NameError" not in terms


@pytest.mark.parametrize(
    ("instruction", "found"),
    [
        ('File "/home/me/pkg/a.py", line 7, in load x = 1 KeyError', [("/home/me/pkg/a.py", 7, "load")]),
        ('File "a.py", line 1, in <module> File "b.py", line 2, in f', [("b.py", 2, "f"), ("a.py", 1, None)]),
        ("./pkg/a.py:12:5: F841 local variable", [("pkg/a.py", 12, None)]),
        ("at 12:30", []),
    ],
)
def test_tracebacks_and_lint_messages_name_lines(instruction: str, found: list[tuple[str, int, str | None]]) -> None:
    assert [(one.path, one.line, one.function) for one in locations(instruction)] == found


@pytest.mark.parametrize(
    ("instruction", "about"),
    [
        ("remove the unused import", True),
        ("sort the imports", True),
        ("import os", True),
        ("from pathlib import Path", True),
        ("F401 `platform` imported but unused", True),
        ("rename d to rows", False),
        ("this is important", False),
        ("rename import_all to load_all", False),
    ],
)
def test_what_is_about_imports(instruction: str, about: bool) -> None:
    assert is_about_imports(instruction) is about


def test_modules_are_told_as_such() -> None:
    assert module_names("rename d in the storage module, and in module report") == ("storage", "report")


@pytest.mark.parametrize(
    "said",
    [
        "do not rename s to acc",
        "Don't remove the comment",
        "please never use a with statement",
        "leave the else as it is",
        "is this function async?",
        "does this need to be async?",
        "why is this slow?",
        "what does area do?",
        "what does area do",
        "how do these work",
        "explain what area does",
        "should I use enumerate here?",
        "do you like list comprehensions?",
        "is a bare except bad?",
        "who else",
        "why though?",
        "f-strings are really cool",
        "else",
    ],
)
def test_what_forbids_or_asks_wants_no_edit(said: str) -> None:
    assert asks_for_nothing(said)


@pytest.mark.parametrize(
    "said",
    [
        "don't crash when the file is missing",
        "why isn't this an f-string?",
        "what about an f-string?",
        "how about renaming s to acc?",
        "what does not belong here should go",
        "rename s to acc, do not touch the rest",
        "can you rename s to acc?",
        "does not work without a file: return [] then",
        "is None, not == None",
        "never returns: add the break",
        "why the copy? drop it",
        "should be sorted",
        "f-strings are better here",
        "is it better to return early? do it",
    ],
)
def test_a_wish_in_other_clothes_is_still_a_wish(said: str) -> None:
    assert not asks_for_nothing(said)


@pytest.mark.parametrize(
    ("instruction", "lines"),
    [
        ("fix line 57", ((57, 57),)),
        ("fix lines 3-9 and line 12", ((3, 9), (12, 12))),
        ("fix L57", ((57, 57),)),
        ("remove lines 3 to 9", ((3, 9),)),
        ("add 'see line 5'", ()),
        ("shorten line 2 of the docstring", ()),
        ('File "a.py", line 7, in load', ()),
        ("use 57 lines", ()),
    ],
)
def test_lines_are_told_by_number(instruction: str, lines: tuple[tuple[int, int], ...]) -> None:
    assert told_lines(instruction) == lines


def test_numbers_of_lines_change_and_nothing_else_does() -> None:
    told = "change 3 to 5 on line 13, not 'line 13', and look at lines 20-22"
    assert with_lines(told, lambda line: line - 10) == "change 3 to 5 on line 3, not 'line 13', and look at lines 10-12"
