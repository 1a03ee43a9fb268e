"""Language servers of tests: programs on PATH that do what a test says."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from spark_tui.editing.checks import Check
from spark_tui.editing.text import Text
from spark_tui.session.language_servers import type_check
from spark_tui.session.language_servers.type_check import TypeChecker

FAKE = Path(__file__).with_name("fake_server.py")
PYTHON = sys.executable
UNHURRIED = 60.0


def text_of(source: str) -> Text:
    return Text.from_bytes(source.encode())


@dataclass
class Fake:
    """A work tree, and servers for it."""

    root: Path
    programs: Path
    log: Path
    trusted: bool = False
    files: list[str] = field(default_factory=list)
    checkers: list[TypeChecker] = field(default_factory=list)

    def install(self, mode: str = "is right", name: str = "ty") -> None:
        """Put a server on PATH that does this."""
        words = [PYTHON, "-I", str(FAKE), mode, str(self.log)]
        script = "exec " + " ".join(f"'{word}'" for word in words)
        program = self.programs / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    def checker(self, *, is_for_one_edit: bool = False) -> TypeChecker:
        checker = TypeChecker(
            self.root,
            lambda: self.trusted,
            lambda endings: [path for path in self.files if path.endswith(endings)],
            is_for_one_edit=is_for_one_edit,
        )
        self.checkers.append(checker)
        return checker

    def checked(self, before: str, after: str, path: str = "a.py") -> Check | None:
        """What a new checker says of an edit."""
        checker = self.checker()
        checker.begin(text_of(before), path)
        return checker.check(text_of(before), text_of(after), path)

    def received(self) -> list[dict[str, Any]]:
        """What the servers got, the environment and the number of the process first."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """A work tree without servers, which are waited for, however slow the machine is."""
    for limit in ("PROMPT_SECONDS", "FAST_SECONDS", "SLOW_SECONDS"):
        monkeypatch.setattr(type_check, limit, UNHURRIED)
    for folder in ("root", "programs", "spark"):
        (tmp_path / folder).mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "spark" / "python"))
    made = Fake(tmp_path / "root", tmp_path / "programs", tmp_path / "log")
    yield made
    for checker in made.checkers:
        checker.close()
