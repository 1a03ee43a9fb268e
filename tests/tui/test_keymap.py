"""Keys of one's own: which are in force, and what is said about those that cannot be."""

from pathlib import Path

import pytest
from textual.binding import Binding

from spark_tui.config import Settings, load_settings
from spark_tui.errors import UsageError
from spark_tui.tui.app import keymap
from spark_tui.tui.keymap import Keymap, written


def own(folder: Path, keys: str) -> Settings:
    """The settings of a config.toml whose table of keys begins in its third line."""
    place = folder / "spark" / "config.toml"
    place.parent.mkdir()
    place.write_text(f"seed = 1\n[keys]\n{keys}\n")
    return load_settings(env={"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)})


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            'hunk.acept = "x"',
            (
                "config.toml:3: unknown action 'hunk.acept'; did you mean 'hunk.accept'? `spark "
                "doctor --keys` lists all"
            ),
        ),
        (
            'acept = "x"',
            (
                "config.toml:3: unknown action 'acept'; did you mean 'hunk.accept' or 'all.accept' "
                "or 'files"
            ),
        ),
        ('undo = "x"', "config.toml:3: unknown action 'undo'; did you mean 'journal.undo'?"),
        ('"quit" = "ctl+x"', "config.toml:3: there is no key 'ctl+x'; the nearest is 'ctrl+x'"),
        ('quit = "ctrl+banana"', "config.toml:3: there is no key 'ctrl+banana'; the nearest is "),
        ('quit = "pgdwn"', "config.toml:3: there is no key 'pgdwn'; the nearest is 'pagedown'"),
        (
            'page.next = ""',
            (
                "config.toml:3: page.next needs a key; only what Ctrl+P offers, too, say quit, "
                "needs none"
            ),
        ),
        ('interrupt = ""', "config.toml:3: interrupt needs a key"),
        (
            '\nhunk.accept = "u"',
            "config.toml:4: u does journal.undo already (undo); give one of them another key",
        ),
        ('hunk.accept = "ctrl+r"', "config.toml:3: Ctrl+R does journal.redo already (redo)"),
        ('journal.redo = "ctrl+z"', "config.toml:3: Ctrl+Z does suspend already (suspend)"),
        ('quit = "Z"\nhelp = "x,Z"', "config.toml:3: Z does help already (keys)"),
        ("quit = 7", "config.toml:3: keys.quit must be a text, not 7"),
    ],
)
def test_a_wrong_key_is_told_with_its_line_and_what_to_do(
    tmp_path: Path, keys: str, said: str
) -> None:
    with pytest.raises(UsageError) as raised:
        keymap(own(tmp_path, keys))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("action", "key", "why"),
    [
        ("turn.stop", "S", "S writes"),
        ("turn.stop", "Esc /", "/ writes"),
        ("focus.diff", "Space", "Space writes"),
        ("palette", "!", "! writes"),
        ("interrupt", "é", "é writes"),
        ("prompt.newline", "Q", "Q writes"),
        ("prompt.newline", "Enter", "Enter is for the text"),
        ("turn.stop", "ctrl+w", "Ctrl+W is for the text"),
        ("turn.stop", "backspace", "Backspace is for the text"),
    ],
)
def test_a_key_that_is_text_in_the_prompt_is_refused_for_what_is_done_there(
    tmp_path: Path, action: str, key: str, why: str
) -> None:
    with pytest.raises(UsageError) as raised:
        keymap(own(tmp_path, f"{action} = '{key}'"))
    assert (
        f"config.toml:3: {why} in the prompt, where {action} must work; give it another key"
        in str(raised.value)
    )


def test_an_action_that_the_palette_has_can_do_without_a_key_which_is_free_for_another(
    tmp_path: Path,
) -> None:
    keys = keymap(own(tmp_path, "journal.undo = ''\nhunk.accept = 'u'"))
    assert (keys.shown("journal.undo"), keys.shown("hunk.accept")) == ("", "u")
    assert keys.key("journal.undo") == "Ctrl+P", (
        "whoever is told how to undo is sent to the palette"
    )
    assert keys.fill("({journal.undo})", without="no key") == "(no key)"


def test_all_that_is_wrong_with_the_keys_is_told_at_once_each_with_its_line(tmp_path: Path) -> None:
    keys = 'acept = "x"\nquit = "Z"\nhunk.reject = "ctl+x"\nhelp = "Z"\npage.nxt = "y"'
    with pytest.raises(UsageError) as raised:
        keymap(own(tmp_path, keys))
    said = str(raised.value)
    told = [
        "3: unknown action 'acept'",
        "5: there is no key 'ctl+x'",
        "7: unknown action 'page.nxt'",
        "4: Z does help",
    ]
    assert [each for each in told if f"config.toml:{each}" not in said] == []
    assert said.count("config.toml:") == len(told), "two actions with one key are one mistake"


@pytest.mark.parametrize(
    ("keys", "action", "shown"),
    [
        ("hunk.accept = 'x, F7'", "hunk.accept", "x F7"),
        ("journal.redo = 'U, ctrl+r'", "journal.redo", "U Ctrl+R"),
        ("hunk.accept = 'x y'", "hunk.accept", "x y"),
        ("quit = 'Esc'\nturn.stop = 'F5'", "quit", "Esc"),
        ("quit = '!'", "quit", "!"),
        ("quit = ';'", "quit", ";"),
        ("journal.undo = 'ctrl+r'\njournal.redo = 'U'", "journal.undo", "Ctrl+R"),
        ("prompt.newline = 'ctrl+d'", "prompt.newline", "Ctrl+D"),
        ("interrupt = 'ctrl+x'", "interrupt", "Ctrl+X"),
        ("page.next = 'PgDn'", "page.next", "PgDn"),
        ("help = 'H'", "hunk.next", "]"),
    ],
)
def test_keys_of_ones_own_are_in_force_and_written_as_people_do(
    tmp_path: Path, keys: str, action: str, shown: str
) -> None:
    assert keymap(own(tmp_path, keys)).shown(action) == shown


def test_the_built_in_keys_get_along() -> None:
    built_in = keymap(Settings())
    again = {action: ",".join(built_in.keys(action)) for action in built_in.does}
    assert keymap(Settings(keys=again)).does == built_in.does


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("shift+tab", "Shift+Tab"),
        ("full_stop", "."),
        ("ctrl+d", "Ctrl+D"),
        ("slash", "/"),
        ("down", "Down"),
        ("A", "A"),
    ],
)
def test_keys_are_written_as_people_do(key: str, shown: str) -> None:
    assert written(key) == shown


def test_a_lone_comma_is_a_key_and_one_between_keys_is_none() -> None:
    scopes = {"diff": [Binding("x", "x", "one", id="one"), Binding("y", "y", "two", id="two")]}
    keys = Keymap(scopes, {"one": ",", "two": "a,b"})
    assert (keys.shown("one"), keys.shown("two")) == (",", "a b")
