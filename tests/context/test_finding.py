"""The places of a request are ranked: what it names, where the user is, what shares the rarest
words.
"""

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.context.regions import Region
from spark_tui.context.resolver import MOST_PLACES, Focus, RankedPlace, Sought, is_named, rank
from spark_tui.context.search_index import SearchIndex
from spark_tui.errors import FileError, UsageError


def code(text: str) -> bytes:
    return textwrap.dedent(text).lstrip().encode()


STORE = (
    code(
        '''
    """Keeps rows."""
    import json

    MAX_ROWS = 100


    def load_rows(path):
        """Read what was saved."""
        rows = json.loads(path.read_text())
        if len(rows) > MAX_ROWS:
            raise ValueError("far too many rows")
        return rows


    def save_rows(path, rows):
        path.write_text(json.dumps(rows))


    class Store:
        """Rows by their names."""

        def __init__(self):
            self.kept = {}

        def value(self, name):
            return self.kept[name]

        def test(self, name):
            return name in self.kept
    '''
    )
    + b"# more\n" * 60
)
REPORT = (
    code(
        """
    import sys


    def print_summary(entries, currency):
        total = sum(entries)
        print(f"{total} {currency}", file=sys.stderr)


    def biggest(entries):
        value = max(entries)
        return value
    """
    )
    + b"# more\n" * 60
)
PAGE = b"""// Shows rows.
export function showRows(rows) {
  const table = document.querySelector("#rows");
  for (const row of rows) {
    table.append(row);
  }
}

export class Pager {
  next() {
    this.page += 1;
  }
}
"""
REPO = {
    "app/store.py": STORE,
    "app/report.py": REPORT,
    "web/page.js": PAGE,
    "pic.png": b"\x89PNG\0load_rows",
}


def read_from(files: Mapping[str, bytes], path: str) -> bytes:
    try:
        return files[path]
    except KeyError as e:
        raise FileError(f"there is no file {path}") from e


def ranked(words: str, files: Mapping[str, bytes] = REPO, **told: Any) -> tuple[RankedPlace, ...]:
    return rank(
        Sought(words, **told), SearchIndex(sorted(files), lambda path: read_from(files, path))
    )


def look(words: str, files: Mapping[str, bytes] = REPO, **told: Any) -> Region:
    return ranked(words, files, **told)[0].region


def place(found: Region) -> tuple[str, str | None]:
    return found.path, found.symbol


BIGGEST = Focus("app/report.py", (9, 11), "biggest")
PRINTS = Focus("app/report.py", (4, 6), "print_summary")


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ("load_rows should close the file", ("app/store.py", "load_rows")),
        ("the message 'far too many rows' should say how many", ("app/store.py", "load_rows")),
        (
            "die Währung (currency) kommt nach total in print_summary",
            ("app/report.py", "print_summary"),
        ),
        ("querySelector may find no table in showRows", ("web/page.js", "showRows")),
    ],
)
def test_rare_words_of_the_code_lead_to_it_in_any_language(
    words: str, where: tuple[str, str]
) -> None:
    assert place(look(words)) == where


@pytest.mark.parametrize(
    "words", ["make it better", "add a docstring", "", "???", "🖼", "mach das schöner"]
)
def test_words_that_share_nothing_rare_lead_to_some_place_of_the_source(words: str) -> None:
    assert look(words).path in {"app/store.py", "app/report.py", "web/page.js"}
    assert len(ranked(words)) <= MOST_PLACES


@pytest.mark.parametrize(
    ("told", "where"),
    [
        ({"path": "app/store.py", "lines": (16, 16)}, (15, 16)),
        ({"path": "app/store.py", "symbol": "Store.value"}, (25, 26)),
        ({"path": "app/store.py", "symbol": "value"}, (25, 26)),
        ({"path": "web/page.js", "symbol": "next"}, (10, 12)),
        ({"path": "web/page.js"}, (1, 13)),
    ],
)
def test_a_place_that_is_told_is_the_place(told: dict[str, Any], where: tuple[int, int]) -> None:
    found = look("load_rows is wrong", focus=BIGGEST, **told)
    assert (found.start_line, found.end_line) == where
    assert found.base_hash == sha256(REPO[str(told["path"])]).hexdigest()


