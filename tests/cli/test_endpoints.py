"""Turns that an endpoint answers: what the configuration names is asked, watched and stopped."""

import json
import os
import threading
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spark_tui.engine.backend import Backend
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.session.events import Token
from spark_tui.session.session import Session
from spark_tui.session.turn import Request
from spark_tui.vcs.repository import Repository
from tests.cli.conftest import MakeRepo, Spark, UseScripts
from tests.fakes import edit_script, git, scripted
from tests.providers.scripted_server import (
    Handler,
    ScriptedServer,
    Turn,
    drips,
    is_endless,
    is_silent,
    refuses,
    says,
    serving,
)

KEY = "sk-very-secret-0123456789"
AREA = "def area(w, h):\n    return w + h\n"
RIGHT = AREA.replace("+", "*")
ANSWER = f"```python\n{RIGHT}```\n"
Configured = Callable[[ScriptedServer], Path]


@pytest.fixture
def configured(
    use_scripts: UseScripts, repo: MakeRepo, state: Path, monkeypatch: pytest.MonkeyPatch
) -> Configured:
    """Names a server in the user's configuration; gives the repository.

    The model of this process writes otherwise.
    """
    use_scripts({"this should multiply": edit_script(AREA, AREA.replace("+", "-"))})
    monkeypatch.setenv("BIG_KEY", KEY)

    def name(server: ScriptedServer) -> Path:
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        lines = ["[models.big]", f'base_url = "{server.base_url}"', 'model = "m"']
        config.write_text("\n".join([*lines, 'key_env = "BIG_KEY"', "probe = false", ""]))
        assert not state.is_file()
        return repo({"a.py": AREA})

    return name


def ask(spark: Spark, folder: Path, *more: str, words: str = "this should multiply"):  # type: ignore[no-untyped-def]
    return spark("exec", words, "--at", "a.py::area", "-C", folder, *more)


def test_an_endpoint_that_the_configuration_names_answers(
    spark: Spark, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Backend, "may_be_built", property(lambda _: True))
    monkeypatch.setattr(Backend, "build", lambda _: pytest.fail("nothing is computed here"))
    with serving(says(ANSWER)) as server:
        folder = configured(server)
        done = ask(spark, folder, "-m", "big", "--apply")
        assert (done.code, (folder / "a.py").read_text()) == (0, RIGHT), done.err
        assert server.keys == [f"Bearer {KEY}"]
        assert done.out == "" or KEY not in done.out
        assert spark("undo", "-C", folder).code == 0
        assert (folder / "a.py").read_text() == AREA


def test_without_its_name_the_model_of_this_process_answers(
    spark: Spark, configured: Configured
) -> None:
    with serving(says(ANSWER)) as server:
        done = ask(spark, configured(server))
        assert ("+    return w - h" in done.out, server.requests) == (True, [])


def test_a_busy_server_is_said_and_waited_for(spark: Spark, configured: Configured) -> None:
    with serving(refuses(429, Retry_After="0"), says(ANSWER)) as server:
        done = ask(spark, configured(server), "-m", "big")
        assert done.code == 0, done.err
        assert "big is busy (429)" in done.err


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_refusal_is_one_line_and_nothing_is_written(
    spark: Spark, configured: Configured, status: int
) -> None:
    with serving(refuses(status)) as server:
        folder = configured(server)
        done = ask(spark, folder, "-m", "big", "--apply")
        assert (done.code != 0, git(folder, "status", "--porcelain")) == (True, b"")
        assert "Traceback" not in done.err
        assert KEY not in done.err
        assert [
            line for line in done.err.splitlines() if str(status) in line
        ] == done.err.splitlines()[-1:]


@pytest.mark.parametrize("path", ["", "/api", "/v1/completions"])
def test_an_address_without_v1_is_told_with_the_one_that_answers(
    spark: Spark, configured: Configured, path: str
) -> None:
    def turn(handler: Handler) -> None:
        there = handler.path == "/v1/chat/completions"
        (says(ANSWER) if there else refuses(404))(handler)

    with serving(turn) as server:
        server.root = "/v1/models"
        folder = configured(server)
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        settings = config.read_text()
        wrong = server.base_url.removesuffix("/v1") + path
        config.write_text(settings.replace(server.base_url, wrong))
        done = ask(spark, folder, "-m", "big")
        assert done.code == 2
        assert f'write base_url = "{server.base_url}" in [models.big] of config.toml' in done.err
        assert KEY not in done.err
        config.write_text(settings)
        assert ask(spark, folder, "-m", "big").code == 0


