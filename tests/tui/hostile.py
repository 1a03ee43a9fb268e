"""A repository, a model and a user that try everything to get at the terminal.

    python -m tests.tui.hostile FOLDER PART [plain]

runs the real screen (or plain lines) on them. Part 0 has what steers terminals, the others a few of
all odd characters each. The file FOLDER/fail makes the next pass of the model fail, FOLDER/notice
brings a notice.
"""

import os
import sys
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

STEER = "\x1b[66;66H\x1b[2J\x1b[38;5;201mX\x1b]0;t\x07\x1b]8;;http://x\x1b\\L\x1b]52;c;eA==\x07\x1bP1$r\x1b\\\x9b2J\x9d52;c;x\x9c\u202e"
MARKUP = "[bold][/][/bold][@click=app.quit]x[/][red"
BREAKS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
ODD = [
    chr(code)
    for code in range(0x110000)
    if unicodedata.category(chr(code)) in {"Cc", "Cf", "Zl", "Zp"}
]
ALL = "".join(ODD) + "\ufe0f\u3164\u115f\u2800"
_PIECE = 24
PARTS = [STEER, *(ALL[start : start + _PIECE] for start in range(0, len(ALL), _PIECE))]
SEEN_NOWHERE = (
    b"\x1b[66;66H",
    b"\x1b[2J",
    b"\x1b[38;5;201",
    b"\x1b]",
    b"\x1bP",
    b"\xc2\x9b",
    b"\xe2\x80\xae",
)


class Hostile:
    """What is odd, everywhere where text can be.

    Args:
        part: One of PARTS.
    """

    def __init__(self, part: str) -> None:
        in_a_line = "".join(char for char in part if char not in BREAKS and char != "\x00")
        self.text = f"{MARKUP}{part}"
        self.load = f"def load(path):\n    f = open(path)  # {in_a_line}\n    return f\n"
        self.better = self.load.replace("return f", f"return f  # {MARKUP}")
        self.file = f"# {in_a_line}{MARKUP}\n{self.load}\n# caf\udce9\n"
        odd_name = part.translate(dict.fromkeys(map(ord, "/\x00"), "_"))
        self.names = [f".github/a{odd_name}{MARKUP.replace('/', '_')}\udce9.py", f"b{odd_name}.py"]
        self.folder = f"re{odd_name}po[bold]"
        self.model = f"m{odd_name}[red"
        self.themes = {
            f"t{odd_name}[bold].toml": self.text,
            "t-two.toml": f'dark = true\ncolors = {{}}\n"{_in_toml(part)}{MARKUP}" = 1\n',
        }
        self.branch = "other" + "".join(char for char in in_a_line if ord(char) > 0x7F)


def _in_toml(text: str) -> str:
    return "".join(
        char if char.isprintable() else f"\\U{ord(char):08x}" for char in text.replace("\\", "")
    )


def main(folder: Path, part: int, *, plain: bool) -> int:
    """Run until the user leaves."""
    hostile = Hostile(PARTS[part])
    os.environ |= {"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
    (folder / "data" / "spark" / "models" / hostile.model).mkdir(parents=True)
    themes = folder / "config" / "spark" / "themes"
    themes.mkdir(parents=True)
    for name, text in hostile.themes.items():
        (themes / name).write_text(text, "utf-8", newline="")
    from spark_tui.config import Settings, added_models
    from spark_tui.providers.registry import Models
    from spark_tui.session.session import Session
    from spark_tui.session.turn_store import SavedSession, SavedTurn, SessionStore
    from spark_tui.tui.app import Outside
    from spark_tui.vcs.repository import Repository
    from tests.fakes import ScriptedSession, edit_script, git, make_repo, scripted

    def told(name: str) -> bool:
        """Whether the file was there; it is no more."""
        there = (folder / name).exists()
        (folder / name).unlink(missing_ok=True)
        return there

    def fail() -> None:
        if told("fail"):
            raise RuntimeError(hostile.text)

    def load() -> Session:
        content = hostile.file.encode("utf-8", "surrogateescape")
        repo = make_repo(
            folder / hostile.folder, {hostile.names[0]: content, hostile.names[1]: b"OTHER = 1\n"}
        )
        for key, value in (("name", "T"), ("email", "t@example.org")):
            git(repo, "config", f"user.{key}", value)
        git(repo, "checkout", "-q", "-b", hostile.branch)
        (repo / "said").write_text(hostile.text, newline="")
        model = scripted(folder / "model", {"": edit_script(hostile.load, hostile.better)}, fail)
        sessions, models = SessionStore(folder / "sessions"), Models(added=added_models())
        earlier = SavedTurn(
            "1",
            datetime.now(UTC),
            hostile.text,
            hostile.names[0],
            1,
            2,
            "ok",
            hostile.text,
            hostile.text,
        )
        sessions.save(SavedSession("earlier", (earlier,)))
        session = ScriptedSession(
            Repository.discover(repo), model, folder / "state", sessions=sessions, models=models
        )
        notice = f"somebody saved {hostile.text}"
        session.take_notices = lambda: [notice] if told("notice") else []  # type: ignore[method-assign]
        return session

    settings = Settings(sources={"seed": hostile.text})
    if plain:
        from spark_tui.cli.plain import talk

        return talk(load, settings, prompt="", resume=None, again=False)
    from spark_tui.tui.app import run

    def findings() -> list[str]:
        return [f"note {hostile.text}"]

    return run(load, settings, outside=Outside(doctor=findings))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), plain="plain" in sys.argv[3:]))
