"""What the screen shows and does when an endpoint breaks off in the middle of an answer."""

from contextlib import closing

import pytest

from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.session.turn_state import TurnPhase
from tests.providers.scripted_server import chunk, event, refuses, says, sends, serving
from tests.tui.support import BETTER, EDIT, HUSH, LOAD, Stage, until

PART = "            parts = line.strip().s"
ANSWERS = {
    "rewrite": f"```py\n{BETTER}```\n",
    "search_replace": f"store.py\n<<<<<<< SEARCH\n{LOAD}=======\n{BETTER}>>>>>>> REPLACE\n",
}
CUT, ODD = "the answer of big was cut off", "big: it sent something that is not part of an answer"


@pytest.mark.parametrize("form", ANSWERS)
async def test_esc_leads_back_to_the_review_before_and_enter_goes_on_until_it_is_whole(
    stage: Stage, form: str
) -> None:
    whole, _, rest = ANSWERS[form].partition(PART)
    cut, odd = sends(chunk(whole + PART), cut=True), sends(chunk(PART), event(b"{"))
    scripts = says(ANSWERS[form]), cut, cut, refuses(500), odd, says(PART + rest)
    with serving(*scripts) as server, closing(Server(server.endpoint(format=form))) as asked:
        stage.session.host.remote = Remote(asked)
        async with stage.reviewing(EDIT) as pilot:
            uncut = stage.proposed
            for why, key in (
                (CUT, "escape"),
                (CUT, "enter"),
                ("big failed (500)", "enter"),
                (ODD, "enter"),
            ):
                if stage.view.phase is TurnPhase.REVIEW:
                    stage.main.action_to_prompt()
                    await stage.ask(pilot, HUSH)
                await stage.says(pilot, f"{why}; Enter goes on from there, Esc drops it")
                await until(
                    pilot, lambda: stage.view.phase is TurnPhase.PAUSED and stage.controller.settled
                )
                assert PART in [line for hunk in stage.view.hunks for line in hunk.new_lines]
                await pilot.press(key)
                if key == "escape":
                    await until(pilot, lambda: stage.note == "the review is as it was before")
                    assert stage.proposed == uncut
            await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
            assert (stage.proposed, stage.note) == (uncut, "")
        assert [each["messages"][-2]["content"] for each in server.requests[3:]] == [
            whole.strip()
        ] * 3
