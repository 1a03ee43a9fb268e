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
        ("fix_literal", "r = re.compile('[a-z]+')", "loses what is behind digits", "r = re.compile('[a-z0-9]+')"),
        ("fix_literal", "r = re.compile('a.b')", "the dot takes anything", "r = re.compile(r'a\\.b')"),
        ("fix_literal", "x = set()", "finished ones pile up in it", "x = weakref.WeakSet()"),
        ("fix_literal", 'x = __name__ == "__main:"', "nothing runs", 'x = __name__ == "__main__"'),
        ("fix_operator", "f(self.freq)", "5 minutes come out as 5 s", "f(self.freq * 60)"),
        (
            "unused_variable",
            "def f(a, b):\n    return a",
            "ARG001 Unused function argument: `b`",
            "def f(a, _b):\n    return a",
        ),
        ("fix_arguments", "class A:\n    x = 1", "abstract, yet one can instantiate it", "class A(ABC):\n    x = 1"),
        ("fix_default_none", "x = levels[name]", "unknown names: level 0", "x = levels.get(name, 0)"),
        ("fix_name", "@property\ndef f(self):\n    pass", "slow", "@cached_property\ndef f(self):\n    pass"),
        (
            "fix_name",
            "def f(self):\n    x = Own()\n    return x",
            "a subclass gives an Own back",
            "def f(self):\n    x = self.__class__()\n    return x",
        ),
        (
            "change_message",
            "def f(self):\n    raise E('subclasses must have it')",
            "name the class in it",
            "def f(self):\n    raise E(f'{type(self).__name__} must have it')",
        ),
        (
            "change_message",
            "if not isinstance(a, str):\n    raise E('no text')",
            "name the type it is",
            "if not isinstance(a, str):\n    raise E(f'no text, not {type(a).__name__}')",
        ),
    ],
)
def test_a_trouble_is_enough_to_tell_what_helps(kind: str, before: str, instruction: str, after: str) -> None:
    assert after in results(kind, before, instruction)


@pytest.mark.parametrize("instruction", ["rename a to b", "add a docstring", "use a comprehension"])
def test_words_that_tell_no_trouble_get_no_cure(instruction: str) -> None:
    assert results("fix_call", "def f(a):\n    return kinds.get(a)", instruction) == []
