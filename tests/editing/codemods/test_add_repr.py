import pytest

from spark_tui.editing.codemods.add_repr import AddRepr
from tests.editing.codemods.results import results
from tests.editing.codemods.table import afters

POINT = """
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y
        self._size = None
"""
MOVE = """
    def move(self) -> None:
        self.z = 1
"""
REPR = """
    def __repr__(self){}:
        return f"{}"
"""


def test_public_attributes_are_shown_behind_init() -> None:
    shown = REPR.format("", "Point(x={self.x!r}, y={self.y!r})")
    assert afters(AddRepr(), POINT, "add a repr")[0] == (POINT + shown).strip("\n")
    hinted = REPR.format(" -> str", "Point(x={self.x!r}, y={self.y!r})")
    assert afters(AddRepr(), POINT + MOVE, "add a repr")[0] == (POINT + hinted + MOVE).strip("\n")


def test_attributes_that_are_named_come_first() -> None:
    shown = REPR.format("", "Point(y={self.y!r}, _size={self._size!r})")
    assert afters(AddRepr(), POINT, "a repr with y and self._size")[0] == (POINT + shown).strip("\n")


def test_fields_and_a_lone_init_will_do() -> None:
    fields = "class P:\n    x: int\n    n: ClassVar[int] = 0{}\n\n    def f(self):\n        pass"
    shown = '\n\n    def __repr__(self) -> str:\n        return f"P(x={self.x!r})"'
    assert afters(AddRepr(), fields.format("")) == [fields.format(shown)]
    lone = "    def __init__(self, x):\n        self.x = x"
    shown = '\n\n    def __repr__(self):\n        return f"{type(self).__name__}(x={self.x!r})"'
    assert afters(AddRepr(), lone) == [lone + shown]


@pytest.mark.parametrize(
    "before",
    [
        "class P:\n    def __init__(self):\n        pass",
        "@dataclass\nclass P:\n    x: int",
        "class P(Enum):\n    x: int",
        POINT + REPR.format("", ""),
    ],
)
def test_a_class_that_has_one_or_nothing_to_show_stays(before: str) -> None:
    assert afters(AddRepr(), before) == []


def test_a_long_one_takes_a_line_for_each_attribute() -> None:
    names = [f"attribute_number_{n}" for n in range(4)]
    before = "class P:\n    def __init__(self):\n" + "\n".join(f"        self.{name} = 0" for name in names)
    lines = afters(AddRepr(), before)[0].split("\n")[-7:]
    assert lines[1:3] == ["        return (", '            f"P(attribute_number_0={self.attribute_number_0!r}, "']
    assert lines[-1] == "        )"


def test_a_special_method_returns_what_is_told() -> None:
    code = "    def __copy__(self):\n        return self"
    wanted = f'{code}\n\n    def __reduce__(self):\n        return "missing"'
    assert wanted in afters(AddRepr(), code, "add __reduce__ returning the string 'missing'")


def test_what_is_in_an_object_is_asked_of_the_container_that_it_holds() -> None:
    before = "class A:\n    def __init__(self, size):\n        self.size = size\n        self.kept = {}"
    asked = [results("add_repr", before, words) for words in ("add __contains__", "add a __len__")]
    assert not any("in self.size" in one or "len(self.size" in one for found in asked for one in found)
    assert any(one.endswith("return item in self.kept") for one in asked[0])
    assert any(one.endswith("return len(self.kept)") for one in asked[1])
