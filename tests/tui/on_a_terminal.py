"""What the terminal tests run in a process of its own: the real screen on a scripted model.

    python -m tests.tui.on_a_terminal FOLDER [broken|full|stuck|held=FD] [SCENE]

The model takes its time for a token, and the screen rings when a turn ends. `broken` meets a bug
once the screen is there, `full` runs out of memory, `stuck` loads for ever. `held` stops before
every token and lets the clock stand still, until the test says otherwise by the socket FD; see
`Held`. SCENE: other files and another model than usual, by its name in SCENES.
"""

import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spark_tui.tui.watchdog import Watchdog

STEP_S = 0.1
CODE = "def f(value):\n    return value + 1\n"
LOAD, SAVE = (
    "def load_rows(path):\n    return path.open()\n",
    "def save_rows(path, rows):\n    path.put(rows)\n",
)
LINE = "    return separator.join([name, amount, date, " + "currency, " * 6
LONG = f"def row(separator, name, amount, date, currency, rows):\n{LINE}rows[0]])\n"
BROKEN = "def last(items):\n    count = len(items)\n    return items[count]\n"


class Held:
    """The stream and the clock, in the hands of a test at the other end of a socket.

    One line says one thing, and is answered once it is so: `let N` tokens through, `open` the
    stream, for a token every so many SECONDS if that is said, `hold` it again, `later SECONDS`.
    """

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        self._may_pass, self._free, self._now = 0, False, 100.0
        self._step_s = 0.0
        self._changed = threading.Condition()
        threading.Thread(target=self._obey, daemon=True).start()

    def clock(self) -> float:
        """Seconds, as the test has them."""
        return self._now

    def before_step(self) -> None:
        """Wait for leave; the engine calls this in its own thread."""
        with self._changed:
            self._changed.wait_for(lambda: self._free or self._may_pass > 0)
            self._may_pass -= not self._free
            step_s = self._step_s
        time.sleep(step_s)

    def _obey(self) -> None:
        for line in self._socket.makefile():
            what, _, amount = line.strip().partition(" ")
            with self._changed:
                if what == "later":
                    self._now += float(amount)
                else:
                    self._may_pass = self._may_pass + int(amount) if what == "let" else 0
                    self._free = what == "open"
                    self._step_s = float(amount or 0) if what == "open" else 0.0
                self._changed.notify_all()
            self._socket.sendall(b"ok\n")


def scene(name: str) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The files, the scripts and how sure the model is in a scene."""
    from tests.fakes import UNSURE, edit_script
    from tests.session.test_renaming import FILES as SHOP
    from tests.tui.test_following import CODE as AREA
    from tests.tui.test_following import STEPS

    scripts: dict[str, Any] = {
        "read it": edit_script(LOAD, LOAD.replace("open", "read_text")),
        "save_rows should write": edit_script(SAVE, SAVE.replace("put", "write_text")),
        "the last row": edit_script(LONG, LONG.replace("rows[0]", "rows[-1]")),
    }
    two = [
        (edit_script(CODE, CODE.replace("+ 1", other)), weight)
        for other, weight in (("+ 2", 0.7), ("+ 3", 0.3))
    ]
    scenes: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "elsewhere": (
            {
                "load.py": LOAD,
                "store.py": SAVE,
                "page.js": "function showRows(a) {\n  return a;\n}\n",
            },
            {},
        ),
        "unsure": ({"store.py": CODE}, {"sure": UNSURE, "answers": {"": two}}),
        "long": ({"store.py": LONG}, {}),
        "broken": (
            {
                "store.py": BROKEN,
                "test_a.py": "import store\n\nassert store.last([1, 2, 3]) == 3\n",
            },
            {},
        ),
        "shop": (dict(SHOP), {}),
        "steps": ({"store.py": AREA}, {"answers": STEPS}),
    }
    files, options = scenes[name]
    return files, scripts, options


def main(folder: Path, how: str, name: str) -> int:
    """Run until the user leaves."""
    watchdog = Watchdog(1)
    from spark_tui.config import Settings
    from spark_tui.session.session import Session
    from spark_tui.tui.app import run
    from tests.fakes import scripted_session
    from tests.tui.support import FILES, SCRIPTS

    held = Held(int(how.removeprefix("held="))) if how.startswith("held=") else None
    step: Callable[[], None] = held.before_step if held else lambda: time.sleep(STEP_S)

    def load() -> Session:
        if how == "stuck":
            threading.Event().wait()
        if how in {"broken", "full"}:
            raise {"broken": ZeroDivisionError, "full": MemoryError}[how]
        files, scripts, options = scene(name) if name else (FILES, SCRIPTS, {})
        return scripted_session(
            folder, files, scripts, None if name == "steps" else step, **options
        )

    return run(
        load,
        Settings(bell=True, meters=True),
        watchdog=watchdog,
        clock=held.clock if held else time.monotonic,
    )


if __name__ == "__main__":
    from spark_tui.cli.open import end

    sys.exit(end(main(Path(sys.argv[1]), *[*sys.argv[2:], "", ""][:2])))
