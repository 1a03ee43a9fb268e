import pytest

from spark_tui.editing.codemods.add_docstring import AddDocstring
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.results import objection
from tests.editing.codemods.table import afters

CODE = "class A:\n    def load_rows(self):\n        return 1"


@pytest.mark.parametrize(
    ("after", "fits"),
    [
        (CODE.replace("):", '):\n        """Return one."""'), True),
        (CODE.replace("):", '):\n        """Load rows."""'), True),
        (CODE.replace("A:", 'A:\n    """Return one"""\n'), True),
        (f'"""Return one."""\n\n{CODE}', True),
        (CODE, False),
        (CODE.replace("):", '):\n        """Return two."""'), False),
        (CODE.replace("):", "):\n        # Return one."), False),
        (CODE.replace("):", '):\n        """Return one."""').replace("return 1", "return 2"), False),
        (CODE.replace("):", '):\n        """Return one."""').replace("A:", 'A:\n    """Return one."""'), False),
    ],
)
def test_only_a_docstring_with_the_words_told_is_added(after: str, fits: bool) -> None:
    assert (not objection("add_docstring", CODE, after, "add the docstring 'return one' to it")) == fits


@pytest.mark.parametrize(
    ("instruction", "text"),
    [
        ("please document load_rows: Read all rows.", "Read all rows."),
        ("load_rows has no docstring, 'Read all rows.' would do", "Read all rows."),
        ('say in load_rows that it is slow: """Slow, use with care."""', "Slow, use with care."),
    ],
)
def test_the_text_told_comes_in_as_it_is(instruction: str, text: str) -> None:
    assert afters(AddDocstring(), CODE, instruction)[0] == CODE.replace("):", f'):\n        """{text}"""')


def test_a_docstring_that_is_there_gives_way() -> None:
    old = CODE.replace("):", '):\n        """Load.\n\n        And so on.\n        """')
    new = CODE.replace("):", '):\n        """Read all rows."""')
    assert new in afters(AddDocstring(), old, "docstring of load_rows -> 'Read all rows.'")


@pytest.mark.parametrize(
    ("before", "instruction", "docstring"),
    [
        (CODE, "add a docstring to load_rows", "Load rows."),
        ("def average(values):\n    return 1", "missing docstring", "Average values."),
        ("def close(self):\n    self.end()", "document this", "Close."),
        ("class Übung:\n    size = 1", "add a docstring to Übung", "Übung."),
    ],
)
def test_a_docstring_of_which_nothing_is_told_is_made_from_the_name(
    before: str, instruction: str, docstring: str
) -> None:
    (after,) = afters(AddDocstring(), before, instruction)
    assert f'"""{docstring}"""' in after


@pytest.mark.parametrize("instruction", ["add a docstring", "document this function", "load_rows has no docs"])
def test_no_second_docstring_comes_where_one_is(instruction: str) -> None:
    before = 'def load_rows(path):\n    """Read all rows."""\n    return 1'
    assert afters(AddDocstring(), before, instruction) == []


@pytest.mark.parametrize("instruction", ["", "doc: two\nlines of it"])
def test_without_a_text_the_model_writes(instruction: str) -> None:
    assert AddDocstring().edits(Snippet(tuple(CODE.split("\n"))), Request(instruction)) is None


DOCUMENTED = '"""F.\n\n    :param a: the a,\n        or none.\n    :return: nothing\n    """'


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ('would you document b too: "the other one."', ":param b: the other one."),
        ('"no limit" is a bug, say it after the a line: ":param c: the limit."', ":param c: the limit."),
    ],
)
def test_an_entry_comes_beside_those_of_the_other_parameters(words: str, line: str) -> None:
    code = f"def f(a, b):\n    {DOCUMENTED}\n    return a + b"
    assert code.replace("or none.", f"or none.\n    {line}") in afters(AddDocstring(), code, words)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("add a docstring to load_rows saying it reads all rows and returns them", "Read all rows and return them."),
        ("load_rows: a docstring that says it's the slow way, please", "The slow way."),
        ("docstring for load_rows: the rows of the file", "The rows of the file."),
        ("docstring for load_rows, Read all rows.", "Read all rows."),
    ],
)
def test_a_text_that_is_not_quoted_becomes_a_sentence(words: str, text: str) -> None:
    assert CODE.replace("):", f'):\n        """{text}"""') in afters(AddDocstring(), CODE, words)


def test_a_docstring_stands_in_for_pass() -> None:
    before = "class E(Exception):\n    pass"
    assert 'class E(Exception):\n    """Raised for odd rows."""' in afters(
        AddDocstring(), before, "docstring instead of pass: raised for odd rows"
    )


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ("mention in the docstring that it falls back to the cache", "Falls back to the cache."),
        ("say in the docs that subclasses may override it", "Subclasses may override it."),
    ],
)
def test_what_is_to_be_mentioned_comes_behind_the_docstring(words: str, more: str) -> None:
    before = CODE.replace("):", '):\n        """Load all."""')
    found = afters(AddDocstring(), before, words)
    assert before.replace("all.", f"all.\n\n        {more}\n        ") in found
    assert before.replace("all.", f"all. {more}") in found


@pytest.mark.parametrize(
    ("selected", "words"), [(None, "comment into docstring"), ((2, 2), "turn this into a docstring")]
)
def test_a_comment_becomes_the_docstring(selected: tuple[int, int] | None, words: str) -> None:
    before = CODE.replace("):", "):\n        # read all rows")
    found = afters(AddDocstring(), before, words, selected)
    assert CODE.replace("):", '):\n        """read all rows"""') in found
    assert CODE.replace("):", '):\n        """Read all rows."""') in found
    assert AddDocstring().edits(Snippet(tuple(before.split("\n"))), Request("drop the comment", selected)) is None
