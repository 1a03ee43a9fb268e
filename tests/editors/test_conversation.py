"""What an editor sees and decides: edits that grow, hunks, cancel, commands, saved sessions."""

import asyncio
import json
import subprocess
import sys
from threading import Event

import pytest
from acp import schema
from acp.exceptions import RequestError

from spark_tui.editors import decisions
from tests.editors.conftest import (
    AREA,
    RIGHT,
    TWO,
    TWO_RIGHT,
    EditorClient,
    MakeBench,
    connected,
)
from tests.fakes import edit_script


async def test_an_edit_is_shown_accepted_written_and_taken_back(make_bench: MakeBench) -> None:
    bench = make_bench()
    async with connected(bench) as editor:
        answer = await editor.begin()
        assert {mode.id for mode in answer.modes.available_modes} == {"edit", "ask", "task"}
        assert await editor.prompt("multiply", editor.link("a.py")) == "end_turn"
        client = editor.client
        first, *_, last = client.calls("edit-1")
        assert (first.session_update, first.kind) == ("tool_call", "edit")
        assert first.locations[0].path == str(bench.root / "a.py")
        assert (last.status, last.content[0].old_text, last.content[0].new_text) == (
            "completed",
            AREA,
            RIGHT,
        )
        assert last.locations[0].line == 2
        assert client.offered == [["Accept", "Reject"]]
        assert bench.text() == RIGHT
        names = {update.session_update for update in client.updates}
        assert {"usage_update", "available_commands_update", "session_info_update"} <= names
        await editor.prompt("/undo")
        assert bench.text() == AREA
        assert "Took back “multiply”" in client.said
        await editor.prompt("/redo")
        assert bench.text() == RIGHT
        assert not client.writes


async def test_a_diff_grows_while_it_is_written(make_bench: MakeBench) -> None:
    shown = Event()
    steps = 0

    def before_step() -> None:
        nonlocal steps
        steps += 1
        if steps > 12:
            shown.wait()

    bench = make_bench(before_step=before_step)
    client = EditorClient(on_update=lambda update: _set_at_diff(update, shown))
    async with connected(bench, client) as editor:
        await editor.begin()
        await editor.prompt("two changes", editor.link("two.py"))
    texts = client.diffs()
    assert TWO_RIGHT in texts
    assert any(text not in {TWO, TWO_RIGHT} for text in texts), "no diff was sent in between"


def _set_at_diff(update: object, event: Event) -> None:
    content = getattr(update, "content", None)
    if isinstance(content, list) and content:
        event.set()


async def test_hunks_are_asked_about_one_by_one(make_bench: MakeBench) -> None:
    bench = make_bench()
    client = EditorClient(choices=["Reject", "Accept"])
    async with connected(bench, client) as editor:
        await editor.begin()
        await editor.prompt("two changes", editor.link("two.py"))
    assert client.offered == [
        ["Accept", "Accept all", "Reject", "Reject all"],
        ["Accept", "Reject"],
    ]
    assert bench.text("two.py") == TWO.replace("width + h", "width * h")
    assert client.calls("edit-1")[-1].content[0].new_text == bench.text("two.py")
    first, second = client.questions
    assert first.title == "Edit hunk 1 of 2 in two.py, -1 +1"
    assert first.content[0].new_text == TWO.replace("width = w\n", "width = abs(w)\n")
    assert [location.line for location in second.locations] == [5]


async def test_of_a_large_file_only_what_changes_is_sent(make_bench: MakeBench) -> None:
    lines = "".join(f"x{number} = {number}\n" for number in range(5000))
    bench = make_bench({"a.py": lines + AREA + lines})
    async with connected(bench) as editor:
        await editor.begin()
        await editor.prompt("multiply", editor.link("a.py", "#L5001:5002"))
        diff = editor.client.calls("edit-1")[-1].content[0]
        assert "return w * h" in diff.new_text
        assert len(diff.new_text.splitlines()) == len(diff.old_text.splitlines()) == 7
        assert editor.client.calls("edit-1")[-1].locations[0].line == 5002
        assert bench.text() == lines + RIGHT + lines