def test_a_function_that_is_told_and_not_there_is_refused_with_one_that_is_like_it() -> None:
    with pytest.raises(UsageError, match="did you mean load_rows"):
        look("close it", path="app/store.py", symbol="load_row")


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (
            (
                'Traceback:\n  File "/x/app/report.py", line 5, in g\n  File "/x/app/store.py", '
                "line 8, in f\nKeyError"
            ),
            ("app/store.py", "load_rows"),
        ),
        (
            '  File "/x/app/report.py", line 5, in g\n  File "/usr/lib/a.py", line 8',
            ("app/report.py", "print_summary"),
        ),
        ("app/report.py:11:5: F841 unused", ("app/report.py", "biggest")),
        ("at showRows (web/page.js:4:3)", ("web/page.js", "showRows")),
        ("./store.py:8 is wrong", ("app/store.py", "load_rows")),
    ],
)
def test_the_line_that_a_message_names_is_the_place_wherever_the_user_is(
    words: str, where: tuple[str, str]
) -> None:
    assert place(look(words)) == place(look(words, focus=BIGGEST)) == where


@pytest.mark.parametrize("words", ["app/store.py:9999: beyond", "app/store.py:0: none"])
def test_a_line_that_is_not_there_tells_no_place(words: str) -> None:
    assert look(words, focus=BIGGEST).path == "app/store.py", "its file is named all the same"
    assert place(look("x.py:3: gone", focus=BIGGEST)) == ("app/report.py", "biggest")


def test_a_plain_name_leads_to_what_it_is_called() -> None:
    files = {
        **REPO,
        "app/mail.py": b'def greet(who):\n    """As `greet` says: greet(1)."""\n    return who\n',
    }
    assert place(look("what greet gives back is too short", files)) == ("app/mail.py", "greet")


@pytest.mark.parametrize(
    "words", ["the row loader is slow", "the loader of rows is slow", "ld rows quickly"]
)
def test_all_pieces_of_a_name_in_any_form_lead_to_it(words: str) -> None:
    assert place(look(words)) == ("app/store.py", "load_rows")


def test_between_backticks_a_plain_name_that_is_defined_once_is_the_place() -> None:
    assert place(look("add a docstring to `biggest`")) == ("app/report.py", "biggest")


@pytest.mark.parametrize(
    "words",
    [
        "use min here",
        "no, the other one",
        "rename `value` to `most`",
        "add a test for the value in this list",
        "call it new_name",
        "raise a ValueError when it is empty",
    ],
)
def test_it_is_done_where_the_user_is_unless_the_words_name_what_is_defined_elsewhere_only(
    words: str,
) -> None:
    assert place(look(words, focus=BIGGEST)) == ("app/report.py", "biggest")


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ("load_rows should close the file", ("app/store.py", "load_rows")),
        ("rename path in save_rows", ("app/store.py", "save_rows")),
        ("Store.value gives a KeyError", ("app/store.py", "Store.value")),
        ("`print_summary` should print to stdout", ("app/report.py", "print_summary")),
        ("set MAX_ROWS to 5", ("app/store.py", None)),
    ],
)
def test_a_name_that_is_defined_elsewhere_only_leads_there(
    words: str, where: tuple[str, str | None]
) -> None:
    assert place(look(words, focus=BIGGEST)) == where


def test_a_name_behind_an_at_leads_to_where_it_is_defined_also_if_it_stands_where_the_user_is() -> (
    None
):
    caller = b"def summary(rows):\n    return biggest(rows)\n"
    files = {**REPO, "app/summary.py": caller}
    focus = Focus("app/summary.py", (1, 2), "summary")
    assert place(look("biggest fails", files, focus=focus)) == ("app/summary.py", "summary")
    assert place(look("@biggest fails", files, focus=focus)) == ("app/report.py", "biggest")


def test_a_macro_is_defined_where_it_gets_its_value() -> None:
    pages = [f"int page_{n}(void) {{\n    return wait(DELAY, {n});\n}}\n" for n in range(30)]
    files = {"tail.c": "\n".join(["#define DELAY 250000\n", *pages]).encode(), "a.c": b"int a;\n"}
    assert look("DELAY half a second", files).start_line == 1


