import pytest

from spark_tui.editing.codemods.base import Request, applied
from spark_tui.editing.codemods.rename import Rename
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.results import objection
from tests.editing.codemods.table import afters

CODE = "def load(rows, limit):\n    rows.limit = rows[:limit]\n    return f'{rows}', dict(rows=rows)"


@pytest.mark.parametrize(
    ("after", "fits"),
    [
        (CODE.replace("rows", "items").replace("(items=", "(rows="), True),
        (CODE.replace(".limit", ".items"), True),
        (CODE.replace("load", "items"), True),
        (CODE, False),
        (CODE.replace("(rows,", "(items,"), False),
        (CODE.replace("load", "fetch"), False),
        (CODE.replace("load", "rows"), False),
        (CODE.replace("load", "items").replace("limit", "most"), False),
        (CODE.replace("load", "items").replace("return", "yield"), False),
    ],
)
def test_one_name_is_changed_everywhere(after: str, fits: bool) -> None:
    assert (not objection("rename", CODE, after, "rename it to items")) == fits


@pytest.mark.parametrize(
    ("instruction", "pairs"),
    [
        ("rows -> records", {"rows": "records"}),
        ("rows says little, call it records", {"rows": "records"}),
        ("I would write records instead of rows", {"rows": "records"}),
        ("limit is vague. `max_rows` would do", {"limit": "max_rows"}),
        ("rename load to fetch", {"load": "fetch"}),
        ("rename limit to größe", {"limit": "größe"}),
        ("rows to records and limit to maximum", {"rows": "records", "limit": "maximum"}),
        ("rows, limit: better be row_list / max_rows", {"rows": "row_list", "limit": "max_rows"}),
    ],
)
def test_the_words_tell_what_is_called_what(instruction: str, pairs: dict[str, str]) -> None:
    code = "def load(rows, limit):\n    return rows[:limit]"
    wanted = code
    for old, new in pairs.items():
        wanted = wanted.replace(old, new)
    assert afters(Rename(), code, instruction)[0] == wanted


def test_attributes_are_renamed_where_the_words_say_so() -> None:
    code = "def load(self, size):\n    self.size = size"
    assert afters(Rename(), code, "the attribute size should be called length") == [code.replace(".size", ".length")]
    assert afters(Rename(), code, "size should be called length")[0] == code.replace("size", "length").replace(
        ".length", ".size"
    )


def test_prose_goes_along_where_that_is_said() -> None:
    code = 'def load(rows):\n    """Load rows."""\n    return rows'
    both, bare = afters(Rename(), code, "rows -> records, in the docstring too")
    assert both == code.replace("rows", "records")
    assert bare == both.replace("Load records", "Load rows")


@pytest.mark.parametrize("instruction", ["", "rename it", "that name is bad", "rows"])
def test_without_a_new_name_nothing_is_listed(instruction: str) -> None:
    assert not Rename().edits(Snippet(("rows = 1",)), Request(instruction))


@pytest.mark.parametrize("instruction", ["X", "`tex`", "texts, please."])
def test_a_word_alone_is_no_new_name_unless_something_is_selected_or_it_is_said_how(instruction: str) -> None:
    code = Snippet(("text = read()",))
    assert Rename().edits(code, Request(instruction)) is None
    assert Rename().edits(code, Request(instruction, (0, 0)))
    assert Rename().edits(code, Request(f"just {instruction}"))


@pytest.mark.parametrize("instruction", ["rename total to n in load", "rename `total` to rows2", "renames total -> n"])
def test_nothing_else_is_renamed_for_a_name_that_is_not_here(instruction: str) -> None:
    code = "def load(rows, limit):\n    return rows[:limit]"
    assert Rename().edits(Snippet(tuple(code.split("\n"))), Request(instruction)) == []


