"""Esc at any moment of a turn, other keys right before and behind it: the state is right, and
nothing is lost.

The last figures of the exhaustive run are in examples/figures.md.
"""

import random
import re
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.tui.support import SPLIT
from tests.tui.walking import Seen, User

FEW, MANY = 3, 250
TOKENS = 23
"""What may come before Esc: one more lets the token out that ends the turn."""
TURN_S = 0.15
LETTERS = "abnrxyARqe]"
WAYS = ("Esc", "Esc, letters", "letters, Esc", "Esc, Esc")
REVIEW = Seen(phase="review", focus="diff", hunks=("▎ok", "ok"))


def rounds(keyboard: str) -> pytest.MarkDecorator:
    """A few rounds with one keyboard; in the long run many, with both."""
    many = (pytest.param(each, MANY, marks=pytest.mark.exhaustive) for each in ("legacy", "kitty"))
    return pytest.mark.parametrize(("user", "rounds"), [(keyboard, FEW), *many], indirect=["user"])


def diff_of(user: User) -> list[str]:
    """The diff and its hunks as they stand on the screen."""
    return [
        line.rstrip()
        for line in user.terminal.text.split("\n")[1:]
        if re.match(r".{4}[ 0-9]{3,}|.[○●✓]", line)
    ]


def undisturbed(user: User) -> list[str]:
    """What the turn comes to if nobody touches a key."""
    user.begin()
    user.stream("open")
    user.until(REVIEW, "undisturbed")
    return diff_of(user)


def settled(user: User, reached: Callable[[Seen], bool], after: str) -> Seen:
    """Wait for a state to be so."""
    user.terminal.until(lambda: reached(user.seen()), after=after)
    return user.seen()


def _writing_at(seen: Seen) -> tuple[str, str, str]:
    return seen.focus, seen.prompt, seen.screen


def go_on_to_the_end(user: User, expected: list[str]) -> None:
    """Resume, and see exactly what an undisturbed run comes to."""
    if user.seen().prompt:
        user.press("Ctrl+C")
        settled(user, lambda seen: not seen.prompt, "cleared")
        user.later()
    user.press("Enter")
    user.stream("open")
    settled(user, lambda seen: replace(seen, focus=REVIEW.focus) == REVIEW, "resumed")
    user.terminal.until(lambda: diff_of(user) == expected, after="the hunks behind the words below")


def one_round(user: User, chance: random.Random, expected: list[str]) -> str:
    """Esc behind a number of tokens; the token under way ends after it.

    Returns:
        What was pressed, and when.
    """
    way, tokens = chance.choice(WAYS), chance.randrange(TOKENS)
    letters = "".join(chance.choices(LETTERS, k=chance.randint(1, 5)))
    what = f"{way} {letters} behind {tokens} tokens"
    user.begin(tokens)
    keys = {
        "Esc": ["Esc"],
        "Esc, letters": ["Esc", *letters],
        "letters, Esc": [*letters, "Esc"],
    }.get(way, ["Esc"] * 2)
    user.press_at_once(*keys)
    words = letters if "letters" in way else ""
    if way.startswith("Esc") and way != "Esc, Esc":
        settled(user, lambda seen: (seen.phase, seen.prompt) == ("paused", words), what)
        user.stream("open")
        user.all_done()
        assert (user.seen().phase, user.seen().prompt) == ("paused", words), what
        go_on_to_the_end(user, expected)
    else:
        user.stream("open")
        wanted = ("prompt", words, "")
        settled(
            user,
            lambda seen: seen.phase in {"review", "ready"} and _writing_at(seen) == wanted,
            what,
        )
        user.all_done()
        assert _writing_at(user.seen()) == wanted, what
    assert user.seen().file == "old", what
    return what


@rounds("kitty")
def test_esc_at_any_token_stops_there_loses_no_letter_and_changes_nothing(
    user: User, rounds: int
) -> None:
    chance, expected = random.Random(rounds), undisturbed(user)
    for _ in range(rounds):
        user.go_home()
        one_round(user, chance, expected)
    user.go_home()
    assert undisturbed(user) == expected
    user.later()
    user.press("A")
    settled(user, lambda seen: seen.file == "both", "accepted")


@pytest.mark.parametrize("user", ["legacy"], indirect=True)
def test_a_pause_behind_every_token_shows_the_line_as_far_as_it_is_written(user: User) -> None:
    user.begin()
    lines = []
    for _ in range(14):
        user.press("Esc")
        user.stream("let 1")
        settled(user, lambda seen: seen.phase == "paused", "paused")
        user.terminal.until_quiet(0.1)
        new = re.search(r"^. +\d+ \+(.*)$", user.terminal.text, re.MULTILINE)
        lines.append(new[1].strip(" ▏") if new else "")
        user.press("Enter")
        settled(user, lambda seen: seen.phase == "writing", "resumed")
    written = "expenses = list()"
    assert [line for line in lines if not written.startswith(line)] == []
    assert [len(line) for line in lines] == sorted(len(line) for line in lines)
    assert len(set(lines)) > 4
    user.stream("open")
    user.until(REVIEW, "resumed")


@rounds("legacy")
def test_esc_at_any_time_stops_soon_and_the_turn_goes_on_as_if_it_had_not(
    user: User, rounds: int, capsys: pytest.CaptureFixture[str]
) -> None:
    chance, expected, stopped, shown = random.Random(rounds), undisturbed(user), [], []
    for _ in range(rounds):
        user.go_home()
        user.send(SPLIT)
        user.stream(f"open {TURN_S / (TOKENS + 1)}")
        time.sleep(chance.uniform(0, 1.2 * TURN_S))  # the moment is what this is about
        pressed = time.monotonic()
        user.press_at_once("Esc", "x", "y")
        seen = settled(
            user, lambda seen: seen.prompt == "xy" and seen.phase in {"paused", "review"}, "Esc"
        )
        if seen.phase == "paused":
            shown.append(1000 * (time.monotonic() - pressed))
            user.terminal.until(lambda: "Esc " in user.terminal.text.split("\n")[-1])
            found = re.search(r"Esc ([0-9.]+) ms", user.terminal.text.split("\n")[-1])
            stopped.append(float(found[1]) if found else 0.0)
            go_on_to_the_end(user, expected)
        assert diff_of(user) == expected
        assert user.seen().file == "old"
    assert stopped
    if rounds == MANY:
        with capsys.disabled():
            print(f"\n{len(stopped)} of {rounds} before the end")  # noqa: T201
            print(_spread("Esc to the engine standing still", stopped))  # noqa: T201
            print(_spread("Esc to it being seen", shown))  # noqa: T201
        assert sorted(stopped)[int(0.99 * len(stopped))] < 200


def _spread(what: str, milliseconds: list[float]) -> str:
    ordered = sorted(milliseconds)
    p50, p99 = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.99))
    return f"{what}: p50 {p50:.1f}, p99 {p99:.1f}, at most {ordered[-1]:.1f} ms"