def test_what_is_defined_elsewhere_and_called_where_the_user_is_can_be_the_place() -> None:
    caller = b"def summary(rows):\n    kept = save_rows(rows, 1)\n    return kept\n"
    files = {**REPO, "app/summary.py": caller}
    focus = Focus("app/summary.py", (1, 3), "summary")
    assert place(look("rename path to target in save_rows", files, focus=focus)) == (
        "app/store.py",
        "save_rows",
    )
    assert place(look("keep what save_rows returns", files, focus=focus)) == (
        "app/summary.py",
        "summary",
    )


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("load_rows and save_rows take strings", "app/store.py"),
        ("`biggest` should do as print_summary does", "app/report.py"),
        ("showRows should sort", "web/page.js"),
    ],
)
def test_of_several_that_are_named_one_comes_first_and_where_the_user_is_is_among_them(
    words: str, first: str
) -> None:
    found = ranked(words, focus=BIGGEST)
    assert found[0].region.path == first
    assert ("app/report.py", "biggest") in [place(each.region) for each in found[:3]]


def test_lines_that_are_told_in_a_long_section_are_those_alone() -> None:
    files = {"GUIDE.md": b"# Guide\n" + b"More of that.\n" * 90}
    found = look("", files, path="GUIDE.md", lines=(12, 20))
    assert (found.start_line, found.end_line) == (12, 20)


TESTED = {f"demos/demo{n:02}.js": b"option.env(1);\n" for n in range(30)} | {
    "a.test.js": b"function wrapText() {\n  return 1;\n}\n" * 2
    + b"class Option {\n  env() {\n    return 2;\n  }\n}\n",
    "lib/wrap.js": b"function wrapText(text) {\n  // cut long ones\n  return text;\n}\n\n"
    b"function shownText(text, width) {\n  const all = wrap(wrapText(text));\n  return "
    b"all.trim();\n}\n\n"
    b"function wrap(text) {\n  return text;\n}\n",
    "lib/option.js": b"class Option {\n  env(name) {\n    this.envVar = name;\n  }\n\n  get "
    b"hidden() {\n"
    b"    return this.no;\n  }\n\n  set hidden(no) {\n    throw Error('no such option');\n  }\n}\n",
}
SHOWN_TEXT = Focus("lib/wrap.js", (6, 9), "shownText")


def test_of_a_name_that_tests_define_too_or_very_many_files_use_the_code_is_meant() -> None:
    for words in ("Option.env should trim the name", "envVar should be lower case"):
        assert place(look(words, TESTED, focus=SHOWN_TEXT)) == ("lib/option.js", "Option.env")
    assert place(look("wrapText should cut long ones", TESTED)) == ("lib/wrap.js", "wrapText")


def test_a_function_within_another_and_a_method_behind_an_at_are_found_from_elsewhere() -> None:
    inner = (
        b"def made(rows):\n    def handle_row(row):\n        return row\n    return "
        b"map(handle_row, rows)\n"
    )
    files = {**REPO, "app/inner.py": inner}
    assert place(look("in handle_row ignore None", files, focus=BIGGEST)) == (
        "app/inner.py",
        "made.handle_row",
    )
    assert place(look("@value should not fail", files, focus=PRINTS)) == (
        "app/store.py",
        "Store.value",
    )


def test_a_function_within_one_that_is_too_long_to_edit_is_a_place_of_its_own() -> None:
    inner = "".join(
        f"    function pick{at}(rows) {{\n        return rows[{at}];\n    }}\n\n"
        for at in range(90)
    )
    files = {"shop.js": f"function shop() {{\n{inner}}}\n".encode(), "x.js": b"function go() {}\n"}
    first = look("pick 71 should", files)
    assert (first.symbol, first.end_line - first.start_line) == ("shop.pick71", 2)


def test_of_a_class_that_the_user_is_at_the_method_that_is_named_is_meant() -> None:
    shop = (
        b"class Shop:\n    def __init__(self):\n        pass\n\n    def sold_out(self):\n    "
        b"    return 0\n"
    )
    files = {**REPO, "app/shop.py": shop}
    for lines, symbol in (((1, 6), "Shop"), ((5, 6), "Shop.sold_out")):
        found = look("sold_out should be True", files, focus=Focus("app/shop.py", lines, symbol))
        assert place(found) == ("app/shop.py", "Shop.sold_out")


