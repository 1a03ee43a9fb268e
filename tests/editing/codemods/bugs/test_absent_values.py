import pytest

from tests.editing.codemods.results import results

LOOP = "'NoneType' object is not iterable"


@pytest.mark.parametrize(
    ("body", "instruction", "after"),
    [
        ("for row in rows:\n        run(row)", LOOP, "for row in rows or ():"),
        ("return list(self.read())", f"{LOOP}: treat as []", "return list(self.read() or [])"),
        ("return clean(text)", 'text may be None, treat that as ""', 'return clean(text or "")'),
        ("label = self.label", "label: empty instead of None", 'label = self.label or ""'),
        ('x = d.get("a", "").strip()', "a may be there but None", 'x = (d.get("a") or "").strip()'),
        ("return NAMES[level]", 'KeyError: unknown levels are "info"', 'return NAMES.get(level, "info")'),
        ("groups[key].append(1)", "a new key starts its own list", "groups.setdefault(key, []).append(1)"),
        ('x = kw.pop("a")', "missing a -> None", 'x = kw.pop("a", None)'),
        ("self.seen.remove(x)", "what if seen lacks x? only when present", "if x in self.seen:"),
        ("self.seen.remove(x)", "x may be missing in seen, nothing to do then", "if x not in self.seen:"),
        ('self.rows = d.pop("rows", None)', LOOP, 'self.rows = d.pop("rows", ())'),
        ("x = self._size", "no attribute '_size': that's None then", 'x = getattr(self, "_size", None)'),
        ("return TABLE[name](x)", "return False for an unknown name", "if name not in TABLE:"),
    ],
)
def test_something_stands_in_for_what_is_not_there(body: str, instruction: str, after: str) -> None:
    found = results("fix_default_none", f"def f(self, rows, text, d, x, name):\n    {body}", instruction)
    assert any(after in [line.strip() for line in one.split("\n")] for one in found)


def test_words_about_something_else_let_all_stand() -> None:
    assert results("fix_default_none", "def f(d):\n    return len(d)", "make it faster") == []
