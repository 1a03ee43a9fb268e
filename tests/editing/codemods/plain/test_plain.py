"""Requests that are read to their last word: one kind of edit, and only edits that are right."""

import pytest

from spark_tui.editing.codemods.base import Request, applied, listed
from spark_tui.editing.codemods.registry import codemods, plain_kind
from spark_tui.editing.snippet import Snippet

FUNCTION = ("def take(self, n, items=None):", '    """Take."""', "    rest = self.left - n", "    return items, rest")


def _answers(words: str, lines: tuple[str, ...] = FUNCTION) -> tuple[str, list[str]]:
    """The kind that is plainly meant, and what each of its edits adds."""
    before, request = Snippet(lines), Request(words)
    kind = plain_kind(before, request)
    found = listed(codemods()[kind], before, request) if kind else ()
    return kind, ["\n".join(line for line in applied(before, ops) if line not in lines) for ops in found or ()]


@pytest.mark.parametrize(
    ("words", "test"),
    [
        ("raise ValueError if n is negative", "n < 0"),
        ("raise a ValueError when n is less than or equal to zero", "n <= 0"),
        ("raise TypeError unless items is a list or a tuple", "not isinstance(items, (list, tuple))"),
        ("if n exceeds the left, raise ValueError", "n > self.left"),
        ("check that n is between 1 and 9", "not 1 <= n <= 9"),
        ("raise ValueError if n is negative or greater than 9", "n < 0 or n > 9"),
        ("n must not be None, otherwise raise TypeError", "n is None"),
        ("please raise ValueError in take if len(items) > 3", "len(items) > 3"),
    ],
)
def test_a_check_that_is_told_whole_is_read_as_that(words: str, test: str) -> None:
    kind, added = _answers(words)
    assert kind == "raise_if"
    assert added
    assert all(one.startswith(f"    if {test}:\n        raise ") for one in added)


def test_the_message_told_is_the_only_one() -> None:
    _, added = _answers('raise ValueError if n is negative with the message "no debts"')
    assert added == ['    if n < 0:\n        raise ValueError("no debts")']


@pytest.mark.parametrize(
    ("words", "leaving"),
    [
        ("return early if items is empty", "return None"),
        ("return an empty list if items is empty", "return []"),
        ("if items is empty just return n", "return n"),
    ],
)
def test_what_is_given_back_is_what_is_told(words: str, leaving: str) -> None:
    assert _answers(words) == ("guard_clause", [f"    if not items:\n        {leaving}"])


@pytest.mark.parametrize(
    ("words", "body", "new"),
    [
        ("return early if empty", ["    n = 0.0", "    for row in rows:", "        n += row", "    return n"], "0.0"),
        ("bail out if rows is empty", ["    return [one for one in rows][:n]"], "[]"),
        ("return early if there are no rows", ["    return ', '.join(rows)"], "''"),
        ("return early if empty", ["    for row in rows:", "        if row:", "            return row"], "None"),
        ("return 0 if it is empty", ["    return sum(rows) / len(rows)"], "0"),
        ("return early if empty", ["    return sum(rows) / len(rows)"], ""),
        ("return early if rows is None", ["    return [one for one in rows]"], "None"),
    ],
)
def test_what_is_left_early_gives_back_what_nothing_makes(words: str, body: list[str], new: str) -> None:
    found = _answers(words, ("def f(rows):", *body))[1]
    assert [one.rpartition("return ")[2] for one in found] == [new] * bool(new)


def test_an_assertion_states_what_must_hold() -> None:
    assert _answers("assert that n is not zero") == ("insert_line", ["    assert n != 0"])


def test_a_check_of_a_local_value_stands_below_where_it_is_set() -> None:
    before, request = Snippet(FUNCTION), Request("raise ValueError if rest is negative")
    found = listed(codemods()["raise_if"], before, request) or ()
    assert {applied(before, ops).index("    if rest < 0:") for ops in found} == {3}


@pytest.mark.parametrize(
    "words",
    [
        "raise ValueError if n is negative, but log it first",
        "raise ValueError if the moon is full",
        "raise ValueError",
        "return early if items is shiny",
        "assert that it works",
        "raise TypeError if n is not a nice thing",
    ],
)
def test_what_is_not_read_to_its_last_word_is_not_read_so(words: str) -> None:
    assert _answers(words) == ("", [])


