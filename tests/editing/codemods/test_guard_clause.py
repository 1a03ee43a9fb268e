import pytest

from spark_tui.editing.codemods.base import Codemod, Request
from spark_tui.editing.codemods.guard_clause import GuardClause
from spark_tui.editing.codemods.raise_if import RaiseIf
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.results import objection, results
from tests.editing.codemods.table import afters

CODE = 'def f(x):\n    """F."""\n    if x:\n        return 1\n    return x'
HEAD = 'def f(x):\n    """F."""\n'


@pytest.mark.parametrize(
    ("kind", "new", "fits"),
    [
        ("guard_clause", "    if x is None:\n        return None\n", True),
        ("guard_clause", "    if x:\n        return limit\n", True),
        ("guard_clause", "    if x:\n        return bound\n", False),
        ("guard_clause", "    if x:\n        y = 1\n", False),
        ("guard_clause", "    if x:\n        return 1\n    else:\n        return 2\n", False),
        ("guard_clause", "    return None\n", False),
        ("guard_clause", "", False),
        ("raise_if", "    if x > limit:\n        raise TooMuch(x)\n", True),
        ("raise_if", "    if x > limit:\n        return None\n", False),
        ("raise_if", "    if x > limit:\n        raise TooLittle(x)\n", False),
    ],
)
def test_a_check_comes_first_in_the_body(kind: str, new: str, fits: bool) -> None:
    after = CODE.replace(HEAD, HEAD + new)
    said = "return or raise TooMuch if x is None or above limit"
    assert (not objection(kind, CODE, after, said)) == fits
    assert objection(kind, CODE, CODE + "\n" + new.rstrip("\n"), said)


BODY = "def load(self, rows, size):\n    self.mode = 3\n    return rows[:size]"


@pytest.mark.parametrize(
    ("instruction", "guard"),
    [
        ("rows can be None these days, return an empty list in that case", "if rows is None:|return []"),
        ("when size is negative give back False", "if size < 0:|return False"),
        ("just leave if rows is empty", "if not rows:|return None"),
        ("size > 9? then None", "if size > 9:|return None"),
        ("mode is None -> return 0", "if self.mode is None:|return 0"),
        ("nothing to do in load when rows isn't a list", "if not isinstance(rows, list):|return"),
    ],
)
def test_the_condition_and_the_value_told_are_put_together(instruction: str, guard: str) -> None:
    test, leaving = guard.split("|")
    assert afters(GuardClause(), BODY, instruction)[0] == BODY.replace(":\n", f":\n    {test}\n        {leaving}\n", 1)


@pytest.mark.parametrize("instruction", ["return early", "if zebra is None return 1", "rows is None", "", "return []"])
def test_without_a_condition_or_a_way_out_the_model_writes(instruction: str) -> None:
    assert GuardClause().edits(Snippet(tuple(BODY.split("\n"))), Request(instruction)) is None


@pytest.mark.parametrize(
    ("instruction", "error"),
    [
        ("a ValueError when size is negative, 'too small'", 'if size < 0:|raise ValueError("too small")'),
        ("refuse rows that are wrong: if rows is empty raise KeyError(size)", "if not rows:|raise KeyError(size)"),
        ("TypeError if rows is None", 'if rows is None:|raise TypeError("rows is None")'),
    ],
)
def test_so_are_the_condition_and_the_error(instruction: str, error: str) -> None:
    test, leaving = error.split("|")
    assert afters(RaiseIf(), BODY, instruction)[0] == BODY.replace(":\n", f":\n    {test}\n        {leaving}\n", 1)


QUEUE = """\
def take(self, size, names):
    total = self.count(size)
    if total > 3:
        raise KeyError(f"only {total}")
    return [name for name in names if name in self.known]"""


@pytest.mark.parametrize(
    ("codemod", "instruction", "guard"),
    [
        (
            RaiseIf(),
            'zero or negative sizes are a ValueError("too small")',
            'if size <= 0:|raise ValueError("too small")',
        ),
        (RaiseIf(), "KeyError for negative sizes with the same text", 'if size < 0:|raise KeyError(f"only {total}")'),
        (
            RaiseIf(),
            "take() without names: raise Gone with the text no names, sorry",
            'if not names:|raise Gone("no names, sorry")',
        ),
        (GuardClause(), "only one name: hand it back, nothing to look up", "if len(names) == 1:|return names[0]"),
        (GuardClause(), "an empty string must give an empty list", "if not size:|return []"),
    ],
)
def test_a_condition_may_only_be_hinted_at(codemod: Codemod, instruction: str, guard: str) -> None:
    test, leaving = guard.split("|")
    assert QUEUE.replace(":\n", f":\n    {test}\n        {leaving}\n", 1) in afters(codemod, QUEUE, instruction)


def test_a_check_comes_where_the_words_say() -> None:
    words = "right after the counting, return None if size is zero"
    wanted = QUEUE.replace("(size)\n", "(size)\n    if size == 0:\n        return None\n")
    assert afters(GuardClause(), QUEUE, words) == [wanted]
    assert not objection("guard_clause", QUEUE, wanted, words)


def test_quoted_prose_puts_no_condition() -> None:
    assert GuardClause().edits(Snippet(tuple(QUEUE.split("\n"))), Request("say 'names is empty' and return")) is None


