"""Bounds told, what loops forget, one more state, another error."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed

CRAWL = (
    "def crawl(get, queue, attempts):",
    "    page = 1",
    "    seen = set()",
    "    while queue:",
    "        url = queue.pop()",
    "        if url in seen:",
    "            continue",
    "        queue.extend(get(url, page=1))",
    "    for attempt in range(attempts):",
    "        try:",
    "            return get(queue)",
    "        except OSError:",
    "            sleep(attempt)",
)
ORDER = (
    "def cancel(self, order, players, amount):",
    "    self.health += amount",
    '    if order.status == "shipped":',
    '        raise Exception("too late")',
    "    for player in players:",
    "        if player.health >= 0:",
    "            players.remove(player)",
)


@pytest.mark.parametrize(
    ("words", "lines", "new"),
    [
        ("the same url again and again, nothing is ever put into seen", CRAWL, ["seen.add(url)"]),
        ("reraise on the last attempt", CRAWL, ["if attempt == attempts - 1:", "raise"]),
        ("health must not go above 100", ORDER, ["self.health = min(self.health + amount, 100)"]),
        ("health can drop below 0", ORDER, ["self.health = max(self.health + amount, 0)"]),
        ("also refuse when it was delivered", ORDER, ['if order.status in ("shipped", "delivered"):']),
        ("it should raise TimeoutError", ORDER, ['raise TimeoutError("too late")']),
        ("removing from the list while looping over it skips some", ORDER, ["for player in list(players):"]),
        ("players with 0 health still count as alive", ORDER, ["if player.health > 0:"]),
    ],
)
def test_what_is_told_is_done(words: str, lines: tuple[str, ...], new: list[str]) -> None:
    assert changed(words, lines)[1] == new


def test_a_counter_that_stands_still_is_counted_up() -> None:
    lines = ("def every(get):", "    page = 1", "    while get(page):", "        print(page)")
    assert changed("it loops forever, page is never increased", lines)[1] == ["page += 1"]


@pytest.mark.parametrize(
    "words",
    [
        "score must not go above 100",
        "nothing is ever put into pages",
        "also refuse when it was delivered by us",
        "also refuse when it is empty",
        "1 still counts as alive",
        "raise on bad input",
    ],
)
def test_what_is_not_there_is_left_to_the_ranking(words: str) -> None:
    assert changed(words, ORDER) == ([], [])
