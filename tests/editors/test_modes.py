"""Questions and tasks in an editor, the sessions of one engine, and the engine of a server."""

import asyncio
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from spark_tui.__main__ import main
from spark_tui.config import Agent, Settings
from spark_tui.errors import ModelError
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.tasks.sandbox import UNCONFINED
from tests.editors.conftest import RIGHT, EditorClient, MakeBench, connected
from tests.fakes import ScriptedSession
from tests.providers.chat_models import chat_model
from tests.providers.scripted_server import says, serving
from tests.tasks.scripts import FILES, break_bubblewrap

AGENT = Path(__file__).parents[1] / "tasks" / "agents" / "scripted_agent.py"
AREA_FILES = {name: data.decode() for name, data in FILES.items()}


async def test_a_question_is_answered_piece_by_piece(make_bench: MakeBench, tmp_path: Path) -> None:
    loaded = chat_model(tmp_path / "chat", {"what is it?": "It is **one**.\n"})
    bench = replace(make_bench(), loaded=loaded)
    async with connected(bench) as editor:
        await editor.begin()
        await editor.prompt("/ask what is it?", editor.link("a.py"))
        assert "It is **one**." in editor.client.said
        await editor.connection.set_session_mode(session_id=editor.session, mode_id="ask")
        before = len(editor.client.said)
        await editor.prompt("what is it?", editor.link("a.py"))
        assert "It is **one**." in editor.client.said[before:]
        assert not editor.client.questions


def settings_with(*scene: str) -> Settings:
    """Settings that name an agent which plays a scene."""
    agent = Agent("scripted", sys.executable, (str(AGENT), *scene))
    return Settings(agents={"scripted": agent})


async def test_a_task_shows_its_plan_and_ends_as_a_review(make_bench: MakeBench) -> None:
    bench = replace(make_bench(AREA_FILES), settings=settings_with("right"))
    async with connected(bench) as editor:
        await editor.begin()
        await editor.prompt("/task @scripted mend the area")
        client = editor.client
        plans = [u for u in client.updates if u.session_update == "plan"]
        assert [entry.content for entry in plans[-1].entries] == ["look", "mend"]
        assert client.questions[-1].title == "Edit shapes/area.py, -1 +1"
        assert bench.text("shapes/area.py") == RIGHT
        await editor.prompt("/undo")
        assert bench.text("shapes/area.py") == AREA_FILES["shapes/area.py"]


async def test_a_task_says_once_that_its_commands_run_unconfined(
    make_bench: MakeBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_bubblewrap(tmp_path / "broken", monkeypatch)
    bench = replace(make_bench(AREA_FILES), settings=settings_with("right"))
    async with connected(bench) as editor:
        await editor.begin()
        await editor.prompt("/task @scripted mend the area")
        assert editor.client.said.count(UNCONFINED) == 1


async def test_what_an_agent_of_a_task_asks_is_asked_in_the_editor(make_bench: MakeBench) -> None:
    question = '{"kind": "execute", "title": "rm all", "rawInput": {"command": "rm all"}}'
    bench = replace(make_bench(AREA_FILES), settings=settings_with("asks", question))
    client = EditorClient(choices=["No", "Reject"])
    async with connected(bench, client) as editor:
        await editor.begin()
        await editor.connection.set_session_mode(session_id=editor.session, mode_id="task")
        await editor.prompt("@scripted mend the area")
        assert client.questions[0].title.startswith("rm all")
        assert client.offered[0] == ["Yes", "No"]
        assert bench.text("shapes/area.py") == AREA_FILES["shapes/area.py"]


async def test_a_task_that_is_cancelled_stops_and_writes_nothing(make_bench: MakeBench) -> None:
    bench = replace(make_bench(AREA_FILES), settings=settings_with("waits"))
    async with connected(bench) as editor:
        await editor.begin()
        prompt = asyncio.ensure_future(editor.prompt("/task @scripted mend the area"))
        await editor.client.until(lambda: bool(editor.client.calls()))
        await editor.connection.cancel(session_id=editor.session)
        assert await prompt == "cancelled"
        assert bench.text("shapes/area.py") == AREA_FILES["shapes/area.py"]


async def test_sessions_of_one_editor_take_turns_with_the_engine(make_bench: MakeBench) -> None:
    going = asyncio.Event()
    may_go_on = Event()
    loop = asyncio.get_running_loop()

    def before_step() -> None:
        loop.call_soon_threadsafe(going.set)
        may_go_on.wait()

    bench = make_bench(before_step=before_step)
    async with connected(bench) as editor:
        await editor.begin()
        first = asyncio.ensure_future(editor.prompt("multiply", editor.link("a.py")))
        await going.wait()
        await editor.begin()
        second = asyncio.ensure_future(editor.prompt("two changes", editor.link("two.py")))
        titled = "session_info_update"
        await editor.client.until(
            lambda: sum(u.session_update == titled for u in editor.client.updates) == 2
        )
        await editor.connection.cancel(session_id=editor.session)
        assert await second == "cancelled", "who waits for the engine can be cancelled"
        may_go_on.set()
        assert await first == "end_turn"
        assert bench.text() == RIGHT


async def test_a_model_that_cannot_be_loaded_is_said_and_tried_again(
    make_bench: MakeBench,
) -> None:
    problems = ["the weights are gone"]

    class Unready(ScriptedSession):
        def prepare(self) -> None:
            if problems:
                raise ModelError(problems.pop())

    bench = replace(make_bench(), kind=Unready)
    async with connected(bench) as editor:
        await editor.begin()
        await editor.prompt("multiply", editor.link("a.py"))
        assert "the weights are gone" in editor.client.said
        await editor.prompt("multiply", editor.link("a.py"))
        assert bench.text() == RIGHT


def test_without_the_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("spark_tui.editors")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "acp", None)
    monkeypatch.setattr(sys, "argv", ["spark", "acp"])
    assert main() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "pip install 'spark-tui[agents]'" in err


@pytest.mark.parametrize("words", ["shorter", "/ask what is it?"])
@pytest.mark.parametrize(("choice", "is_sent"), [("Yes", True), ("No", False)])
async def test_what_may_hold_secrets_is_sent_once_the_user_says_so(
    words: str, choice: str, is_sent: bool, make_bench: MakeBench
) -> None:
    bench = make_bench({"a.py": "A = 1\n", "prod.env": "PASSWORD=hunter2\n"})
    client = EditorClient(choices=[choice])
    with serving(says("Nothing.")) as server, closing(Server(server.endpoint())) as asked:
        async with connected(bench, client) as editor:
            await editor.begin()
            bench.sessions[0].host.remote = Remote(asked)
            await editor.prompt(words, editor.link("prod.env"))
        assert client.questions[0].title.startswith("Send prod.env? It may hold secrets")
        assert (b"hunter2" in b"".join(server.bodies)) is is_sent
        assert bool(server.bodies) is is_sent
