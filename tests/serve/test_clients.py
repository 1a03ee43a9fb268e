"""spark's own commands as clients: the same patch with and without a server, and nothing lost."""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pytest

from spark_tui.cli.common import open_session
from spark_tui.config import load_settings
from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.loader import LoadedModel
from spark_tui.engine.model import Model
from spark_tui.session.events import Status
from spark_tui.session.request import Request
from tests.cli.conftest import Done, MakeRepo, Spark
from tests.fakes import edit_script, rename_script, scripted
from tests.providers.chat_models import chat_model
from tests.serve.conftest import Server, StartServer

AREA = "def area(w, h):\n    both = w + h\n    return both\n"
SCRIPTS = {
    "multiply": edit_script(AREA, AREA.replace("+", "*")),
    "rename w": rename_script("w", "width"),
    "rewrite": edit_script(AREA, AREA.replace("both = w + h\n    return both", "return w * h")),
    "nought": ("none",),
}
GONE = "going on in this process"


@pytest.fixture(autouse=True)
def _socket(socket_place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_SERVE", str(socket_place))


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoadedModel:
    """The model that clients load for themselves."""
    loaded = scripted(tmp_path / "model", SCRIPTS)
    monkeypatch.setattr("spark_tui.engine.loader.find_model", lambda name=None: loaded.path)
    monkeypatch.setattr("spark_tui.engine.loader.load", lambda path, backend=None: loaded)
    return loaded


@pytest.fixture
def start_same(
    own: LoadedModel, state: Path, start: StartServer, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Server]:
    """Starts a server on the model that clients have, too."""

    def begin(before_step: Callable[[], None] | None = None) -> Server:
        loaded = own
        if before_step is not None:
            loaded = scripted(own.path, SCRIPTS, before_step)
        return start(loaded, settings=load_settings())

    return begin


@pytest.fixture
def folder(repo: MakeRepo) -> Path:
    """A repository with one function."""
    return repo({"a.py": AREA, "b.py": "x = 1\n"})


@pytest.fixture
def no_model_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets no client load a model."""

    def load(*_: object) -> LoadedModel:
        raise AssertionError("a model is loaded")

    monkeypatch.setattr("spark_tui.engine.loader.load", load)


def patches(spark: Spark, folder: Path, *options: str) -> list[Done]:
    """What `spark exec` prints for each of the scripts."""
    return [spark("exec", words, "--at", "a.py", "-q", "-C", folder, *options) for words in SCRIPTS]


def facts(done: Done) -> dict[str, object]:
    """The object of a turn, but for the times."""
    body: dict[str, object] = json.loads(done.out)
    timing = body["timing"]
    assert isinstance(timing, dict)
    body["timing"] = timing["prompt_tokens"]
    return body


def test_the_patch_is_the_same_with_and_without_a_server(
    spark: Spark, folder: Path, start_same: Callable[..., Server], request: pytest.FixtureRequest
) -> None:
    alone = patches(spark, folder)
    start_same()
    by_itself = patches(spark, folder, "--no-serve")
    request.getfixturevalue("no_model_here")
    assert patches(spark, folder) == by_itself == alone
    assert alone[0].out.startswith("diff --git")


def test_the_object_is_the_same_with_variations_and_without_a_place(
    spark: Spark, folder: Path, start_same: Callable[..., Server]
) -> None:
    commands = [
        ("exec", "multiply", "--format", "json", "--variations", "3", "-C", folder),
        ("exec", "rename w", "--file", "a.py", "--format", "json", "-C", folder),
        ("exec", "nought", "--at", "a.py", "--format", "json", "-C", folder),
    ]
    alone = [facts(spark(*command)) for command in commands]
    start_same()
    assert [facts(spark(*command)) for command in commands] == alone


@pytest.mark.parametrize("is_late", [False, True])
def test_the_session_of_a_screen_shares_the_weights_of_the_server(
    folder: Path, start_same: Callable[..., Server], no_model_here: None, is_late: bool
) -> None:
    server = start_same()
    settings = load_settings()
    with closing(open_session(folder, settings, serve=True, is_late=is_late)) as session:
        session.prepare()
        turn = session.begin(Request("multiply", path="a.py"))
        list(turn.events())
    assert turn.status is Status.OK
    assert session.host.name == server.service.model


def test_a_screen_that_wants_no_server_has_a_model_of_its_own(
    folder: Path, start_same: Callable[..., Server]
) -> None:
    server = start_same()
    with closing(open_session(folder, load_settings())) as session:
        list(session.begin(Request("multiply", path="a.py")).events())
    assert "spark_tokens_total 0" in server.get("/metrics").text


def test_an_edit_is_applied_and_undone_by_the_client(
    spark: Spark, folder: Path, start_same: Callable[..., Server], no_model_here: None
) -> None:
    start_same()
    assert spark("exec", "multiply", "--at", "a.py", "--apply", "-q", "-C", folder).code == 0
    assert (folder / "a.py").read_text() == AREA.replace("+", "*")
    assert "undo multiply" in spark("undo", "-C", folder).out
    assert (folder / "a.py").read_text() == AREA


def test_a_rename_needs_neither_a_server_nor_a_model(
    spark: Spark, folder: Path, start_same: Callable[..., Server], no_model_here: None
) -> None:
    command = ("exec", "--rename", "size", "--at", "a.py::area", "--format", "json", "-C", folder)
    alone = facts(spark(*command))
    start_same()
    assert facts(spark(*command)) == alone
    assert "size" in str(alone["patch"])


def test_what_is_wrong_is_told_in_the_same_words(
    spark: Spark, folder: Path, start_same: Callable[..., Server]
) -> None:
    long = "word " * 2000
    commands = [
        ("exec", long, "--at", "a.py", "-C", folder),
        ("exec", "multiply", "--at", "gone.py", "-C", folder),
        ("exec", "multiply", "--at", "a.py", "--temperature", "9000", "-C", folder),
    ]
    alone = [spark(*command) for command in commands]
    start_same()
    assert [spark(*command) for command in commands] == alone


@pytest.mark.parametrize("step", [1, 2, 4, 7])
def test_a_server_that_is_killed_in_mid_stream_is_told_and_gone_on_without(
    spark: Spark, folder: Path, start_same: Callable[..., Server], step: int
) -> None:
    alone = spark("exec", "rewrite", "--at", "a.py", "-q", "-C", folder)
    servers: list[Server] = []
    steps = 0

    def before_step() -> None:
        nonlocal steps
        steps += 1
        if steps == step:
            servers[0].kill()

    servers.append(start_same(before_step))
    done = spark("exec", "rewrite", "--at", "a.py", "-q", "-C", folder)
    assert steps >= step
    assert (done.code, done.out) == (alone.code, alone.out)
    assert len(done.err.splitlines()) == 1
    assert GONE in done.err


def test_variations_survive_a_server_that_is_killed_between_them(
    spark: Spark, folder: Path, start_same: Callable[..., Server]
) -> None:
    command = ("exec", "rewrite", "--at", "a.py", "--variations", "3", "--format", "json")
    alone = facts(spark(*command, "-C", folder))
    servers: list[Server] = []
    steps = 0
    last = 0

    def before_step() -> None:
        nonlocal steps
        steps += 1
        if steps == last:
            servers[0].kill()

    servers.append(start_same(before_step))
    assert facts(spark(*command, "-C", folder)) == alone
    first = steps
    assert facts(spark(*command, "-C", folder)) == alone  # now the prompt is known
    last = steps + (steps - first) - 1
    done = spark(*command, "-C", folder)
    assert GONE in done.err
    assert facts(done) == alone


def test_a_server_with_another_model_is_left_alone(
    spark: Spark, folder: Path, start: StartServer, own: LoadedModel, tmp_path: Path
) -> None:
    server = start(scripted(tmp_path / "other", {}), settings=load_settings())
    done = spark("exec", "multiply", "--at", "a.py", "-q", "-C", folder)
    assert (done.code, done.err) == (0, "")
    assert "spark_tokens_total 0" in server.get("/metrics").text


def test_weights_that_changed_since_the_server_began_are_not_mixed(
    spark: Spark, folder: Path, start_same: Callable[..., Server], own: LoadedModel
) -> None:
    server = start_same()
    weights = next(own.path.glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes())
    assert spark("exec", "multiply", "--at", "a.py", "-q", "-C", folder).code == 0
    assert "spark_tokens_total 0" in server.get("/metrics").text


@pytest.mark.parametrize("kind", ["file", "nothing"])
def test_no_server_costs_nothing_but_a_look(
    spark: Spark, folder: Path, own: LoadedModel, socket_place: Path, kind: str
) -> None:
    if kind == "file":
        socket_place.parent.mkdir()
        socket_place.write_text("no socket")
    done = spark("exec", "multiply", "--at", "a.py", "-q", "-C", folder)
    assert (done.code, done.err) == (0, "")


def test_stop_ends_the_server_and_says_when_there_is_none(
    spark: Spark, start_same: Callable[..., Server]
) -> None:
    assert "no server runs" in spark("serve", "--stop").err
    server = start_same()
    assert spark("serve", "--stop").code == 0
    while server.path.exists():
        pass
    assert spark("serve", "--stop").code == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--port", "0"), "needs a key"),
        (("--port", "70000"), "choose a number"),
    ],
)
def test_a_port_without_a_key_is_refused(
    spark: Spark, arguments: tuple[str, ...], words: str
) -> None:
    spark("serve", *arguments).refuses(2, words)


def test_no_socket_wanted_is_no_server(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_SERVE", "")
    spark("serve").refuses(2, "SPARK_SERVE is empty")


class Watched:
    """A model whose passes are told to a test."""

    def __init__(self, model: Model, before_pass: Callable[[], None]) -> None:
        self._model = model
        self._before_pass = before_pass

    def __getattr__(self, name: str) -> object:
        return getattr(self._model, name)

    def forward(self, token_ids: npt.ArrayLike, cache: KVCache, **options: bool) -> FloatArray:
        self._before_pass()
        return self._model.forward(token_ids, cache, **options)


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoadedModel:
    """The chat model that clients load for themselves."""
    loaded = chat_model(tmp_path / "chat", {"what is it": "a sum of two, and no more than that"})
    monkeypatch.setattr("spark_tui.engine.loader.find_model", lambda name=None: loaded.path)
    monkeypatch.setattr("spark_tui.engine.loader.load", lambda path, backend=None: loaded)
    return loaded


def test_a_question_is_answered_by_the_server_in_the_same_words(
    spark: Spark,
    folder: Path,
    chat: LoadedModel,
    start: StartServer,
    request: pytest.FixtureRequest,
) -> None:
    alone = spark("ask", "what is it", "-C", folder)
    assert alone.out == "a sum of two, and no more than that\n"
    start(chat, settings=load_settings())
    assert spark("ask", "what is it", "--no-serve", "-C", folder) == alone
    request.getfixturevalue("no_model_here")
    assert spark("ask", "what is it", "-C", folder) == alone


@pytest.mark.parametrize("killed_at", [1, 2, 4])
def test_an_answer_goes_on_where_a_killed_server_broke_it_off(
    spark: Spark, folder: Path, chat: LoadedModel, start: StartServer, killed_at: int
) -> None:
    alone = spark("ask", "what is it", "-C", folder)
    servers: list[Server] = []
    passes = 0

    def before_pass() -> None:
        nonlocal passes
        passes += 1
        if passes == killed_at:
            servers[0].kill()

    watched: Any = Watched(chat.model, before_pass)
    servers.append(start(replace(chat, model=watched), settings=load_settings()))
    done = spark("ask", "what is it", "-C", folder)
    assert (done.code, done.out) == (0, alone.out)
    assert GONE in done.err


def test_a_question_that_is_too_long_is_told_in_the_same_words(
    spark: Spark, folder: Path, chat: LoadedModel, start: StartServer
) -> None:
    (folder / "long.py").write_text("x = 1234567\n" * 2000)
    command = ("ask", "what is it", "--file", "long.py", "-C", folder)
    alone = spark(*command)
    assert alone.code == 2
    start(chat, settings=load_settings())
    assert spark(*command) == alone


def test_edits_of_a_chat_model_are_written_by_the_client(
    spark: Spark, folder: Path, chat: LoadedModel, start: StartServer
) -> None:
    server = start(chat, settings=load_settings())
    spark("exec", "what is it", "--at", "a.py", "-q", "-C", folder)
    assert "spark_tokens_total 0" in server.get("/metrics").text


def server_row(spark: Spark, folder: Path) -> dict[str, object]:
    """What `spark doctor` finds of the server."""
    findings = json.loads(spark("doctor", "--json", "-C", folder).out)["findings"]
    [row] = [finding for finding in findings if finding["name"] == "serve"]
    found: dict[str, object] = row
    return found


def test_the_doctor_says_whether_a_server_runs_and_fits(
    spark: Spark,
    folder: Path,
    own: LoadedModel,
    start_same: Callable[..., Server],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "no server" in str(server_row(spark, folder)["value"])
    server = start_same()
    row = server_row(spark, folder)
    assert (row["ok"], str(server.path) in str(row["value"])) == (True, True)
    monkeypatch.setenv("SPARK_BITS", "32")
    row = server_row(spark, folder)
    assert (row["ok"], "start the server again" in str(row["advice"])) == (False, True)
    monkeypatch.setenv("SPARK_SERVE", "")
    assert server_row(spark, folder)["ok"]
