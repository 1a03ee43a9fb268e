import pytest

from tests.editing.codemods.results import results

CLASS = "class A:\n    def f(self):\n        return x + g(x)\n\n    def g(self, y):\n        return self.x"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CLASS, CLASS.replace("+ g", "+ self.g")),
        ("def f(self):\n    return size", "def f(self):\n    return self.size"),
        ("def f(cls):\n    cls.a()\n    return b(a)", "def f(cls):\n    cls.a()\n    return b(cls.a)"),
        ("def f(self, x):\n    x = x", "def f(self, x):\n    self.x = x"),
        ("    def f(x):\n        return 1", "    def f(self, x):\n        return 1"),
        (
            "class A:\n    @classmethod\n    def f():\n        pass",
            "class A:\n    @classmethod\n    def f(cls):\n        pass",
        ),
    ],
)
def test_attributes_and_parameters_get_their_receiver(before: str, after: str) -> None:
    assert after in results("add_self", before)


@pytest.mark.parametrize(
    "before",
    [
        "def f(x):\n    return y",
        "def f(self, x):\n    return len(x)",
        "import a\nclass A:\n    def f(self):\n        return a.b(os.sep)",
        "class A:\n    @staticmethod\n    def f(x):\n        return y",
        "class A:\n    def f(self, xs):\n        return [x for x in xs]",
    ],
)
def test_nothing_lacks_a_receiver(before: str) -> None:
    assert results("add_self", before) == []


def test_an_error_message_tells_which() -> None:
    before = "def f(self):\n    return a + b"
    assert results("add_self", before, "NameError: name 'b' is not defined") == ["def f(self):\n    return a + self.b"]
    assert len(results("add_self", before, "undefined name here")) == 2
    before = "class A:\n    def f(x):\n        return x\n\n    def g(self):\n        return b"
    said = "TypeError: A.f() takes 1 positional argument but 2 were given"
    assert results("add_self", before, said) == [before.replace("f(x)", "f(self, x)")]
