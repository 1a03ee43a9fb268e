"""Every key in every state, as the bytes that keyboards send: what the table says happens, and
nothing else.

The table is what the sheet of keys promises. In the prompt letters are text, in the diff one alone
is a key.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.tui.keyboards import ENCODINGS
from tests.tui.support import SPLIT
from tests.tui.walking import Seen, User, changed

Change = Mapping[str, object]
"""What becomes different of a state.

Where a screen opens, the rest is what there is to see below it.
"""
Row = dict[str, Change]

WORDS = SPLIT
LETTERS = (*"xayrnARsegucvwjkiqpY[]{}<", "Space")
KEYS = (
    *LETTERS,
    *",.~@/!?",
    "Esc",
    "Enter",
    "Tab",
    "Shift+Tab",
    "Up",
    "Down",
    "PgUp",
    "PgDn",
    "Backspace",
    "Ctrl+G",
    "Ctrl+R",
    "Ctrl+J",
    "Alt+Enter",
    "Ctrl+L",
    "Ctrl+C",
    "Ctrl+P",
    "Ctrl+Z",
)
MAIN_KEYS = frozenset({"x", "a", ",", "?", "Esc", "Enter", "Tab", "Ctrl+C"})
"""Of those that do something, the ones that the normal run tries; those that do nothing it
tries all.
"""


def typed(keys: Iterable[str], **more: object) -> Row:
    """These keys are text."""
    return {
        key: {"prompt": "+" + key.replace("Space", " "), "focus": "prompt", **more} for key in keys
    }


def opened(screen: str, keys: Iterable[str], **more: object) -> Row:
    """These keys open a screen."""
    return {key: {"screen": screen, **more} for key in keys}


def all_of(keys: Iterable[str], **change: object) -> Row:
    """These keys do the same."""
    return dict.fromkeys(keys, change)


def prompt(up: str, **more: object) -> Row:
    """What holds in an empty prompt.

    Args:
        up: What was sent last.
        more: What writing does besides.
    """
    return {
        **typed(LETTERS, **more),
        **typed(",.~!", **more),
        **typed("@/", **more | {"focus": "list"}),
        **opened("keys", "?"),
        **EVERYWHERE,
        "Ctrl+R": {"focus": "list"},
        "Ctrl+L": PLACES,
        "Up": {"prompt": up},
    }


def with_words(up: str, **more: object) -> Row:
    """What holds in a prompt with words in it.

    Args:
        more: Of Enter.
    """
    return {
        **typed(LETTERS),
        **typed(",.~@/!?"),
        **EVERYWHERE,
        "Ctrl+R": {"focus": "list"},
        "Ctrl+L": PLACES,
        **all_of(("Ctrl+J", "Alt+Enter"), prompt="+\n"),
        "Ctrl+C": {"prompt": ""},
        "Backspace": {"prompt": WORDS[:-1]},
        "Up": {"prompt": up},
        "Enter": {"prompt": "", "phase": "writing", **more},
    }


PLACES: dict[str, object] = {"focus": "list", "hunks": ()}
"""The list of places is open, and the lines of a place are shown instead of the turn."""
PLACES_AGAIN = PLACES | {"prompt": WORDS}
"""The same for the words of the turn."""
EVERYWHERE = opened("palette", ("Ctrl+P",))
TO_DIFF = all_of(("Tab", "Shift+Tab"), focus="diff")
PAUSES = {"phase": "paused"}
WRITING = ("▎unchecked", "writing")
ENDED = {"phase": "review", "focus": "prompt", "hunks": ("▎unchecked",)}
IN_THE_DIFF: Row = {
    **EVERYWHERE,
    **opened("keys", "?"),
    **opened("wafer", "w"),
    **opened("redo?", ("Ctrl+R",)),
    "v": {"sides": True},
    **all_of(("Esc", "Enter", "i"), focus="prompt"),
    "Ctrl+L": PLACES,
}
ON_A_HUNK = opened("edit", "e") | opened("editor", ("Ctrl+G",))
IN_THE_DIFF_OF_A_TURN: Row = {
    **IN_THE_DIFF,
    **ON_A_HUNK,
    **opened("back", ",.~", **PAUSES),
    **all_of("ayA", hunks=("accepted", "▎writing"), file="first"),
    **all_of("rnR", hunks=("rejected", "▎writing")),
    "Space": {"hunks": ("▎1", "writing")},
    **typed("px<!", **PAUSES),
    **typed("@/", **PAUSES | {"focus": "list"}),
}
LOOKING_BACK = opened("back", ",.~", **PAUSES)
BEGUN = typed("px<!") | typed("@/", focus="list")

STATES: dict[str, Seen] = {
    "ready": Seen(),
    "ready, words": Seen(prompt=WORDS),
    "begun": Seen(phase="writing"),
    "writing": Seen(phase="writing", hunks=WRITING),
    "writing, in the diff": Seen(phase="writing", focus="diff", hunks=WRITING),
    "paused": Seen(phase="paused", hunks=WRITING),
    "paused, words": Seen(phase="paused", hunks=WRITING, prompt=WORDS),
    "paused, in the diff": Seen(phase="paused", focus="diff", hunks=WRITING),
    "review": Seen(phase="review", focus="diff", hunks=("▎ok", "ok")),
    "review, in the prompt": Seen(phase="review", hunks=("▎ok", "ok")),
    "review, words": Seen(phase="review", hunks=("▎ok", "ok"), prompt=WORDS),
    "done": Seen(focus="diff", hunks=("accepted", "accepted"), file="both"),
}
TABLE: dict[str, Row] = {
    "ready": prompt("/clear"),
    "ready, words": with_words("/clear"),
    "begun": prompt(SPLIT, **PAUSES) | LOOKING_BACK | TO_DIFF | {"Esc": PAUSES},
    "writing": prompt(SPLIT, **PAUSES) | LOOKING_BACK | TO_DIFF | {"Esc": PAUSES},
    "writing, in the diff": IN_THE_DIFF_OF_A_TURN | {"Esc": {"phase": "paused", "focus": "prompt"}},
    "paused": prompt(SPLIT)
    | LOOKING_BACK
    | TO_DIFF
    | {"Enter": {"phase": "writing"}, "Esc": ENDED},
    "paused, words": with_words(SPLIT, hunks=()) | TO_DIFF | {"Esc": ENDED},
    "paused, in the diff": IN_THE_DIFF_OF_A_TURN | {"Esc": ENDED},
    "review": {
        **IN_THE_DIFF,
        **ON_A_HUNK,
        **opened("back", ",.~"),
        **opened("again", "g"),
        "Space": {"hunks": ("▎1", "ok")},
        **all_of("ay", hunks=("accepted", "▎ok"), file="first"),
        **all_of("rn", hunks=("rejected", "▎ok")),
        "A": {
            "phase": "ready",
            "focus": "prompt",
            "hunks": ("accepted", "accepted"),
            "file": "both",
        },
        "R": {"phase": "ready", "focus": "prompt", "hunks": ("rejected", "rejected")},
        "]": {"hunks": ("ok", "▎ok")},
        "Ctrl+L": PLACES_AGAIN,
        **BEGUN,
    },
    "review, in the prompt": prompt(SPLIT)
    | opened("back", ",.~")
    | TO_DIFF
    | {"Ctrl+L": PLACES_AGAIN},
    "review, words": with_words(SPLIT, hunks=()) | TO_DIFF,
    "done": {
        **IN_THE_DIFF,
        **BEGUN,
        **opened("undo?", "u"),
        **opened("commit", "c"),
        **opened("back", ",.~"),
        "Ctrl+R": {},
    },
}
MOVES = ("j", "k", "Up", "Down", "PgUp", "PgDn", "[", "]")
"""Keys that go elsewhere in the diff: the hunk that is marked then may be another one."""
QUITS = ("writing, in the diff", "paused, in the diff", "review", "done")
"""Where q is a key: it leaves."""
ANSWERS = ("Tab", "Shift+Tab")
"""Keys that ask for other answers in a review; see `test_varying.py` and `test_other_places.py`."""


@dataclass(frozen=True)
class Sheet:
    """A screen on top.

    Args:
        over: A state.
        by: The keys that open it.
        closed_by: Those that only close it.

    other: keys that do something there, which other tests are about. writes: those that begin
    words.
    """

    over: str
    by: tuple[str, ...]
    closed_by: tuple[str, ...]
    other: tuple[str, ...] = ()
    writes: Collection[str] = ()


def command(words: str) -> tuple[str, ...]:
    """The keys of a command, the list of commands closed before it is sent."""
    return (*words, "Enter")


SHEETS = {
    "keys": Sheet("review", ("?",), ("Esc", "?", "q", "Enter")),
    "palette": Sheet("review", ("Ctrl+P",), ("Esc",), ("Enter",)),
    "wafer": Sheet("review", ("w",), ("Esc", "q", "w")),
    "edit": Sheet("review", ("e",), ("Esc",), ("Ctrl+G",)),
    "back": Sheet("review", (",",), ("Esc",), ("Enter", "?")),
    "undo?": Sheet(
        "done", ("u",), ("Esc", "n", "q"), ("u", "Enter"), {*LETTERS, *",.~@/!?"} - {*"ujknq"}
    ),
    "commit": Sheet("done", ("c",), ("Esc",), ("Enter",)),
    "log": Sheet("review, in the prompt", command("/log"), ("Esc", "q"), ("u", "Enter")),
    "resume": Sheet("review, in the prompt", command("/resume"), ("Esc", "q"), ("Enter",)),
    "doctor": Sheet("review, in the prompt", command("/doctor"), ("Esc", "q")),
}


def enter(user: User, state: str) -> None:
    """Come to a state from anywhere."""
    wanted = STATES[state]
    if not user.come_to(wanted):
        begin_anew(user, state)
    if wanted.focus == "diff" and state != "done":
        user.later()  # a letter just as the review begins would be text
        user.press("Home", "]")  # to the first line of the first hunk
    user.until(wanted, state)


def begin_anew(user: User, state: str) -> None:
    """Come to a state from an empty screen."""
    wanted = STATES[state]
    user.go_home()
    in_turn = wanted.phase in {"writing", "paused"}
    if in_turn and wanted.hunks:
        user.begin_second_hunk()
    elif in_turn or wanted.hunks:
        user.begin()
    if in_turn:
        user.until(STATES["writing" if wanted.hunks else "begun"], state)
    elif wanted.hunks:
        user.stream("open")
        user.until(STATES["review"], state)
    user.later()
    if state == "done":
        user.press("A")
        user.until(replace(wanted, focus="prompt"), state)
    if wanted.phase == "paused":
        user.press("Esc")
        user.until(STATES["paused"], state)
    user.come_to(wanted)


def try_key(user: User, state: str, key: str) -> None:
    """Press one key in a state and see what the table says."""
    enter(user, state)
    change = TABLE[state].get(key, {})
    wanted = changed(
        STATES[state], {name: value for name, value in change.items() if name != "screen"}
    )
    if change.get("prompt") == "":
        user.stream("hold")
    if key == "Ctrl+Z":
        user.suspend_and_resume()
    elif key == "Space" and STATES[state].prompt:  # one at the end of the words could not be seen
        user.press(key, "_")
        wanted = changed(wanted, {"prompt": "+_"})
    else:
        user.press(key)
    if change is ENDED:
        user.stream("open")  # the token that is under way has its end
    if key == "Enter" and change.get("prompt") == "":
        if STATES[state].phase == "paused":
            user.stream("let 1")  # the token that is under way has its end
        user.see_first_token()
    if screen := change.get("screen"):
        user.until_screen(str(screen))
        user.close_screen()
    elif not change:
        user.all_done()
    if wanted.focus == "diff" and key in MOVES and not change:
        user.terminal.until(lambda: len(user.seen().hunks) == len(wanted.hunks))
        wanted = replace(wanted, hunks=marked_as(user.seen(), wanted))
    user.until(wanted, f"{key} in {state!r}")
    user.later()


def marked_as(seen: Seen, wanted: Seen) -> tuple[str, ...]:
    """The hunks of a state, with the mark where it is seen."""
    marks = (("▎" if hunk.startswith("▎") else "") for hunk in seen.hunks)
    return tuple(
        mark + hunk.removeprefix("▎") for mark, hunk in zip(marks, wanted.hunks, strict=True)
    )


def try_what_does_nothing(user: User, state: str) -> None:
    """Press all keys that do nothing in a state, and see that they do nothing."""
    enter(user, state)
    moves = MOVES if STATES[state].focus == "diff" else ()
    others = {*TABLE[state], *moves, "Ctrl+Z", "Ctrl+C", *(["q"] if state in QUITS else [])}
    if state == "review":
        others |= {*ANSWERS}
    keys = [key for key in KEYS if key not in others]
    user.press(*keys)
    user.all_done()
    user.until(STATES[state], f"{keys} in {state!r}")


def accept_and_undo(user: User) -> None:
    """From here on there is something to redo, and nothing to undo."""
    enter(user, "done")
    user.go_home()


def leads_away(state: str, key: str) -> bool:
    """Whether a key leaves the program or the turn, which other tests are about."""
    return (key == "q" and state in QUITS) or (key in ANSWERS and state == "review")


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], User]]:
    """Someone at a keyboard of this kind."""
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "EDITING"\nread line\n')
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))
    users: list[User] = []

    def one(encoding: str) -> User:
        users.append(User(tmp_path / str(len(users)), ENCODINGS[encoding]))
        users[-1].until(Seen())
        return users[-1]

    yield one
    for user in users:
        user.close()


@pytest.mark.parametrize(
    ("encoding", "states"),
    [("legacy", ["ready, words", "review"]), ("kitty", ["writing, in the diff"])],
)
def test_the_main_keys_do_what_the_table_says_and_others_nothing(
    start: Callable[[str], User], encoding: str, states: list[str]
) -> None:
    user = start(encoding)
    accept_and_undo(user)
    for state in states:
        try_what_does_nothing(user, state)
        for key in KEYS:
            if key in TABLE[state] and key in MAIN_KEYS:
                try_key(user, state, key)


@pytest.mark.exhaustive
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_key_does_in_every_state_what_the_table_says(
    start: Callable[[str], User], encoding: str, state: str
) -> None:
    user = start(encoding)
    accept_and_undo(user)
    for key in KEYS:
        if not leads_away(state, key):
            try_key(user, state, key)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_key_on_every_other_screen_closes_it_or_changes_nothing_below_it(
    start: Callable[[str], User], encoding: str, name: str
) -> None:
    user, sheet = start(encoding), SHEETS[name]
    accept_and_undo(user)

    def open_it() -> None:
        enter(user, sheet.over)
        user.press(*sheet.by)
        user.until_screen(name)

    for key in KEYS:
        if key not in {*sheet.other, "Ctrl+P"}:
            open_it()
            if key == "Ctrl+Z":
                user.suspend_and_resume()
                user.until_screen(name)
            else:
                user.press(key)
            if key in sheet.writes:
                focus = "list" if key in "@/" else "prompt"
                user.until(
                    replace(STATES[sheet.over], prompt=key.replace("Space", " "), focus=focus)
                )
                user.press("Ctrl+C")
                continue
            if key not in {*sheet.closed_by, "Ctrl+C"}:
                if name != "palette":
                    user.all_done()
                user.until_screen(name)
                user.close_screen()
            user.until(STATES[sheet.over], f"{key} on {name!r}")


@pytest.mark.parametrize(
    ("encoding", "state", "keys"),
    [("legacy", "review", ["q", "q"]), ("kitty", "paused", ["Ctrl+C", "Ctrl+C"])],
)
def test_the_ways_out_write_nothing(
    start: Callable[[str], User], encoding: str, state: str, keys: list[str]
) -> None:
    user = start(encoding)
    enter(user, state)
    user.press(*keys)
    user.terminal.until(user.terminal.ended)
    assert user.terminal.after == user.terminal.before
    assert user.seen().file == "old"
