"""What a working day brings, on a real terminal of 80 columns: where an edit goes, how sure it
is, and what keys do.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.session.test_renaming import AFTER
from tests.session.test_renaming import FILES as SHOP
from tests.tui.keyboards import legacy
from tests.tui.on_a_terminal import BROKEN, CODE, SAVE
from tests.tui.support import RENAME, SPLIT, STORE
from tests.tui.test_following import FIRST, QUIET, SECOND
from tests.tui.walking import User

At = Callable[[str], User]


@pytest.fixture
def at(tmp_path: Path) -> Iterator[At]:
    """Someone at a scene of `on_a_terminal`, whose model writes as soon as it is asked."""
    users: list[User] = []

    def one(scene: str) -> User:
        users.append(User(tmp_path, legacy, scene))
        users[0].terminal.resize(24, 80)
        users[0].terminal.until(users[0].terminal.says("ready"))
        users[0].stream("open")
        return users[0]

    yield one
    for each in users:
        each.close()


def sees(user: User, *shown: str) -> None:
    """Wait until all of this stands on the screen, in whole rows or over the end of one."""
    user.terminal.until(
        lambda: all(words in " ".join(user.terminal.text.split()) for words in shown)
    )


def asks(user: User, words: str) -> None:
    """Ask, and see the edit, for so long that keys decide."""
    user.send(words)
    user.terminal.until(user.terminal.says("review"))
    user.later()


def pastes_and_runs(user: User, command: str) -> None:
    """Paste a command, which is asked about, and have it run."""
    user.terminal.send(b"\x1b[200~" + command.encode() + b"\x1b[201~")
    sees(user, f"› {command[:20]}")
    user.press("Enter")
    sees(user, "it was pasted, not typed")
    user.later()
    user.press("y")


def test_words_that_name_what_is_elsewhere_go_there_before_enter_also_in_another_language(
    at: At,
) -> None:
    user = at("elsewhere")
    asks(user, "@load.py::load_rows read it")
    user.press("Esc")
    user.terminal.until(lambda: user.seen().focus == "prompt")
    user.write("save_rows should write")
    sees(user, "edits store.py:1-2 save_rows")
    user.press("Enter")
    sees(user, "path.write_text(rows)")
    assert "path.open" not in user.terminal.text
    user.terminal.until(user.terminal.says("review"))
    user.send("showRows should sort")
    sees(user, "no edit found", "page.js:1-3 showRows")
    assert user.file.read_text() == SAVE


def test_an_unsure_edit_is_called_so_and_never_ok_and_its_other_answers_are_announced(
    at: At,
) -> None:
    user = at("unsure")
    asks(user, "add two")
    sees(user, "+1 −1 unsure", "applies, parses, names", "Tab other answers")
    user.press("Tab")
    sees(user, "value + 3", "variation 2 of 2", "+1 −1 unsure")
    assert " ok" not in user.terminal.text
    assert user.file.read_text() == CODE


def test_the_step_of_two_that_an_edit_leaves_undone_is_one_key_away(at: At) -> None:
    user = at("steps")
    asks(user, f"@store.py::area {FIRST} {SECOND}")
    user.press("a")
    sees(user, "not done yet", f"› {SECOND}")
    user.press("Enter")
    sees(user, "surface")
    assert user.file.read_text() == QUIET


def test_what_changes_beyond_the_edge_is_seen_and_no_old_diff_stands_under_a_new_answer(
    at: At,
) -> None:
    user = at("long")
    asks(user, "the last row")
    sees(user, "rows[0]])", "rows[-1]])")
    user.press("a")
    user.terminal.until(user.terminal.says("ready"))
    user.send("and so on")
    sees(user, "no edit found for that; say what should be different, or where with @")
    assert "rows[-1]])" not in user.terminal.text
    assert user.terminal.text.count("no edit") == 1


def test_what_breaks_the_file_without_a_rejected_hunk_is_asked_about_first(user: User) -> None:
    user.stream("open")
    asks(user, RENAME)
    user.press("r")
    sees(user, "rejected the hunk")
    user.later()
    user.press("a")
    sees(user, "the file with this hunk does not pass a check; a again accepts it")
    assert user.file.read_text() == STORE


def test_letters_typed_slowly_after_the_last_accept_are_words_and_a_list_closes_with_its_last_match(
    user: User,
) -> None:
    user.stream("open")
    asks(user, SPLIT)
    user.press("A")
    user.terminal.until(lambda: user.seen().file == "both")
    user.terminal.until(lambda: user.seen().focus == "prompt")
    for letter in "change @sto":
        user.later()
        user.press(letter if letter != " " else "Space")
    user.terminal.until(lambda: user.seen().focus == "list")
    user.press("Tab")
    sees(user, "› change @store.py")
    user.terminal.until(lambda: user.seen().focus == "prompt")
    assert user.seen().screen == ""


def test_a_check_that_fails_is_mended_by_one_key_and_runs_again_after_the_accept(at: At) -> None:
    user = at("broken")
    command = f"{sys.executable} test_a.py"
    pastes_and_runs(user, f"!{command}")
    sees(user, "IndexError", "Ctrl+T")
    user.press("Esc")
    user.until_screen("")
    pastes_and_runs(user, f"/check {command}")
    sees(user, "failed: IndexError", "Ctrl+T")
    user.press("Ctrl+T")
    sees(user, "items[count - 1]")
    user.terminal.until(user.terminal.says("review"))
    assert user.file.read_text() == BROKEN
    user.later()
    user.press("a")
    sees(user, "passed")
    assert "items[count - 1]" in user.file.read_text()


def test_a_name_is_renamed_over_files_in_one_review_and_taken_back_byte_for_byte(at: At) -> None:
    user = at("shop")
    root = user.file.parent
    asks(user, "/rename @shop/cart.py::total amount")
    sees(user, "shop/cart.py:1-2 total and 4 more files")
    user.press("Ctrl+A")
    user.terminal.until(
        lambda: all((root / name).read_bytes() == data for name, data in AFTER.items())
    )
    user.send("/undo")
    user.until_screen("undo?")
    user.later()
    user.press("Enter")
    user.terminal.until(
        lambda: all((root / name).read_bytes() == data for name, data in SHOP.items())
    )
