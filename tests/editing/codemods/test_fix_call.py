import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"a" + x', ['"a" + str(x)']),
        ("for i in n:\n    pass", ["for i in range(n):\n    pass", "for i in list(n):\n    pass"]),
        ("for k, v in d:\n    pass", ["for k, v in d.items():\n    pass", "for k, v in enumerate(d):\n    pass"]),
        ("y = map(f, x)", ["y = list(map(f, x))"]),
        ("y = x.strip", ["y = x.strip()"]),
        ("x.run", ["x.run()"]),
        ("y = x.size()", ["y = x.size"]),
        ("y = str(x) + 1", ["y = int(str(x)) + 1", "y = x + 1"]),
        ("y = (a + b).lower()", ["y = (a + b)"]),
        ("y = len(a + b) * c", ["y = (a + b) * c", "y = len(a + b) * int(c)"]),
        ("f(x)\ny = z", []),
    ],
)
def test_calls_are_put_in_and_taken_off(before: str, after: list[str]) -> None:
    assert set(after) <= set(results("fix_call", before))
    assert after or not results("fix_call", before)


@pytest.mark.parametrize(
    ("said", "after"),
    [
        ('TypeError: can only concatenate str (not "int") to str', ['f("a" + str(x), y.size())']),
        ("TypeError: 'int' object is not callable", ['f("a" + x, y.size)']),
        ("wrap x in repr()", ['f("a" + repr(x), y.size())']),
        ("no parentheses please", ['f("a" + x, y.size)']),
    ],
)
def test_the_request_tells_which(said: str, after: list[str]) -> None:
    assert set(after) <= set(results("fix_call", 'f("a" + x, y.size())', said))
    assert not {'f("a" + int(x), y.size())'} & set(results("fix_call", 'f("a" + x, y.size())', said))


def test_a_result_thrown_away_is_assigned_back() -> None:
    assert results("fix_call", "a.b(c)\nd()\ne = f(g)", "return value is thrown away") == [
        "a = a.b(c)\nd()\ne = f(g)",
        "c = a.b(c)\nd()\ne = f(g)",
    ]


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        ("y = name.startswith(x)", "HE must be found in any case, case insensitive", "y = name.lower().startswith(x)"),
        ("y = value in ok", "a newline at the end, strip whitespace off value first", "y = value.strip() in ok"),
        ("y = getattr(self, verb)", "says it has no 'GET' but get is defined", "y = getattr(self, verb.lower())"),
        ("for x in seen: f(x)", "the order differs, make it deterministic", "for x in sorted(seen): f(x)"),
        ("f(count)", "count has to be passed as a string", "f(str(count))"),
        ("y = total / count", "ZeroDivisionError for no rows", "y = total / max(count, 1)"),
        ("for i in range(0, n, size): f()", "range() arg 3 must not be zero", "for i in range(0, n, size or 1): f()"),
        ("y = max(xs)", "ValueError: max() arg is an empty sequence", "y = max(xs, default=0)"),
        ("y = next(x for x in xs if x)", "StopIteration when nothing fits", "y = next((x for x in xs if x), None)"),
        ("y = table[key]", "KeyError: 'b'", "y = table.get(key)"),
        ("for x in self.rows: f(x)", "'NoneType' object is not iterable", "for x in self.rows or []: f(x)"),
    ],
)
def test_calls_are_meant_by_words_and_by_errors(before: str, words: str, after: str) -> None:
    assert after in results("fix_call", before, words)[:4]
    assert after not in results("fix_call", before, "there is something odd")


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("while lock.taken:\n    wait()", "it never ends", "while lock.taken():\n    wait()"),
        ("def f(self):\n    return self.make", "f() gives me a function", "def f(self):\n    return self.make()"),
        ("def f(self):\n    self.box = Box", "missing 1 required positional argument: 'self'", "self.box = Box()"),
        ("def f(name):\n    name.strip()\n    return name", "blanks stay", "    name = name.strip()"),
        ("def f(text):\n    BLANKS.sub('', text)\n    return text", "blanks stay", "    text = BLANKS.sub('', text)"),
        ("def f(self):\n    merged(self.seen, 1)", "nothing is seen", "    self.seen = merged(self.seen, 1)"),
    ],
)
def test_calls_are_made_and_their_results_kept(before: str, instruction: str, after: str) -> None:
    assert any(after in one for one in results("fix_call", before, instruction))


def test_what_only_acts_is_not_kept() -> None:
    assert results("fix_call", "names.append(x)\nrun(x)", "nothing is there") == []


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (
            "class A:\n    def make(cls):\n        return cls\n    def all(self): ...",
            "all() missing 1 required positional argument: 'self'",
            "        return cls()",
        ),
        ("lock = Lock", "the lock is not instantiated", "lock = Lock()"),
        ("def f():\n    return Tree()", "an instance is built, missing 1 required argument", "    return Tree"),
        ("def f(self, n):\n    return self.a, self.b", "must be a tuple, not method", "    return self.a, self.b(n)"),
    ],
)
def test_a_class_or_a_method_may_lack_its_call_or_have_one_too_many(before: str, instruction: str, after: str) -> None:
    assert any(after in one.split("\n") for one in results("fix_call", before, instruction))


def test_a_result_is_kept_in_what_is_said_to_be_none_always() -> None:
    code = "def f(self):\n    if not self._conf:\n        load()\n    return self._conf"
    assert code.replace("load()", "self._conf = load()") in results("fix_call", code, "conf is None, always")
