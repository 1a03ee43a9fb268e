import pytest

from tests.editing.codemods.results import results

KNOWN = "def g(a, b):\n    pass\n\ndef f(b):\n    {}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("g(1)", "g(1, b)"),
        ("g(a=1)", "g(a=1, b=b)"),
        ("g(1, c=2)", "g(1, b=2)"),
        ("g(1, 2, 3)", "g(1, 2)"),
    ],
)
def test_a_signature_in_the_snippet_tells(before: str, after: str) -> None:
    assert KNOWN.format(after) in results("fix_arguments", KNOWN.format(before))


@pytest.mark.parametrize(
    ("before", "said", "after"),
    [
        ("h(x)", "pass y to h", {"h(x, y)", "h(y, x)", "h(x, y=y)"}),
        ("h(x, y=1)", "unexpected keyword argument 'y'", {"h(x)"}),
        ("h(old=x)", "rename the keyword old to new", {"h(new=x)", "h()"}),
        ("h(x, 1)", "TypeError: h() takes 1 positional argument but 2 were given", {"h(1)", "h(x)"}),
        ("h(\n        x,\n        1,\n    )", "too many", {"h(\n        1,\n    )", "h(\n        x,\n    )"}),
        ("h(*x)", "", set()),
        ("h", "", set()),
    ],
)  # fmt: skip
def test_the_request_tells(before: str, said: str, after: set[str]) -> None:
    place = "def f(x, y):\n    {}\n    return x, y"
    found = set(results("fix_arguments", place.format(before), said))
    assert {place.format(one) for one in after} <= found
    assert found or not after


def test_a_parameter_that_nothing_uses_may_be_missing_in_a_call() -> None:
    assert results("fix_arguments", "def f(x, y):\n    h(x)")[0] == "def f(x, y):\n    h(x, y)"


def test_a_split_may_be_meant_at_the_first_place_only() -> None:
    words = "ValueError: too many values to unpack when the value contains a colon"
    assert results("fix_arguments", "k, v = line.split(':')", words)[0] == "k, v = line.split(':', 1)"
    assert "k, v = line.split(':', 1)" not in results("fix_arguments", "k, v = line.split(':')", "that is wrong")


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("def f(a, **kw):\n    return g(a)", "options get lost", "    return g(a, **kw)"),
        ("def f(*args, **kw):\n    g()", "nothing is forwarded", "    g(*args, **kw)"),
        ("def f(*args, **kw):\n    print(kw)\n    g(b=1, **kw)", "args lost", "    g(*args, b=1, **kw)"),
        ("def f(*keys):\n    g(keys)", "KeyError about a tuple", "    g(*keys)"),
        ("def f(n, chunk_size):\n    g(n, chunk_size)\n    return read()", "in chunks", "    return read(chunk_size)"),
        ("def f(a, hour, c):\n    g(a=a, c=c)\n    h(hour)", "keeps hours", "    g(a=a, hour=hour, c=c)"),
        ("def walk(node, order):\n    print(order)\n    walk(node.left)", "wrong", "    walk(node.left, order)"),
        (
            "def f(x):\n    y = x\n    return g(\n        y\n    )",
            "missing 1 required positional argument: 'x'",
            "        y, x",
        ),
        ("first = queue.pop()", "the last one is taken", "first = queue.pop(0)"),
        ("def f(a):\n    return zip(*a, strict=True)", "shorter ones pass", "    return zip(*a)"),
    ],
)
def test_a_call_may_lack_what_is_to_be_passed_on(before: str, instruction: str, after: str) -> None:
    assert any(after in one.split("\n") for one in results("fix_arguments", before, instruction))


def test_what_is_used_or_not_spoken_of_is_not_passed_on() -> None:
    code = "def f(a, **kw):\n    use(**kw)\n    return g(a)"
    assert not any("g(a, **kw)" in one for one in results("fix_arguments", code, "the sum is wrong"))


def test_a_method_of_the_object_may_be_called_as_one_of_a_list_and_a_closure_reads_what_is_around() -> None:
    code = "def f(self, *args):\n    return self.remove()"
    assert code.replace("()", "(*args)") in results("fix_arguments", code, "args lost")
    inner = "def f(chunk_size):\n    def g():\n        return read()\n    return g"
    assert inner.replace("read()", "read(chunk_size)") in results("fix_arguments", inner, "not in chunks")


@pytest.mark.parametrize("words", ["Request(auth=1) carries no header", "auth lost"])
def test_an_argument_is_passed_on_like_those_beside_it(words: str) -> None:
    code = "def go(self):\n    p.prepare(\n        url=self._url,\n        data=self._data,\n    )"
    wanted = code.replace("    )", "        auth=self._auth,\n    )")
    assert wanted in results("fix_arguments", code, words)


def test_an_argument_that_is_too_long_for_the_line_gets_its_own() -> None:
    before = f'warnings.warn(\n    "{"x" * 100}"\n)'
    after = before.replace('"\n)', '",\n    stacklevel=2,\n)')
    assert after in results("fix_arguments", before, "shouldn't the warning point at the caller, stacklevel 2?")


def test_arguments_get_the_names_that_are_listed() -> None:
    after = "parse(text=self.find(), formats=self.formats, x=1)"
    assert after in results("fix_arguments", "parse(self.find(), self.formats, x=1)", "by keyword: text, formats")


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (
            "bus.log('Restarting %s' % name)",
            "'Restarting' should be logged with level 30",
            "bus.log('Restarting %s' % name, level=30)",
        ),
        ("f(a, b=1)", "can the -1 be passed on as version?", "f(a, b=1, version=-1)"),
        (
            "applied = DateField(a=1)\nname = CharField()",
            "index the applied column",
            "applied = DateField(a=1, index=True)",
        ),
        ("x = f(kind=a, b=c)", "kind positionally, please", "x = f(a, b=c)"),
    ],
)
def test_plain_words_tell_an_argument(before: str, instruction: str, after: str) -> None:
    assert any(after in one.split("\n") for one in results("fix_arguments", before, instruction))


def test_numbers_of_lines_are_no_arguments() -> None:
    assert not any("line=" in one for one in results("fix_arguments", "f(a)", "it fails with line 30"))
