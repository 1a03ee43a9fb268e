"""Imports that are told by a name alone, by their place, or by where a name comes from by now."""

import pytest

from tests.editing.codemods.results import results

SOME = "import os\nfrom flask.views import MethodView\nfrom .shapes import Circle, Square"
OLD = "from typing import Any, Iterable\n\nimport attr"


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("MethodViewType too", SOME, SOME.replace("import MethodView", "import MethodView, MethodViewType")),
        ("squares as well", "from . import circles", "from . import circles, squares"),
        ("also ShapedCircle", SOME, SOME.replace("Circle,", "Circle, ShapedCircle,")),
        ("import json", "import os\nfrom re import sub", "import json\nimport os\nfrom re import sub"),
        ("json import above os", "import os\nimport re", "import json\nimport os\nimport re"),
        ("logging.getLogger is a NameError", "import flask", "import logging\n\nimport flask"),
        (
            "Iterable lives in collections.abc by now",
            OLD,
            "from collections.abc import Iterable\nfrom typing import Any\n\nimport attr",
        ),
        (
            "Self comes from typing since 3.11",
            "from typing_extensions import Self\nx: Self",
            "from typing import Self\nx: Self",
        ),
        ("simplejson, aliased to json", "import json\nimport os", "import simplejson as json\nimport os"),
        (
            "views -> my_views in the import",
            "from a import views\nviews()",
            "from a import views as my_views\nmy_views()",
        ),
        (
            "Config is only needed for annotations",
            "from typing import Any\n\nfrom app import Config",
            "from typing import TYPE_CHECKING, Any\n\nif TYPE_CHECKING:\n    from app import Config",
        ),
    ],
)
def test_it_is_listed(words: str, old: str, new: str) -> None:
    assert new in results("add_import", old, words)[:3]


@pytest.mark.parametrize("words", ["also rename it", "the loop in go comes from typing", "Any is too wide"])
def test_other_words_import_nothing_else(words: str) -> None:
    assert not [one for one in results("add_import", OLD, words) if "collections" in one or "rename" in one]


def test_names_that_are_imported_tell_nothing_of_how_to_sort() -> None:
    found = results("sort_imports", "from a import Group, Sort, GroupBy", "Group, Sort, GroupBy: alphabetical")
    assert found[0] == "from a import Group, GroupBy, Sort"
