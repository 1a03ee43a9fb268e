import pytest

from spark_tui.editing.codemods.dataclass import Dataclass
from tests.editing.codemods.table import afters

POINT = """class Point:
    \"\"\"A place.\"\"\"
    def __init__(self, x: int, y=0, *, name: str = "a") -> None:
        self.x = x
        self.y = y
        self.name: str | None = name

    def size(self):
        return self.x
"""


def test_parameters_become_fields() -> None:
    before = POINT.replace("*, ", "")
    after = '@dataclass\nclass Point:\n    """A place."""\n\n    x: int\n    y: int = 0\n    name: str | None = "a"\n'
    assert afters(Dataclass(), before, "make it a dataclass") == [
        after + "\n    def size(self):\n        return self.x"
    ]


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("def __init__(self, *, a):\n        self.a = a", "", "@dataclass(kw_only=True)\nclass P:\n    a: object"),
        (
            "def __init__(self, a):\n        self.a = a",
            "a frozen one",
            "@dataclass(frozen=True)\nclass P:\n    a: object",
        ),
        (
            "def __init__(self, a):\n        self.a = a",
            "nobody should be able to change a P afterwards",
            "@dataclass(frozen=True)\nclass P:\n    a: object",
        ),
    ],
)
def test_options_follow_the_words_and_the_signature(before: str, instruction: str, after: str) -> None:
    assert afters(Dataclass(), f"class P:\n    {before}", instruction)[0] == after


def test_the_import_joins_those_of_the_region() -> None:
    before = "import os\nfrom x import y\n\n\nclass P:\n    def __init__(self, a: int):\n        self.a = a"
    after = "import os\nfrom dataclasses import dataclass\nfrom x import y\n\n\n@dataclass\nclass P:\n    a: int"
    assert afters(Dataclass(), before) == [after]


@pytest.mark.parametrize(
    ("head", "parameters", "body"),
    [
        ("class P(Q):", "a", "self.a = a"),
        ("class P:", "a", "self.b = a"),
        ("class P:", "a", "self.a = a + 1"),
        ("class P:", "a, b", "self.a = a"),
        ("class P:", "a=[]", "self.a = a"),
        ("class P:", "*a", "self.a = a"),
        ("class P:", "a", "self.a = a  # kept"),
        ("class P:\n    k: int = 1", "a", "self.a = a"),
        ("@final\nclass P:", "a", "self.a = a"),
    ],
)
def test_a_class_that_does_more_stays(head: str, parameters: str, body: str) -> None:
    before = f"{head}\n    def __init__(self, {parameters}):\n        {body}"
    assert afters(Dataclass(), before, "make it a dataclass") == []


def test_parameters_of_two_sorts_need_more_than_fields() -> None:
    assert afters(Dataclass(), POINT, "make it a dataclass") == []
