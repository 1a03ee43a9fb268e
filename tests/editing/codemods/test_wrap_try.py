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


LOADER = "def load(path):\n    d = []\n    f = open(path)\n    d.extend(f)\n    return d"
WITH = "def load(path) -> dict[str, int]:\n    with open(path) as f:\n        return json.load(f)"


@pytest.mark.parametrize(
    ("before", "instruction", "lines", "handler"),
    [
        (LOADER, "handle the missing file", "    f = open(path)", "except FileNotFoundError:\nreturn d"),
        (LOADER, "don't crash when the file is not there", "    f = open(path)", "except FileNotFoundError:\nreturn d"),
        (LOADER, "if the file is missing return 0", "    f = open(path)", "except FileNotFoundError:\nreturn 0"),
        (LOADER, "survive permission problems", "    f = open(path)", "except PermissionError:\nreturn d"),
        (
            WITH,
            "survive a file that does not exist",
            "    with open(path) as f:\n        return json.load(f)",
            "except FileNotFoundError:\nreturn {}",
        ),
        (WITH, "Broken json.", "        return json.load(f)", "except json.JSONDecodeError:\nreturn {}"),
        (LOOP, "int() may fail", "    n = int(a)", "except ValueError:\ncontinue"),
        (
            "def f(a, b):\n    return a / b",
            "division by zero",
            "    return a / b",
            "except ZeroDivisionError:\nreturn None",
        ),
        (
            "def f(d, k):\n    return d[k]",
            "It dies of a missing key.",
            "    return d[k]",
            "except KeyError:\nreturn None",
        ),
        ("while a:\n    b = next(c)", "exhausted iterator", "    b = next(c)", "except StopIteration:\nbreak"),
    ],
)
def test_plain_words_for_what_goes_wrong_tell_the_exception(
    before: str, instruction: str, lines: str, handler: str
) -> None:
    found = results("wrap_try", before, instruction)
    assert found[0] == wrapped(before, lines, handler)
    assert len(found) <= 3


@pytest.mark.parametrize("before", ["import a", "try:\n    a()\nexcept B:\n    pass", "def f(): pass", "a = '''\n'''"])
def test_what_a_try_cannot_hold_is_not_listed(before: str) -> None:
    assert results("wrap_try", before, "catch KeyError and pass") == []


ASK = "def ask(pool, key):\n    row = pool.fetch(key)\n    notify(row)\n    return row"


@pytest.mark.parametrize(
    ("words", "line", "handler"),
    [
        ("fetch() ends in a bare KeyError, that should be NoRow(key), without the chain", "    row = pool.fetch(key)",
         "except KeyError:\nraise NoRow(key) from None"),
        ('if notify() raises, log it with logger.exception("no mail") and go on', "    notify(row)",
         'except Exception:\nlogger.exception("no mail")'),
        ("on any OSError from notify() call pool.close() and re-raise", "    notify(row)",
         "except OSError:\npool.close()\nraise"),
    ],
)  # fmt: skip
def test_a_handler_is_told_in_full(words: str, line: str, handler: str) -> None:
    assert results("wrap_try", ASK, words)[0] == wrapped(ASK, line, handler)


def test_another_error_is_raised_from_the_first_under_either_usual_name() -> None:
    found = results("wrap_try", ASK, 'turn the KeyError of fetch into NoRow("gone"), chained')[:2]
    line = "    row = pool.fetch(key)"
    assert found == [
        wrapped(ASK, line, f'except KeyError as {name}:\nraise NoRow("gone") from {name}') for name in ("e", "exc")
    ]


def test_an_error_is_suppressed_around_a_call() -> None:
    after = ASK.replace("    notify(row)", "    with contextlib.suppress(OSError):\n        notify(row)")
    assert after in results("wrap_try", ASK, "suppress OSError around notify()")
