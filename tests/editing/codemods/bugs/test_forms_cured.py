"""Expressions written otherwise because of a symptom."""

import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("kind", "before", "words", "after"),
    [
        ("fix_call", "f(xs)", "it gets one list and not the single args", "f(*xs)"),
        ("fix_call", "f(kw)", "TypeError: f() takes 0 positional arguments but 1 was given", "f(**kw)"),
        ("fix_call", "kinds = ('a')", "kinds isn't a tuple", "kinds = ('a',)"),
        ("fix_call", "y = kw['r']", "TypeError: got an unexpected keyword argument 'r'", "y = kw.pop('r')"),
        ("fix_call", "for x in d['r']:\n    f(x)", "KeyError: 'r'", "for x in d.get('r', []):\n    f(x)"),
        ("fix_call", "d['r'].items()", "KeyError: 'r'", "d.get('r', {}).items()"),
        ("fix_call", "for x in d:\n    x.f()", "'str' object has no attribute 'f'", "for x in d.values():\n    x.f()"),
        ("fix_call", "s = self.__dict__", "pickling wipes the live object", "s = self.__dict__.copy()"),
        ("fix_call", "def f(self, e):\n    getattr(self, n)", "the handler is never called",
         "def f(self, e):\n    getattr(self, n)(e)"),
        ("fix_condition", "def f(x):\n    return x.at_eof()", "backwards", "def f(x):\n    return not x.at_eof()"),
        ("fix_operator", "y = x[:len(p)]", "gives the prefix", "y = x[len(p):]"),
        ("fix_operator", "y = x[:4]", "gives the beginning", "y = x[-4:]"),
        ("fix_operator", "f(parts)", "the last one is there twice", "f(parts[:-1])"),
        ("fix_operator", "f(x, indent)", "children are one level too flat", "f(x, indent + 1)"),
    ],
)  # fmt: skip
def test_a_symptom_tells_another_form(kind: str, before: str, words: str, after: str) -> None:
    assert after in results(kind, before, words)


def test_where_no_words_speak_of_a_trouble_values_stay() -> None:
    assert "f(*xs)" not in results("fix_call", "f(xs)", "it prints too much")
    assert "f(x, indent - 1)" not in results("fix_operator", "f(x, indent)", "colours are wrong")
