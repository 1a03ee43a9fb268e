"""What is spoken against is not brought, and what is spoken for not taken; the other way round is a wish."""

import pytest

from spark_tui.context.source import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.stances import against_stance, wishes_nothing

EDITS: dict[str, tuple[str, str]] = {
    "with": ("f = open(path)\ndata = f.read()\nf.close()", "with open(path) as f:\n    data = f.read()"),
    "none": ("if a == None:\n    go()", "if a is None:\n    go()"),
    "enumerate": ("for i in range(len(rows)):\n    use(i, rows[i])", "for i, row in enumerate(rows):\n    use(i, row)"),
    "print": ("print(a)\ngo(a)", "go(a)"),
    "docstring": ("def f(s):\n    return s", 'def f(s):\n    """F."""\n    return s'),
    "comprehension": ("a = []\nfor b in c:\n    a.append(b)", "a = [b for b in c]"),
    "literal": ("def f(retries=3):\n    pass", "def f(retries=5):\n    pass"),
    "cause": (
        "try:\n    go()\nexcept A as e:\n    raise B()",
        "try:\n    go()\nexcept A as e:\n    raise B() from e",
    ),
    "check": ("if age > 18:\n    go()", "if age >= 18:\n    go()"),
    "format": ("a = '%s' % b", "a = f'{b}'"),
    "range": ("for i in range(n - 1):\n    go()", "for i in range(n):\n    go()"),
    "comment": ("go()  # TODO: more", "go()"),
    "default": ("def f(a=[]):\n    pass", "def f(a=None):\n    if a is None:\n        a = []"),
    "else": (
        "for a in b:\n    if a:\n        go()\n    else:\n        continue",
        "for a in b:\n    if a:\n        go()",
    ),
    "rename": ("s = 1\ngo(s)", "values = 1\ngo(values)"),
    "order": ("a = sorted(b)", "a = sorted(b, reverse=True)"),
}


def of(words: str, edit: str) -> str:
    before, after = (tuple(text.split("\n")) for text in EDITS[edit])
    region = Region("a.py", 1, len(before), None, None, "", "lines")
    return against_stance(words, Code(words, "a.py", region, before, before), after)


@pytest.mark.parametrize(
    ("words", "edit"),
    [
        ("I don't want a with statement here", "with"),
        ("no with statement, thanks", "with"),
        ("I'd rather not have a with statement", "with"),
        ("nobody asked for a with statement", "with"),
        ("who needs a with statement", "with"),
        ("with is not what we want", "with"),
        ("you shouldn't use is None here", "none"),
        ("can't use is None here", "none"),
        ("is None is not allowed here", "none"),
        ("refrain from using is None", "none"),
        ("it's fine to compare with == None", "none"),
        ("I do not want enumerate here", "enumerate"),
        ("enumerate is not what I want", "enumerate"),
        ("enumerate would be worse here", "enumerate"),
        ("I need the print", "print"),
        ("leave the print in please", "print"),
        ("the print must not be removed", "print"),
        ("a docstring would be overkill", "docstring"),
        ("a docstring isn't needed", "docstring"),
        ("I see no point in a docstring here", "docstring"),
        ("a list comprehension would be unreadable here", "comprehension"),
        ("please no list comprehension", "comprehension"),
        ("the loop is fine as a loop", "comprehension"),
        ("retries should not become 5", "literal"),
        ("retries must not be changed to 5", "literal"),
        ("raise from is not needed", "cause"),
        ("from e isn't required here", "cause"),
        ("the limit must be strict, not >=", "check"),
        ("f-strings are banned here", "format"),
        ("we do not use f-strings", "format"),
        ("% formatting is better than f-strings", "format"),
        ("I prefer % formatting over f-strings", "format"),
        ("n - 1 is right", "range"),
        ("please do keep the TODO comment", "comment"),
        ("a mutable default is fine here", "default"),
        ("keep the else: continue", "else"),
        ("the else is needed", "else"),
        ("s is a good name, don't call it values", "rename"),
        ("it should not be sorted descending", "order"),
    ],
)
def test_an_edit_against_what_is_said_is_none(words: str, edit: str) -> None:
    assert of(words, edit)
    assert wishes_nothing(words)


@pytest.mark.parametrize(
    ("words", "edit"),
    [
        ("I don't want to close f by hand, use a with", "with"),
        ("there is no with statement here", "with"),
        ("you should not use == None here", "none"),
        ("== None is not allowed", "none"),
        ("is None should be used", "none"),
        ("we don't need range(len(rows)), use enumerate", "enumerate"),
        ("the print is not needed", "print"),
        ("nobody needs this print", "print"),
        ("I need the print gone", "print"),
        ("leave out the print", "print"),
        ("there is no docstring", "docstring"),
        ("no docstring here", "docstring"),
        ("I need a docstring", "docstring"),
        ("a loop is not needed here, use a list comprehension", "comprehension"),
        ("retries shouldn't be 3 but 5", "literal"),
        ("retries should be 5, not 3", "literal"),
        ("must be >=, not >", "check"),
        ("we do not use % formatting", "format"),
        ("f-strings are better than % formatting", "format"),
        ("it shouldn't be n - 1", "range"),
        ("the comment is not needed any more", "comment"),
        ("mutable defaults are forbidden here", "default"),
        ("the else is not needed", "else"),
        ("s is not a good name, call it values", "rename"),
        ('the message should be "values must not become s"', "rename"),
    ],
)
def test_an_edit_that_does_what_is_said_is_offered(words: str, edit: str) -> None:
    assert of(words, edit) == ""
