"""`[agents.NAME]` in config.toml: what is read, and what is said of mistakes."""

import tomllib
from pathlib import Path

import pytest

from spark_tui.config import Agent, Settings, defaults, load_settings
from spark_tui.errors import Problems, UsageError

ROOT = Path(__file__).parent.parent
WHOLE = """
[agents.vibe]
command = "vibe-acp"
args = ["--verbose"]
env = ["MISTRAL_API_KEY"]
confined = false
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


def test_an_agent_is_read_whole(tmp_path: Path) -> None:
    assert settings(tmp_path, WHOLE).agents == {
        "vibe": Agent("vibe", "vibe-acp", ("--verbose",), ("MISTRAL_API_KEY",), confined=False)
    }


def test_a_command_is_enough(tmp_path: Path) -> None:
    found = settings(tmp_path, '[agents]\ncodex = { command = "codex-acp" }\n').agents
    assert found == {"codex": Agent("codex", "codex-acp")}


def test_agents_are_no_setting_that_a_variable_changes() -> None:
    assert "agents" not in defaults()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("agents = 3\n", ":1: agents needs tables such as [agents.vibe]"),
        ("[agents]\nvibe = 3\n", ":2: agents.vibe must be a table"),
        ("[agents.vibe]\nargs = []\n", ":1: agents.vibe lacks command"),
        ("[agents.vibe]\ncomand = 'x'\n", ":2: agents.vibe: unknown key 'comand'; the nearest is"),
        ("[agents.vibe]\ncommand = ''\n", ":2: agents.vibe.command must be the name or the path"),
        ("[agents.vibe]\ncommand = ['x']\n", ":2: agents.vibe.command must be"),
        ("[agents.v]\ncommand = 'x'\nargs = 'y'\n", ":3: agents.v.args must be a list of texts"),
        ("[agents.v]\ncommand = 'x'\nargs = [1]\n", ":3: agents.v.args must be"),
        ("[agents.v]\ncommand = 'x'\nenv = ['K=1']\n", ":3: agents.v.env must be a list of names"),
        ("[agents.v]\ncommand = 'x'\nconfined = 1\n", ":3: agents.v.confined must be true or"),
        ("[agents.'a b']\ncommand = 'x'\n", "agents.a b: a name has letters, digits, - and _"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        settings(tmp_path, text)
    assert told in str(error.value)


def test_other_agents_stay(tmp_path: Path) -> None:
    problems = Problems()
    found = settings(tmp_path, f"{WHOLE}[agents.bad]\nargs = []\n", problems=problems)
    assert set(found.agents) == {"vibe"}
    assert len(problems.found) == 1


def test_a_repository_names_no_agents(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"agents go in your own config\.toml only"):
        settings(tmp_path, WHOLE, project=True)


def test_the_tables_of_the_examples_can_be_copied(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "agents.md").read_text("utf-8")
    tables = [part.partition("```")[0] for part in text.split("```toml\n")[1:]]
    assert tables
    whole = "".join(tables)
    assert set(tomllib.loads(whole)["agents"]) == {"vibe", "codex", "claude", "gemini", "opencode"}
    assert set(settings(tmp_path, whole).agents) >= {"vibe"}
