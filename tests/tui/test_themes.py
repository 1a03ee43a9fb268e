from pathlib import Path

import pytest

from spark_tui.errors import UsageError
from spark_tui.resources import themes_dir
from spark_tui.tui.themes import COLOURS, read_theme, read_themes

GOOD = 'name = "mine"\ndark = true\n[colours]\n' + "".join(f'{name} = "#102030"\n' for name in COLOURS)


def test_the_shipped_themes_are_a_dark_and_a_light_one() -> None:
    themes = read_themes([themes_dir()])
    assert {name: theme.dark for name, theme in themes.items()} == {"spark-dark": True, "spark-light": False}


def test_text_is_legible_on_every_background_of_the_shipped_themes() -> None:
    for theme in read_themes([themes_dir()]).values():
        colours = {name: theme.variables[f"spark-{name}"] for name in COLOURS}
        for words, ground in [
            ("text", "background"),
            ("text", "surface"),
            ("text", "cursor"),
            ("text", "added"),
            ("text", "added-bright"),
            ("text", "removed-bright"),
            ("muted", "background"),
            ("muted", "surface"),
            ("removed-text", "removed"),
            ("added-text", "added"),
            ("accent", "background"),
            ("error", "surface"),
            ("warning", "surface"),
        ]:
            assert contrast(colours[words], colours[ground]) >= 3.9, (theme.name, words, ground)


def test_a_theme_of_ones_own_replaces_a_shipped_one_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GOOD.replace("mine", "spark-dark"))
    themes = read_themes([themes_dir(), tmp_path])
    assert themes["spark-dark"].background == "#102030"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "cannot be read as TOML"),
        (GOOD.replace('name = "mine"\n', ""), "needs name"),
        (GOOD.replace("true", '"yes"'), "needs dark"),
        (GOOD.replace('accent = "#102030"\n', ""), "'accent' is missing"),
        (GOOD + 'acent = "#102030"\n', "'acent' is unknown"),
        (GOOD.replace('ok = "#102030"', 'ok = "green"'), "ok wants a colour"),
        (GOOD.replace('ok = "#102030"', "ok = 7"), "ok wants a colour"),
    ],
)
def test_what_is_wrong_with_a_theme_is_said_with_its_file(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=said) as raised:
        read_theme(path)
    assert str(raised.value).startswith(str(path))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
