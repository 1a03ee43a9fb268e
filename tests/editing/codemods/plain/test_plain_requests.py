"""Short requests about statements, calls, entries and values that are read to their last word."""

import pytest

from spark_tui.editing.codemods.base import Request, applied, listed
from spark_tui.editing.codemods.registry import codemods, plain_kind
from spark_tui.editing.snippet import Snippet

STORE = (
    "def store(self, note, path):",
    "    row = {",
    '        "title": note.title,',
    '        "Cache-Control": 1,',
    "    }",
    "    if path is None:",
    "        row = None",
    "    with open(path) as f:",
    "        json.dump(row, f)",
    '    print("stored", time.time())',
    "    self.save(time.time())",
)
FIND = ("def find(names, key):", "    names.sort()", "    if not key:", "        return None", "    return names[key]")

SAVE = ("def save(path, data):", '    with Path(path).open("w") as out:', "        json.dump(data, out)")


def changed(words: str, lines: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The lines that go and those that come with the only edit that is plainly meant."""
    before, request = Snippet(lines), Request(words)
    kind = plain_kind(before, request)
    (ops,) = (listed(codemods()[kind], before, request) if kind else None) or ((),)
    after = applied(before, ops)
    return [line.strip() for line in lines if line not in after], [line.strip() for line in after if line not in lines]


@pytest.mark.parametrize(
    ("words", "gone", "new"),
    [
        ("dont print here", 'print("stored", time.time())', ""),
        ("please don't save", "self.save(time.time())", ""),
        ("indent the json by 2", "json.dump(row, f)", "json.dump(row, f, indent=2)"),
        ("write the file with indent=2", "json.dump(row, f)", "json.dump(row, f, indent=2)"),
        ("open the output as utf-8", "with open(path) as f:", 'with open(path, encoding="utf-8") as f:'),
        ("open with utf8 encoding", "with open(path) as f:", 'with open(path, encoding="utf-8") as f:'),
        ("add an updated field to the row, None for now", "", '"updated": None,'),
        ("add body", "", '"body": note.body,'),
        ("include path in the row", "", '"path": path,'),
        ("leave out the cache control header", '"Cache-Control": 1,', ""),
        ("return the row", "", "return row"),
    ],
)
def test_what_is_told_whole_is_done(words: str, gone: str, new: str) -> None:
    lines = STORE if words != "add body" else (*STORE[:3], '        "size": note.size,', *STORE[4:])
    assert changed(words, lines) == ([gone] * bool(gone), [new] * bool(new))


@pytest.mark.parametrize(
    ("words", "gone", "new"),
    [
        ("return an empty list instead of None", "return None", "return []"),
        ("sort in descending order", "names.sort()", "names.sort(reverse=True)"),
    ],
)
def test_values_given_back_and_options_of_the_only_call(words: str, gone: str, new: str) -> None:
    assert changed(words, FIND) == ([gone], [new])


def test_one_value_more_is_given_back() -> None:
    assert changed("return keys too", ("def f(keys):", "    return max(keys)")) == (
        ["return max(keys)"],
        ["return max(keys), keys"],
    )


def test_code_gives_way_wherever_it_stands() -> None:
    _, new = changed("use time.perf_counter instead of time.time", STORE)
    assert new == ['print("stored", time.perf_counter())', "self.save(time.perf_counter())"]


ROWS_READ = (
    "def load(path):", "    rows = []", "    with open(path) as f:", "        reader = csv.reader(f)",
    "        for row in reader:", "            rows.append(row)", "    return rows",
)  # fmt: skip


def test_what_is_given_back_whole_stands_where_it_was_collected() -> None:
    assert changed("just return list(reader)", ROWS_READ)[1] == ["return list(reader)"]
    lines = ROWS_READ[:-1]
    kind = plain_kind(Snippet(ROWS_READ), Request("return sorted(reader)"))
    (ops,) = listed(codemods()[kind], Snippet(ROWS_READ), Request("return sorted(reader)")) or ()
    assert applied(Snippet(ROWS_READ), ops) == [lines[0], *lines[2:4], "        return sorted(reader)"]
    assert changed("return list(rows)", ROWS_READ) == (["return rows"], ["return list(rows)"])
    assert changed("return list(reader)", (*ROWS_READ[:5], "            rows.append(row[0])", *ROWS_READ[6:])) == (
        [],
        [],
    )


GRADE = ("def grade(x, y):", "    if x > 80 and not y:", "        return x * 2", "    return [y for y in x if x>80]")


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("change x > 80 to x >= 80", ["if x >= 80 and not y:", "return [y for y in x if x >= 80]"]),
        ("x + 2 instead of x * 2", ["return x + 2"]),
        ("replace x * 2 with (x or y)", ["return (x or y)"]),
        ("x > 80 should be x or y", ["if (x or y) and not y:", "return [y for y in x if (x or y)]"]),
        ("change x > 8 to x >= 8", []),
        ("change x to y + 1", []),
    ],
)
def test_code_told_becomes_other_code(words: str, new: list[str]) -> None:
    assert changed(words, GRADE)[1] == new


LOOKED_UP = (
    "def serve(args, env):", '    page = int(args.get("page", 1))', '    by = args.get("by") or "name"',
    '    port = env.get("PORT", "80")', '    parser.add_argument("--max-rows", default=5)',
)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("default page should be 0", ['page = int(args.get("page", 0))']),
        ("by should default to date", ['by = args.get("by") or "date"']),
        ("the default port is 8080", ['port = env.get("PORT", "8080")']),
        ("set the default for max_rows to 9", ['parser.add_argument("--max-rows", default=9)']),
        ("change the default number of max_rows to 14", ['parser.add_argument("--max-rows", default=14)']),
        ("default limit should be 5", []),
        ("page should be 0", []),
    ],
)
def test_a_default_is_changed_where_it_is_given(words: str, new: list[str]) -> None:
    assert changed(words, LOOKED_UP)[1] == new


BILL = ("def total(lines):", "    net = 0", "    for line in lines:", "        net += line", "    vat = net * 0.2 + 1")


@pytest.mark.parametrize(
    ("words", "last", "new"),
    [
        ("round the vat to two decimals", "return net + vat", ["vat = round(net * 0.2 + 1, 2)"]),
        ("round net to 2 places", "return net", ["return round(net, 2)"]),
        ("round the total", 'return {"total": net, "vat": vat}', []),
        (
            "round the total to 1 digit",
            'return {"total": net, "vat": vat}',
            ['return {"total": round(net, 1), "vat": vat}'],
        ),
        ("please round the result to 2 decimals", "return net + vat", ["return round(net + vat, 2)"]),
        ("round the gross to 2 decimals", "return net", []),
        ("don't round", "return round(net + vat, 2) * 3", ["return (net + vat) * 3"]),
        ("no rounding", "return net", []),
    ],
)
def test_what_is_told_is_rounded_where_it_is_set_or_given_back(words: str, last: str, new: list[str]) -> None:
    assert changed(words, (*BILL, f"    {last}"))[1] == new


@pytest.mark.parametrize(
    "words",
    [
        "dont print twice",
        "dont sort",
        "add logging",
        "add updated",
        "leave out the path",
        "return the notes",
        "return row if path is set",
        "use time.monotonic instead of time.sleep",
        "indent the body by 2 levels",
    ],
)
def test_what_is_told_in_part_or_is_not_there_is_left_to_others(words: str) -> None:
    assert changed(words, STORE) == ([], [])


TABLES = ("NAMES = ('add', 'list')", "TEXTS = {200: 'OK', 404: 'Not Found'}", "both = [NAMES, TEXTS]")


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("add remove to NAMES", ["NAMES = ('add', 'list', 'remove')"]),
        ("add 403 Forbidden to the texts", ["TEXTS = {200: 'OK', 404: 'Not Found', 403: 'Forbidden'}"]),
        ('add 500: "Server Error" to TEXTS', ["TEXTS = {200: 'OK', 404: 'Not Found', 500: 'Server Error'}"]),
        ("remove add from NAMES", []),
        ("drop 404 from the texts", ["TEXTS = {200: 'OK'}"]),
        ("add list to NAMES", []),
        ("add a new thing to NAMES", []),
        ("add remove to both", []),
        ("add gone Gone to TEXTS", []),
    ],
)
def test_a_member_goes_into_the_collection_of_its_name(words: str, new: list[str]) -> None:
    assert changed(words, TABLES)[1] == new


ROWS = (
    "def totals(sums, page):",
    "    count = int(page)",
    "    rows = []",
    "    for name in sums:",
    '        rows.append({"name": name, "sum": sums[name]})',
    "    return rows",
)


@pytest.mark.parametrize(
    ("words", "at", "new"),
    [
        ("if count is below 1 use 1", 2, ["if count < 1:", "count = 1"]),
        ("negative counts become 0", 2, ["if count < 0:", "count = 0"]),
        ("set page to 1 when page is None", 1, ["if page is None:", "page = 1"]),
        ("sort the rows by sum, biggest first", 5, ['rows.sort(key=lambda item: item["sum"], reverse=True)']),
        ("order them by name", 5, ['rows.sort(key=lambda item: item["name"])']),
    ],
)
def test_a_statement_comes_in_where_what_it_needs_is_known(words: str, at: int, new: list[str]) -> None:
    before, request = Snippet(ROWS), Request(words)
    (ops,) = listed(codemods()["insert_line"], before, request) or ()
    assert [line.strip() for line in applied(before, ops)[at : at + len(new)]] == new
    assert plain_kind(before, request) == "insert_line"


@pytest.mark.parametrize(
    "words", ["sort the rows by colour", "if count is odd use the next page", "sort the sums by name"]
)
def test_what_is_not_seen_to_be_there_is_not_ordered_or_set(words: str) -> None:
    assert changed(words, ROWS) == ([], [])


def test_no_dict_is_put_in_order_where_a_list_is_to_be() -> None:
    assert not listed(codemods()["sort_keys"], Snippet(ROWS), Request("sort the rows by sum, biggest first"))


def test_what_another_call_gives_is_opened_with_the_encoding_told() -> None:
    new = 'with Path(path).open("w", encoding="utf-8") as out:'
    assert changed("open the file with utf-8 encoding", SAVE) == (['with Path(path).open("w") as out:'], [new])