@pytest.mark.parametrize(
    ("instruction", "pairs"),
    [
        ("rows, limit -> left and right", {"rows": "left", "limit": "right"}),
        (
            "call the arguments of `load` records and count instead of rows and limit",
            {"rows": "records", "limit": "count"},
        ),
        ("records/count reads better than rows/limit", {"rows": "records", "limit": "count"}),
        ("rows should be records and limit count", {"rows": "records", "limit": "count"}),
        ("prefix rows and limit with old_", {"rows": "old_rows", "limit": "old_limit"}),
        ("append _in to rows", {"rows": "rows_in"}),
        ("make load private", {"load": "_load"}),
        ("the function is badly named, call it `fetch`", {"load": "fetch"}),
    ],
)
def test_several_are_renamed_by_lists_or_in_one_way(instruction: str, pairs: dict[str, str]) -> None:
    code = "def load(rows, limit):\n    return rows[:limit]"
    wanted = code
    for old, new in pairs.items():
        wanted = wanted.replace(old, new)
    assert afters(Rename(), code, instruction)[0] == wanted


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (
            "the local has the name of the method, call it `found`",
            "def rows(self):\n    found = self.rows\n    return found",
        ),
        ("rename the method rows to found", "def found(self):\n    rows = self.found\n    return rows"),
    ],
)
def test_a_local_and_the_function_of_one_name_are_told_apart(words: str, first: str) -> None:
    assert afters(Rename(), "def rows(self):\n    rows = self.rows\n    return rows", words)[0] == first


def test_a_name_is_told_by_its_role() -> None:
    code = "def f(rows):\n    for id in rows:\n        go(id)"
    assert afters(Rename(), code, "the loop variable shadows a builtin, call it `one`") == [code.replace("id", "one")]
    assert afters(Rename(), "getRows(userName=1)\nrowCount = 2", "snake case please") == [
        "getRows(userName=1)\nrow_count = 2"
    ]


def test_what_only_holds_a_new_value_renames_nothing() -> None:
    request = Request("change the default to 'utf8' in the function")
    assert Rename().edits(Snippet(("def f(a):", "    return a")), request) is None


PART = """\
def load(self, path, n):
    self.limit = n
    limit = self.limit
    for path in self.roots:
        path = path.strip()
        read(path, limit=limit)
    return [f(key, value) for key, value in self.items(path)]"""


@pytest.mark.parametrize(
    ("words", "olds", "news"),
    [
        ("limit = self.limit -> most = self.limit", ["limit = self", "=limit)"], ["most = self", "=most)"]),
        ("n: could that just be called count?", ["n)", "= n\n"], ["count)", "= count\n"]),
        ("n -> one", ["n)", "= n\n"], ["one)", "= one\n"]),
        ("call n cuont... i mean count", ["n)", "= n\n"], ["count)", "= count\n"]),
        ("k, v is enough for that comprehension", ["(key, value)", "key, value in"], ["(k, v)", "k, v in"]),
        ("why such a long name for n, total would do", ["n)", "= n\n"], ["total)", "= total\n"]),
        ("name: fetch", ["load"], ["fetch"]),
    ],
)
def test_a_new_name_is_told_in_few_words(words: str, olds: list[str], news: list[str]) -> None:
    wanted = PART
    for old, new in zip(olds, news, strict=True):
        wanted = wanted.replace(old, new)
    assert afters(Rename(), PART, words)[0] == wanted


@pytest.mark.parametrize(
    "words",
    [
        "PLW2901 `for` loop variable `path` overwritten by assignment target\nroot",
        "path is reassigned in its own loop, call the new one root",
        "don't reuse path here, root is fine",
    ],
)
def test_a_name_set_anew_gets_another_one_from_there_on(words: str) -> None:
    wanted = PART.replace("        path = path", "        root = path").replace("read(path", "read(root")
    assert afters(Rename(), PART, words)[0] == wanted


def test_what_nothing_reads_gets_an_underscore() -> None:
    code = "def on(self, arg0, arg1, event):\n    return event"
    both = code.replace("arg", "_arg")
    for words in (
        "both args are unused, underscore please",
        "arg0 and arg1 are never read, put an underscore in front",
    ):
        assert afters(Rename(), code, words)[0] == both


def test_the_first_parameter_of_a_method() -> None:
    code = "class A:\n    def __add__(a, b):\n        return a.n + b.n"
    words = "N805 First argument of a method should be named `self`\nb should be other then"
    assert afters(Rename(), code, words) == ["class A:\n    def __add__(self, other):\n        return self.n + other.n"]


@pytest.mark.parametrize("words", ["flush the path right after closing", "the limit is read every time round"])
def test_words_that_name_nothing_new_rename_nothing(words: str) -> None:
    assert Rename().edits(Snippet(tuple(PART.split("\n"))), Request(words)) is None


TWO = (
    "def total(rows):\n    sum = 0\n    for one in rows:\n        sum += one\n    return sum\n\n\n"
    "def other(numbers):\n    return sum(numbers)"
)


