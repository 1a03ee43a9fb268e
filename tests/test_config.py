"""Settings: which source wins, and what is said about a wrong one."""

from pathlib import Path

import pytest

from spark_tui.config import cache_dir, config_dir, load_settings, state_dir
from spark_tui.errors import UsageError


def _env(home: Path, config: str = "", **variables: str) -> dict[str, str]:
    folder = home / ".config" / "spark"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(config)
    return {"HOME": str(home), **variables}


def test_flags_win_over_variables_and_variables_over_the_file(tmp_path: Path) -> None:
    env = _env(tmp_path, 'theme = "file"\nseed = 1\nmax_tokens = 7\n', SPARK_SEED="2", SPARK_MAX_TOKENS="8")
    settings = load_settings({"max_tokens": 9, "theme": None}, env=env)
    assert (settings.theme, settings.seed, settings.max_tokens) == ("file", 2, 9)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(env={"HOME": str(tmp_path)}).model == "spark-s"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ('seed = 1\nthem = "x"\n', "config.toml:2: unknown key 'them'; the nearest is 'theme'"),
        ('\nseed = "one"\n', "config.toml:2: seed wants a whole number, not 'one'"),
        ("mouse = 1\n", "config.toml:1: mouse wants true or false, not 1"),
        ("\n[keys]\naccept = 3\n", "config.toml:2: [keys] wants a table of texts"),
        ("seed = \n", "cannot be read as TOML"),
    ],
)
def test_a_wrong_file_is_reported_with_its_place(tmp_path: Path, config: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        load_settings(env=_env(tmp_path, config))
    assert message in str(error.value)


def test_a_wrong_variable_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\$SPARK_SEED: seed wants a whole number"):
        load_settings(env=_env(tmp_path, SPARK_SEED="many"))


def test_a_whole_number_will_do_for_a_fraction_and_a_table_for_keys(tmp_path: Path) -> None:
    settings = load_settings(env=_env(tmp_path, 'temperature = 1\n[keys]\naccept = "y"\n', SPARK_MOUSE="false"))
    assert (settings.temperature, dict(settings.keys), settings.mouse) == (1.0, {"accept": "y"}, False)


def test_folders_follow_xdg_and_ignore_relative_values() -> None:
    env = {"HOME": "/h", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "relative"}
    assert (config_dir(env), state_dir(env), cache_dir(env)) == (
        Path("/h/.config/spark"),
        Path("/s/spark"),
        Path("/h/.cache/spark"),
    )


def test_the_project_s_file_wins_over_the_user_s_and_loses_to_variables(tmp_path: Path) -> None:
    env = _env(tmp_path, 'theme = "user"\nseed = 1\n', SPARK_SEED="3")
    project = tmp_path / "project.toml"
    project.write_text('theme = "project"\nseed = 2\n')
    settings = load_settings(env=env, project=project)

    assert (settings.theme, settings.seed) == ("project", 3)