def test_a_value_that_only_a_test_has_is_found_there() -> None:
    files = {**REPO, "tests/test_it.py": b"def test_it():\n    wait_time = 1\n"}
    found = ranked("rename wait_time", files, focus=BIGGEST)
    assert [each.region.symbol for each in found[:2]] == ["test_it", "biggest"]


def test_of_functions_of_one_name_in_a_file_the_one_that_shares_more_words_comes_first() -> None:
    for words, first in (("", 6), ("no such option", 10)):
        found = ranked(words, TESTED, path="lib/option.js", symbol="Option.hidden")
        assert len(found) == 2
        assert found[0].region.start_line == first


def test_the_file_that_words_name_is_looked_in_and_a_short_one_is_the_place() -> None:
    assert place(look("page.js needs a licence", focus=BIGGEST)) == ("web/page.js", None)
    assert place(look("in report.py print the currency first")) == (
        "app/report.py",
        "print_summary",
    )


def test_where_the_user_was_may_be_gone() -> None:
    gone = Focus("gone.py", (1, 2), "f")
    assert place(look("load_rows should close the file", focus=gone)) == (
        "app/store.py",
        "load_rows",
    )
    grown = look("shorter", focus=Focus("app/report.py", (10, 999), "no_more"))
    assert (grown.start_line, grown.end_line) == (10, 71)


def test_what_there_is_no_room_for_is_not_taken_as_a_whole() -> None:
    body = "".join(f"    step_{n} = {n}\n    print(step_{n})\n\n" for n in range(70))
    files = {"long.py": b"def long():\n" + body.encode(), **REPO}
    index = SearchIndex(sorted(files), files.__getitem__)
    found = rank(Sought("step_41 should be 0"), index, lambda lines: len(lines) <= 80)[0].region
    assert "    step_41 = 41" in body.splitlines()[found.start_line - 2 : found.end_line - 1]
    assert found.end_line - found.start_line < 80


def test_tests_stubs_and_what_is_no_code_come_behind_the_source_and_each_place_once() -> None:
    asides = {
        "LICENSE": b"all rows of rows\n",
        "tests/test_rows.py": b"def test_rows(rows): 0\n",
        "app/store.pyi": b"def load_rows(path: Path) -> Rows: ...\n",
        "package-lock.json": b'{"rows": "rows of rows"}\n',
    }
    found = [each.region for each in ranked("rows", {"web/page.js": PAGE} | asides)]
    behind = [each.path in asides for each in found]
    assert behind == sorted(behind)
    assert sum(behind) == len(asides)
    assert len({(each.path, each.start_line) for each in found}) == len(found)


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ("test_rows is slow", "tests/test_rows.py"),
        ("rows in store.pyi", "app/store.pyi"),
        ("load_rows is slow", "app/store.py"),
        ("load the rows faster", "app/store.py"),
    ],
)
def test_a_test_or_a_stub_is_the_place_where_it_alone_is_named(words: str, where: str) -> None:
    files = REPO | {
        "tests/test_rows.py": b"def test_rows(rows): 0\n",
        "app/store.pyi": b"def load_rows(): ...\n",
    }
    assert look(words, files).path == where


def test_of_many_places_some_are_no_code_so_that_a_model_can_prefer_them() -> None:
    functions = "".join(f"def rows_{n}():\n    return rows({n})\n\n\n" for n in range(40))
    files = {
        "rows.py": functions.encode(),
        "pyproject.toml": b'[project]\nname = "rows"\nclassifiers = ["Topic :: Rows"]\n',
    }
    found = [each.region.path for each in ranked("rows want classifiers", files)]
    assert len(found) == MOST_PLACES
    assert "pyproject.toml" in found


def test_of_a_test_where_the_user_is_other_tests_are_no_asides() -> None:
    tests = (
        b"def test_load():\n    assert load_rows(1)\n\n\ndef test_saved():\n    assert "
        b"save_rows(1, 2)\n"
    )
    found = ranked(
        "saved twice",
        REPO | {"tests/test_rows.py": tests},
        focus=Focus("tests/test_rows.py", (1, 2)),
    )
    assert [each.region.symbol for each in found[:2]] == [None, "test_saved"]