def test_a_local_may_be_called_as_its_function_is_and_is_renamed_where_it_is_one() -> None:
    first = (
        TWO.replace("sum = 0", "total = 0")
        .replace("sum += one", "total += one")
        .replace("return sum\n", "return total\n")
    )
    assert afters(Rename(), TWO, "rename sum to total")[0] == first


@pytest.mark.parametrize("words", ["rename sum to rows", "rename rows to one", "rename one to sum"])
def test_a_local_never_takes_the_name_of_another(words: str) -> None:
    assert afters(Rename(), TWO, words) == []


def test_a_local_may_have_the_name_of_one_elsewhere() -> None:
    assert afters(Rename(), TWO, "rename rows to numbers")[0] == TWO.replace("rows", "numbers")


def test_an_attribute_takes_no_methods_name() -> None:
    code = "class Till:\n    def open(self):\n        self.x = 1\n\n    def total(self):\n        return self.x"
    assert afters(Rename(), code, "rename self.x to self.total") == []


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("change the name of rows to records", "rows", "records"),
        ("s/rows/records/", "rows", "records"),
        ("rows to records please", "rows", "records"),
        ("one -> entry", "one", "entry"),
    ],
)
def test_few_words_or_marks_tell_a_renaming_as_a_whole(words: str, old: str, new: str) -> None:
    snippet = Snippet(tuple(TWO.split("\n")))
    plain = [applied(snippet, ops) for ops in Rename().plain(snippet, Request(words))]
    assert "\n".join(plain[0]) == TWO.replace(old, new)


@pytest.mark.parametrize(
    "words", ["replace rows with None", "change rows to list", "replace rows with LIMIT", "sum -> a+b"]
)
def test_what_may_be_said_of_values_is_no_plain_renaming(words: str) -> None:
    assert not Rename().plain(Snippet(tuple(TWO.split("\n"))), Request(words))


def test_an_import_is_renamed_by_an_alias() -> None:
    code = "import json\nfrom os import path\n\nprint(json.loads(path))"
    assert afters(Rename(), code, "rename json to js")[0] == code.replace("json.", "js.").replace("json", "json as js")
    assert afters(Rename(), code, "rename path to p")[0] == code.replace("(path", "(p").replace("path", "path as p")


@pytest.mark.parametrize("words", ["rows is an awful name", "rename this function", "rename variable rows records"])
def test_words_that_tell_what_is_renamed_are_no_new_names(words: str) -> None:
    snippet = Snippet(tuple(TWO.split("\n")))
    texts = ["\n".join(applied(snippet, ops)) for ops in Rename().edits(snippet, Request(words)) or []]
    assert not any(word in text for text in texts for word in ("awful", "function", "variable"))


CALLED = (
    "def load(path, limit=3):", "    return path[:limit]", "", "", "class Till:", "    def __init__(self, limit):",
    "        load('a', limit=limit)", "", "", "Till(limit=1), read(limit=2), partial(load, limit=4)",
)  # fmt: skip


def test_what_calls_pass_by_name_goes_along_with_the_parameter() -> None:
    before = Snippet((*CALLED[:3], *CALLED[-1:]))
    assert applied(before, Rename().plain(before, Request("rename limit to most"))[0])[-1] == (
        "Till(limit=1), read(limit=2), partial(load, most=4)"
    )
    before = Snippet(CALLED)
    after = applied(before, Rename().plain(before, Request("rename limit to most"))[0])
    assert after[6:] == ["        load('a', most=most)", "", "", "Till(most=1), read(limit=2), partial(load, most=4)"]


BAG = """class Bag:
    def __init__(self, size):
        self.wares = []
        self.size = size

    def add(self, ware):
        self.wares.append(ware)
        self.size += 1"""


@pytest.mark.parametrize("words", ["rename wares to goods", "rename wares to goods in Bag"])
def test_a_name_that_only_an_attribute_of_the_class_has_is_that_one(words: str) -> None:
    assert afters(Rename(), BAG, words)[0] == BAG.replace(".wares", ".goods")


def test_a_name_that_is_more_than_an_attribute_of_the_class_is_not_taken_for_one() -> None:
    after = afters(Rename(), BAG, "rename size to room")[0]
    assert after == BAG.replace("size):", "room):").replace("= size", "= room")
