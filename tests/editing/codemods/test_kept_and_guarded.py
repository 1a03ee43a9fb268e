"""Parameters to be kept, second names of methods, and the guards that a word is enough for."""

import pytest

from spark_tui.editing.codemods.add_statement import AddStatement
from spark_tui.editing.codemods.guard_clause import GuardClause
from tests.editing.codemods.table import afters

BOX = """
class Box:
    def __init__(self, size, colour, lid):
        self.size = size
        self.lid = lid

    def __add__(self, other):
        return Box(self.size + other.size, self.colour, None)

    def close(self):
        self._closed = True
        self.lid.shut()
""".strip()


def test_a_parameter_that_is_never_stored_is_kept_in_its_place() -> None:
    wanted = BOX.replace("        self.lid = lid\n", "        self.colour = colour\n        self.lid = lid\n")
    assert afters(AddStatement(), BOX, "colour is never stored")[0] == wanted


@pytest.mark.parametrize("instruction", ["radd too", "make __radd__ the same as __add__"])
def test_a_method_gets_a_second_name(instruction: str) -> None:
    line = "        return Box(self.size + other.size, self.colour, None)\n"
    assert BOX.replace(line, f"{line}\n    __radd__ = __add__\n") in afters(AddStatement(), BOX, instruction)


@pytest.mark.parametrize(
    ("before", "instruction", "guard"),
    [
        (
            "def shut(self):\n    self._closed = True",
            "closing a second time should do nothing",
            "if self._closed:|return",
        ),
        ("def free(self):\n    self.held = False", "freeing twice should be harmless", "if not self.held:|return"),
        ("def clamp(value):\n    return max(value, 0)", "pass None through", "if value is None:|return None"),
        ("def set(self, name):\n    self._name = name", "skip it when unchanged", "if name == self._name:|return"),
        ("def __get__(self, obj, cls):\n    return obj.x", "return self on the class", "if obj is None:|return self"),
    ],
)
def test_a_word_is_enough_for_the_usual_guards(before: str, instruction: str, guard: str) -> None:
    head, body = before.split("\n")
    test, leaving = guard.split("|")
    assert f"{head}\n    {test}\n        {leaving}\n{body}" in afters(GuardClause(), before, instruction)
