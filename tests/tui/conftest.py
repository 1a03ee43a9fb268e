from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from rich.console import RenderableType
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.css.model import RuleSet
from textual.css.parse import parse
from textual.css.tokenize import tokenize_values
from textual.css.tokenizer import Token
from textual.css.types import CSSLocation
from textual.screen import Screen

from spark_tui.tui.screens import file_watch
from tests.fakes import edit_script
from tests.tui.keyboards import ENCODINGS
from tests.tui.support import LOAD, WIDEN, WIDER, Stage
from tests.tui.walking import Seen, User


@pytest.fixture(autouse=True, scope="session")
def _style_sheets_are_parsed_once() -> Iterator[None]:
    """Keep the rules of style sheets for all apps: parsing is a fifth of an app's start."""
    parsed: dict[object, list[RuleSet]] = {}

    @cache
    def tokens_of(variables: tuple[tuple[str, str], ...]) -> dict[str, list[Token]]:
        return tokenize_values(dict(variables))

    def tokenize_once(variables: dict[str, str]) -> dict[str, list[Token]]:
        return tokens_of(tuple(variables.items()))

    def parse_once(
        scope: str,
        css: str,
        read_from: CSSLocation,
        *,
        variable_tokens: dict[str, list[Token]],
        is_default_rules: bool,
        tie_breaker: int,
    ) -> list[RuleSet]:
        key = (scope, css, read_from, id(variable_tokens), is_default_rules, tie_breaker)
        if key not in parsed:
            rules = parse(
                scope,
                css,
                read_from,
                variable_tokens=variable_tokens,
                is_default_rules=is_default_rules,
                tie_breaker=tie_breaker,
            )
            parsed[key] = list(rules)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textual.css.stylesheet.tokenize_values", tokenize_once)
        patch.setattr("textual.css.stylesheet.parse", parse_once)
        yield


_paint = Compositor.render_update


@pytest.fixture(autouse=True)
def _frames_that_nobody_sees_are_not_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what Textual paints for a terminal that is not there: a quarter of a test.

    What a test reads is painted when it reads, and a stage paints how it ends. Programs on a
    terminal (`on_a_terminal.py`) paint all.
    """

    def paint_pictures_only(
        compositor: Compositor,
        full: bool = False,
        screen_stack: list[Screen[object]] | None = None,
        simplify: bool = False,
    ) -> RenderableType | None:
        if full:
            return _paint(compositor, full, screen_stack, simplify)
        visible_screen_stack.set(screen_stack or [])
        return None

    monkeypatch.setattr(Compositor, "render_update", paint_pictures_only)


@pytest.fixture
def every_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has every frame painted, for tests that look at the drawing itself."""
    monkeypatch.setattr(Compositor, "render_update", _paint)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture(autouse=True)
def _looks_at_no_file_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown must not depend on how long a test takes; `test_watching.py` looks often."""
    monkeypatch.setattr(file_watch, "LOOK_S", 3600.0)


@pytest.fixture
def wide(tmp_path: Path) -> Stage:
    """A stage whose model changes three lines next to each other."""
    return Stage(tmp_path, scripts={WIDEN: edit_script(LOAD, WIDER)})


@pytest.fixture
def user(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[User]:
    """Someone at a keyboard of the kind that is asked for."""
    with closing(User(tmp_path / "f", ENCODINGS[getattr(request, "param", "legacy")])) as user:
        user.until(Seen())
        yield user


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage whose engine is let go at the end, whatever the test left running."""
    stage = Stage(tmp_path)
    yield stage
    stage.close()