def test_a_check_that_is_there_is_not_made_again() -> None:
    lines = ("def half(n):", "    if n < 0:", "        raise ValueError(n)", "    return n / 2")
    assert _answers("raise ValueError if n is negative", lines) == ("", [])


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("don't use a mutable default", "mutable_default"),
        ("don't use a list as the default for rows", "mutable_default"),
        ("please never use mutable defaults here", "mutable_default"),
        ("no bare except", "narrow_except"),
        ("avoid `== None`", "is_none"),
        ("don't use a with statement", ""),
        ("don't use a mutable default in the docs", ""),
    ],
)
def test_to_be_without_a_fault_is_to_have_it_mended(words: str, kind: str) -> None:
    lines = ("def f(a, b=[]):", "    try:", "        a()", "    except:", "        return a == None")
    assert _answers(words, lines)[0] == kind
    assert _answers(words)[0] == ""


LOOP = (
    "def scale(values, by):",
    "    out = []",
    "    for one in values:",
    "        out.append(one * by)",
    "    return out",
)


@pytest.mark.parametrize(
    ("words", "row"),
    [
        ("add a comment above the loop saying a b", 2),
        ('add a comment "a b" above out = []', 1),
        ('add a comment saying "a b" above the return statement', 4),
        ("put a comment before `out.append(one * by)`: a b", 3),
        ("add a comment above the call to append saying a b", 3),
        ("add a comment above scale saying a b", 0),
        ("add a comment at the top saying a b", 1),
        ("add a comment above the while loop saying a b", None),
        ("add a comment to the function saying a b", None),
        ("add a comment above the loop", None),
    ],
)
def test_a_comment_stands_above_the_one_line_that_is_told(words: str, row: int | None) -> None:
    before, request = Snippet(LOOP), Request(words)
    made = [applied(before, ops) for ops in codemods()["add_comment"].plain(before, request)]
    indent = LOOP[row][: len(LOOP[row]) - len(LOOP[row].lstrip())] if row is not None else ""
    assert made == ([] if row is None else [[*LOOP[:row], f"{indent}# a b", *LOOP[row:]]])


def test_a_task_is_written_as_one_and_removed_alone() -> None:
    assert _answers("add a TODO to take floats", LOOP) == ("add_comment", ["    # TODO: take floats"])
    lines = ("def f(a):", "    # TODO: take floats", "    # b = a", "    return a  # the same")
    before, request = Snippet(lines), Request("remove the todo comment")
    assert [applied(before, ops)[1] for ops in listed(codemods()["remove_comments"], before, request) or ()][-1:] == [
        "    # b = a"
    ]


def test_of_what_is_commented_out_only_what_is_told_goes() -> None:
    lines = ("def f(a):", "    # print(a)", "    b = a", "    # b = 2", "    return b")
    before = Snippet(lines)
    found = listed(codemods()["dead_code"], before, Request("remove the commented-out print")) or ()
    assert [applied(before, ops) for ops in found] == [[lines[0], *lines[2:]]]
    assert not listed(codemods()["dead_code"], before, Request("uncomment the print"))


@pytest.mark.parametrize(
    ("words", "kind", "head"),
    [
        ("n is an int", "add_parameter_type", "def take(self, n: int, items=None):"),
        ("annotate n as a list of strings", "add_parameter_type", "def take(self, n: list[str], items=None):"),
        (
            "add a type hint of dict[str, int] to n",
            "add_parameter_type",
            "def take(self, n: dict[str, int], items=None):",
        ),
        ("items: list[str]", "add_parameter_type", "def take(self, n, items: list[str] | None = None):"),
        ("it returns a dict of str to int", "add_return_type", "def take(self, n, items=None) -> dict[str, int]:"),
        ("annotate the return type as int", "add_return_type", "def take(self, n, items=None) -> int:"),
        ("n is an int, returns an int", "complete_hints", "def take(self, n: int, items=None) -> int:"),
        ("n and items are bytes", "complete_hints", "def take(self, n: bytes, items: bytes | None = None):"),
        ("make the parameters ints", "complete_hints", "def take(self, n: int, items: int | None = None):"),
        ("make both parameters of take ints", "complete_hints", "def take(self, n: int, items: int | None = None):"),
        ("the parameters are ints", "complete_hints", "def take(self, n: int, items: int | None = None):"),
        ("add type hints, both are ints", "complete_hints", "def take(self, n: int, items: int | None = None):"),
    ],
)
def test_types_that_are_told_whole_become_hints(words: str, kind: str, head: str) -> None:
    assert _answers(words) == (kind, [head])


