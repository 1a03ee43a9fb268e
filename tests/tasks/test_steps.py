"""What a model wrote, read as a step: edits, commands and done, with all that models put around."""

import pytest

from spark_tui.tasks.steps import Command, Done, Edit, Malformed, Step, parse_step
from tests.tasks.scripts import DONE, MAKE, MEND, READ

FENCED_BLOCK = (
    "shapes/area.py\n```python\n<<<<<<< SEARCH\nread a.py\n=======\nrun x\n>>>>>>> REPLACE\n```\n"
)
DIFF = "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n```\n"


@pytest.mark.parametrize(
    "answer",
    [
        MEND,
        MAKE,
        FENCED_BLOCK,
        DIFF,
        MEND + "\ndone\n",
        "old.py\n<<<<<<< DELETE\n",
        MEND.replace(">>>>>>> REPLACE\n", ""),
        MEND.replace("\n", "\r\n"),
    ],
)
def test_blocks_and_diffs_are_an_edit(answer: str) -> None:
    assert parse_step(answer) == Edit(answer)


@pytest.mark.parametrize(
    ("answer", "step"),
    [
        (READ, Command("read", "shapes/area.py")),
        ("```\nread a.py:1-20\n```", Command("read", "a.py:1-20")),
        ("```bash\nrun pytest -q 'tests/a b.py'\n```", Command("run", "pytest -q 'tests/a b.py'")),
        ("~~~\nsearch def area\n~~~\nand then done", Command("search", "def area")),
        ("```\n\n  list\n\n```", Command("list", "")),
        ("```\nlist shapes\n", Command("list", "shapes")),
        ("read a.py", Command("read", "a.py")),
        ("```\nread a.py\n```\ndone", Command("read", "a.py")),
    ],
)
def test_one_command_in_a_fence_is_a_command(answer: str, step: Step) -> None:
    assert parse_step(answer) == step


@pytest.mark.parametrize(
    "answer", [DONE, "done", "Done.", "**done**", "It passes.\n\n`done`\n\n", "```\ndone\n```"]
)
def test_done_on_a_line_of_its_own_is_the_end(answer: str) -> None:
    assert parse_step(answer) == Done()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "empty"),
        (" \n\n", "empty"),
        ("I think it is done already, or not.", "no block"),
        ("```python\nprint(1)\n```\nThat is all.", "no block"),
        (MEND + READ, "an edit and a command"),
        (READ + READ, "several commands"),
        ("```\nread a.py\nread b.py\n```", "several commands"),
        ("```\nread\n```", "needs an argument"),
        ("```\nrm -rf /\n```\n", "no block"),
    ],
)
def test_anything_else_is_told_apart(answer: str, why: str) -> None:
    step = parse_step(answer)
    assert isinstance(step, Malformed)
    assert why in step.why