def test_a_file_told_without_its_ending_is_among_the_first_places() -> None:
    files = REPO | {
        "README.md": b"# Budget\n\nwords\n\n## Rows\n\nrows of rows\n",
        "LICENSE": b"free\n",
    }
    for words, path in (
        ("load_rows belongs into the readme", "README.md"),
        ("load_rows in the license", "LICENSE"),
    ):
        assert path in [each.region.path for each in ranked(words, files, focus=BIGGEST)[:5]]


def test_what_words_name_is_known_from_what_they_share() -> None:
    index = SearchIndex(sorted(REPO), REPO.__getitem__)
    named = [
        "load_rows is slow",
        "report.py is slow",
        "app/store.py:8 is slow",
        "`biggest` is slow",
    ]
    assert all(is_named(Sought(words), index) for words in named)
    assert not any(
        is_named(Sought(words), index)
        for words in ("", "rows are saved twice", "gone_rows is slow")
    )


@pytest.mark.parametrize(
    ("words", "leaves"),
    [
        ("to 30 instead", False),
        ("shorter", False),
        ("and a docstring", False),
        ("also do it in save_rows()", True),
    ],
)
def test_a_follow_up_stays_unless_it_names_another_place(words: str, leaves: bool) -> None:
    assert (place(look(words, focus=BIGGEST)) != ("app/report.py", "biggest")) is leaves


@given(st.text(max_size=80))
def test_any_words_lead_somewhere_and_never_fail(words: str) -> None:
    for focus in (None, BIGGEST):
        found = look(words, focus=focus)
        assert 1 <= found.start_line <= found.end_line
        assert found.path in REPO


@given(
    st.dictionaries(
        st.sampled_from(["a.py", "b.rs", "c.md", "d", "e.json"]),
        st.binary(max_size=200),
        max_size=5,
    ),
    st.text(max_size=40),
)
def test_any_files_can_be_looked_through(files: dict[str, bytes], words: str) -> None:
    assert {each.region.path for each in ranked(words, files)} <= files.keys()


def test_fifty_thousand_files_are_looked_through() -> None:
    body = b"def common(value):\n    return value\n" * 8
    files = {f"pkg/mod_{n}.py": body + f"def only_{n}(): pass\n".encode() for n in range(50_000)}
    assert place(look("only_777 should return 1", files)) == ("pkg/mod_777.py", "only_777")


def test_a_lock_file_that_has_all_words_there_are_keeps_no_code_from_being_looked_through() -> None:
    lock = b'{"the image tag should be loaded lazily": "the renderer"}\n' * 6000
    files = {
        "package-lock.json": lock,
        "render.js": b"function image(url) {\n  return tag(url);\n}\n",
    }
    assert look("the image tag should be loaded lazily", files).symbol == "image"


def test_what_has_changed_is_looked_at_afresh_once_that_is_known() -> None:
    files = dict(REPO)
    index = SearchIndex(sorted(files), files.__getitem__)
    assert place(rank(Sought("print_summary prints"), index)[0].region) == (
        "app/report.py",
        "print_summary",
    )
    files["app/report.py"] = REPORT.replace(b"print_summary", b"show_summary")
    index.forget("app/report.py")
    assert place(rank(Sought("show_summary prints the currency"), index)[0].region) == (
        "app/report.py",
        "show_summary",
    )


def test_among_very_many_parts_that_all_have_the_words_some_are_found() -> None:
    made = "".join(f"def area_{number}(w):\n    return w\n\n\n" for number in range(11_000))
    assert ranked("round w", {"made.py": made.encode(), "other.py": b"w = 1\n"})


@pytest.mark.parametrize(
    "words",
    [
        "load_rows should say which file",
        "rename Store.value to get, as in report",
        "keep the rows in order",
        "nothing of that is here at all",
    ],
)
def test_all_words_of_a_request_are_looked_up_in_one_pass_over_the_files(words: str) -> None:
    passes: list[str] = []

    def read_each(paths: Iterable[str], most: int) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            passes.append(path)
            yield path, REPO[path][:most]

    index = SearchIndex(sorted(REPO), REPO.__getitem__, None, read_each)
    alone = SearchIndex(sorted(REPO), REPO.__getitem__)
    assert rank(Sought(words), index) == rank(Sought(words), alone)
    assert passes == sorted(REPO)
