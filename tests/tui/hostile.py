"""A repository, a model and a user that try everything to get at the terminal.

    python -m tests.tui.hostile FOLDER

runs the real screen on them.
"""

import sys
import unicodedata
from pathlib import Path

STEER = "\x1b[66;66H\x1b[2J\x1b[38;5;201mX\x1b]0;t\x07\x1b]8;;http://x\x1b\\L\x1b]52;c;eA==\x07\x1bP1$r\x1b\\\x9b2J\x9d52;c;x\x9c"
MARKUP = "[bold][/][/bold][@click=app.quit]x[/][red"
BREAKS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
ODD = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in {"Cc", "Cf", "Zl", "Zp"}]
ALL = "".join(ODD) + "\ufe0f\u3164\u115f\u2800"
IN_A_LINE = "".join(char for char in ALL if char not in BREAKS and char != "\x00")
TEXT = f"{MARKUP}{STEER}{IN_A_LINE}"
SEEN_NOWHERE = (b"\x1b[66;66H", b"\x1b[2J", b"\x1b[38;5;201", b"\x1b]", b"\x1bP", b"\xc2\x9b", b"\xe2\x80\xae")

LOAD = f"""\
def load(path):
    f = open(path)  # {STEER}
    return f
"""
BETTER = LOAD.replace("return f", f"return f  # {MARKUP}")
FILE = f"# {STEER}{''.join(BREAKS)}\n".replace("\n", "#") + "\n" + LOAD + f"\n# {IN_A_LINE}\n# caf\udce9\n"
NAME = f"st{STEER.replace('/', '_')}\u202e{MARKUP.replace('/', '_')}.py"[:200]
BRANCH = "ma\u202e\u009b31m\U000e0041in"
FOLDER = "re\x1b]0;t\x07\u202epo[bold]"
NOTICE = f"somebody saved {MARKUP} {STEER}"


def main(folder: Path) -> int:
    """Run until the user leaves."""
    from spark_tui.config import Settings
    from spark_tui.session.session import Session
    from spark_tui.tui.app import run
    from spark_tui.vcs.repository import Repository
    from tests.fakes import edit_script, git, make_repo, scripted

    def load() -> Session:
        repo = make_repo(folder / FOLDER, {NAME: FILE.encode("utf-8", "surrogateescape")})
        git(repo, "checkout", "-q", "-b", BRANCH)
        model = scripted(folder / "model", {"": edit_script(LOAD, BETTER)})
        session = Session(Repository.discover(repo), model, folder / "state")
        session.take_notices = lambda: [NOTICE]  # type: ignore[method-assign]
        return session

    return run(load, Settings())


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
