import pytest

from spark_tui.editing.codemods.add_decorator import AddDecorator
from tests.editing.codemods.results import results
from tests.editing.codemods.table import afters

PLAIN = "def load():\n    pass"
CLASS = "class A:\n    def size(self):\n        return 1\n\n    @b\n    def load_it(self, x): ..."


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (PLAIN, "decorate it with @app.route('/x', a=(1))", ["@app.route('/x', a=(1))\n" + PLAIN]),
        (PLAIN, "cache the result of load", ["@cache\n" + PLAIN]),
        (PLAIN, "put the retry_once decorator on load", ["@retry_once\n" + PLAIN]),
        (CLASS, "size should be a property", [CLASS.replace("    def size", "    @property\n    def size")]),
        (CLASS, "load_it needs `final`", [CLASS.replace("    def load", "    @final\n    def load")]),
        (CLASS, "make A a dataclass", ["@dataclass\n" + CLASS]),
        ("@cache\n" + PLAIN, "add @cache", []),
        (PLAIN, "make it nicer", []),
        ("x = 1", "add @cache", []),
    ],
)
def test_decorators_go_right_above_the_definition(before: str, instruction: str, after: list[str]) -> None:
    assert results("add_decorator", before, instruction) == after


def test_a_method_made_static_does_without_its_self() -> None:
    code = "class A:\n    def size(self, x):\n        return x"
    after = "class A:\n    @staticmethod\n    def size(x):\n        return x"
    assert afters(AddDecorator(), code, "size can be static") == [after]
    used = code.replace("return x", "return self")
    assert afters(AddDecorator(), used, "size can be static")[0].count("self") == 2


def test_symptoms_tell_a_decorator_that_is_missing() -> None:
    code = "class A:\n    def size(self):\n        raise NotImplementedError"
    assert code.replace("    def", "    @property\n    def") in afters(AddDecorator(), code, "it is a bound method")
    forgot = "a subclass that forgot size is no TypeError"
    assert code.replace("    def", "    @abstractmethod\n    def") in afters(AddDecorator(), code, forgot)


@pytest.mark.parametrize(
    ("code", "words", "decorator"),
    [
        ("class R(typing.Protocol):\n    x: int", "isinstance ends in a TypeError", "@typing.runtime_checkable"),
        ("def f(x: int) -> int: ...", "mypy says f is already defined, it's one variant of several", "@overload"),
        (
            "    def head(self):\n        return self._head",
            "`if t.head:` is always true, head is like a method",
            "    @property",
        ),
    ],
)
def test_a_symptom_asks_for_a_decorator(code: str, words: str, decorator: str) -> None:
    assert f"{decorator}\n{code}" in results("add_decorator", code, words)


def test_an_error_or_a_parameter_is_no_decorator() -> None:
    assert not results("add_decorator", "def f(tag):\n    return tag", "add tag to the TypeError")
