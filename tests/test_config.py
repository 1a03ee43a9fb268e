"""Settings: which source wins, and what is said about a wrong one."""

import os
import sys
import tomllib
from pathlib import Path

import pytest

from spark_tui.config import cache_dir, config_dir, data_dir, load_settings, save_theme, state_dir
from spark_tui.errors import FileError, Mistakes, Problems, UsageError


def _env(home: Path, config: str = "", **variables: str) -> dict[str, str]:
    folder = home / ".config" / "spark"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(config)
    return {"HOME": str(home), **variables}


def test_flags_win_over_variables_and_variables_over_the_file(tmp_path: Path) -> None:
    env = _env(
        tmp_path, 'theme = "file"\nseed = 1\nmax_tokens = 7\n', SPARK_SEED="2", SPARK_MAX_TOKENS="8"
    )
    settings = load_settings({"max_tokens": 9, "theme": None}, env=env)
    assert (settings.theme, settings.seed, settings.max_tokens) == ("file", 2, 9)


def test_a_byte_order_mark_before_the_settings_is_skipped(tmp_path: Path) -> None:
    env = _env(tmp_path, "\ufeffseed = 3\n")
    project = tmp_path / "project.toml"
    project.write_text("\ufeffmax_tokens = 9\n", encoding="utf-8")
    settings = load_settings(env=env, project=project)
    assert (settings.seed, settings.max_tokens) == (3, 9)


