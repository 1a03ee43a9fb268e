"""spark in plain lines, on a real terminal: every line stays, and no byte moves the cursor."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.cli.conversation import END, PASTE, Begin, answer, only_pastes_are_asked_for
from tests.fakes import make_repo, write_model
from tests.tui.pseudo import ROOT, Terminal
from tests.tui.support import AFTER, BEFORE, BETTER, EDIT, HUSH, QUIET, SPLIT, STORE, TWO_HUNKS


def stopped(terminal: Terminal, times: int) -> bool:
    """Whether it went on so many times."""
    return terminal.text.count("going on") == times


def test_an_edit_is_asked_for_accepted_and_taken_back_in_lines(
    begin: Begin, tmp_path: Path
) -> None:
    terminal, file = begin(), tmp_path / "repo" / "store.py"
    answer(terminal, "spark:", HUSH)
    answer(terminal, "[y/n/e/a/q/?]", "?")
    assert "editing store.py, lines 1 to 23" in terminal.text
    assert 'removed 17:     print("loaded", len(expenses))' in terminal.text
    terminal.until(terminal.shows("y accepts, n rejects"))
    answer(terminal, "[y/n/e/a/q/?]", "y", "accepted and written to store.py")
    assert file.read_text() == BEFORE + QUIET + AFTER
    answer(terminal, "spark:", "/log", "applied: ")
    answer(terminal, "spark:", "/undo")
    answer(terminal, "take it back? [y/n]", "y", f"took back “{HUSH}”")
    assert file.read_text() == STORE
    answer(terminal, "spark:", "/redo")
    answer(terminal, "redo it? [y/n]", "yes", f"redid “{HUSH}”")
    assert file.read_text() == BEFORE + QUIET + AFTER
    answer(terminal, "spark:", "/quit")
    terminal.until(terminal.ended)
    assert only_pastes_are_asked_for(terminal)
    assert terminal.process.returncode == 0


def test_an_edit_that_is_not_sure_is_read_out_as_that_and_accepted_as_any_other(
    begin: Begin, tmp_path: Path
) -> None:
    terminal, file = begin(0.0, "true", "unsure"), tmp_path / "repo" / "store.py"
    answer(terminal, "spark:", HUSH)
    answer(terminal, "[y/n/e/a/q/?]", "y", "accepted and written to store.py")
    said = terminal.text.partition("accepted")[0]
    assert "unsure (" in said
    assert ": applies, parses, names" in said
    assert "unsure: see whether this is what you meant" in said
    assert file.read_text() == BEFORE + QUIET + AFTER
    answer(terminal, "spark:", "/quit")
    terminal.until(terminal.ended)


def test_an_undo_is_shown_and_only_a_typed_yes_carries_it_out(begin: Begin, tmp_path: Path) -> None:
    terminal, file = begin(), tmp_path / "repo" / "store.py"
    question = "take it back? [y/n]"
    answer(terminal, "spark:", HUSH)
    answer(terminal, "[y/n/e/a/q/?]", "y")
    for keys in ("n", "", "rename it"):
        answer(terminal, "spark:", "/undo")
        terminal.until(lambda: terminal.text.rstrip().endswith(question))
        shown = terminal.text.rpartition(f"this takes back “{HUSH}”")[2]
        assert "in store.py" in shown
        assert 'added 17:     print("loaded", len(expenses))' in shown
        answer(terminal, question, keys, "left as it is; nothing was written")
        assert file.read_text() == BEFORE + QUIET + AFTER, keys
    answer(terminal, "spark:", "/undo")
    terminal.until(lambda: terminal.text.rstrip().endswith(question))
    terminal.do(f"{PASTE}y\n{END}", "pasted text is not an answer")
    terminal.press("\x04")
    assert only_pastes_are_asked_for(terminal)
    assert file.read_text() == BEFORE + QUIET + AFTER


def test_an_undo_that_clashes_with_an_edit_asks_which_of_both_it_is_to_be(
    begin: Begin, tmp_path: Path
) -> None:
    terminal, file = begin(), tmp_path / "repo" / "store.py"
    answer(terminal, "spark:", SPLIT)
    answer(terminal, "[y/n/e/a/q/?; a: all 2]", "y")
    answer(terminal, "[y/n/e/a/q/?]", "q")
    mine = "# mine, too\n" + file.read_text().replace("list()", "set()")
    file.write_text(mine)
    answer(terminal, "spark:", "/undo")
    answer(terminal, "[k/t/q]", "now", "left as it is")
    assert "-    expenses = set()" in terminal.text
    answer(terminal, "spark:", "/undo")
    answer(terminal, "[k/t/q]", "k")
    answer(terminal, "mark it as taken back? [y/n]", "n")
    assert "the files stay as they are" in terminal.text
    answer(terminal, "spark:", "/undo")
    answer(terminal, "[k/t/q]", "t")
    answer(terminal, "take it back? [y/n]", "y", "took back")
    assert file.read_text() == "# mine, too\n" + STORE


def test_what_a_redo_breaks_is_said_before_the_question(begin: Begin, tmp_path: Path) -> None:
    terminal, file = begin(), tmp_path / "repo" / "store.py"
    answer(terminal, "spark:", EDIT)
    answer(terminal, "[y/n/e/a/q/?]", "a")
    answer(terminal, "spark:", "/undo")
    answer(terminal, "take it back? [y/n]", "y", "took back")
    file.write_text(STORE.replace("log = logging.getLogger(__name__)\n", ""))
    answer(terminal, "spark:", "/redo")
    answer(terminal, "redo it? [y/n]", "n")
    assert "doing it again breaks store.py (names: undefined: log (line " in terminal.text


def test_each_hunk_is_asked_about_and_shown_before(begin: Begin, tmp_path: Path) -> None:
    terminal = begin()
    answer(terminal, "spark:", SPLIT)
    answer(terminal, "[1 of 2 open] accept this hunk? [y/n/e/a/q/?; a: all 2]", "n")
    assert terminal.text.count("added 10:     expenses = list()") == 2
    answer(terminal, "[1 of 1 open] accept this hunk? [y/n/e/a/q/?]", "q", "left undecided")
    answer(terminal, "spark:", SPLIT)
    answer(terminal, "[1 of 2 open] accept this hunk? [y/n/e/a/q/?; a: all 2]", "a")
    terminal.until(lambda: terminal.text.count("accepted and written") == 2)
    assert (tmp_path / "repo" / "store.py").read_text() == BEFORE + TWO_HUNKS + AFTER


def test_the_next_instruction_given_as_an_answer_decides_nothing(
    begin: Begin, tmp_path: Path
) -> None:
    terminal = begin()
    answer(terminal, "spark:", HUSH)
    answer(terminal, "[y/n/e/a/q/?]", "add a docstring", "y accepts, n rejects")
    answer(terminal, "[y/n/e/a/q/?]", "quit", "left undecided")
    assert (tmp_path / "repo" / "store.py").read_text() == STORE


def test_what_was_typed_before_a_question_does_not_answer_it(begin: Begin, tmp_path: Path) -> None:
    terminal = begin(0.2)
    answer(terminal, "spark:", HUSH, "editing store.py")
    terminal.press("y\ny\ny\n", until=lambda: terminal.text.rstrip().endswith("[y/n/e/a/q/?]"))
    assert "ignored: what was typed or pasted before this question" in terminal.text
    answer(terminal, "[y/n/e/a/q/?]", "n", "rejected")
    assert "accepted" not in terminal.text
    assert (tmp_path / "repo" / "store.py").read_text() == STORE


def test_a_hunk_is_changed_in_the_user_s_own_editor(begin: Begin, tmp_path: Path) -> None:
    terminal = begin(editor="sed -i s/list/set/")
    answer(terminal, "spark:", SPLIT)
    answer(
        terminal,
        "[1 of 2 open] accept this hunk? [y/n/e/a/q/?; a: all 2]",
        "e",
        "added 10:     expenses = set()",
    )
    answer(
        terminal,
        "[1 of 2 open] accept this hunk? [y/n/e/a/q/?; a: all 2]",
        "y",
        "accepted and written",
    )
    assert "expenses = set()\n" in (tmp_path / "repo" / "store.py").read_text()


def test_ctrl_c_stops_at_a_token_from_where_it_goes_on_or_elsewhere(
    begin: Begin, tmp_path: Path
) -> None:
    terminal = begin(0.05)
    answer(terminal, "spark:", EDIT, "editing store.py")
    terminal.press("\x03")
    answer(terminal, "drops what is unfinished:", "", "going on")
    terminal.press("\x03")
    answer(terminal, "drops what is unfinished:", HUSH)
    answer(terminal, "[y/n/e/a/q/?]", "y", "accepted and written")
    assert (tmp_path / "repo" / "store.py").read_text() == BEFORE + QUIET + AFTER
    terminal.until(lambda: terminal.text.rstrip().endswith("spark:"))
    terminal.do("\x03", "again quits")
    terminal.press("\x03", until=terminal.ended)
    assert only_pastes_are_asked_for(terminal)


def test_stopped_and_gone_on_with_the_edit_is_the_same(begin: Begin, tmp_path: Path) -> None:
    terminal = begin(0.02)
    answer(terminal, "spark:", EDIT, "editing store.py")
    for times in range(1, 4):
        terminal.press("\x03")
        answer(terminal, "drops what is unfinished:", "")
        terminal.until(partial(stopped, terminal, times))
    answer(terminal, "[y/n/e/a/q/?]", "y", "accepted and written")
    assert (tmp_path / "repo" / "store.py").read_text() == BEFORE + BETTER + AFTER


def test_a_redirect_goes_to_the_function_that_it_names_and_what_cannot_be_is_told_and_asked_again(
    begin: Begin, tmp_path: Path
) -> None:
    terminal = begin(0.02)
    answer(terminal, "spark:", f"{EDIT} @store.py::load", "editing store.py, lines 9 to 18")
    terminal.press("\x03")
    answer(
        terminal,
        "drops what is unfinished:",
        "close the file in @gone.py",
        "there is no file gone.py",
    )
    answer(
        terminal,
        "drops what is unfinished:",
        "close the file in save @store.py::save",
        "moved to store.py:21-23  save: “close the file in save”",
    )
    terminal.until(terminal.shows("editing store.py, lines 21 to 23"))
    answer(terminal, "spark:", "/quit")
    assert (tmp_path / "repo" / "store.py").read_text() == STORE


def test_what_is_not_understood_is_told_and_the_conversation_goes_on(begin: Begin) -> None:
    terminal = begin()
    answer(terminal, "spark:", "/frobnicate", "there is no /frobnicate here")
    answer(terminal, "spark:", "/theme nope", "there is no /theme here")
    answer(terminal, "spark:", "/task mend it", "there is no /task here: `spark task WORDS`")
    answer(terminal, "spark:", "/tasks", "`spark task list` does it")
    answer(terminal, "spark:", "/plan", "`spark task plan WORDS` does it")
    answer(terminal, "spark:", "/review", "`spark review` does it")
    for word in ("undo", "quit", "help"):
        answer(
            terminal, "spark:", word, f"did you mean /{word}? Type it again like that, or say more"
        )
    assert "editing" not in terminal.text
    answer(terminal, "spark:", "/undo", "nothing to undo")
    answer(terminal, "spark:", "make it better")
    answer(terminal, "spark:", "make load better")
    terminal.until(lambda: terminal.text.rstrip().endswith("spark:"))
    terminal.press("\x04", until=terminal.ended)
    assert terminal.process.returncode == 0
    assert "spark: `spark -r" in terminal.text
    assert "spark: spark:" not in terminal.text


def test_what_comes_from_a_pipe_is_answered_on_lines_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.cli.plain_talk", str(tmp_path)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        input=f"/undo\n{HUSH}\nq\n",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    asked = [line for line in done.stdout.splitlines() if line.startswith("spark:")]
    assert asked[:3] == ["spark: "] * 3
    assert asked[3].startswith("spark: `spark -r ")
    assert "nothing to undo" in done.stdout.splitlines()


@pytest.mark.parametrize(
    ("editor", "said"), [("false", "ended with 1"), ("/no/such/editor", "there is no program")]
)
def test_an_editor_that_fails_changes_nothing(
    begin: Begin, tmp_path: Path, editor: str, said: str
) -> None:
    terminal = begin(editor=editor)
    answer(terminal, "spark:", HUSH)
    answer(terminal, "[y/n/e/a/q/?]", "e", said)
    terminal.until(lambda: terminal.text.rstrip().endswith("spark:"))
    assert (tmp_path / "repo" / "store.py").read_text() == STORE


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-c", "-r"], "not allowed with argument"),
        (["--plain", "-r", "nonsense"], "no session begins with 'nonsense'"),
    ],
)
def test_what_cannot_be_resumed_is_a_usage_error(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    repo = make_repo(tmp_path / "repo", {"a.py": "x = 1\n"})
    env = os.environ | {
        f"XDG_{name}_HOME": str(tmp_path / name) for name in ("STATE", "CONFIG", "CACHE")
    }
    env["SPARK_MODEL"] = str(write_model(tmp_path / "tiny"))
    command = [sys.executable, "-m", "spark_tui", "-C", str(repo), *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=env, input="", capture_output=True, text=True, check=False
    )
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_a_place_is_asked_for_as_it_is_typed_here(begin: Begin) -> None:
    terminal = begin()
    answer(terminal, "spark:", "paint it @store.py:900")
    answer(terminal, "spark:", "round the result")
    answer(terminal, "spark:", "/quit")
    terminal.until(terminal.ended)
    assert "@" in terminal.text.rpartition("round the result")[2]
    assert "--" not in terminal.text
