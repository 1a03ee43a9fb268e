"""The fix of each of these planted bugs is among what is tried, in the group that its name
tells.
"""

import pytest

from spark_tui.editing import mutations
from spark_tui.editing.mutation_source import Snippet

CASES = """
operator     return a if a < b else b           >> return a if a > b else b
operator     return not a or b                  >> return not a and b
operator     total = total - price              >> total = total + price
operator     self.y += height                   >> self.y -= height
operator     return name is "spark"             >> return name == "spark"
operator     return key in found                >> return key not in found
literal      return rows[2]                     >> return rows[-2]
operator     return Span(start + n, end)        >> return Span(start + n, end + n)
operator     return Region(x + dx, y + dy)      >> return Region(x - dx, y - dy)
bound        return size >= limit               >> return size > limit
bound        return rows[:width + 1]            >> return rows[:width]
bound        return rows[1:]                    >> return rows[1:-1]
bound        return range(limit, 1, -1)         >> return range(limit, 0, -1)
bound        return [rows[i] for i in range(len(rows) + 1)] >> return [rows[i] for i in range(len(rows))]
bound        return index == count              >> return index == count - 1
bound        return text.index(sign)            >> return text.index(sign) + 1
condition    return rows if rows else None      >> return rows if not rows else None
condition    return a if self.name.isdigit() else b >> return a if self.name and self.name.isdigit() else b
condition    return value if value else other   >> return value if value is not None else other
name         return a[i] + b[j] if a else a[j]  >> return a[i] + b[j] if b else a[j]
name         return start_of(a), end_of(b)      >> return end_of(a), end_of(b)
attribute    return self.top, self.top, self.bottom >> return self.top, self.bottom, self.bottom
literal      return a * 2                       >> return a * 3
literal      return (a, True)                   >> return (a, False)
literal      found = []                         >> found = {}
literal      return row["width"], row["height"], row["width"] >> return row["width"], row["height"], row["height"]
order        return update(first, last)         >> return update(last, first)
order        return first / last                >> return last / first
order        return first, last                 >> return last, first
order        return first if last else rest     >> return rest if last else first
order        return first.union(last)           >> return last.union(first)
return       first * last                       >> return first * last
return       total = first                      >> total = first; return total
"""
PARAMETERS = "self, first, last, *rest"


def _function(body: str) -> tuple[str, ...]:
    """A method of these lines: `;` parts them, two spaces are a level."""
    lines = [
        line.replace("  ", "    ") if line.startswith("  ") else line.strip()
        for line in body.split(";")
    ]
    return (f"def some({PARAMETERS}):", *("    " + line.rstrip() for line in lines))


@pytest.mark.parametrize("case", CASES.strip().split("\n"))
def test_the_fix_is_among_what_is_tried(case: str) -> None:
    group, _, rest = case.partition(" ")
    before, after = (_function(one.strip(" ")) for one in rest.split(">>"))
    found = {one.after: one.group for one in mutations.of(Snippet(before))}
    assert after in found, [one[1:] for one in found]
    assert found[after] == group


@pytest.mark.parametrize(
    ("group", "before", "after"),
    [
        ("order", "def f(a, b):\n    return a", "def f(b, a):\n    return a"),
        (
            "operator",
            "def f(a, b):\n    if (\n        a.x\n        and b.x\n    ):\n        return a",
            "def f(a, b):\n    if (\n        a.x\n        or b.x\n    ):\n        return a",
        ),
        (
            "name",
            "def f(rows):\n    return [a for a, b in rows]",
            "def f(rows):\n    return [b for a, b in rows]",
        ),
    ],
)
def test_what_takes_more_than_a_body_is_tried(group: str, before: str, after: str) -> None:
    found = {
        "\n".join(one.after): one.group for one in mutations.of(Snippet(tuple(before.split("\n"))))
    }
    assert found.get(after) == group, list(found)


def test_a_name_that_is_known_to_be_wrong_becomes_what_may_be_meant() -> None:
    snippet = Snippet(("def f(rows):", '    return rows.lenght + widht(a="nmae")'))
    meant = {"lenght": ["length"], "widht": ["width"], "nmae": ["name"]}
    found = {one.after[1] for one in mutations.of(snippet, meant=meant)}
    for old, (new,) in meant.items():
        assert snippet.lines[1].replace(old, new) in found
    assert not any("length" in one.after[1] for one in mutations.of(snippet))
