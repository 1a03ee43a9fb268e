import pytest

from spark_tui.editing.codemods.reraise import Reraise
from tests.editing.codemods.pairs import listed


@pytest.mark.parametrize(
    ("handler", "after"),
    [
        ("except E:\n    pass", ["except E:\n    raise"]),
        ("except E as e:\n    log(e)", ["except E as e:\n    log(e)\n    raise"]),
        ("except E as e:\n    log(e)\n    raise e", ["except E as e:\n    log(e)\n    raise"]),
        ("except:\n    x = 1  # why\n    return None", ["except:\n    x = 1  # why\n    raise"]),
        ("except E:\n    log()\n    raise", []),
        ("except E as e:\n    raise X from e", []),
        ("except E: pass", []),
    ],
)
def test_pairs(handler: str, after: list[str]) -> None:
    head = "def f():\n  try:\n    g()\n  "
    indented = [head + text.replace("\n", "\n  ") for text in [handler, *after]]
    assert listed(Reraise(), indented[0]) == indented[1:]


def test_an_error_in_the_place_of_the_first_one_goes_where_the_words_want_that() -> None:
    before = "def f():\n  try:\n    g()\n  except E as e:\n    raise X('no') from e"
    after = before.replace("raise X('no') from e", "raise")
    assert listed(Reraise(), before, "let E go up as it is") == [after]
    assert listed(Reraise(), before, "re-raise") == []