@pytest.mark.parametrize(("choice", "text"), [("Accept all", TWO_RIGHT), ("Reject all", TWO)])
async def test_one_answer_decides_about_all(make_bench: MakeBench, choice: str, text: str) -> None:
    bench = make_bench()
    client = EditorClient(choices=[choice])
    async with connected(bench, client) as editor:
        await editor.begin()
        await editor.prompt("two changes", editor.link("two.py"))
    assert len(client.questions) == 1
    assert bench.text("two.py") == text


async def test_text_that_is_not_what_it_looks_like_is_no_part_of_all(
    make_bench: MakeBench,
) -> None:
    bench = make_bench()
    client = EditorClient(choices=["Accept all", "Reject"])
    async with connected(bench, client) as editor:
        await editor.begin()
        await editor.prompt("two changes, one odd", editor.link("two.py"))
    assert "U+202E" in client.questions[1].title
    assert bench.text("two.py") == TWO.replace("width = w\n", "width = abs(w)\n")


async def test_cancel_stops_the_engine_and_writes_nothing(make_bench: MakeBench) -> None:
    going = asyncio.Event()
    may_go_on = Event()
    steps = 0
    loop = asyncio.get_running_loop()

    def before_step() -> None:
        nonlocal steps
        steps += 1
        if steps == 8:
            loop.call_soon_threadsafe(going.set)
            may_go_on.wait()

    bench = make_bench(before_step=before_step)
    async with connected(bench) as editor:
        await editor.begin()
        prompt = asyncio.ensure_future(editor.prompt("multiply", editor.link("a.py")))
        await going.wait()
        await editor.client.until(lambda: bool(editor.client.calls("edit-1")))
        await editor.connection.cancel(session_id=editor.session)
        await editor.connection.list_sessions(cwd=str(bench.root))  # the cancel has arrived
        may_go_on.set()
        assert await prompt == "cancelled"
        assert bench.sessions[0].runner.wait(60)
        assert steps <= 9
        assert (bench.text(), editor.client.questions) == (AREA, [])
        assert editor.client.calls("edit-1")[-1].status == "failed"
        assert await editor.prompt("multiply", editor.link("a.py")) == "end_turn"
        assert bench.text() == RIGHT


async def test_cancel_while_the_user_is_asked_writes_nothing(make_bench: MakeBench) -> None:
    bench = make_bench()
    is_asked = asyncio.Event()

    async def wait() -> None:
        is_asked.set()
        await asyncio.Event().wait()

    client = EditorClient(on_question=wait)
    async with connected(bench, client) as editor:
        await editor.begin()
        prompt = asyncio.ensure_future(editor.prompt("multiply", editor.link("a.py")))
        await is_asked.wait()
        with pytest.raises(RequestError, match="a prompt is under way"):
            await editor.prompt("multiply")
        await editor.connection.cancel(session_id=editor.session)
        assert await prompt == "cancelled"
        client.on_question = None
        assert "1 whole hunk is kept: /accept asks again" in client.said
        assert bench.text() == AREA
        await editor.prompt("/accept")
        assert bench.text() == RIGHT


async def test_cancel_has_an_answer_though_the_editor_leaves_a_write_unanswered(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "PATIENCE_SECONDS", 0.05)
    bench = make_bench()
    writes = asyncio.Event()

    async def wait() -> None:
        writes.set()
        await asyncio.Event().wait()

    client = EditorClient(on_write=wait, buffers={str(bench.root / "a.py"): f"# new\n{AREA}"})
    async with connected(bench, client) as editor:
        await editor.begin()
        prompt = asyncio.ensure_future(editor.prompt("multiply", editor.link("a.py")))
        await writes.wait()
        await editor.connection.cancel(session_id=editor.session)
        assert await prompt == "cancelled"
        assert "look at the file" in client.said
        assert "nothing was written" not in client.said
        client.on_write = None
        assert await editor.prompt("multiply", editor.link("a.py")) == "end_turn"
        assert client.buffers[str(bench.root / "a.py")] == f"# new\n{RIGHT}"