def test_an_address_that_nothing_answers_at_is_told_what_it_lacks(
    spark: Spark,
    configured: Configured,
) -> None:
    with serving(refuses(404)) as server:
        folder = configured(server)
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        config.write_text(config.read_text().replace("/v1", ""))
        server.root = "/nothing"
        done = ask(spark, folder, "-m", "big")
        assert (done.code, "base_url mostly ends in /v1" in done.err) == (2, True)


@pytest.mark.parametrize("command", ["model add", "exec x --at a.py -m", "-m"])
@pytest.mark.parametrize(
    ("address", "base_url"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1"),
        ("https://api.example.com/openai/chat/completions", "https://api.example.com/openai"),
    ],
)
def test_an_address_in_the_place_of_a_model_is_told_with_lines_to_paste(
    spark: Spark,
    repo: MakeRepo,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    address: str,
    base_url: str,
) -> None:
    monkeypatch.chdir(repo({"a.py": AREA}))
    done = spark(*command.split(), address)
    assert done.code == 2
    *_, head, table, url, model = done.err.splitlines()
    assert head.endswith("for example:")
    assert (table, url) == ("[models.big]", f'base_url = "{base_url}"')
    assert tomllib.loads("\n".join([table, url, model]))["models"]["big"]["model"]


@pytest.mark.parametrize(
    "script",
    ["-    return w + h\n+    return w * h\n", "rename w width\n", "none\n", "### Edit\nx\n"],
)
@pytest.mark.parametrize("form", ["rewrite", "search_replace"])
def test_a_model_that_quotes_as_a_chat_model_is_told_with_its_format(
    spark: Spark, configured: Configured, script: str, form: str
) -> None:
    with serving(says(script)) as server:
        folder = configured(server)
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        config.write_text(config.read_text() + f'format = "{form}"\n')
        done = ask(spark, folder, "-m", "big", "--apply")
        hinted = 'write format = "quoting" into [models.big] of config.toml' in done.err
        edited = (folder / "a.py").read_text() == RIGHT
        assert hinted != edited
        assert (folder / "a.py").read_text() in (AREA, RIGHT)


@pytest.mark.parametrize("words", ["- It is fine.\n- It adds.\n", "None.\n", "+ one\n"])
def test_points_of_a_list_are_words_and_no_script(
    spark: Spark,
    configured: Configured,
    words: str,
) -> None:
    with serving(says(words)) as server:
        done = ask(spark, configured(server), "-m", "big")
        assert (done.code, "quoting" in done.err) == (3, False)


def test_models_are_listed_with_the_endpoints(spark: Spark, configured: Configured) -> None:
    with serving(says(ANSWER)) as server:
        configured(server)
        listed = spark("model", "list").out
        assert f"big (endpoint)  {server.base_url}" in listed


@pytest.fixture
def session_on(
    tmp_path: Path, repo: MakeRepo
) -> Iterator[Callable[[Turn], tuple[Session, ScriptedServer]]]:
    """Makes a session whose turns a server answers."""
    open_servers = []

    def make(turn: Turn) -> tuple[Session, ScriptedServer]:
        running = serving(turn)
        server = running.__enter__()
        remote = Remote(Server(server.endpoint()))
        open_servers.append((running, remote))
        found = Repository.discover(repo({"a.py": AREA}))
        return Session(
            found, scripted(tmp_path / "tiny", {}), tmp_path / "state", remote=remote
        ), server

    yield make
    for running, remote in open_servers:
        remote.close()
        running.__exit__(None, None, None)


def test_a_pause_holds_while_a_server_is_silent_and_discarding_hangs_up(
    session_on: Callable[[Turn], tuple[Session, ScriptedServer]],
) -> None:
    session, server = session_on(is_silent(begun=True))
    turn = session.begin(Request("this should multiply", path="a.py", symbol="area"))
    number = session.runner.start(turn.events(), lambda _: None, lambda _: None)
    assert server.came.acquire(timeout=20)
    session.runner.pause(number)
    assert session.runner.wait_stopped(20)
    assert session.runner.last_stop_ms is not None
    session.runner.cancel(number)
    assert session.runner.wait(20)
    assert server.left.acquire(timeout=20)


