import pytest

from tests.editing.codemods.results import objection

CODE = "class A:\n    def load_rows(self):\n        return 1"


@pytest.mark.parametrize(
    ("after", "fits"),
    [
        (CODE.replace("):", '):\n        """Return one."""'), True),
        (CODE.replace("):", '):\n        """Load rows."""'), True),
        (CODE.replace("A:", 'A:\n    """Return one"""\n'), True),
        (f'"""Return one."""\n\n{CODE}', True),
        (CODE, False),
        (CODE.replace("):", '):\n        """Return two."""'), False),
        (CODE.replace("):", "):\n        # Return one."), False),
        (CODE.replace("):", '):\n        """Return one."""').replace("return 1", "return 2"), False),
        (CODE.replace("):", '):\n        """Return one."""').replace("A:", 'A:\n    """Return one."""'), False),
    ],
)
def test_only_a_docstring_with_the_words_told_is_added(after: str, fits: bool) -> None:
    assert (not objection("add_docstring", CODE, after, "add the docstring 'return one' to it")) == fits
