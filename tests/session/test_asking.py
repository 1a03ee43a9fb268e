"""Asking about lines that belong to no repository."""

from pathlib import Path

import pytest

from spark_tui.session.asking import Asker
from tests.fakes import edit_script, scripted

METHOD = ("    def area(self, w, h):", "        return w + h")


@pytest.mark.parametrize("lines", [METHOD, ("def area(w, h):", "\treturn w + h"), ("x = 1", "y = x + 2")])
def test_the_answer_is_the_region_after_the_edit_whatever_its_indentation(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    after = (lines[0], lines[1].replace("+", "*"))
    script = edit_script("\n".join(lines), "\n".join(after))
    asker = Asker(scripted(tmp_path, {"multiply": script}))
    answered = asker.ask(lines, "multiply")
    assert (answered.lines, answered.first, answered.kind) == (after, after, "bug")
    assert asker.ask(lines, "something else").lines is None
    assert asker.ask(lines, "do not change this").first is None