def test_a_turn_that_drips_is_paused_and_goes_on_without_losing_a_piece(
    session_on: Callable[[Turn], tuple[Session, ScriptedServer]],
) -> None:
    go = threading.Semaphore(0)
    session, _ = session_on(
        drips(["```python\n", *AREA.replace("+", "*").splitlines(keepends=True), "```\n"], go)
    )
    turn = session.begin(Request("this should multiply", path="a.py", symbol="area"))
    events = turn.events()
    go.release(2)
    while not isinstance(next(events), Token):
        pass
    go.release(9)
    list(events)
    assert [hunk.new_lines for hunk in turn.hunks] == [("    return w * h",)]


def test_bytes_that_are_not_utf_8_keep_no_endpoint_from_answering(
    spark: Spark, configured: Configured
) -> None:
    old = b"def area(w, h):  # caf\xe9\n    return w + h\n"
    new = old.replace(b"+", b"*")
    with serving(says(f"```python\n{new.decode('utf-8', 'replace')}```\n")) as server:
        folder = configured(server)
        (folder / os.fsdecode(b"bad\xe9.py")).write_bytes(b"def area_of_it():\n    return 1\n")
        (folder / "latin.py").write_bytes(b"class Ar\xe9a:\n    pass\n")
        (folder / "a.py").write_bytes(old)
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "Latin")
        done = ask(
            spark,
            folder,
            "-m",
            "big",
            "--apply",
            words=os.fsdecode(b"caf\xe9: this should multiply"),
        )
        assert done.code == 0, done.err
        assert (folder / "a.py").read_bytes() == new
        assert "bad" not in server.requests[0]["messages"][1]["content"]


def test_doctor_tells_what_an_endpoint_takes_and_the_next_request_makes_use_of_it(
    spark: Spark,
    configured: Configured,
) -> None:
    def turn(handler: Handler) -> None:
        body = handler.server.requests[-1]
        if "max_tokens" in body:
            refuses(400, {"error": "max_tokens is not supported"})(handler)
        elif body["stream"]:
            says(ANSWER)(handler)
        else:
            told = {"choices": [{"message": {"content": "x"}, "finish_reason": "length"}]}
            refuses(200, told)(handler)

    with serving(turn) as server:
        folder = configured(server)
        done = spark("doctor", "-m", "big", "--json", "-C", folder)
        table = json.loads(done.out)["abilities"]
        assert (table["max_tokens"], table["max_completion_tokens"]) == (False, True), done.err
        assert set(table.values()) <= {True, False, None}
        asked = len(server.requests)
        assert ask(spark, folder, "-m", "big").code == 0
        assert len(server.requests) == asked + 1
        assert "max_completion_tokens" in server.requests[-1]
        lines = spark("doctor", "-m", "big", "-C", folder).out
        assert "  max_tokens              no       a bound on the tokens of an answer" in lines
        assert "note  missed       no log-probabilities: an edit is shown as unsure" in lines
        assert "note  missed       no going on: an answer that broke off" in lines
        assert "no grammar" not in lines
        assert KEY not in lines


@pytest.mark.parametrize("takes", [True, False])
def test_a_seed_that_the_settings_switch_is_shown_by_doctor_and_sent_unless_off(
    spark: Spark, configured: Configured, monkeypatch: pytest.MonkeyPatch, takes: bool
) -> None:
    def turn(handler: Handler) -> None:
        if handler.body["stream"]:
            says(ANSWER)(handler)
        elif takes and "seed" in handler.body:  # the probe finds the opposite of the settings
            refuses(400, {"error": "no"})(handler)
        else:
            told = {"choices": [{"message": {"content": "x"}, "finish_reason": "length"}]}
            refuses(200, told)(handler)

    monkeypatch.setenv("SPARK_TEMPERATURE", "0.5")
    with serving(turn) as server:
        folder = configured(server)
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        switch = f"[models.big.abilities]\nseed = {str(takes).lower()}\n"
        config.write_text(config.read_text() + switch)
        lines = spark("doctor", "-m", "big", "-C", folder).out
        assert f"  seed                    {'yes' if takes else 'no ':<9}a seed:" in lines
        assert ask(spark, folder, "-m", "big").code == 0
        assert ("seed" in server.requests[-1]) is takes


