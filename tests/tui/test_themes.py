import math
import os
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from textual.color import Color

from spark_tui.config import Settings, config_dir
from spark_tui.errors import UsageError
from spark_tui.resources import themes_dir
from spark_tui.tui.themes import COLORS, SYNTAX, read_theme, read_themes
from tests.tui.support import HUSH, Stage, notifications, strips, until
from tests.tui.test_helping import offered

DEFAULT = RichColor.parse("default")

GOOD = "# mine\ndark = true\n[colors]\n" + "".join(f'{name} = "#102030"\n' for name in COLORS)


WORDS = ("text", "muted", "faint", "accent", "ok", "warning", "error", "added-text", "removed-text")
SHOWN = [
    *((words, ground) for words in WORDS for ground in ("background", "surface", "cursor")),
    *((words, "added") for words in ("text", "faint", "accent", "warning", "added-text")),
    *((words, ground) for words in SYNTAX for ground in ("background", "cursor", "added")),
    *((words, "removed") for words in ("text", "faint", "accent", "warning", "removed-text")),
    ("text", "added-bright"),
    ("text", "removed-bright"),
    ("background", "accent"),
]
"""Every color that words are shown in, on every one behind them."""
LEAST = {"spark-dark": 4.5, "spark-light": 4.5, "color-blind": 4.5, "high-contrast": 7.0}
"""WCAG 2.2, 1.4.3 and 1.4.6."""


def colors_of(name: str) -> dict[str, str]:
    theme = read_themes([themes_dir()]).known[name]
    return {color: theme.variables[f"spark-{color}"] for color in COLORS + SYNTAX}


def test_the_shipped_themes() -> None:
    themes, _ = read_themes([themes_dir()])
    assert {name: (theme.dark, theme.ansi) for name, theme in themes.items()} == {
        "spark-dark": (True, False),
        "spark-light": (False, False),
        "high-contrast": (True, False),
        "color-blind": (True, False),
        "ansi": (True, True),
    }


@pytest.mark.parametrize("name", LEAST)
def test_all_words_are_legible_wherever_they_are_shown(name: str) -> None:
    colors = colors_of(name)
    found = {(words, ground): contrast(colors[words], colors[ground]) for words, ground in SHOWN}
    assert {pair: round(ratio, 2) for pair, ratio in found.items() if ratio < LEAST[name]} == {}


@pytest.mark.parametrize("sight", ["usual", "protanopia", "deuteranopia", "tritanopia"])
def test_added_and_removed_lines_differ_for_everyone_in_the_theme_for_it(sight: str) -> None:
    colors = colors_of("color-blind")
    for kind in ("", "-bright", "-text"):
        added, removed = (seen(colors[f"{each}{kind}"], sight) for each in ("added", "removed"))
        assert distance(added, removed) >= 20


def test_the_ansi_theme_names_the_terminal_s_own_colors_only() -> None:
    assert {value.startswith("ansi_") for value in colors_of("ansi").values()} == {True}


def test_a_theme_of_ones_own_replaces_a_shipped_one_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "spark-dark.toml").write_text(GOOD)
    themes, _ = read_themes([themes_dir(), tmp_path])
    assert themes["spark-dark"].background == "#102030"


def test_a_copy_of_a_shipped_theme_is_called_as_its_file_whatever_name_stands_in_it(
    tmp_path: Path,
) -> None:
    light = (themes_dir() / "spark-light.toml").read_text()
    (tmp_path / "mine.toml").write_text(light)
    (tmp_path / "older.toml").write_text(
        f'name = "spark-light"\n{light.replace("#95550a", "#102030")}'
    )
    themes, broken = read_themes([themes_dir(), tmp_path])
    assert themes["mine"].variables == themes["spark-light"].variables
    assert themes["older"].accent == "#102030"
    assert not broken


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", ": cannot be read as TOML"),
        (GOOD.replace("true", '"yes"'), ":2: a theme needs dark"),
        (GOOD.replace('accent = "#102030"\n', ""), ":3: 'accent' is missing"),
        (
            GOOD.replace("[colors]", "[collors]"),
            ":3: unknown key 'collors'; the nearest is 'colors'",
        ),
        ("dark = true\n", ":1: a theme needs [colors]"),
        (GOOD + 'acent = "#102030"\n', ":21: unknown color 'acent'; the nearest is 'accent'"),
        (GOOD.replace('ok = "#102030"', 'ok = "green"'), ":18: ok must be a color"),
        (GOOD.replace('ok = "#102030"', "ok = 7"), ":18: ok must be a color"),
        (GOOD.replace("[colors]", "ansi = true\n[colors]"), ":5: text must be default, red"),
        (
            GOOD.replace("dark =", "drak = true\ndark ="),
            ":2: unknown key 'drak'; the nearest is 'dark'",
        ),
        (GOOD.replace("[colors]", 'ansi = "no"\n[colors]'), ":3: ansi is true or false"),
    ],
)
def test_what_is_wrong_with_a_theme_is_said_with_its_file_and_line(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as raised:
        read_theme(path)
    assert str(raised.value).startswith(f"{path}{said}")


@pytest.mark.parametrize("name", ["[bold]mine", "\u202emine", "\u3164mine", "m" * 41])
def test_a_name_that_cannot_be_shown_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.toml").write_text(GOOD)
    with pytest.raises(UsageError, match="the name of a theme's file has up to 40 letters"):
        read_theme(tmp_path / f"{name}.toml")


def test_what_cannot_be_used_is_known_by_its_name_and_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GOOD)
    (tmp_path / "b.toml").write_text(GOOD.replace("true", "7"))
    (tmp_path / "c[bold]\x1b\u3164.toml").write_text("x")
    (tmp_path / "d.toml").write_text(f"a = {'[' * 50_000}")
    os.mkfifo(tmp_path / "e.toml")
    known, broken = read_themes([themes_dir(), tmp_path])
    assert "a" in known
    assert list(broken) == ["b", "c_bold___U_3164_", "d", "e"]
    assert broken["b"].startswith(f"{tmp_path}/b.toml:2: a theme needs dark")


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A theme file of the user's own that wants a color there is not."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "spark" / "themes" / "mine.toml"
    path.parent.mkdir(parents=True)
    path.write_text(GOOD.replace('ok = "#102030"', 'ok = "green"'))
    return path