async def test_a_cancel_in_mid_diff_keeps_the_hunks_that_are_whole(make_bench: MakeBench) -> None:
    going = asyncio.Event()
    may_go_on = Event()
    steps = 0
    loop = asyncio.get_running_loop()

    def before_step() -> None:
        nonlocal steps
        steps += 1
        if steps == 28:  # within the second of the two
            loop.call_soon_threadsafe(going.set)
            may_go_on.wait()

    bench = make_bench(before_step=before_step)
    async with connected(bench) as editor:
        await editor.begin()
        prompt = asyncio.ensure_future(editor.prompt("two changes", editor.link("two.py")))
        await going.wait()
        await editor.client.until(lambda: bool(editor.client.calls("edit-1")))
        await editor.connection.cancel(session_id=editor.session)
        await editor.connection.list_sessions(cwd=str(bench.root))  # the cancel has arrived
        may_go_on.set()
        assert await prompt == "cancelled"
        assert "1 whole hunk is kept" in editor.client.said
        assert bench.text("two.py") == TWO
        await editor.prompt("/accept")
        assert bench.text("two.py") == TWO.replace("width = w\n", "width = abs(w)\n")
        await editor.prompt("/accept")
        assert "no hunk is open: the edit was stopped" in editor.client.said


async def test_an_engine_that_fails_in_mid_diff_is_told_and_tried_once_more(
    make_bench: MakeBench,
) -> None:
    steps = 0

    def before_step() -> None:
        nonlocal steps
        steps += 1
        if steps == 8:
            raise MemoryError("no room")

    bench = make_bench(before_step=before_step)
    async with connected(bench) as editor:
        await editor.begin()
        assert await editor.prompt("multiply", editor.link("a.py")) == "end_turn"
        assert "the edit goes on in this process" in editor.client.said
        assert bench.text() == RIGHT
        await editor.prompt("subtract", editor.link("a.py"))
        assert bench.text() == AREA.replace("+", "-")


async def test_a_prompt_without_a_place_goes_to_the_likeliest(make_bench: MakeBench) -> None:
    bench = make_bench({"a.py": AREA, "b.py": "x = 1\n"})
    async with connected(bench) as editor:
        await editor.begin()
        await editor.prompt("multiply in `area`")
        assert editor.client.calls()[0].locations[0].path == str(bench.root / "a.py")


async def test_where_no_edit_is_found_the_likeliest_other_place_follows(
    make_bench: MakeBench,
) -> None:
    bench = make_bench({"a.py": RIGHT, "b.py": "def subtract(a, b):\n    return a\n"})
    async with connected(bench) as editor:
        await editor.begin()
        await editor.prompt("subtract")
        first = editor.client.calls()[0].locations[0].path
        assert first == str(bench.root / "b.py")
        assert bench.text() == RIGHT.replace("*", "-")


async def test_further_words_are_about_the_same_place(make_bench: MakeBench) -> None:
    bench = make_bench()
    async with connected(bench) as editor:
        await editor.begin()
        await editor.prompt("multiply", editor.link("a.py"))
        await editor.prompt("subtract")
        assert bench.text() == AREA.replace("+", "-")


async def test_what_fails_is_said_and_ends_nothing(make_bench: MakeBench) -> None:
    bench = make_bench()
    async with connected(bench) as editor:
        await editor.begin()
        for words in ("/nothing", "/undo", "/ask why?", "/log more", "/keep ours", "/accept"):
            before = len(editor.client.said)
            assert await editor.prompt(words) == "end_turn"
            assert len(editor.client.said) > before, words
        assert "there is no command /nothing" in editor.client.said
        assert "only edits" in editor.client.said
        await editor.prompt("turn it into a poem", editor.link("a.py"))
        assert "no edit found" in editor.client.said
        assert bench.text() == AREA


