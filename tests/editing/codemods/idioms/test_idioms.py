import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("setdefault does that", "if k not in d:\n    d[k] = []", "d.setdefault(k, [])"),
        ("pop it with a default", "if k in d:\n    del d[k]", "d.pop(k, None)"),
        ("a key that is already gone must not crash", "del d[k]", "d.pop(k, None)"),
        (
            "suppress the errors instead of passing",
            "try:\n    go()\nexcept (OSError, EOFError):\n    pass",
            "with contextlib.suppress(OSError, EOFError):\n    go()",
        ),
        ("walrus?", "m = find(s)\nif m is not None:\n    use(m)", "if (m := find(s)) is not None:\n    use(m)"),
        ("a walrus here", "m = find(s)\n\nif m:\n    use(m)", "if m := find(s):\n    use(m)"),
        (
            "read is there twice, use :=",
            "part = f.read(9)\nwhile part:\n    use(part)\n    part = f.read(9)",
            "while part := f.read(9):\n    use(part)",
        ),
        ("this is an extend", "for row in rows:\n    out.append(row)", "out.extend(rows)"),
        ("just a set update", "for row in rows:\n    out.add(row)", "out.update(rows)"),
        ("`size or 3` will do", "if size is None:\n    size = 3\nself.size = size", "self.size = size or 3"),
        ("`size or 3` will do", "if size is None:\n    size = 3\nuse(size)", "size = size or 3\nuse(size)"),
        (
            "HOME may not be set, take an empty string",
            'home = env["HOME"] + rest["x"]',
            'home = env.get("HOME", "") + rest["x"]',
        ),
        ("use get", 'x = d["a"]', 'x = d.get("a")'),
    ],
)
def test_an_idiom_is_listed_when_it_is_named(words: str, old: str, new: str) -> None:
    assert new in results("simplify", old, words)
    assert new not in results("simplify", old, "make it nicer")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("setdefault", "if k not in d:\n    e[k] = []"),
        ("setdefault", "if k not in d:\n    d[k] = []\nelse:\n    go()"),
        ("walrus", "m = find(s)\nif ready and m:\n    use(m)"),
        ("walrus", "m = find(s)\nif ready:\n    use(m)"),
        ("suppress", "try:\n    go()\nexcept OSError:\n    stop()"),
        ("suppress", "try:\n    go()\nexcept:\n    pass"),
        ("update", "for row in rows:\n    out.add(row, 1)"),
        ("use get", 'd["a"] = 1'),
    ],
)
def test_what_would_do_something_else_is_not(words: str, code: str) -> None:
    assert results("simplify", code, words) == []
