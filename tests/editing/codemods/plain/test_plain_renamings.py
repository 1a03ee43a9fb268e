"""One told in the place of another, which stands there once, is read plainly."""

import pytest

from spark_tui.editing.codemods.base import applied
from spark_tui.editing.codemods.plain.plain_renamings import plain_renamings
from spark_tui.editing.snippet import Snippet

BEFORE = Snippet(tuple('''def role(token, name):
    """Raised before it is identified."""
    started = time.time()  # of the proces
    if token is None:
        raise AttributeError("At least 1 token is required.")
    kind = token.meta.get("name", "unknown")
    return f"{kind}: not availible", os.path.join(name, "unused"), os.path.abspath(name)
'''.splitlines()))  # fmt: skip


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("unknown -> missing", '    kind = token.meta.get("name", "missing")'),
        ("At least 1 -> At least one", '        raise AttributeError("At least one token is required.")'),
        ("typo: identified should be identifier", '    """Raised before it is identifier."""'),
        ("fix typo proces -> process in the comment", "    started = time.time()  # of the process"),
        ("change 'not availible' to 'unavailable'", None),
        ("the AttributeError should be a ValueError", '        raise ValueError("At least 1 token is required.")'),
        ("raise TypeError instead of AttributeError", '        raise TypeError("At least 1 token is required.")'),
        ("we want time.monotonic here", "    started = time.monotonic()  # of the proces"),
        ("use time.perf_counter()", "    started = time.perf_counter()  # of the proces"),
    ],
)
def test_the_one_goes_where_the_other_stood(words: str, line: str | None) -> None:
    (ops,) = plain_renamings(BEFORE, words)
    fresh = [one for one in applied(BEFORE, ops) if one not in BEFORE.lines]
    assert fresh == [line or '    return f"{kind}: unavailable", os.path.join(name, "unused"), os.path.abspath(name)']


@pytest.mark.parametrize(
    "words",
    [
        "token -> marker",
        "name -> label",
        '"unknown" -> kind',
        '"unknown" -> constant UNKNOWN',
        "the ValueError should be a TypeError",
        "use os.path.realpath",
        "we want self.time here",
        "not there -> gone",
    ],
)
def test_what_may_mean_more_is_left(words: str) -> None:
    assert not plain_renamings(BEFORE, words)