async def test_a_saved_session_is_listed_told_again_and_gone_on_with(
    make_bench: MakeBench,
) -> None:
    bench = make_bench()
    async with connected(bench) as editor:
        await editor.begin()
        name = editor.session
        await editor.prompt("multiply", editor.link("a.py"))
    async with connected(bench) as editor:
        listed = await editor.connection.list_sessions(cwd=str(bench.root))
        assert [(each.session_id, each.title) for each in listed.sessions] == [
            (name, "multiply @a.py")
        ]
        await editor.connection.load_session(cwd=str(bench.root), session_id=name, mcp_servers=[])
        client = editor.client
        kinds = [update.session_update for update in client.updates]
        assert kinds[:3] == ["user_message_chunk", "tool_call", "agent_message_chunk"]
        assert "return w * h" in client.updates[1].content[0].content.text
        assert "applied" in client.said
        editor.session = name
        await editor.prompt("subtract", editor.link("a.py"))
        assert bench.text() == AREA.replace("+", "-")
    saved = bench.store.list()
    assert [(each.id, len(each.turns)) for each in saved] == [(name, 2)]
    async with connected(bench) as editor:
        await editor.connection.resume_session(cwd=str(bench.root), session_id=name)
        editor.session = name
        assert not editor.client.said
        await editor.prompt("/log")
        assert editor.client.said.count("applied") == 2


async def test_a_session_without_a_turn_is_gone_on_with_in_another_process(
    make_bench: MakeBench,
) -> None:
    bench = make_bench()
    names = []
    for _ in range(2):
        async with connected(bench) as editor:
            await editor.begin()
            names.append(editor.session)
    root = str(bench.root)
    async with connected(bench) as editor:
        assert not (await editor.connection.list_sessions(cwd=root)).sessions
        await editor.connection.load_session(cwd=root, session_id=names[0], mcp_servers=[])
        await editor.connection.set_session_mode(session_id=names[0], mode_id="ask")
        assert not editor.client.said
    async with connected(bench) as editor:
        await editor.connection.resume_session(cwd=root, session_id=names[0])
        editor.session = names[0]
        await editor.prompt("multiply", editor.link("a.py"))
        # It now has a turn, which is told to whoever loads it.
        await editor.connection.load_session(cwd=root, session_id=names[0], mcp_servers=[])
        assert "applied" in editor.client.said
    assert [each.id for each in bench.store.list()] == [names[0]]


@pytest.mark.parametrize("name", ["x", "", "../x", "*", "the beginning of a known one"])
async def test_an_editor_is_told_by_code_that_a_session_is_unknown(
    make_bench: MakeBench, name: str
) -> None:
    bench = make_bench()
    async with connected(bench) as editor:
        await editor.begin()
        root = str(bench.root)
        session_id = editor.session[:-1] if name.startswith("the") else name
        connection = editor.connection
        for asked in (
            connection.load_session(cwd=root, session_id=session_id, mcp_servers=[]),
            connection.resume_session(cwd=root, session_id=session_id),
            connection.prompt(prompt=[], session_id=session_id),
            connection.set_session_mode(session_id=session_id, mode_id="ask"),
            connection.close_session(session_id=session_id),
        ):
            with pytest.raises(RequestError, match="Resource not found") as raised:
                await asked
            assert (raised.value.code, raised.value.data) == (-32002, {"uri": session_id})


