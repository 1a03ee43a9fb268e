"""An edit that only touches what a command speaks of, and does not do it, is found out."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.undone import undone


def _said(words: str, before: str, after: str) -> str:
    lines = before.split("\n")
    region = Region("a.py", 1, len(lines), None, None, "", "file")
    return undone(words, Code(words, "a.py", region, lines, lines), after.split("\n"))


SEND = "def f(m):\n    send(m)"
FOUND = "def f(u):\n    if u:\n        return u\n    return None"
ASYNC = "async def f(c):\n    return await c.get()"
POST = 'a.post("/login")'
OPTIONS = "def f(a):\n    b = {}\n    return b"
COPIES = "def f(a):\n    for b in a:\n        copy(b)"


@pytest.mark.parametrize(
    ("words", "before", "after", "why"),
    [
        ("return True on success", SEND, SEND.replace("send", "return send"), "not return True"),
        ("use compare_digest", FOUND, FOUND.replace("None", "compare_digest"), "not call compare_digest"),
        ("raise_for_status", "a = b == 4", "a = b == raise_for_status", "not call raise_for_status"),
        ("don't return None", FOUND, FOUND.replace("\n    return None", ""), "None comes back all the same"),
        ("cache it", ASYNC, f"@lru_cache\n{ASYNC}", "f is async"),
        ("post to /auth", POST, 'a.auth("/login")', "/auth is no name"),
        ("return a list", OPTIONS, OPTIONS.replace("):", ") -> list:"), "only hints list"),
        ("use argparse", OPTIONS, f"import argparse\n{OPTIONS}", "only imports it"),
        ("return the count", COPIES, COPIES.replace("copy", "return copy"), "first round of the loop"),
        ("skip free items", "for a in b.items: c(a)", "for a in b.items(): c(a)", "changes what is called"),
        ("default a to x.json", "def f(a): ...", "def f(a=x.json): ...", "say x.json in quotes"),
    ],
)
def test_what_is_not_done_is_said(words: str, before: str, after: str, why: str) -> None:
    assert why in _said(words, before, after)


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("return True on success", SEND, f"{SEND}\n    return True"),
        ("use compare_digest", FOUND, FOUND.replace("if u", "if compare_digest(u, u)")),
        ("don't return None", FOUND, FOUND.replace("None", "0")),
        ("put @lru_cache on it", ASYNC, f"@lru_cache\n{ASYNC}"),
        ("post to /auth", POST, 'a.post("/auth")'),
        ("return a dict", "def f(a):\n    return {}", "def f(a) -> dict:\n    return {}"),
        ("return a list", OPTIONS, OPTIONS.replace("return b", "return list(b)")),
        ("return it", COPIES, COPIES.replace("copy", "return copy")),
        ("skip free items", "for a in b: c(a)", "for a in b:\n    if a.free: continue\n    c(a)"),
    ],
)
def test_what_is_done_is_let_through(words: str, before: str, after: str) -> None:
    assert not _said(words, before, after)
