import pytest

from spark_tui.editing.codemods.super_call import SuperCall
from tests.editing.codemods.table import afters


def method(body: str, base: str = "B") -> str:
    return f"class C({base}):\n    def f(self, x):\n        {body}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("super(C, self).f(x)", ["super().f(x)"]),
        ("super(self.__class__, self).f(x)", ["super().f(x)"]),
        ("super(C, self).f(x,\n" + " " * 25 + "1)", ["super().f(x,\n" + " " * 18 + "1)"]),
        ("B.f(self, x, k=1, **x)", ["super().f(x, k=1, **x)"]),
        ("super(B, self).f(x)", []),
        ("[super(C, self).f(y) for y in x]", []),
        ("D.f(self, x)", []),
        ("super().f(x)", []),
    ],
)
def test_arguments_that_go_without_saying_go(before: str, after: list[str]) -> None:
    assert afters(SuperCall(), method(before)) == [method(one) for one in after]


def test_with_two_bases_names_mean_something() -> None:
    assert afters(SuperCall(), method("B.f(self)", "A, B")) == []


def test_a_method_alone_does_not_show_its_class() -> None:
    assert afters(SuperCall(), "def f(self):\n    super(C, self).f()") == ["def f(self):\n    super().f()"]