async def test_mode_model_and_check_can_be_chosen(make_bench: MakeBench) -> None:
    bench = make_bench()
    check = f"{sys.executable} -c 'print(\"all well\")'"
    async with connected(bench) as editor:
        answer = await editor.begin()
        assert [option.id for option in answer.config_options] == ["mode", "model", "check"]
        choose = editor.connection.set_config_option
        changed = await choose(config_id="mode", session_id=editor.session, value="ask")
        assert changed.config_options[0].current_value == "ask"
        await editor.connection.set_session_mode(session_id=editor.session, mode_id="edit")
        await choose(config_id="check", session_id=editor.session, value=check)
        for name, value in (("mode", "x"), ("model", "gone"), ("check", "gone-x"), ("y", "z")):
            with pytest.raises(RequestError):
                await choose(config_id=name, session_id=editor.session, value=value)
        await editor.prompt("multiply", editor.link("a.py"))
        ran = editor.client.calls()[-1]
        assert (ran.status, ran.title) == ("completed", check)
        assert "all well" in ran.content[0].content.text
        await editor.prompt("/check off")
        assert bench.sessions[0].check.line == ""


async def test_a_file_that_runs_by_itself_needs_a_consent(make_bench: MakeBench) -> None:
    bench = make_bench()
    client = EditorClient(choices=["Accept", "No"])
    async with connected(bench, client) as editor:
        await editor.begin()
        await editor.prompt("multiply", editor.link("conftest.py"))
        assert "tests run it" in client.questions[1].title
        assert bench.text("conftest.py") == AREA
        assert "/accept asks for it again" in client.said
        await editor.prompt("/accept")
        assert bench.text("conftest.py") == RIGHT


async def test_a_repository_that_could_run_programs_is_asked_about(
    make_bench: MakeBench,
) -> None:
    bench = make_bench()
    hook = bench.root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    client = EditorClient(choices=["Accept", "No"])
    async with connected(bench, client) as editor:
        await editor.begin()
        await editor.prompt(f"/check {sys.executable} -V")
        await editor.prompt("multiply", editor.link("a.py"))
        assert "hook pre-commit" in client.questions[1].title
        assert client.calls()[-1].status == "failed"
        await editor.prompt("subtract")
        assert client.calls()[-1].status == "completed"


async def test_an_editor_that_asks_for_no_permission_gets_nothing_written(
    make_bench: MakeBench,
) -> None:
    class Silent(EditorClient):
        async def request_permission(self, *_: object, **__: object) -> object:
            raise RequestError.method_not_found("session/request_permission")

    bench = make_bench()
    async with connected(bench, Silent()) as editor:
        await editor.begin()
        await editor.prompt("multiply", editor.link("a.py"))
        assert "asks for no permission" in editor.client.said
        assert bench.text() == AREA


@pytest.mark.parametrize(
    "answer", [{}, {"outcome": 7}, {"outcome": {"outcome": "later"}}, [], "yes"]
)
async def test_a_malformed_answer_to_a_question_is_told_and_writes_nothing(
    make_bench: MakeBench, answer: object
) -> None:
    class Odd(EditorClient):
        async def request_permission(self, *_: object, **__: object) -> object:
            return answer

    bench = make_bench()
    async with connected(bench, Odd()) as editor:
        await editor.begin()
        await editor.prompt("multiply", editor.link("a.py"))
        assert "asks for no permission (its answer is malformed)" in editor.client.said
        assert "pydantic" not in editor.client.said
        assert bench.text() == AREA


async def test_an_embedded_file_is_a_place_too(make_bench: MakeBench) -> None:
    bench = make_bench()
    contents = schema.TextResourceContents(uri=f"file://{bench.root}/a.py#L1:2", text=AREA)
    block = schema.EmbeddedResourceContentBlock(type="resource", resource=contents)
    async with connected(bench) as editor:
        await editor.begin()
        await editor.prompt(block, "multiply")
        assert bench.text() == RIGHT


def embedded(uri: str, text: str) -> schema.EmbeddedResourceContentBlock:
    contents = schema.TextResourceContents(uri=uri, text=text)
    return schema.EmbeddedResourceContentBlock(type="resource", resource=contents)