@pytest.mark.parametrize("doctored", [True, False])
def test_an_endpoint_is_asked_what_it_takes_where_doctor_did_not_ask(
    spark: Spark,
    configured: Configured,
    doctored: bool,
) -> None:
    def turn(handler: Handler) -> None:
        if handler.body["stream"] and handler.body["messages"][-1]["content"].endswith("multiply"):
            says(ANSWER)(handler)
        else:
            told = {"choices": [{"message": {"content": "x"}, "finish_reason": "length"}]}
            refuses(200, told)(handler)

    with serving(turn) as server:
        folder = configured(server)
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        config.write_text(config.read_text().replace("probe = false\n", ""))
        if doctored:
            assert spark("doctor", "-m", "big", "-C", folder).code == 0
        asked = len(server.requests)
        assert ask(spark, folder, "-m", "big").code == 0
        assert (len(server.requests) > asked + 1) is not doctored


def test_doctor_says_why_an_endpoint_does_not_answer(spark: Spark, configured: Configured) -> None:
    with serving(refuses(401)) as server:
        done = spark("doctor", "-m", "big", "-C", configured(server))
        assert done.code == 1
        assert "FAIL  endpoint     big rejects the key in $BIG_KEY (401)" in done.out
        body = json.loads(spark("doctor", "-m", "big", "--json", "-C", configured(server)).out)
        assert set(body["abilities"].values()) == {None}


def test_doctor_sends_nothing_unless_an_endpoint_is_named(
    spark: Spark,
    configured: Configured,
) -> None:
    with serving(says(ANSWER)) as server:
        folder = configured(server)
        done = spark("doctor", "--json", "-C", folder)
        assert "abilities" not in json.loads(done.out)
        assert server.requests == []


def test_the_facts_of_an_endpoint_are_those_of_the_settings_without_the_key(
    spark: Spark, configured: Configured
) -> None:
    with serving(says(ANSWER)) as server:
        configured(server)
        facts = json.loads(spark("model", "info", "big", "--json").out)
        assert (facts["name"], facts["base_url"]) == ("big", server.base_url)
        assert (facts["model"], facts["key_env"], facts["edits"]) == ("m", "BIG_KEY", True)
        text = spark("model", "info", "big").out
        assert server.base_url in text
        assert "`spark doctor -m big`" in text
        assert KEY not in text
        assert server.requests == []


@pytest.mark.parametrize("text", [b"\xff", b"[models.big\n"])
def test_kind_15_a_model_is_not_told_to_be_unknown_where_the_settings_cannot_be_read(
    spark: Spark, configured: Configured, text: bytes
) -> None:
    with serving(says(ANSWER)) as server:
        folder = configured(server)
    path = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
    path.write_bytes(text)
    done = spark("exec", "multiply", "--at", "a.py::area", "-m", "big", "-C", folder)
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert str(path) in line
    doctor = spark("doctor", "-m", "big", "-C", folder)
    assert str(path) in doctor.out
    assert "there is no model" not in doctor.out
    assert not any(line.split()[1:2] == ["model"] for line in doctor.out.splitlines())


@pytest.mark.parametrize("setting", ["silence", "longest"])
@pytest.mark.parametrize(
    ("begin", "again"),
    [(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), (b"HTTP/1.1 200 ", b"O")],
    ids=["interim responses", "a status line"],
)
def test_kind_14_an_answer_without_headers_is_given_up_by_exec_and_by_doctor(
    spark: Spark, configured: Configured, begin: bytes, again: bytes, setting: str
) -> None:
    with serving(is_endless(begin, again)) as server:
        folder = configured(server)
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        config.write_text(f"{config.read_text()}{setting} = 0.3\n")
        remedy = f"raise {setting} of [models.big] in config.toml"
        done = ask(spark, folder, "-m", "big", "--apply")
        assert done.code == 75
        assert remedy in done.err
        assert "Traceback" not in done.err
        assert (folder / "a.py").read_text() == AREA
        done = spark("doctor", "-m", "big", "-C", folder)
        assert done.code == 1
        assert remedy in done.out