@pytest.mark.parametrize(
    "words", ["m is an int", "n is an int, not a float", "n is wrong", "returns early", "n is empty"]
)
def test_what_is_no_type_becomes_no_hint(words: str) -> None:
    assert _answers(words)[0] not in ("add_parameter_type", "add_return_type", "complete_hints")


SEEK = ("def seek(rows, name):", "    for row in rows:", "        if row.name == name:", "            return row")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("raise KeyError if no row is found", 'KeyError("row not found")'),
        ("raise LookupError instead of returning None", 'LookupError("row not found")'),
        ("raise KeyError(name) when it is not found", "KeyError(name)"),
    ],
)
def test_what_seeks_raises_at_its_end(words: str, error: str) -> None:
    assert _answers(words, SEEK) == ("raise_if", [f"    raise {error}"])
    assert _answers(words, (*SEEK, "    return None")) == ("raise_if", [f"    raise {error}"])
    assert _answers(words, (*SEEK, "    return rows[0]")) == ("", [])


def test_the_error_names_what_is_sought_and_not_an_index() -> None:
    lines = (
        SEEK[0],
        "    for i in range(len(rows)):",
        "        if rows[i].name == name:",
        "            return rows[i]",
    )
    assert _answers("raise a KeyError if nothing was found", lines) == (
        "raise_if",
        ['    raise KeyError("name not found")'],
    )


CAUGHT = (
    "def f(a):",
    "    try:",
    "        return a()",
    "    except KeyError:",
    "        raise ValueError from None",
)


def test_what_is_to_be_caught_too_is_caught_besides() -> None:
    assert _answers("catch OSError too", CAUGHT) == ("narrow_except", ["    except (KeyError, OSError):"])
    assert _answers("catch OSError", CAUGHT)[0] == ""


def test_an_error_is_logged_before_it_is_raised_and_a_value_once_it_is_there() -> None:
    lines = ("def f(a):", "    b = a + 1", "    if b > 3:", '        raise ValueError(f"bad {b}")')
    assert _answers("log the error before raising", lines) == ("log_entry", ['        logger.error(f"bad {b}")'])
    assert _answers("log b at info level", lines) == ("log_entry", ['    logger.info("b: %s", b)'])
    assert _answers("log the weather", lines)[0] == ""


def test_what_is_caught_is_logged_where_there_is_one_handler() -> None:
    kind, added = _answers("log a warning when the call fails", CAUGHT)
    assert (kind, added) == ("log_exception", ['    except KeyError as e:\n        logger.warning("f failed: %s", e)'])
    assert _answers("log a warning when the call fails")[0] == ""


def test_what_is_to_be_raised_again_only_sometimes_is_not_raised_always() -> None:
    lines = (*CAUGHT[:4], "        a.wait()")
    assert listed(codemods()["reraise"], Snippet(lines), Request("re-raise the error"))
    assert not listed(codemods()["reraise"], Snippet(lines), Request("re-raise the error on the last attempt"))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("document this", '    """Greet name."""'),
        ("greet needs a docstring", '    """Greet name."""'),
        ("add a one-line docstring to greet", '    """Greet name."""'),
        ('add a docstring to greet saying "Say hello"', '    """Say hello"""'),
        ("docstring: Say hello", '    """Say hello."""'),
    ],
)
def test_a_docstring_that_is_asked_for_plainly_is_written(words: str, text: str) -> None:
    assert text in _answers(words, ("def greet(name):", "    return name"))[1]
    assert _answers(words)[0] == ""


def test_another_docstring_and_more_in_one_are_told_apart() -> None:
    assert _answers('change the docstring to "Take n."') == ("add_docstring", ['    """Take n."""'])
    kind, added = _answers("update the docstring to mention that it may block")
    assert kind == "add_docstring"
    assert '    """Take. May block."""' in added
    assert _answers("update the docstring to match the code")[0] == ""
    assert _answers("document the parameters")[0] == ""