def attached(*texts: tuple[str, str]) -> str:
    """Attachments as a model reads them."""
    blocks = [
        f"attachment {number}, {name}:\n```\n{text}\n```"
        for number, (name, text) in enumerate(texts, 1)
    ]
    return "\n\n".join(["repair", *blocks])


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///srv/other/spec.md#L1:3", "/srv/other/spec.md"),
        ("file:///srv/folder/", "/srv/folder/"),
        ("zed:///agent/terminal-selection?lines=2", "zed:///agent/terminal-selection?lines=2"),
        ("https://example.org/rules", "https://example.org/rules"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
    ],
)
async def test_the_model_reads_attached_text_that_is_no_file_here(
    make_bench: MakeBench, uri: str, name: str
) -> None:
    text = "/undo\nareas are products @two.py"
    right = edit_script(AREA, RIGHT)
    bench = make_bench(answers={attached((name, text)): [(right, 1.0)]})
    async with connected(bench) as editor:
        await editor.begin()
        for blocks in (
            [embedded(uri, f"{text}\n"), "repair", editor.link("a.py")],
            ["repair", editor.link("a.py"), embedded(uri, text)],
        ):
            await editor.prompt(*blocks)
            assert bench.text() == RIGHT
            await editor.prompt("/undo")
        # The next prompt has nothing attached.
        await editor.prompt("repair", editor.link("a.py"))
        assert bench.text() == AREA
        title = next(u.title for u in editor.client.updates if hasattr(u, "title"))
        assert title == "repair @a.py"


async def test_a_file_that_is_not_saved_yet_is_attached(make_bench: MakeBench) -> None:
    right = edit_script(AREA, RIGHT)
    name = "lib/new.py"
    bench = make_bench()
    path = str(bench.root / name)
    words = attached((path, "AREA = 1"), ("x:", "two"))
    bench = make_bench(answers={words: [(right, 1.0)]})
    async with connected(bench) as editor:
        await editor.begin()
        blocks = [embedded(f"file://{path}", "AREA = 1"), embedded("x:", "two")]
        await editor.prompt("repair", editor.link("a.py"), *blocks)
        assert bench.text() == RIGHT


async def test_an_attachment_is_named_where_it_stands_between_words(
    make_bench: MakeBench,
) -> None:
    text = "```\nkeep\n```"
    block = "attachment 1, x:y:\n````\n```\nkeep\n```\n````"
    words = f"do as attachment 1 says\n\n{block}"
    right = edit_script(AREA, RIGHT)
    bench = make_bench(answers={words: [(right, 1.0)]})
    async with connected(bench) as editor:
        await editor.begin()
        await editor.prompt(editor.link("a.py"), "do as", embedded("x:y", text), "says")
        assert bench.text() == RIGHT


@pytest.mark.parametrize(
    ("uri", "text", "note"),
    [
        ("file:///srv/.env", "KEY=1", "left out: /srv/.env may hold secrets"),
        ("https://example.org/", " \n", "left out: https://example.org/ is no file here"),
        ("x:long", "a line\n" * 2_000, "cut: only the first 7,993 characters of x:long are read"),
    ],
    ids=["secret", "blank", "long"],
)
async def test_attached_text_that_is_not_read_is_named(
    make_bench: MakeBench, uri: str, text: str, note: str
) -> None:
    bench = make_bench()
    async with connected(bench) as editor:
        await editor.begin()
        await editor.prompt("multiply", editor.link("a.py"), embedded(uri, text))
        thoughts = [u for u in editor.client.updates if u.session_update == "agent_thought_chunk"]
        assert note in "".join(thought.content.text for thought in thoughts)


def test_the_process_speaks_the_protocol_alone_on_stdout(make_bench: MakeBench) -> None:
    bench = make_bench()
    initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    lines = json.dumps({**initialize, "params": {"protocolVersion": 7}})
    done = subprocess.run(
        [sys.executable, "-m", "spark_tui", "acp"],
        input=f"{lines}\n".encode(),
        cwd=bench.root,
        capture_output=True,
        check=True,
    )
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["result"]["protocolVersion"] == 1
