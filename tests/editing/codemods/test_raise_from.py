import pytest

from spark_tui.editing.codemods.raise_from import RaiseFrom
from tests.editing.codemods.pairs import listed

NAMED = "try:\n    f()\nexcept OSError as err:\n    raise E('x')"
BARE = NAMED.replace(" as err", "")


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (NAMED, "keep the cause", [NAMED + " from err"]),
        (NAMED, "suppress the context", [NAMED + " from None"]),
        (NAMED, "B904", [NAMED + " from err", NAMED + " from None"]),
        (BARE, "chain it", [BARE.replace("OSError", "OSError as e") + " from e"]),
        (BARE, "keep the caught error as its cause", [BARE.replace("OSError", "OSError as e") + " from e"]),
        (BARE, "catch it as exc and raise from exc", [BARE.replace("OSError", "OSError as exc") + " from exc"]),
        ("try:\n    f()\nexcept:\n    raise E", "", ["try:\n    f()\nexcept:\n    raise E from None"]),
        ("try:\n    f()\nexcept E as e:\n    raise", "", []),
        ("try:\n    f()\nexcept E as e:\n    raise e", "", []),
        ("try:\n    f()\nexcept E as e:\n    raise X(e) from e", "", []),
        (NAMED + " from err", "the caught one is noise in the traceback", [NAMED + " from None"]),
        (NAMED + " from None", "keep the cause", [NAMED + " from err"]),
        (NAMED + " from None", "suppress the context", []),
        ("raise E", "", []),
    ],
)
def test_pairs(before: str, instruction: str, after: list[str]) -> None:
    assert listed(RaiseFrom(), before, instruction) == after


def test_two_raises_in_one_clause_share_its_name() -> None:
    before = "try:\n    f()\nexcept E:\n    if x:\n        raise A\n    raise B"
    all_of_them = (
        before.replace("E:", "E as e:").replace("raise A", "raise A from e").replace("raise B", "raise B from e")
    )
    assert listed(RaiseFrom(), before, "chain both")[0] == all_of_them


def test_a_raise_outside_of_a_handler_gets_from_none_where_that_is_told() -> None:
    assert listed(RaiseFrom(), "if a:\n    raise E(a)", "with from None") == ["if a:\n    raise E(a) from None"]
    assert listed(RaiseFrom(), "if a:\n    raise E(a)", "keep the cause") == []
