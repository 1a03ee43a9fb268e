import pytest

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.bugs.values_kept import values_kept
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        ("kw['id'] = a.id", "my own id is overwritten", "kw.setdefault('id', a.id)"),
        ("d[k] = [v]", "only the last one of each survives", "d.setdefault(k, []).append(v)"),
        (
            "out = []\nfor x in xs:\n    out = [x]",
            "only the last one comes out",
            "out = []\nfor x in xs:\n    out.append(x)",
        ),
        (
            "flags = 0\nif a:\n    flags = re.S",
            "the ones before get lost",
            "flags = 0\nif a:\n    flags |= re.S",
        ),
        (
            "def f(q):\n    q.limit(3)\n    return q",
            "limit has no effect",
            "def f(q):\n    q = q.limit(3)\n    return q",
        ),
        ("clean(a, b)\ng(a, b)", "the cleaned values are dropped", "a, b = clean(a, b)\ng(a, b)"),
        (
            "def f(self):\n    if self._a:\n        return self._a\n    return g()",
            "computed anew on every call",
            "def f(self):\n    if self._a:\n        return self._a\n    self._a = g()",
        ),
        (
            "def f(key):\n    if key in seen:\n        return seen[key]\n    x = g(key)\n    return x",
            "nothing is ever cached",
            "def f(key):\n    if key in seen:\n        return seen[key]\n    x = seen[key] = g(key)\n    return x",
        ),
    ],
)
def test_what_gets_lost_by_the_words_is_kept(before: str, words: str, after: str) -> None:
    assert after in results("fix_call", before, words)


@pytest.mark.parametrize("before", ["xs.append(x)", "log.info(x)", "d[a:b] = c", "x = f(y)"])
def test_what_loses_nothing_stays(before: str) -> None:
    assert not list(values_kept(Snippet((before,)), Request("the first one is overwritten")))
