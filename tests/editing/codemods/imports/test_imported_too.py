"""Edits that bring the import of what they use for the first time."""

import pytest

from tests.editing.codemods.results import results

MODULE = "import os\nfrom typing import Any\n\nLIMIT = 3\nclass A:\n    name: str"


@pytest.mark.parametrize(
    ("words", "old", "new", "name"),
    [
        ("mark LIMIT as Final", "LIMIT =", "LIMIT: Final =", "Final"),
        ("name is NotRequired[str]", "name: str", "name: NotRequired[str]", "NotRequired"),
    ],
)
def test_a_hint_comes_with_its_import(words: str, old: str, new: str, name: str) -> None:
    wanted = MODULE.replace(old, new).replace("import Any", f"import Any, {name}")
    assert wanted in results("annotate_variable", MODULE, words)


def test_without_imports_in_the_region_none_comes_in() -> None:
    found = results("annotate_variable", "LIMIT = 3", "mark LIMIT as Final")
    assert found
    assert not any("import" in one for one in found)
