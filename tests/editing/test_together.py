"""Edits of one kind that are done at once."""

from tests.editing.codemods.results import results

DOORS = """def doors(self, plan):
    if not self.front:
        self.front = plan.front()
    if not self.back:
        self.back = plan.back()
    self.left = plan.right
    self.right = plan.left"""


def test_the_same_change_comes_in_each_place_alone_and_in_all() -> None:
    code = "def f(a):\n    if not a:\n        load(a)\n    if not a:\n        stop()"
    wanted = code.replace("if not a:", "if a is None:")
    once = code.replace("if not a:", "if a is None:", 1)
    found = results("fix_condition", code, "test a against None")
    assert found.index(once) < found.index(wanted)


def test_two_lines_get_what_the_other_one_has() -> None:
    wanted = DOORS.replace("plan.right", "plan.-").replace("plan.left", "plan.right").replace("plan.-", "plan.left")
    assert wanted in results("fix_attribute", DOORS, "the doors come out on the wrong side, left and right")


def test_two_edits_that_are_all_there_are_go_together() -> None:
    code = "import io\nimport os\nimport random\n\nprint(os.sep)"
    assert results("unused_import", code, "io and random are unused")[-1] == "import os\n\nprint(os.sep)"
