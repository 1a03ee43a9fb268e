import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.identifiers import names_in, occurrences, substitute


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("old = older + _old + old2", "new = older + _old + old2"),
        ("x = self.old + old.old + old", "x = self.old + new.old + new"),
        ("x = self . old + a.\\\n    old", "x = self . old + a.\\\n    old"),
        ("f(old)", "f(new)"),
        ("f(old=1)", "f(old=1)"),
        ("f(a, old=old)", "f(a, old=new)"),
        ("f(a,\n  old = old,\n)", "f(a,\n  old = new,\n)"),
        ("f(  # why\n  old=old)", "f(  # why\n  old=new)"),
        ("f(old == 1, old)", "f(new == 1, new)"),
        ("f(*old, **old)", "f(*new, **new)"),
        ("f(old := 3)", "f(new := 3)"),
        ("f()(old=old)", "f()(old=new)"),
        ("f[0](old=old)", "f[0](old=new)"),
        ("f((old, 1), old=[old])", "f((new, 1), old=[new])"),
        ("print(old if old else -old)", "print(new if new else -new)"),
        ("def f(old, other=old, *, old2=1):", "def f(new, other=new, *, old2=1):"),
        ("def f(a, old=1, *old, **old):", "def f(a, new=1, *new, **new):"),
        ("def f(a=g(old=old), old: int = 2):", "def f(a=g(old=new), new: int = 2):"),
        ("def f[T](old=1, b=old):", "def f[T](new=1, b=new):"),
        ("async def old(old=old):", "async def new(new=new):"),
        ("class A(Base, old=old):", "class A(Base, old=new):"),
        ("class old(old):", "class new(new):"),
        ("g = lambda old: old", "g = lambda new: new"),
        ("g = lambda a, old=1: old", "g = lambda a, new=1: new"),
        ("f(lambda a, old=1: old, old=old)", "f(lambda a, new=1: new, old=new)"),
        ("f(key=lambda old: {old: old[1:old]})", "f(key=lambda new: {new: new[1:new]})"),
        ("f(lambda: old)", "f(lambda: new)"),
        ("x = 'old' + \"old\" + b'old'", "x = 'old' + \"old\" + b'old'"),
        ("x = '\\'old' + old", "x = '\\'old' + new"),
        ('"""old\nold""" + old', '"""old\nold""" + new'),
        ("r'\\' + old", "r'\\' + old"),
        ("# old\nold  # old", "# old\nnew  # old"),
        ("x = '# no comment' + old", "x = '# no comment' + new"),
        ("f'{old}'", "f'{new}'"),
        ("f'old {old!r} {old.old} {{old}}'", "f'old {new!r} {new.old} {{old}}'"),
        ("f'{{{old}}}'", "f'{{{new}}}'"),
        ("f'{old:>{old}} {x:old}'", "f'{new:>{new}} {x:old}'"),
        ("f'{old=} {old != 1}'", "f'{new=} {new != 1}'"),
        ("f'{f(g(old), old=old)}'", "f'{f(g(new), old=new)}'"),
        ("f'{d[\"old\"][old[old]]}'", "f'{d[\"old\"][new[new]]}'"),
        ("f'{ {1: old}[1] }'", "f'{ {1: new}[1] }'"),
        ("f'{f(\")\", old)}' + old", "f'{f(\")\", new)}' + new"),
        ('rf"""\n{old}\n"""', 'rf"""\n{new}\n"""'),
        ("F'{old}' + Rb'{old}'", "F'{new}' + Rb'{old}'"),
        ("import old\nfrom old import a as old", "import new\nfrom new import a as new"),
        ("for old in old: del old", "for new in new: del new"),
        ("with open(old) as old, g() as b:", "with open(new) as new, g() as b:"),
        ("return (old == old)", "return (new == new)"),
        ("global old; nonlocal old", "global new; nonlocal new"),
        ("@old\n@old.a(old=old)", "@new\n@new.a(old=new)"),
        ("case Point(old=old, y=old):", "case Point(old=new, y=new):"),
        ("0x1old + 1_old + old", "0x1old + 1_old + new"),
        ("x = [old for old in y if old]", "x = [new for new in y if new]"),
        ("if (old == 'unclosed", "if (new == 'unclosed"),
        (")) old ]", ")) new ]"),
        ("ολd = old", "ολd = new"),
        ("// no need to.\nold += old.old;", "// no need to.\nnew += new.old;"),
        ("a\n  .old\n  .b(old)", "a\n  .old\n  .b(new)"),
    ],
)
def test_renames_exactly_the_uses_of_a_name(before: str, after: str) -> None:
    assert "\n".join(substitute(before.split("\n"), "old", "new")) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.old = old.old(old=1).old", "self.new = old.new(old=1).new"),
        ("f'{self.old} .old {self.older}' + '.old'", "f'{self.new} .old {self.older}' + '.old'"),
        ("a.\\\n  old", "a.\\\n  new"),
        ("a. old + a .old # .old", "a. new + a .new # .old"),
    ],
)
def test_a_name_with_a_dot_means_the_attribute(before: str, after: str) -> None:
    assert "\n".join(substitute(before.split("\n"), ".old", ".new")) == after


def test_no_lines_stay_no_lines() -> None:
    assert substitute([], "old", "new") == []


def test_lists_every_name_there_is_to_rename() -> None:
    text = "def f(self, count=1):\n    return self.total + g(count, key=f'{count:{width}}')  # note"
    assert names_in(text) == {"f", "self", "count", ".total", "g", "width"}


@given(st.text(alphabet="old .=,()[]{}:#'\"f\\\nlambda ", max_size=40))
def test_any_text_can_be_read_and_only_the_name_changes(text: str) -> None:
    for start, end in occurrences(text, "old"):
        assert text[start:end] == "old"
    assert len(substitute(text.split("\n"), "old", "new")) == len(text.split("\n"))
    assert "\n".join(substitute(text.split("\n"), "old", "old")) == text
