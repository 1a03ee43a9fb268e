import pytest

from tests.editing.codemods.results import results

CODE = "@cache\ndef f(x):\n    # note\n    y = g(x)\n    h(y)\n    return y"
LIST = "a = [\n    1,\n    2,\n]\nb = {\n    'k': a,\n    **c,\n}"


def without(text: str, *numbers: int) -> list[str]:
    lines = text.split("\n")
    return ["\n".join(lines[:at] + lines[at + 1 :]) for at in numbers]


@pytest.mark.parametrize(
    ("before", "instruction", "gone"),
    [
        (CODE, "this one", [0, 2, 3, 4, 5]),
        (CODE, "delete the line with h(y)", [4]),
        (CODE, "the line saying `return` goes", [5]),
        (CODE, "drop the # note line", [2]),
        (LIST, "drop 'k'", [5]),
        (LIST, "", [1, 2, 5]),
        ("if a:\n    b()", "drop b()", []),
        ("a = 1; b = 2\nc = '''\n# text\n'''", "", []),
        ("a = 1\n\nb = 2", "the empty line", [1, 0, 2]),
    ],
)
def test_lines_that_can_go_alone(before: str, instruction: str, gone: list[int]) -> None:
    assert results("delete_line", before, instruction) == without(before, *gone)
