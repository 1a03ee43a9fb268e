"""`[models.NAME]` in config.toml: what is read, and what is said of mistakes."""

from pathlib import Path

import pytest

from spark_tui.config import Endpoint, Settings, defaults, load_settings
from spark_tui.errors import Problems, UsageError

WHOLE = """
[models.big]
base_url = "https://api.example.org/v1/"
model = "coder-large"
key_env = "EXAMPLE_KEY"
format = "search_replace"
context = 131072
price_in = 2
price_out = 8.5
"""


def settings(
    tmp_path: Path, text: str, *, project: bool = False, problems: Problems | None = None
) -> Settings:
    path = tmp_path / ("repo" if project else "spark") / "config.toml"
    path.parent.mkdir()
    path.write_text(text)
    return load_settings(
        env={"XDG_CONFIG_HOME": str(tmp_path)}, project=path if project else None, problems=problems
    )


def test_an_endpoint_is_read_whole(tmp_path: Path) -> None:
    assert settings(tmp_path, WHOLE).models == {
        "big": Endpoint(
            "big",
            "https://api.example.org/v1",
            "coder-large",
            "EXAMPLE_KEY",
            "search_replace",
            131072,
            2.0,
            8.5,
        )
    }


def test_what_a_server_takes_can_be_told_in_a_table_of_its_own(tmp_path: Path) -> None:
    more = "[models.big.abilities]\nprediction = true\ntemperature = false\n"
    found = settings(tmp_path, f"{WHOLE}thinking = 'off'\n{more}").models["big"]
    assert dict(found.abilities) == {"prediction": True, "temperature": False}
    assert found.thinking == "off"


def test_two_lines_are_enough(tmp_path: Path) -> None:
    found = settings(
        tmp_path, '[models]\nlocal = { base_url = "http://localhost:8080/v1", model = "m" }\n'
    ).models
    assert found["local"] == Endpoint("local", "http://localhost:8080/v1", "m")


def test_endpoints_are_no_setting_that_a_variable_or_the_settings_screen_changes() -> None:
    assert "models" not in defaults()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("model = 3", "config.toml:4: models.a.model must be a text"),
        ("modell = 'm'", "config.toml:4: models.a: unknown key 'modell'; the nearest is 'model'"),
        (
            "api_key = 'sk-secret'",
            "config.toml:4: models.a: unknown key 'api_key'; the nearest is 'key_env'",
        ),
        (
            "key_env = 'sk-secret'",
            "models.a.key_env must be the name of an environment variable, not the key itself",
        ),
        (
            "format = 'diff'",
            "config.toml:4: models.a.format: choose one of rewrite, search_replace",
        ),
        ("context = 0", "config.toml:4: models.a.context must be a whole number from 1"),
        ("context = true", "config.toml:4: models.a.context must be a whole number"),
        ("map = -1", "config.toml:4: models.a.map must be a whole number from 0"),
        ("thinking = 'much'", "models.a.thinking: choose one of on, low, off"),
        (
            "abilities = { temprature = false }",
            "unknown key 'temprature' of models.a.abilities; the nearest is 'temperature'",
        ),
        ("probe = 1", "config.toml:4: models.a.probe must be true or false"),
        ("abilities = { seed = 1 }", "models.a.abilities.seed must be true or false"),
        ("abilities = 'all'", "models.a.abilities must be a table"),
        ("price_in = -1", "config.toml:4: models.a.price_in must be a number from 0"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_never_shows_a_key(
    tmp_path: Path, line: str, message: str
) -> None:
    model = "" if line.startswith("model =") else "model = 'm'"
    with pytest.raises(UsageError) as caught:
        settings(tmp_path, f"[models.a]\nbase_url = 'http://h/v1'\n{model}\n{line}\n")
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "h/v1",
        "ftp://h",
        "http://",
        "https://u:secret@h/v1",
        "https://h/v1?key=secret",
        "http://h:x",
    ],
)
def test_an_address_is_an_address_and_nothing_else(tmp_path: Path, url: str) -> None:
    with pytest.raises(UsageError, match=r"config\.toml:2: models\.a\.base_url") as caught:
        settings(tmp_path, f"[models.a]\nbase_url = '{url}'\nmodel = 'm'\n")
    assert "secret" not in str(caught.value)


def test_what_is_missing_is_named_and_other_endpoints_stay(tmp_path: Path) -> None:
    problems = Problems()
    found = settings(tmp_path, "[models.a]\nmodel = 'm'\n" + WHOLE, problems=problems).models
    assert [each.rpartition(":")[2] for each in problems.found] == [" models.a lacks base_url"]
    assert list(found) == ["big"]


def test_a_repository_names_no_endpoints(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"repo/config\.toml:2: endpoints go in your own config\.toml only"
    ):
        settings(tmp_path, WHOLE, project=True)
