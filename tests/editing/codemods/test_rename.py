import pytest

from tests.editing.codemods.results import objection

CODE = "def load(rows, limit):\n    rows.limit = rows[:limit]\n    return f'{rows}', dict(rows=rows)"


@pytest.mark.parametrize(
    ("after", "fits"),
    [
        (CODE.replace("rows", "items").replace("(items=", "(rows="), True),
        (CODE.replace(".limit", ".items"), True),
        (CODE.replace("load", "items"), True),
        (CODE, False),
        (CODE.replace("(rows,", "(items,"), False),
        (CODE.replace("load", "fetch"), False),
        (CODE.replace("load", "rows"), False),
        (CODE.replace("load", "items").replace("limit", "most"), False),
        (CODE.replace("load", "items").replace("return", "yield"), False),
    ],
)
def test_one_name_is_changed_everywhere(after: str, fits: bool) -> None:
    assert (not objection("rename", CODE, after, "rename it to items")) == fits
