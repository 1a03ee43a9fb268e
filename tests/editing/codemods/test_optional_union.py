import pytest

from spark_tui.editing.codemods.optional_union import OptionalUnion
from tests.editing.codemods.pairs import listed


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("x: Optional[int] = 1", "", "x: int | None = 1"),
        ("x: t.Union[int, str]", "use |", "x: int | str"),
        ("x: List[Union[A, Optional[B]]]", "", "x: List[A | B | None]"),
        ("x: Optional[Dict[str, Optional[B]]]", "", "x: Dict[str, B | None] | None"),
        ("x: Optional['Foo']", "", "x: 'Foo | None'"),
        ("x: int | None", "", "x: Optional[int]"),
        ("def f(x: list[A | B]): pass", "use Union", "def f(x: list[Union[A, B]]): pass"),
        ("x: typing.Set[A | B | None]", "", "x: typing.Set[typing.Optional[typing.Union[A, B]]]"),
        ("from typing import Any\nx: int | None", "", "from typing import Any, Optional\nx: Optional[int]"),
        ("import z\nx: A | B", "", "import z\nfrom typing import Union\nx: Union[A, B]"),
    ],
)  # fmt: skip
def test_one_place(before: str, instruction: str, after: str) -> None:
    assert listed(OptionalUnion(), before, instruction) == [after]


@pytest.mark.parametrize("before", ["x = a | b", "x: Union[int]", "x: list[int]"])
def test_nothing(before: str) -> None:
    assert listed(OptionalUnion(), before) == []


def test_the_words_tell_the_way_where_both_are_there() -> None:
    both = "def f(a: Optional[int], b: str | None): pass"
    assert listed(OptionalUnion(), both, "use | instead of Optional") == ["def f(a: int | None, b: str | None): pass"]
    for words in (
        "3.8 support is gone, use the pipe",
        "we dropped 3.9, no more Optional",
        "i do not want to import Optional",
    ):
        assert listed(OptionalUnion(), both, words) == ["def f(a: int | None, b: str | None): pass"]
    assert listed(OptionalUnion(), both, "use Optional for b") == ["def f(a: Optional[int], b: Optional[str]): pass"]
