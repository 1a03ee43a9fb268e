import pytest

from spark_tui.editing.codemods.use_items import UseItems
from tests.editing.codemods.pairs import listed

LOOKUP = "for k in d:\n    f(k, d[k])"
ONLY = "for key in d:\n    f(d[key])"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (LOOKUP, "", "for k, v in d.items():\n    f(k, v)"),
        (LOOKUP, "items, call the value n", "for k, n in d.items():\n    f(k, n)"),
        ("for k in sorted(d.keys()):\n    v = d[k]\n    f(k, v)", "", "for k, v in sorted(d.items()):\n    f(k, v)"),
        (ONLY, "use values", "for value in d.values():\n    f(value)"),
        ("{k: g(s.d[k]) for k in s.d}", "", "{k: g(v) for k, v in s.d.items()}"),
        ("for _, (a, b) in d.items():\n    f(a)", "", "for a, b in d.values():\n    f(a)"),
        ("for k, v in d.items():\n    f(k)", "", "for k in d:\n    f(k)"),
    ],
)
def test_one_loop(before: str, instruction: str, after: str) -> None:
    assert listed(UseItems(), before, instruction) == [after]


def test_items_or_values_when_the_key_is_not_needed() -> None:
    values, items = "for value in d.values():\n    f(value)", "for key, value in d.items():\n    f(value)"
    assert listed(UseItems(), ONLY) == [values, items]


@pytest.mark.parametrize("before", ["for k in d:\n    f(k)", "for k in d:\n    d.pop(k)\n    f(d[k])"])
def test_nothing(before: str) -> None:
    assert listed(UseItems(), before) == []
