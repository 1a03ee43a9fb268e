import pytest

from spark_tui.editing.codemods.fix_attribute import FixAttribute
from spark_tui.editing.codemods.fix_name import FixName
from spark_tui.editing.codemods.fix_operator import FixOperator
from spark_tui.editing.codemods.simplify import Simplify
from spark_tui.editing.codemods.swap_arguments import SwapArguments
from tests.editing.codemods.helper_slips import fixes
from tests.editing.codemods.table import afters


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("ok = a or x is B or x is C", "one `in` for both tests", "ok = a or x in (B, C)"),
        ("ok = not (a < b) and c", "use >= instead of the not", "ok = a >= b and c"),
        ("ok = d < A or d > B", "chain the comparisons", "ok = not A <= d <= B"),
        ("n = x and len(x) or 0", "conditional expression please", "n = len(x) if x else 0"),
        ("p = 80 if s == 'http' else 443", "test for https", "p = 443 if s == 'https' else 80"),
        ("ok = self._len == self._pos", "pos >= len is safer", "ok = self._pos >= self._len"),
        ("d = dict(a=1, b=c)", "dict literal", 'd = {"a": 1, "b": c}'),
        ("for x in 'a b'.split(): pass", "split on a literal? a tuple", "for x in ('a', 'b'): pass"),
        ("s = f'{repr(str(x))}!'", "!r does it", "s = f'{str(x)!r}!'"),
        ("n = int((a - 1) / b) + 1", "use // for that", "n = (a - 1) // b + 1"),
        ("n = math.ceil(float(a) / b)", "integers only, no ceil", "n = -(-a // b)"),
        ("for a, b in iteritems(d): pass", "iteritems is gone", "for a, b in d.items(): pass"),
        ("if o == '--no-':\n    x = o[5:]", "use removeprefix", "    x = o.removeprefix('--no-')"),
        ("y = f(k) + ': ' + f(v) + '\\n'", "f-string", "y = f'{f(k)}: {f(v)}\\n'"),
        ("raise E('no %s here' % x)", "repr in an f-string", "raise E(f'no {x!r} here')"),
        ("del self.x[:]", "clear() is clearer", "self.x.clear()"),
        ("m.pop(k, None)", "del instead", "del m[k]"),
        ("a.update(b)", "don't mutate it, a new dict", "a = {**a, **b}"),
        ("log.info(f'got {x!r} of {y}', extra=z)", "lazy arguments", "log.info('got %r of %s', x, y, extra=z)"),
        ("    def f(self):\n        m.Base.f(self, 1)", "use super()", "        super().f(1)"),
        ("self.loop = L.now()\nL.now().go()", "reuse the loop", "self.loop.go()"),
    ],
)
def test_what_is_told_by_its_name_is_said_in_other_words(before: str, instruction: str, after: str) -> None:
    assert any(after in one.split("\n") for one in afters(Simplify(), before, instruction))


def test_nothing_is_said_in_other_words_where_the_words_do_not_name_them() -> None:
    for before in ("ok = x is B or x is C", "d = dict(a=1, b=c)", "del self.x[:]", "n = int(a / b)"):
        assert afters(Simplify(), before, "simplify this") in ([], ["ok = x in (B, C)"])


@pytest.mark.parametrize(
    ("codemod", "before", "after"),
    [
        (SwapArguments(), "x = '%s %s' % (a, b)", "x = '%s %s' % (b, a)"),
        (SwapArguments(), "d = {**a, **b}", "d = {**b, **a}"),
        (SwapArguments(), "x = '-' if os.name == 'nt' else '#'", "x = '#' if os.name == 'nt' else '-'"),
        (FixName(), "m.start()", "m.end()"),
        (FixName(), "x.random_elements(y)", "x.random_element(y)"),
        (FixName(), "def f(job_id):\n    raise E(f'{id}')", "def f(job_id):\n    raise E(f'{job_id}')"),
        (FixName(), "def f(self, name):\n    self.x = None", "def f(self, name):\n    self.x = name"),
        (FixOperator(), "def f():\n    return ValueError(x)", "def f():\n    raise ValueError(x)"),
        (FixAttribute(), "n = type(cls).__name__", "n = cls.__name__"),
    ],
)
def test_a_bug_may_be_a_near_miss(codemod: FixName, before: str, after: str) -> None:
    assert after in fixes(codemod, before, "this goes wrong")
