"""A task on a real terminal: begun, told of, reviewed; and one that quitting stops."""

import re
import sys
import threading
from pathlib import Path

from tests.fakes import git, make_repo
from tests.providers.scripted_server import ScriptedServer, serving
from tests.tasks.scripts import DONE, FILES, MAKE, MEND, READ, stepwise
from tests.tui.pseudo import Terminal
from tests.tui.task_stage import held_steps

_QUIET_S = 0.4
_ALERT = re.compile(rb"\x1b\]9;spark: task [0-9a-f]{8}: done in 4 steps \(mend the area\)\x1b\\")


def started(folder: Path, server: ScriptedServer) -> Terminal:
    """The program in a new repository, with the server as its model."""
    repo = make_repo(folder / "repo", FILES)
    config = folder / "config" / "spark"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(
        f'[models.big]\nbase_url = "{server.base_url}"\nmodel = "m"\nprobe = false\n'
    )
    terminal = Terminal(sys.executable, "-m", "spark_tui", "-C", str(repo), "-m", "big")
    terminal.until(terminal.says("ready"))
    return terminal


def test_a_task_works_beside_the_user_alerts_at_its_end_and_is_accepted(tmp_path: Path) -> None:
    with serving(stepwise([READ, MEND, MAKE, DONE])) as server:
        terminal = started(tmp_path, server)
        repo = tmp_path / "repo"
        try:
            terminal.press("/task mend the area\r", terminal.shows("2 hunks"))
            terminal.until(lambda: _ALERT.search(terminal.raw) is not None)
            assert b"\a" in terminal.raw
            assert git(repo, "status", "--porcelain") == b""
            terminal.until_quiet(_QUIET_S)
            terminal.do("\t\x01", "accepted")
            mended = FILES["shapes/area.py"].replace(b"+", b"*")
            assert (repo / "shapes/area.py").read_bytes() == mended
            assert (repo / "docs/area.md").read_bytes() == b"# Area\n"
            terminal.press("\x03", terminal.shows("again quits"))
            terminal.press("\x03", terminal.ended)
        finally:
            terminal.close()


def test_quitting_stops_a_task_and_says_how_it_goes_on(tmp_path: Path) -> None:
    go = threading.Semaphore(0)
    with serving(held_steps([MEND, DONE], go)) as server:
        terminal = started(tmp_path, server)
        try:
            terminal.press("/task mend the area\r", terminal.shows("working"))
            go.release()
            terminal.until(terminal.shows("1 token"))
            terminal.press("\x03", terminal.shows("again quits"))
            terminal.press("\x03", terminal.ended)
            assert terminal.process.returncode == 0
            assert "is interrupted: `spark task resume" in terminal.error()
        finally:
            go.release(100)
            terminal.close()