@pytest.mark.parametrize("text", [b"\xff", b"seed = 3 # \xe9\n", "seed = 3\n".encode("utf-16")])
def test_kind_15_settings_that_are_not_utf_8_are_refused_with_the_byte(
    tmp_path: Path, text: bytes
) -> None:
    env = _env(tmp_path, "")
    path = next(tmp_path.rglob("config.toml"))
    path.write_bytes(text)
    place = next(number for number, byte in enumerate(text) if byte > 127)
    with pytest.raises(UsageError) as caught:
        load_settings(env=env)
    byte = f"byte 0x{text[place]:02x} at {place}"
    assert str(caught.value) == f"{path} is not UTF-8 ({byte}); save it as UTF-8"


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(env={"HOME": str(tmp_path)}).model == "spark-m"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ('seed = 1\nthem = "x"\n', "config.toml:2: unknown key 'them'; the nearest is 'theme'"),
        (
            "\n[modles.big]\nformat = 'rewrite'\n",
            "config.toml:2: unknown key 'modles'; the nearest is 'models'",
        ),
        ('\nseed = "one"\n', "config.toml:2: seed must be a whole number, not 'one'"),
        ("mouse = 1\n", "config.toml:1: mouse must be true or false, not 1"),
        ("keys = 3\n", "config.toml:1: [keys] must be a table of texts"),
        ("\n[keys]\nhunk.accept = 3\n", "config.toml:3: keys.hunk.accept must be a text, not 3"),
        ("seed = \n", "cannot be read as TOML"),
        ("seed = " + "[" * 9000, "cannot be read as TOML"),
    ],
)
def test_a_wrong_file_is_reported_with_its_place(tmp_path: Path, config: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        load_settings(env=_env(tmp_path, config))
    assert message in str(error.value)


@pytest.mark.parametrize(("written", "pace"), [("12", "12"), ("0.5", "0.5"), ('"wse3"', "wse3")])
def test_a_pace_is_a_text_or_a_number(tmp_path: Path, written: str, pace: str) -> None:
    assert load_settings(env=_env(tmp_path, f"pace = {written}\n")).pace == pace


def test_mistakes_are_told_by_file_and_line_and_those_in_no_file_last(tmp_path: Path) -> None:
    problems = Problems()
    for words in [
        "$SPARK_BITS: wrong",
        "/b.toml:1: x",
        "/a.toml:10: x",
        "/a.toml:9: see /c.toml:1: y",
        "/a.toml: z",
    ]:
        with problems.collected():
            raise UsageError(words)
    order = [
        "/a.toml: z",
        "/a.toml:9: see /c.toml:1: y",
        "/a.toml:10: x",
        "/b.toml:1: x",
        "$SPARK_BITS: wrong",
    ]
    assert problems.found == order
    with pytest.raises(UsageError, match=r"^/a.toml: z; /a.toml:9"):
        problems.tell()


def test_of_many_mistakes_the_first_ten_are_told_and_how_many_more_there_are(
    tmp_path: Path,
) -> None:
    with pytest.raises(Mistakes) as error:
        load_settings(env=_env(tmp_path, "".join(f"wrong{number} = 1\n" for number in range(13))))
    assert [f"config.toml:{line}: " in each for line, each in enumerate(error.value.each, 1)] == [
        True
    ] * 10 + [False]
    assert error.value.each[-1] == "and 3 more; `spark doctor` shows all"


def test_all_that_is_wrong_in_all_files_and_variables_is_told_at_once(tmp_path: Path) -> None:
    project = tmp_path / "project.toml"
    project.write_text("mouse = 1\n")
    env = _env(tmp_path, "seed = \n", SPARK_BITS="three")
    with pytest.raises(UsageError) as error:
        load_settings(env=env, project=project)
    told = [
        "config.toml: cannot be read as TOML",
        "project.toml:1: mouse must be",
        "$SPARK_BITS: bits must be",
    ]
    assert [words for words in told if words not in str(error.value)] == []


def test_what_is_wrong_is_left_out_where_somebody_else_tells_of_it(tmp_path: Path) -> None:
    problems = Problems()
    settings = load_settings(
        env=_env(tmp_path, 'seed = "one"\nbits = 4\n[keys]\nquit = 7\nhelp = "H"'),
        problems=problems,
    )
    assert (settings.seed, settings.bits, dict(settings.keys)) == (0, 4, {"help": "H"})
    assert [":1: seed" in problems.found[0], ":4: keys.quit" in problems.found[1]] == [True, True]


def test_a_whole_number_will_do_for_a_fraction_and_a_table_for_keys(tmp_path: Path) -> None:
    settings = load_settings(
        env=_env(tmp_path, 'temperature = 1\n[keys]\naccept = "y"\n', SPARK_MOUSE="false")
    )
    assert (settings.temperature, dict(settings.keys), settings.mouse) == (
        1.0,
        {"accept": "y"},
        False,
    )


def test_folders_follow_xdg_and_ignore_relative_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    env = {"HOME": "/h", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "relative"}
    assert (config_dir(env), state_dir(env), cache_dir(env)) == (
        Path("/h/.config/spark"),
        Path("/s/spark"),
        Path("/h/.cache/spark"),
    )


def test_on_macos_folders_are_in_the_library(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": "/s"}
    support = tmp_path / "Library" / "Application Support" / "spark"

    assert (config_dir(env), data_dir(env)) == (support, support)
    assert cache_dir(env) == tmp_path / "Library" / "Caches" / "spark"
    assert state_dir(env) == Path("/s/spark")


def test_on_macos_a_folder_as_on_linux_stays_in_use(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    (tmp_path / ".config" / "spark").mkdir(parents=True)

    assert config_dir({"HOME": str(tmp_path)}) == tmp_path / ".config" / "spark"


def test_the_project_s_file_wins_over_the_user_s_and_loses_to_variables(tmp_path: Path) -> None:
    env = _env(tmp_path, 'theme = "user"\nseed = 1\n', SPARK_SEED="3")
    project = tmp_path / "project.toml"
    project.write_text('theme = "project"\nseed = 2\n')
    settings = load_settings(env=env, project=project)

    assert (settings.theme, settings.seed) == ("project", 3)


def test_every_setting_that_is_no_default_tells_where_it_comes_from(tmp_path: Path) -> None:
    config = 'theme = "file"\n[keys]\n"hunk.accept" = "x"\nhunk.reject = "z"\n'
    settings = load_settings(
        {"max_tokens": 9}, env=_env(tmp_path, config, SPARK_SEED="2", SPARK_PLAIN="1")
    )
    file = tmp_path / ".config" / "spark" / "config.toml"

    assert dict(settings.keys) == {"hunk.accept": "x", "hunk.reject": "z"}
    assert dict(settings.sources) == {
        "theme": f"{file}:1",
        "keys": f"{file}:2",
        "keys.hunk.accept": f"{file}:3",
        "keys.hunk.reject": f"{file}:4",
        "seed": "$SPARK_SEED",
        "plain": "$SPARK_PLAIN",
        "max_tokens": "--max-tokens",
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'theme = "ansi"\n'),
        ("seed = 1  # why\n", 'theme = "ansi"\nseed = 1  # why\n'),
        ('seed=1\r\ntheme="a" # "b"\r\n', 'seed=1\r\ntheme="ansi" # "b"\r\n'),
        ("theme = 'a'", 'theme = "ansi"'),
        ("\ufeffseed = 1\n", '\ufefftheme = "ansi"\nseed = 1\n'),
        ("# mine\n\n[keys]\ntheme = 'x'\n", "theme = \"ansi\"\n# mine\n\n[keys]\ntheme = 'x'\n"),
    ],
)
def test_a_theme_that_is_kept_leaves_everything_else_as_it_was(
    tmp_path: Path, before: str, after: str
) -> None:
    path = tmp_path / "spark" / "config.toml"
    if before:
        path.parent.mkdir()
        path.write_bytes(before.encode())
    save_theme(path, "ansi")
    assert path.read_bytes().decode() == after
    assert tomllib.loads(after.removeprefix("\ufeff"))["theme"] == "ansi"


@pytest.mark.parametrize("before", ['theme = """\nansi"""\n', "theme = \n"])
def test_a_theme_that_is_not_on_one_line_is_left_to_its_author(tmp_path: Path, before: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(before)
    with pytest.raises(UsageError, match="change theme there by hand"):
        save_theme(path, "spark-light")
    assert path.read_text() == before


def test_a_linked_file_stays_a_link_and_keeps_its_permissions(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.toml", tmp_path / "config.toml"
    real.write_text("theme = 'a'\n")
    real.chmod(0o600)
    link.symlink_to(real)
    save_theme(link, "ansi")
    assert link.is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o777) == ('theme = "ansi"\n', 0o600)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match="the theme was not saved"):
        save_theme(tmp_path / "config.toml", "ansi")
