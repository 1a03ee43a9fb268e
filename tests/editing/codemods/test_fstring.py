import pytest

from spark_tui.editing.codemods.fstring import FString
from tests.editing.codemods.table import afters


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = 'x %s {%r}' % (b, c.d)", ["a = f'x {b} {{{c.d!r}}}'"]),
        ("a = '%5.2f%% %d %-8s %3s' % (b, c, d, e)", ["a = f'{b:5.2f}% {c} {d:<8} {e:>3}'"]),
        ("a = '%s' % b['k']", ["""a = f'{b["k"]}'"""]),
        ("a = '{} {n!r:>5} {}'.format(b, c(), n=d)", ["a = f'{b} {d!r:>5} {c()}'"]),
        ("a = '{0.x} {0:{{}}}'.format(b)", []),
        ("a = '{0.x} {{}}'.format(b)", ["a = f'{b.x} {{}}'"]),
        ('a = "x: " + str(b) + c.d', ['a = f"x: {b}{c.d}"']),
        ("a = (\n    'a {%s}'\n    ' b ' '%%'\n    % b\n)", ["a = (\n    f'a {{{b}}}'\n    ' b ' '%'\n)"]),
        ("a = '%s' % (\n    # why\n    b,\n)", []),
        ("a = '%(b)s' % c", []),
        ("a = '%s %s' % b", []),
        ("a = '{}'.format(*b)", []),
        ("a = 'b' + 'c'", []),
        ("a = b'%s' % c", []),
    ],
)
def test_formatting_becomes_an_fstring(before: str, after: list[str]) -> None:
    assert afters(FString(), before) == after


@pytest.mark.parametrize(
    ("instruction", "after"),
    [
        ("use f-strings", ["f(f'{a}', f'{b}', f'{c}d')", "f(f'{a}', f'{b}', c + 'd')"]),
        ("no % formatting", ["f(f'{a}', '{}'.format(b), c + 'd')"]),
        ("f-string instead of .format()", ["f('%s' % a, f'{b}', c + 'd')"]),
        ("no string concatenation", ["f('%s' % a, '{}'.format(b), f'{c}d')"]),
    ],
)
def test_the_style_that_is_named_goes(instruction: str, after: list[str]) -> None:
    assert afters(FString(), "f('%s' % a, '{}'.format(b), c + 'd')", instruction) == after
