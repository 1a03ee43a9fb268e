import pytest

from spark_tui.editing.codemods.fix_attribute import FixAttribute
from tests.editing.codemods.helper_slips import fixes

AREA = "class Box:\n    def area(self): return self.width * self.width\n    def sum(self): return self.height"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (AREA, AREA.replace("* self.width", "* self.height")),
        ("x = a.left\ny = a.right", "x = a.right\ny = a.right"),
        ("x = a.left\ny = b.right", "x = a.right\ny = b.right"),
        ("x = a.read()\ny = a.close()", "x = a.close()\ny = a.close()"),
        ("x = a.read()\ny = a.closed", ""),
        ("x = a.left", ""),
        ("x = f'{a.left}' + a.right", "x = f'{a.right}' + a.right"),
    ],
)
def test_an_attribute_can_become_another_one_that_is_there(before: str, after: str) -> None:
    found = fixes(FixAttribute(), before)
    assert after in found if after else found == []


def test_an_error_message_says_which_attribute_and_perhaps_what_it_should_be() -> None:
    code, error = "x = box.heigth + box.width", "AttributeError: 'Box' object has no attribute 'heigth'"
    assert fixes(FixAttribute(), code, error) == ["x = box.width + box.width"]
    assert fixes(FixAttribute(), code, f"{error}. Did you mean: 'height'?") == ["x = box.height + box.width"]
    assert fixes(FixAttribute(), code, "'Box' object has no attribute 'depth'") == []


def test_an_attribute_may_be_told_that_is_not_in_the_region() -> None:
    assert fixes(FixAttribute(), "x = a.left", "the attribute `left` should be `top`") == ["x = a.top"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class A:\n    def size(self):\n        return self._width", "self._size"),
        ("class A:\n    def set_size(self, new):\n        self.width = new", "self.size = new"),
        ("class A:\n    def size(self):\n        return self.size", "self._size"),
    ],
)
def test_a_short_method_is_about_the_attribute_it_is_named_for(before: str, after: str) -> None:
    assert any(after in one for one in fixes(FixAttribute(), before, "size is wrong"))


def test_a_long_method_is_about_more_than_one_attribute() -> None:
    before = "class A:\n    def run(self):\n        a()\n        b()\n        c()\n        d()\n        return self.x"
    assert fixes(FixAttribute(), before) == []


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("if isinstance(key, X):\n    print(key.curve.name)", "it never matches", "if isinstance(key.curve, X):"),
        ("a.user_name = b.user_name\na.x = self", "wrong name", "a.x = self._name"),
        ("def f(item):\n    return item", "it should be the id of it", "    return item.id"),
        ("def f(a):\n    return g(a)", "'Box' object has no attribute 'strip'", "    return g(a).value"),
        ("root = Path(__file__).parent", "one folder too deep", "root = Path(__file__).parent.parent"),
        ("print(box.depth, box.size.height)", "no attribute 'depth'", "print(box.size.depth, box.size.height)"),
        ("ok = key in self.keys", "ask self, not the list", "ok = key in self"),
    ],
)
def test_an_attribute_may_lack_behind_a_value_or_be_one_too_many(before: str, instruction: str, after: str) -> None:
    assert any(after in one.split("\n") for one in fixes(FixAttribute(), before, instruction))


def test_no_class_and_no_hint_gets_an_attribute() -> None:
    found = fixes(FixAttribute(), "def f(a: Box) -> Box:\n    Box.size\n    return g(a, Box)", "size is wrong")
    assert not any("Box.size)" in one or "Box.size:" in one for one in found)
