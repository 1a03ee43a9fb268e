import pytest

from spark_tui.editing.codemods.pieces.code_pieces import pieces
from spark_tui.editing.codemods.replace_text import ReplaceText
from tests.editing.codemods.table import afters


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("ok = num == int(num)", "use num % 1 == 0 instead", "ok = num % 1 == 0"),
        ("ok = value is not None", "bool(value)", "ok = bool(value)"),
        ("n = 1 if len(x) == 1 else 0", "int(len(x) == 1) does it", "n = int(len(x) == 1)"),
        ("Cache.clear(self)", "shouldn't it be super().clear()?", "super().clear()"),
        ("def f(size=8192): ...", "written as 64 * 1024 it is clearer", "def f(size=64 * 1024): ..."),
        ("b = cast(bytes, raw['b'])", "a plain bytes(...) would raise", "b = bytes(raw['b'])"),
        ("n = d.days * 24 + d.seconds", "total_seconds() does that", "n = d.total_seconds()"),
        ("v = d.get(key)", "d.get(key) -> [key]", "v = d[key]"),
        ("f = lambda s: s", "lambda s: s -> _same, that one is imported", "f = _same"),
        ("go(call, None, None)", "call, None, None -> *(None,) * 2", "go(call, *(None,) * 2)"),
        ("o = copy.copy(base)", "dict.copy() is enough", "o = base.copy()"),
    ],
)
def test_code_that_is_told_stands_for_what_has_its_words(before: str, instruction: str, after: str) -> None:
    assert after in afters(ReplaceText(), before, instruction)


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (
            "for x in form.fields.values(): pass",
            "`or {}` before values()",
            "for x in (form.fields or {}).values(): pass",
        ),
        ("if a is None or a == 1: pass", "`in (None, 1)` is shorter", "if a in (None, 1): pass"),
        ("def f(a: int): ...", "the type is `| None`", "def f(a: int | None): ..."),
    ],
)
def test_a_fragment_goes_behind_what_it_is_of(before: str, instruction: str, after: str) -> None:
    assert after in afters(ReplaceText(), before, instruction)


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("log = getLogger('app')", "the logger takes __name__", "log = getLogger(__name__)"),
        ("try: go()\nexcept BaseException: pass", "Exception is enough here", "try: go()\nexcept Exception: pass"),
        ("class BadKey(Exception): ...", "escapes our `except KeyError`", "class BadKey(KeyError): ..."),
        ("def f(boost):\n    self.boost = 1.0", "boost ignored", "def f(boost):\n    self.boost = boost"),
        ("ok = isinstance(jwk, str)", "dict JWKs are rejected", "ok = isinstance(jwk, dict)"),
        ("s = cls.__name__", "__qualname__ for inner classes", "s = cls.__qualname__"),
        ("_UNSE = object()", "NameError: name '_UNSET' is not defined", "_UNSET = object()"),
        ("def f(exc): ...", "call the unused parameter _exc", "def f(_exc): ..."),
        ("from functools import lru_cache", "functools.cache, not lru_cache", "from functools import cache"),
        ("MIN_DJANGO = (1, 8)", "could we require Django 2.2?", "MIN_DJANGO = (2, 2)"),
        ("def f(a: int = 1, b: str | None = None): ...", "ellipsis b", "def f(a: int = 1, b: str | None = ...): ..."),
        ("def f() -> Union[bytes]: ...", "just bytes", "def f() -> bytes: ..."),
    ],
)
def test_a_name_stands_for_one_of_its_sort(before: str, instruction: str, after: str) -> None:
    assert after in afters(ReplaceText(), before, instruction)


@pytest.mark.parametrize(
    "instruction",
    [
        "",
        "speed this up",
        "ValueError: bad value",
        "no pages at all",
        "why is total wrong?",
        "see rows.py, rule E501",
        "simplify the slice",
        "the sum looks odd",
    ],
)
def test_words_without_new_code_list_nothing(instruction: str) -> None:
    assert afters(ReplaceText(), "total = count(rows, page)\nprint(total)", instruction) == []


def test_a_piece_ends_where_prose_goes_on() -> None:
    told = pieces("use size - 1, in read(x, y=2) and not more, or `or None`", frozenset(["size"]))
    assert [one.source for one in told] == ["size - 1", "read(x, y=2)", "or None"]
    assert [one.fragment for one in told] == [False, False, True]


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (
            "raise KeyError('no derangments')",
            "says derangments, shoud be derangements",
            "raise KeyError('no derangements')",
        ),
        ("go()  # maybe wwe can", "wwe ==> we", "go()  # maybe we can"),
        ("line = ctx.get('lineno')", "line None", "line = ctx.get('line')"),
        ("x = col.cast('int')", "cast to bigint", "x = col.cast('bigint')"),
        ("locale = 'pt_PT'", "should be pt-PT", "locale = 'pt-PT'"),
        ("go()  # its locked", '"its" needs an apostrophe', "go()  # it's locked"),
    ],
)
def test_a_word_stands_for_the_one_it_nearly_is(before: str, instruction: str, after: str) -> None:
    assert after in afters(ReplaceText(), before, instruction)


def test_another_form_of_a_word_is_no_slip() -> None:
    assert afters(ReplaceText(), "go()  # reads a field of the form", "two fields are needed") == []


BRANCHES = "try:\n    go()\nexcept KeyError:\n    size = 0\nelse:\n    pass"


@pytest.mark.parametrize(
    ("instruction", "selected", "old", "new"),
    [
        ("return None", (4, 5), "    pass", "    return None"),
        ("`break` in the else", None, "    pass", "    break"),
        ("a docstring in place of pass, 'Do nothing at all.'", None, "    pass", '    """Do nothing at all."""'),
        ("it's 0 already, so the except can pass", None, "size = 0", "pass"),
    ],
)
def test_a_statement_stands_for_a_plain_one(
    instruction: str, selected: tuple[int, int] | None, old: str, new: str
) -> None:
    assert BRANCHES.replace(old, new) in afters(ReplaceText(), BRANCHES, instruction, selected)


CODE = """\
def f(self, limit=None, rows=()):
    total = sum(rows) / limit
    if total > self.limit and rows:
        raise ValueError(f"too many: {total} of {limit}")
    return open(
        self.path,
        encoding="utf-8",
    )"""


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        ("`limit or 1` in the division", "/ limit", "/ (limit or 1)"),
        ("total = sum(self.rows)", "sum(rows) / limit", "sum(self.rows)"),
        ("return open(self.path)", CODE[CODE.index("open(") :], "open(self.path)"),
        ("if total >= self.limit", "total > self.limit", "total >= self.limit"),
        ("`and not self.loud` in the if", "and rows", "and rows and not self.loud"),
        ("the message should show len(rows) instead of total", "{total}", "{len(rows)}"),
        ("raise LimitError", "ValueError", "LimitError"),
        ("html.escape the limit in the message", "{limit}", "{html.escape(limit)}"),
    ],
)
def test_the_words_around_tell_where(instruction: str, old: str, new: str) -> None:
    assert CODE.replace(old, new) in afters(ReplaceText(), CODE, instruction)
