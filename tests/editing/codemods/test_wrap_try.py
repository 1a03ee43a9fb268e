import pytest

from tests.editing.codemods.results import results

CODE = 'def load(path):\n    """Load."""\n    data = path.read_text()\n    go(data)\n    return data'
LOOP = "for a in b:\n    n = int(a)\n    c.append(n)"


def wrapped(before: str, lines: str, handler: str) -> str:
    indent = lines[: len(lines) - len(lines.lstrip())]
    inner = "\n".join("    " + line for line in lines.split("\n"))
    return before.replace(lines, f"{indent}try:\n{inner}\n{indent}" + handler.replace("\n", f"\n{indent}    "))


@pytest.mark.parametrize(
    ("before", "instruction", "lines", "handler"),
    [
        (CODE, "catch KeyError from the call to go", "    go(data)", "except KeyError:\npass"),
        (CODE, "handle the missing file", "    data = path.read_text()", "except FileNotFoundError:\nreturn None"),
        (
            CODE,
            "wrap the body in try/except OSError and raise LoadError from it",
            "    data = path.read_text()\n    go(data)\n    return data",
            "except OSError as e:\nraise LoadError from e",
        ),
        (LOOP, "skip a bad number", "    n = int(a)", "except ValueError:\ncontinue"),
        (LOOP, "if the for loop fails with OSError print it", LOOP, "except OSError as e:\nprint(e)"),
        (
            "    a = b()",
            "try `a = b()`, return an empty list on (a.TooLate, KeyError)",
            "    a = b()",
            "except (a.TooLate, KeyError):\nreturn []",
        ),
    ],
)
def test_what_is_told_goes_into_a_try(before: str, instruction: str, lines: str, handler: str) -> None:
    assert results("wrap_try", before, instruction) == [wrapped(before, lines, handler)]


def test_a_selection_is_wrapped_as_a_whole() -> None:
    lines = "    data = path.read_text()\n    go(data)"
    assert results("wrap_try", CODE, "catch OSError: pass", (2, 3))[0] == wrapped(CODE, lines, "except OSError:\npass")


@pytest.mark.parametrize("before", ["import a", "try:\n    a()\nexcept B:\n    pass", "def f(): pass", "a = '''\n'''"])
def test_what_a_try_cannot_hold_is_not_listed(before: str) -> None:
    assert results("wrap_try", before, "catch KeyError and pass") == []
