import pytest

from spark_tui.editing.codemods.sort_imports import SortImports
from tests.editing.codemods.tables import listed

PAIRS = [
    ("import os\nimport abc", "sort the imports", "import abc\nimport os"),
    ("from b import x\nimport a\n\nimport d\nimport c", "sort", "import a\nfrom b import x\n\nimport c\nimport d"),
    ("import re\nfrom . import a\nimport x\nimport io", "isort", "import io\nimport re\n\nimport x\n\nfrom . import a"),
    ("from b import x\nimport c\nfrom a import y", "by module name", "from a import y\nfrom b import x\nimport c"),
    ("from a import c, B, A_A, a", "sort", "from a import A_A, B, a, c"),
    ("from a import (\n    c,\n    b\n)", "sort", "from a import (\n    b,\n    c\n)"),
    ("import b  # why\nimport a", "sort", "import a\nimport b  # why"),
    ("import a, b as c", "E401 multiple imports on one line", "import a\nimport b as c"),
    ("from a import b, c", "one import per line", "from a import b\nfrom a import c"),
    ("from a import b\nimport x\nfrom a import c", "merge the imports from a", "from a import b, c\nimport x"),
    ("def f():\n    import b\n    import a", "sort", "def f():\n    import a\n    import b"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "instruction", "after"), PAIRS)
def test_the_imports_get_in_order(before: str, instruction: str, after: str) -> None:
    assert listed(SortImports(), before, instruction)[0] == after


@pytest.mark.parametrize("before", ["import a\nimport b", "import b; import a", "import b\n# first\nimport a", "x = 1"])
def test_what_is_in_order_or_cannot_move_stays(before: str) -> None:
    assert listed(SortImports(), before, "sort the imports") == []


def test_imports_of_one_module_share_a_statement_with_or_without_the_aliased() -> None:
    code = "from a import b\nfrom a import c as d\nfrom a import e"
    assert listed(SortImports(), code, "they could share one statement") == [
        "from a import b, c as d, e",
        "from a import b, e\nfrom a import c as d",
    ]
