import pytest

from tests.editing.codemods.results import results

CODE = 'class A:\n    """A."""\n\n    def go(self):\n        """Go.\n\n        Far.\n        """\n        pass'
NO_A = CODE.replace('    """A."""\n\n', "")
NO_GO = CODE.split('        """Go', maxsplit=1)[0] + "        pass"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (CODE, "remove the docstrings", [NO_GO.replace('    """A."""\n\n', "")]),
        (CODE, "go() needs no docstring", [NO_GO]),
        (CODE, "drop the docstring of class A", [NO_A]),
        ('def f():\n    """F."""', "no docstring", ["def f():\n    pass"]),
        ('"""M."""\n\nimport a', "no docstring", ["import a"]),
        ('def f(): """F."""; a()', "no docstring", []),
        ("def f():\n    a()", "no docstring", []),
    ],
)
def test_docstrings_go_and_code_stays(before: str, instruction: str, after: list[str]) -> None:
    assert results("remove_docstring", before, instruction) == after
