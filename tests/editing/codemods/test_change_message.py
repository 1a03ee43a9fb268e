from textwrap import indent

import pytest

from spark_tui.editing.codemods.change_message import ChangeMessage
from tests.editing.codemods.table import afters


def in_function(body: str) -> str:
    return "def load(path, size):\n" + indent(body, "    ")


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ('raise KeyError("bad")', "change the message to 'no such key'", 'raise KeyError("no such key")'),
        ('raise KeyError("bad")', "the error should say it isn't there", 'raise KeyError("it isn\'t there")'),
        ("raise KeyError('bad')", 'make it say "isn\'t there"', 'raise KeyError("isn\'t there")'),
        ('raise KeyError("bad")', "say `no {path}`", 'raise KeyError(f"no {path}")'),
        ('raise KeyError("bad.")', "include the path in the error message", 'raise KeyError(f"bad: {path}")'),
        ('raise KeyError(f"bad {size}")', "add path to it", 'raise KeyError(f"bad {size}: {path}")'),
        ('log.info("read {}")', "log the path too", 'log.info("read {}: %s", path)'),
        ('log.info("%s", size)', "mention path", 'log.info("%s: %s", size, path)'),
        ('print("read {}")', "show path and size", 'print(f"read {{}}: {path}, {size}")'),
        ('assert size, "empty"', 'the assert should say "no bytes"', 'assert size, "no bytes"'),
        ("raise KeyError(path)", "say 'no such key'", 'raise KeyError("no such key")'),
        ("raise KeyError(path)", 'it should say "no key <path>"', 'raise KeyError(f"no key {path}")'),
        ("raise KeyError", 'give the KeyError a message: "no such key"', 'raise KeyError("no such key")'),
        ('raise OSError(\n    "bad "\n    "file"\n)', 'shorter: "SIZE is bad"', 'raise OSError(f"{size} is bad")'),
        ('print("a b")\nprint("c d")', 'write "e f" instead of "c d"', 'print("a b")\nprint("e f")'),
    ],
)
def test_the_first_edit_is_the_expected_one(before: str, instruction: str, after: str) -> None:
    assert afters(ChangeMessage(), in_function(before), instruction)[:1] == [in_function(after)]


@pytest.mark.parametrize(
    ("body", "instruction"),
    [
        ('raise KeyError("bad")', "a better message"),
        ("raise KeyError(path)", "say nothing of the kind"),
        ('x = os.environ["PATH"]', "change the usage message to 'usage: report PATH'"),
        ('x = os.environ.get("PATH", 1)', "change the usage message to 'usage: report PATH'"),
        ('x = "bad"', "say 'no such key'"),
        ('log.info("%s", size)', "say 'no such key'"),
        ('raise KeyError("a\\n")', "say 'no such key'"),
        ('raise KeyError("bad %s", size)', "include the path"),
    ],
)
def test_what_is_no_message_or_is_not_told_stays(body: str, instruction: str) -> None:
    assert afters(ChangeMessage(), in_function(body), instruction) == []


LIMIT = 'if any(n < 0 for n in sizes):\n    raise ValueError("Sizes must be non-negative.")'


@pytest.mark.parametrize(
    ("words", "after"),
    [
        ("zeros are wrong as well (message: must be positive)", ("n <= 0", "Sizes must be positive.")),
        ("0 must raise too, with 'sizes have to be positive'", ("n <= 0", "sizes have to be positive")),
        ("0 must raise too, with 'sizes have to be positive'", ("n < 1", "sizes have to be positive")),
        ("it should say 'must be positive'", ("n < 0", "Sizes must be positive.")),
    ],
)
def test_a_bound_may_move_with_its_message_and_the_end_of_one_be_told(words: str, after: tuple[str, str]) -> None:
    wanted = LIMIT.replace("n < 0", after[0]).replace("Sizes must be non-negative.", after[1])
    assert wanted in afters(ChangeMessage(), LIMIT, words)


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        (
            'if n < 1:\n    raise E("n must be positive.")',
            "include what we got in the error",
            "n must be positive, got {n!r}.",
        ),
        ('if a.b:\n    raise E("too many")', "say in the error how many", "too many: {len(a.b)}"),
        (
            "if not isinstance(n, int):\n    msg = 'no number'",
            "tell the type in the message",
            "no number: {type(n).__name__}",
        ),
        ('try: f()\nexcept E as e:\n    raise B("bad file")', "add the caught exception to the error", "bad file: {e}"),
        ('def f(u): raise E("no token here")', "the error should say in which u", "no token here in {u!r}"),
        ('if n > LIMIT:\n    raise E("too long")', "put the limit in the message", "too long (limit {LIMIT})"),
        (
            "class A:\n    def run(self): raise NotImplementedError",
            "the error should say which class lacks it",
            "{type(self).__name__} must implement run",
        ),
    ],
)
def test_what_an_error_complains_of_comes_into_its_message(before: str, words: str, after: str) -> None:
    assert any(f'f"{after}' in one or f"f'{after}" in one for one in afters(ChangeMessage(), before, words))
