import pytest

from spark_tui.editing.codemods.add_element import AddElement
from tests.editing.codemods.table import afters

SCHEMES = 'x = {"http": 80, "https": 443}'


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ('b = v in {"0", "no"}', "could DEBUG=off count as disabled as well?", 'b = v in {"0", "no", "off"}'),
        (SCHEMES, "ws/wss are missing here, same ports as http/https", SCHEMES[:-1] + ', "ws": 80, "wss": 443}'),
        (SCHEMES, "ftp is 21", SCHEMES[:-1] + ', "ftp": 21}'),
        ('if "w" in m:\n    a()', 'mode "x" creates files, too, lazy like "w"', 'if "w" in m or "x" in m:\n    a()'),
        ("isinstance(x, list)", "also accept tuples", "isinstance(x, (list, tuple))"),
        ("isinstance(x, (int, A))", "allow Decimal too", "isinstance(x, (int, A, Decimal))"),
        ('x == "a"', 'also "b"', 'x in ("a", "b")'),
        ("x == 1 or x == 2", "3 is fine as well", "x == 1 or x == 2 or x == 3"),
        ("x = [\n    'GET',\n    'PUT',\n]", "support patch", "x = [\n    'GET',\n    'PUT',\n    'PATCH',\n]"),
        ("x = [\n    A,\n    B  # b\n]", "add `C`", "x = [\n    A,\n    B,  # b\n    C\n]"),
        ("x.endswith('.jpg')", "webp is missing", "x.endswith(('.jpg', '.webp'))"),
        ("x = ['.jpg', '.png']", "png before webp", "x = ['.jpg', '.png', '.webp']"),
    ],
)  # fmt: skip
def test_the_words_give_one_more_member(before: str, instruction: str, after: str) -> None:
    assert after in afters(AddElement(), before, instruction)[:2]


@pytest.mark.parametrize(
    ("before", "instruction"),
    [("x = [f(), 1]", "add 3"), ("x = [1, 2]", "add 2"), ("x = ['a']", "add it"), ("x, y = a", "add `z`")],
)
def test_there_is_nothing_to_add(before: str, instruction: str) -> None:
    assert not afters(AddElement(), before, instruction)


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ('names = ["de-at"]', 'could it answer to plain "at" as well?', 'names = ["de-at", "at"]'),
        ("ok = tag in ['code', 'tt']", "text inside <pre> gets breaks", "ok = tag in ['code', 'tt', 'pre']"),
        ('def f(t: Literal["X"]): ...', 'a lower case "x" is marked red', 'def f(t: Literal["X", "x"]): ...'),
        ("ok = isinstance(x, (str, int))", "bytes belong here too", "ok = isinstance(x, (str, bytes, int))"),
        ("class E(AppError): ...", "they should be ValueErrors as well", "class E(AppError, ValueError): ..."),
        ("class Dummy: ...", "its base class should be BaseBox", "class Dummy(BaseBox): ..."),
        ('x = {"a": 1, "c": 3}', 'put "b": {"y": 2} into it', 'x = {"a": 1, "b": {"y": 2}, "c": 3}'),
        ('x = {"a": {}}', 'explicit: "a": {"b": True}', 'x = {"a": {"b": True}}'),
    ],
)
def test_members_go_into_types_bases_and_each_place_of_a_short_collection(
    before: str, instruction: str, after: str
) -> None:
    assert after in afters(AddElement(), before, instruction)


def test_a_class_gets_no_base_that_nothing_speaks_of() -> None:
    assert afters(AddElement(), "class Dummy: ...", "MyError when it is called") == []


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("if t != 'http': pass", "websockets too", "if t not in ('http', 'websocket'): pass"),
        ("x = A if str(c) == '200' else B", "304s are fine too", "x = A if str(c) in ('200', '304') else B"),
        ("if f(s, 'a'): pass", "'none' as well", "if f(s, 'a') or f(s, 'none'): pass"),
        ("if not t == 'code': pass", "not in pre either", "if t not in ('code', 'pre'): pass"),
        ("if isinstance(n, int): pass", "reject bools", "if isinstance(n, int) and not isinstance(n, bool): pass"),
        ("if not isinstance(n, int): f()", "no bools", "if not isinstance(n, int) or isinstance(n, bool): f()"),
    ],
)
def test_a_test_gets_the_first_alternative_of_its_kind(before: str, instruction: str, after: str) -> None:
    assert after in afters(AddElement(), before, instruction)
