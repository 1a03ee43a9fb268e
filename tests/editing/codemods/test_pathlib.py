import pytest

from spark_tui.editing.codemods.pathlib import UsePathlib
from tests.editing.codemods.pairs import listed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("p = os.path.join(a, 'b', c + d)", "p = Path(a) / 'b' / (c + d)"),
        ("if os.path.exists(p): f()", "if Path(p).exists(): f()"),
        ("n = os.path.basename(p) + x", "n = Path(p).name + x"),
        ("p = os.path.join(os.path.dirname(__file__), 'x')", "p = Path(__file__).parent / 'x'"),
        ("f(os.path.isfile(os.path.join(a, b)))", "f((Path(a) / b).is_file())"),
        ("os.makedirs(p, exist_ok=True)", "Path(p).mkdir(parents=True, exist_ok=True)"),
        ("os.rename(a, b)", "Path(a).rename(b)"),
        ("with open(p, 'w') as f: f.write(x)", "with Path(p).open('w') as f: f.write(x)"),
        (
            "import os\nimport sys\n\nos.remove(p)",
            "import os\nimport sys\nfrom pathlib import Path\n\nPath(p).unlink()",
        ),
        ("import pathlib\nos.remove(p)", "import pathlib\npathlib.Path(p).unlink()"),
    ],
)
def test_one_place(before: str, after: str) -> None:
    assert listed(UsePathlib(), before) == [after]


@pytest.mark.parametrize(
    "before",
    [
        "x = os.path.dirname(p) + '/x'",
        "x = os.path.join(*parts)",
        "open(0)",
        "x = os.path.join(a, b).lower()",
        "s.join(p)",
    ],
)
def test_nothing(before: str) -> None:
    assert listed(UsePathlib(), before) == []


def test_the_call_named_or_all() -> None:
    before = "a = os.path.exists(p)\nb = os.path.join(p, q)"
    new_a, new_b = "a = Path(p).exists()", "b = Path(p) / q"
    assert listed(UsePathlib(), before, "pathlib for os.path.join") == ["a = os.path.exists(p)\n" + new_b]
    assert listed(UsePathlib(), before)[0] == f"{new_a}\n{new_b}"
