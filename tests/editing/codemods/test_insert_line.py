import pytest

from tests.editing.codemods.results import objection, results

CODE = "def f(x):\n    y = x\n    return y"


@pytest.mark.parametrize(
    ("after", "fits"),
    [
        ("def f(x):\n    y = x\n    log(y, 1)\n    return y", True),
        ("def f(x):\n    log( y, 1 )\n    y = x\n    return y", True),
        (CODE, False),
        ("def f(x):\n    y = x\n    log(y, 2)\n    return y", False),
        ("def f(x):\n    y = x\nlog(y, 1)\n    return y", False),
        ("def f(x):\n    y = x\n        log(y, 1)\n    return y", False),
        ("def f(x):\n    y = 2\n    log(y, 1)\n    return y", False),
    ],
)
def test_only_the_line_told_is_added(after: str, fits: bool) -> None:
    assert (not objection("insert_line", CODE, after, "add log(y, 1) after y = x")) == fits


STEPS = (
    "def run(job):\n    job.start()\n    if job.ready:\n        job.close()\n    total = job.wait(3)\n    return total"
)


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("before job.wait add print(job)", "    total", "    print(job)\n    total"),
        ('put `log("on")` right after the start', "start()\n", 'start()\n    log("on")\n'),
        ("once it is closed set job.x to None", "close()\n", "close()\n        job.x = None\n"),
        ("`total += 1` above the return", "    return", "    total += 1\n    return"),
    ],
)
def test_a_line_told_comes_beside_the_statement_told(words: str, old: str, new: str) -> None:
    wanted = STEPS.replace(old, new)
    assert results("insert_line", STEPS, words) == [wanted]
    assert not objection("insert_line", STEPS, wanted, words)


@pytest.mark.parametrize(
    "words", ["add print(job)", "before job.wait add something", "call stop(1) or go(2) before the return"]
)
def test_without_line_and_place_told_the_model_writes(words: str) -> None:
    assert results("insert_line", STEPS, words) == []