async def test_a_broken_theme_that_is_not_chosen_is_told_of_and_in_nobody_s_way(
    tmp_path: Path, broken: Path
) -> None:
    stage = Stage(tmp_path)
    problem = f"{broken}:18: ok must be a color such as #1e2227, not 'green'"
    async with stage.app.run_test(notifications=True) as pilot:
        await stage.ready(pilot)
        assert not notifications(stage.app), "it would cover the diff"
        assert stage.note == f"the theme mine cannot be used: {problem}"
        assert ("mine", "cannot be used") in stage.main.commands.choices("theme")
        stage.prompt.set_text("/theme")
        await pilot.press("escape", "enter")
        await until(pilot, lambda: stage.prompt.text == "/theme " and len(offered(stage)) == 6)
        await pilot.press(*"mine", "enter")
        await until(pilot, lambda: stage.note == problem)
        assert stage.app.theme == "spark-dark"
    stage.close()


def test_a_broken_theme_that_is_chosen_is_refused_with_its_file_and_line(
    tmp_path: Path, broken: Path
) -> None:
    with pytest.raises(UsageError, match=f"{broken}:18: ok must be a color"):
        Stage(tmp_path, settings=Settings(theme="mine"))


async def test_without_colors_signs_and_weights_keep_the_meaning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stage = Stage(tmp_path)
    stage.gate.open()
    async with stage.asked(HUSH, size=(80, 24)) as pilot:
        await until(pilot, lambda: stage.diff.has_focus)
        await pilot.pause()
        lines = strips(stage.app)
        styled = [
            seg
            for strip in lines
            for seg in strip.apply_filter(stage.app.get_line_filters()[0], Color(0, 0, 0))
        ]
        assert {(seg.style.color, seg.style.bgcolor) for seg in styled if seg.style} == {
            (DEFAULT, DEFAULT)
        }
        text = ["".join(segment.text for segment in strip) for strip in lines]
        assert any('-     print("loaded", len(expenses))' in line for line in text)
        assert any(seg.style and seg.style.reverse for seg in styled)
        assert any(seg.style and seg.style.bold and seg.text == "a" for seg in styled)


async def test_a_theme_that_is_chosen_is_in_force_at_once_and_kept(stage: Stage) -> None:
    file = config_dir() / "config.toml"
    async with stage.started() as pilot:
        for name in ("ansi", "color-blind", "high-contrast", "ansi"):
            stage.main.commands.theme(name)
            assert stage.app.theme == name
            await until(pilot, lambda name=name: stage.note == f"{name} is written to {file}")  # type: ignore[misc]
            assert stage.app.native_ansi_color is (name == "ansi")
            assert file.read_text() == f'theme = "{name}"\n'
        assert [name for name, does in stage.main.commands.choices("theme") if does] == ["ansi"]


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(color: str) -> float:
    red, green, blue = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


_LMS = {
    "usual": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""Machado, Oliveira and Fernandes 2009: what linear RGB is seen as, at full severity."""


def linear(color: str) -> tuple[float, ...]:
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


def seen(color: str, sight: str) -> tuple[float, ...]:
    """Linear RGB as it is seen."""
    rgb = linear(color)
    return tuple(
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, rgb, strict=True)))) for row in _LMS[sight]
    )


def distance(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """How different two colors look: the distance in CIELAB; about 2.3 is just noticeable."""
    return math.dist(lab(one), lab(other))


def lab(rgb: tuple[float, ...]) -> tuple[float, float, float]:
    """Linear sRGB in CIELAB, white D65."""
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.95047, 1.0, 1.08883)
    scaled = [
        sum(a * b for a, b in zip(row, rgb, strict=True)) / w
        for row, w in zip(rows, white, strict=True)
    ]
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in scaled)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
