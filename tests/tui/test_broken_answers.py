"""What the screen shows and does when an endpoint breaks off in the middle of an answer."""

from contextlib import closing

import pytest
from textual.pilot import Pilot

from spark_tui.answering.remote import Server
from spark_tui.answering.remote_answers import Remote
from spark_tui.tui.view import Phase
from tests.answering.scripted_server import DONE, chunk, event, refuses, says, sends, serving
from tests.tui.support import AFTER, BEFORE, BETTER, EDIT, HUSH, LOAD, STORE, Stage, until

ANSWERS = {
    "rewrite": f"```py\n{BETTER}```\n",
    "search_replace": f"store.py\n<<<<<<< SEARCH\n{LOAD}=======\n{BETTER}>>>>>>> REPLACE\n",
}
CUT = "the answer of big was cut off; Enter goes on from there, Esc drops it"
both = pytest.mark.parametrize("form", ANSWERS)


async def _held(stage: Stage, pilot: Pilot[None], note: str) -> None:
    await until(pilot, lambda: stage.note == note and stage.view.phase is Phase.PAUSED and stage.desk.settled)
    assert "            parts = line.strip().s" in [line for hunk in stage.view.hunks for line in hunk.new_lines]


@both
async def test_enter_goes_on_with_it_as_often_as_it_takes(stage: Stage, form: str) -> None:
    whole, part, rest = ANSWERS[form].partition("            parts = line.strip().s")
    odd = sends(chunk(part), event(b"{oops"))
    with (
        serving(sends(chunk(whole + part), cut=True), refuses(500), odd, says(part + rest)) as server,
        closing(Server(server.endpoint(format=form))) as asked,
    ):
        stage.session.host.remote = Remote(asked)
        async with stage.asked(EDIT) as pilot:
            for note in (CUT, CUT.replace("the answer of big was cut off", "big failed (500)")):
                await _held(stage, pilot, note)
                await pilot.press("enter")
            await _held(stage, pilot, CUT.replace("the answer of big was cut off", "big: it sent something that is not part of an answer"))
            await pilot.press("enter")
            await until(pilot, lambda: stage.view.phase is Phase.REVIEW)
            assert (stage.proposed, stage.note) == (BEFORE + BETTER + AFTER, "")
            assert [each["messages"][2:3] for each in server.requests] == [[], *[[{"role": "assistant", "content": whole.strip()}]] * 3]


@both
async def test_esc_drops_it_and_the_review_before_comes_back(stage: Stage, form: str) -> None:
    begun = ANSWERS[form].partition("plit")[0]
    with serving(says(ANSWERS[form]), sends(chunk(begun), cut=True)) as server, closing(Server(server.endpoint(format=form))) as asked:
        stage.session.host.remote = Remote(asked)
        async with stage.reviewing(EDIT) as pilot:
            await stage.ask(pilot, HUSH)
            await _held(stage, pilot, CUT)
            await pilot.press("escape")
            await until(pilot, lambda: stage.view.phase is Phase.REVIEW)
            assert (stage.proposed, stage.note) == (BEFORE + BETTER + AFTER, "the review is as it was before")
    assert stage.file.read_text() == STORE
