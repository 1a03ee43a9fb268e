"""What a model thinks is shown in a fold of its own while it comes, and can be stopped like
what it writes.
"""

import threading
from contextlib import closing

from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.widgets.thought import ThoughtFold
from tests.providers.scripted_server import Handler, chunk, event, says, serving
from tests.providers.scripted_server import Turn as Script
from tests.tui.support import BETTER, EDIT, HUSH, QUIET, Stage, until

ANSWER = f"```py\n{BETTER}```\n"


def reads_until_hung_up(handler: Handler) -> None:
    """Begin to read the prompt, and go on with that until the client hangs up."""
    handler.begin()
    progress = {"total": 90, "cache": 0, "processed": 30, "time_ms": 1}
    handler.send(event({"choices": [], "prompt_progress": progress}))
    handler.rfile.read(1)
    handler.drop()


def thinks_until(go: threading.Semaphore, thought: str) -> Script:
    """Think, and answer once that is let through."""

    def turn(handler: Handler) -> None:
        handler.begin()
        for word in thought.splitlines(keepends=True):
            handler.send(event({"choices": [{"delta": {"reasoning_content": word}}]}))
        go.acquire()
        handler.send(chunk(ANSWER, "stop") + event(b"[DONE]"))
        handler.end()

    return turn


async def test_a_thought_grows_in_a_fold_that_closes_when_the_answer_begins(stage: Stage) -> None:
    go = threading.Semaphore(0)
    thought = "First I look.\n```py\nx = 99\n```\nThen I write."
    with serving(thinks_until(go, thought)) as server, closing(Server(server.endpoint())) as asked:
        stage.session.host.remote = Remote(asked)
        async with stage.asked(EDIT) as pilot:
            fold = stage.main.query_one(ThoughtFold)
            await until(
                pilot, lambda: stage.view.figures.thought == 5 and "Then I write." in fold.words
            )
            assert (stage.view.phase, stage.view.hunks) == (TurnPhase.THINKING, ())
            await until(pilot, lambda: "thinking, 5 tokens" in stage.painted)
            assert "x = 99" not in stage.painted
            await pilot.press("f12")
            await until(pilot, lambda: "x = 99" in stage.painted)
            go.release()
            await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
            await until(pilot, lambda: not fold.is_open and "thought, 5 tokens" in stage.painted)
            assert BETTER in stage.proposed
            assert "99" not in stage.proposed
            await until(pilot, lambda: fold.region.height == 1)  # laid out as it is folded
            await pilot.click(ThoughtFold)
            await until(pilot, lambda: fold.is_open)


async def test_esc_stops_a_thought_and_other_words_take_its_place(stage: Stage) -> None:
    go = threading.Semaphore(0)
    quiet = says(f"```py\n{QUIET}```\n")
    with (
        serving(thinks_until(go, "Hm."), quiet) as server,
        closing(Server(server.endpoint())) as asked,
    ):
        stage.session.host.remote = Remote(asked)
        async with stage.asked(EDIT) as pilot:
            await until(pilot, lambda: stage.view.phase is TurnPhase.THINKING)
            await pilot.press("escape")
            await until(
                pilot, lambda: stage.view.phase is TurnPhase.PAUSED and stage.controller.settled
            )
            stage.prompt.set_text(HUSH)
            await pilot.press("enter")
            await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
            assert QUIET in stage.proposed
            assert stage.main.query_one(ThoughtFold).words == ""
            go.release()


async def test_esc_while_a_server_reads_hangs_up_and_enter_asks_again(stage: Stage) -> None:
    again = says(ANSWER)
    with (
        serving(reads_until_hung_up, again) as server,
        closing(Server(server.endpoint())) as asked,
    ):
        stage.session.host.remote = Remote(asked)
        async with stage.asked(EDIT) as pilot:
            await until(pilot, lambda: stage.view.figures.used == 30)
            await pilot.press("escape")
            await until(pilot, lambda: server.left.acquire(blocking=False))
            await until(
                pilot, lambda: stage.view.phase is TurnPhase.PAUSED and stage.controller.settled
            )
            assert "its connection is closed, and going on asks again" in stage.painted
            assert len(server.requests) == 1
            await pilot.press("enter")
            await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
            assert BETTER in stage.proposed
            assert server.requests[1] == server.requests[0]
