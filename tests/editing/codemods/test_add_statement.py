import pytest

from tests.editing.codemods.results import objection, results

CODE = "def f(x):\n    y = x\n    return y"


@pytest.mark.parametrize(
    ("after", "fits"),
    [
        ("def f(x):\n    y = x\n    y.append(len(rows))\n    return y", True),
        ("def f(x):\n    y = x\n    return y\n    y += 1", True),
        (CODE, False),
        ("def f(x):\n    y = x\n    y.append(things)\n    return y", False),
        ("def f(x):\n    y = x\n    y\n    return y", False),
        ("def f(x):\n    y = x\n    y += 1\n    return x", False),
        ("def f(x):\n    y = x\n    # y\n    return y", False),
        ("def f(x):\n    y = x\n    y += 1\n    y += 1\n    return y", False),
    ],
)
def test_one_statement_of_known_names_is_added(after: str, fits: bool) -> None:
    assert (not objection("add_statement", CODE, after, "append the length of rows to y")) == fits


GO = "def go(self):\n    if self.on:\n        return\n    self.hook()"
OF = "def of(cls, name):\n    if name in cls.all:\n        return cls.all[name]\n    one = make(name)\n    return one"
WRITE = "def write(self):\n    self.n += 1\n    if self.n == 5:\n        self.flush()\n    return self.n"
WALK = "def walk(todo):\n    done = set()\n    while todo:\n        one = todo.pop()\n        todo |= one.next - done"
PACK = "def pack(path):\n    tar = tarfile.open(path)\n    tar.add(path)\n    send(path)"
SHOW = "def show(self, wide, **kw):\n    print(wide)"
INIT = "def __init__(self, job):\n    log(job)"


@pytest.mark.parametrize(
    ("code", "words", "above", "line"),
    [
        (GO, "it hooks twice", "    self.hook", "    self.on = True"),
        (OF, "a name is made again and again", "    return one", "    cls.all[name] = one"),
        (WRITE, "it is flushed once and never again", "    return", "        self.n = 0"),
        (WALK, "it hangs forever", "        todo |=", "        done.add(one)"),
        (PACK, "the archive is truncated", "    send", "    tar.close()"),
        (SHOW, "the own line of the parent class is gone", "    print", "    super().show(wide, **kw)"),
        (INIT, "keep the job as self.job", "    log", "    self.job = job"),
    ],
)
def test_what_is_forgotten_is_listed_where_words_tell_of_trouble(code: str, words: str, above: str, line: str) -> None:
    assert code.replace(f"\n{above}", f"\n{line}\n{above}") in results("add_statement", code, words)


def test_a_missing_attribute_is_set_where_the_others_are() -> None:
    code = "def initialize_options(self):\n    self.fuzzy = False"
    said = "'Compile' object has no attribute 'quiet'"
    assert f"{code}\n    self.quiet = False" in results("add_statement", code, said)
