import pytest

from spark_tui.editing.codemods.base import Codemod
from spark_tui.editing.codemods.sort_imports import SortImports
from spark_tui.editing.codemods.sort_keys import SortKeys
from tests.editing.codemods.table import afters

HOSTS = "HOSTS = ['b.hu', 'c.hu', 'a.hu']"


@pytest.mark.parametrize(
    ("codemod", "before", "instruction", "after"),
    [
        (SortKeys(), HOSTS, "a.hu heads the list", "HOSTS = ['a.hu', 'b.hu', 'c.hu']"),
        (SortKeys(), HOSTS, "c.hu goes last", "HOSTS = ['b.hu', 'a.hu', 'c.hu']"),
        (SortKeys(), HOSTS, "a.hu before c.hu", "HOSTS = ['b.hu', 'a.hu', 'c.hu']"),
        (SortImports(), "from . import __v__, Main", "Main first and then __v__", "from . import Main, __v__"),
        (SortImports(), "from t import B, A, C", "B should come after A", "from t import A, B, C"),
    ],
)
def test_an_element_goes_where_the_words_want_it(codemod: Codemod, before: str, instruction: str, after: str) -> None:
    assert afters(codemod, before, instruction)[0] == after


def test_a_list_that_is_to_be_sorted_is() -> None:
    assert afters(SortKeys(), HOSTS, "sort the hosts") == ["HOSTS = ['a.hu', 'b.hu', 'c.hu']"]
