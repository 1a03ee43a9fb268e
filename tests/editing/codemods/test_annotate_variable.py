import pytest

from spark_tui.editing.codemods.annotate_variable import AnnotateVariable
from tests.editing.codemods.table import afters

METHOD = "class A:\n    def f(self, a):\n        {}\n        return 1"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("x = f()", "mypy can't infer this one, annotate it as str", ["x: str = f()"]),
        ("x = 3  # three", "annotate x", ["x: int = 3  # three"]),
        ("x = ['a', 'b']", "add a type to x", ["x: list[str] = ['a', 'b']"]),
        ("x = {}\nx['a'] = 1", "Need type annotation for 'x'", ["x: dict[str, int] = {}\nx['a'] = 1"]),
        ("x = []", 'Need type annotation for "x" (hint: "x: list[<type>] = ...")', []),
        ("x = []", "x is a list of strings", ["x: list[str] = []"]),
        ("x = []  # type: List[str]", "no type comments", ["x: list[str] = []"]),
        ("x = []  # type: List[str]  # noqa", "no type comments", ["x: list[str] = []  # noqa"]),
        ("x = f()  # type: ignore", "no type comments", []),
        (METHOD.format("self.x = a"), "x should be a Path", [METHOD.format("self.x: Path = a")]),
        (METHOD.format("a = 2"), "annotate it", []),
        ("x = f()\nx = g()", "x: int", ["x: int = f()\nx = g()"]),
        ("x, y = f()", "int", []),
        ("x: int = 3", "annotate x as int", []),
    ],
)
def test_variables_get_types(before: str, instruction: str, after: list[str]) -> None:
    assert afters(AnnotateVariable(), before, instruction) == after


def test_none_at_first_takes_the_place_of_the_value() -> None:
    before = METHOD.format("self.last = 0.0")
    after = METHOD.format("self.last: float | None = None")
    assert after in afters(AnnotateVariable(), before, "the first time last is None, a float | None")
    assert after not in afters(AnnotateVariable(), before, "last is a float | None")


def test_a_constant_becomes_final_as_the_region_says_it() -> None:
    assert "import typing as t\nA: t.Final = 0" in afters(AnnotateVariable(), "import typing as t\nA = 0", "Final A")
    assert "A: Final = 0\nb = 1" in afters(AnnotateVariable(), "A = 0\nb = 1", "make the constant Final")


def test_what_a_function_returns_tells_the_type_of_what_it_makes() -> None:
    code = "def f() -> a.Reg[int]:\n    found = a.Reg()\n    return found"
    assert afters(AnnotateVariable(), code, "found needs a type") == [code.replace("found =", "found: a.Reg[int] =")]


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (
            "log = logging.getLogger(__name__)",
            "annotate the logger",
            "log: logging.Logger = logging.getLogger(__name__)",
        ),
        ("tasks = {}", "type for tasks: str to asyncio.Task", "tasks: dict[str, asyncio.Task] = {}"),
        ("kw = {}", "a type for kw, dict with str keys and anything inside", "kw: dict[str, Any] = {}"),
        ("hooks = []", "annotate as a list of callables", "hooks: list[Callable] = []"),
        ("kinds = []", "add a type annotation, list of types", "kinds: list[type] = []"),
    ],
)
def test_types_are_told_by_what_is_held(before: str, instruction: str, after: str) -> None:
    assert after in afters(AnnotateVariable(), before, instruction)
