"""Edits that words tell only by the trouble they are to help against."""

import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("kind", "before", "instruction", "after"),
    [
        (
            "fix_call",
            "def f(a):\n    return kinds.get(a)",
            '"Daily " is unknown',
            "def f(a):\n    return kinds.get(a.strip())",
        ),
        (
            "fix_call",
            "def f(p):\n    return p.endswith('.md')",
            "README.MD counts too",
            "def f(p):\n    return p.lower().endswith('.md')",
        ),
        (
            "fix_call",
            "def f(self):\n    return self._rows",
            "a caller appended to it",
            "def f(self):\n    return list(self._rows)",
        ),
        ("fix_call", "def f(n):\n    return n", 'cut "_id" off', 'def f(n):\n    return n.removesuffix("_id")'),
        ("fix_condition", "if n:\n    x = t / d", "ZeroDivisionError for no entries", "if n and d > 0:\n    x = t / d"),
        (
            "fix_condition",
            "if a:\n    xs.append(b)",
            "adds the same one twice",
            "if a and b not in xs:\n    xs.append(b)",
        ),
        (
            "fix_condition",
            "if hasattr(o, 'a'):\n    f()",
            "it may be None",
            "if getattr(o, 'a', None) is not None:\n    f()",
        ),
        (
            "fix_condition",
            "while True:\n    g(self.stopped)",
            "runs on after stop()",
            "while not self.stopped:\n    g(self.stopped)",
        ),
        ("fix_condition", "if a[-1] == 's':\n    f()", "IndexError for ''", "if a.endswith('s'):\n    f()"),
        (
            "fix_condition",
            "if a:\n    f()\nelse:\n    g(b)",
            "an empty b gets through",
            "if a:\n    f()\nelif b:\n    g(b)",
        ),
        (
            "fix_name",
            "def f():\n    raise NotImplemented",
            "must derive from BaseException",
            "def f():\n    raise NotImplementedError",
        ),
        ("fix_name", "def f():\n    return ValueError(x)", "no error comes", "def f():\n    raise ValueError(x)"),
        ("fix_name", "raise KeyError(x)", "hasattr gives a KeyError", "raise AttributeError(x)"),
        ("fix_name", "A = IPv4Network", "for IPv6 it fails", "A = IPv6Network"),
        ("fix_attribute", "x = s.OPEN", "picks the open ones", "x = s.CLOSED"),
        ("fix_attribute", "x = urlparse(u).netloc", "takes the host for the type", "x = urlparse(u).scheme"),
        ("fix_literal", "code = 412", "Conflict comes as something else", "code = 409"),
        ("fix_literal", "wait = 60", "every five minutes will do", "wait = 300"),
        ("fix_arguments", "x = datetime.now()", "it is local time, not UTC", "x = datetime.now(timezone.utc)"),
        ("fix_arguments", "xs.sort(key=len)", "the longest must be tried first", "xs.sort(key=len, reverse=True)"),
        (
            "fix_arguments",
            "@dataclass\nclass A:\n    x: int",
            "not hashable",
            "@dataclass(frozen=True)\nclass A:\n    x: int",
        ),
        ("off_by_one", "end = obj_end", "bad length", "end = obj_end - 1"),
    ],
)
def test_a_trouble_is_enough_to_tell_what_helps(kind: str, before: str, instruction: str, after: str) -> None:
    assert after in results(kind, before, instruction)


@pytest.mark.parametrize("instruction", ["rename a to b", "add a docstring", "use a comprehension"])
def test_words_that_tell_no_trouble_get_no_cure(instruction: str) -> None:
    assert results("fix_call", "def f(a):\n    return kinds.get(a)", instruction) == []