@pytest.mark.parametrize(
    ("codemod", "instruction", "guard"),
    [
        (GuardClause(), "size is empty? give it back unchanged", "if not size:|return size"),
        (GuardClause(), "when size is negative hand back the names", "if size < 0:|return names"),
    ],
)
def test_what_is_given_back_may_be_a_value_named(codemod: Codemod, instruction: str, guard: str) -> None:
    test, leaving = guard.split("|")
    assert QUEUE.replace(":\n", f":\n    {test}\n        {leaving}\n", 1) in afters(codemod, QUEUE, instruction)


CHECKED = "def first(self, rows):\n    if not rows:\n        raise E\n    row = self.next(rows)\n    return row.name"


def test_a_check_comes_after_other_checks_too_and_after_its_value_is_there() -> None:
    found = afters(GuardClause(), CHECKED, "only one row: hand it back")
    guard = "    if len(rows) == 1:\n        return rows[0]\n"
    assert found == [
        CHECKED.replace("rows):\n", f"rows):\n{guard}", 1),
        CHECKED.replace("    row =", f"{guard}    row ="),
    ]
    found = afters(GuardClause(), CHECKED, "row may be None, return False then")
    assert found == [CHECKED.replace("(rows)\n", "(rows)\n    if row is None:\n        return False\n")]


QUIET = "def drop(self, key):\n    if key in self.all:\n        del self.all[key]"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (QUIET, "def drop(self, key):\n    del self.all[key]"),
        (
            QUIET,
            "def drop(self, key):\n    if key not in self.all:\n        raise KeyError(key)\n    del self.all[key]",
        ),
        ("def of(d, k):\n    return d.get(k)", "def of(d, k):\n    return d[k]"),
        ("def of(d, k):\n    d.pop(k, None)", "def of(d, k):\n    d.pop(k)"),
        (
            "def of(d, k):\n    if k not in d:\n        return\n    f(k)",
            "def of(d, k):\n    if k not in d:\n        raise KeyError(k)\n    f(k)",
        ),
    ],
)
def test_an_error_takes_the_place_of_silence(before: str, after: str) -> None:
    assert after in afters(RaiseIf(), before, "unknown keys should be a KeyError instead of being ignored")
    assert RaiseIf().edits(Snippet(tuple(before.split("\n"))), Request("a KeyError, please")) is None


def test_a_flag_that_things_are_marked_by_guards_what_is_done_with_them() -> None:
    before = "def put(self, row):\n    self.out.write(row)\n    return len(row)"
    after = before.replace("row):\n", "row):\n    if self.locked:\n        return None\n")
    assert afters(GuardClause(), before, "files flagged as locked are written like all others") == [after]


KINDS = "def encode(x):\n    if isinstance(x, bool):\n        return int(x)\n\n    return x"


@pytest.mark.parametrize(
    ("words", "kinds", "result"),
    [
        ("Handle set and frozenset as a list too", "(set, frozenset)", "list(x)"),
        ("a Decimal becomes a string", "Decimal", "str(x)"),
        ("for pathlib.Path return `x.as_posix()`", "pathlib.Path", "x.as_posix()"),
    ],
)
def test_one_type_more_is_told_apart(words: str, kinds: str, result: str) -> None:
    after = KINDS.replace("int(x)\n", f"int(x)\n    if isinstance(x, {kinds}):\n        return {result}\n")
    assert [one.replace("\n\n    if", "\n    if") for one in afters(GuardClause(), KINDS, words)] == [after]
    assert GuardClause().edits(Snippet(("def f(x):", "    return x")), Request(words)) is None


MAIL = "def tell(self, one, limit):\n    user = self.users.get(one)\n    user.mail(limit)"


@pytest.mark.parametrize(
    ("codemod", "words", "after", "guard"),
    [
        (GuardClause(), "return None when the user isn't found", ".get(one)\n", "if user is None:|return None"),
        (
            RaiseIf(),
            "an unknown user should raise KeyError(one)",
            ".get(one)\n",
            "if user is None:|raise KeyError(one)",
        ),
        (RaiseIf(), "no user -> KeyError(one)", ".get(one)\n", "if user is None:|raise KeyError(one)"),
        (RaiseIf(), "limits below zero raise Bad(limit)", "limit):\n", "if limit < 0:|raise Bad(limit)"),
        (GuardClause(), "if self.closed do nothing", "limit):\n", "if self.closed:|return"),
    ],
)
def test_conditions_are_told_in_few_words(codemod: Codemod, words: str, after: str, guard: str) -> None:
    test, leaving = guard.split("|")
    wanted = MAIL.replace(after, f"{after}    {test}\n        {leaving}\n", 1)
    assert afters(codemod, MAIL, words)[0] == wanted


@pytest.mark.parametrize(
    ("instruction", "condition"),
    [
        ("return None for anything but a Box", "not isinstance(size, Box)"),
        ("return None for anything other than int or float", "not isinstance(size, (int, float))"),
        ("return None for anything below 1", "size < 1"),
        ("f(0) should return None", "size == 0"),
        ("size=-1 should return None", "size < 0"),
        ('f("") should return None', "not size"),
    ],
)
def test_what_a_value_must_be_is_told_by_what_it_is_not(instruction: str, condition: str) -> None:
    found = results("guard_clause", "def f(size):\n    return 3 / size", instruction)
    assert f"def f(size):\n    if {condition}:\n        return None\n    return 3 / size" in found
