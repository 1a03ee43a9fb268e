"""The other end than a function is named after, values by their condition alone, what all share, what is ignored."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed


@pytest.mark.parametrize(
    ("words", "lines", "new"),
    [
        ("newest returns the oldest one", ("def newest(files):", "    return files[0]"), ["return files[-1]"]),
        ("last_messages gives the first ones", ("def last_messages(self, n):", "    return self.history[:n]"),
         ["return self.history[-n:]"]),
        ("it returns the most expensive ones", ("def cheapest(all, n):", "    return sorted(all, reverse=True)[:n]"),
         ["return sorted(all)[:n]"]),
        ("it returns the longest", ("def shortest(items):", "    return max(items, key=len)"),
         ["return min(items, key=len)"]),
        ("0 when total is 0", ("def rate(ok, total):", "    return ok / total"), ["if total == 0:", "return 0"]),
        ("every room has the same history", ("def __init__(self, history=[]):", "    self.history = history"),
         ["def __init__(self, history=None):", "if history is None:", "history = []"]),
        ("KeyError when someone leaves twice, ignore that", ("def leave(self, user):", "    self.users.remove(user)"),
         ["try:", "self.users.remove(user)", "except KeyError:", "pass"]),
        ("send to all of them concurrently",
         ("async def send(users):", "    for user in users:", "        await user.send()"),
         ["await asyncio.gather(*(user.send() for user in users))"]),
        ("'NoneType' object has no attribute 'stock' for an unknown sku, raise KeyError(sku) then",
         ("def take(self, sku):", "    item = self.items.get(sku)", "    return item.stock"),
         ["if item is None:", "raise KeyError(sku)"]),
    ],
)  # fmt: skip
def test_what_is_told_is_done(words: str, lines: tuple[str, ...], new: list[str]) -> None:
    assert changed(words, lines)[1] == new


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("newest returns the newest one", ("def newest(files):", "    return files[0]")),
        ("first returns the oldest one", ("def first(files):", "    return files[0]")),
        ("every room has the same name", ("def __init__(self, name, history=[]):", "    self.history = history")),
    ],
)
def test_what_is_not_plain_is_left_to_the_ranking(words: str, lines: tuple[str, ...]) -> None:
    assert changed(words, lines) == ([], [])
