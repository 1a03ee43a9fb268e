"""`u` and Ctrl+R walk through what was decided, one thing at a time, and do nothing but that."""

import random
from typing import NamedTuple

import pytest
from textual.pilot import Pilot

from spark_tui.session.hunk_items import HunkState
from spark_tui.tui.screens.undo import TurnScreen
from tests.fakes import proposed
from tests.tui.support import Stage, until
from tests.tui.test_review import states


class Stands(NamedTuple):
    """What a decision may change: the file, what is proposed, what is out of each part, and
    what the list says.
    """

    file: str
    proposed: str
    parts: tuple[frozenset[int], ...]
    states: tuple[HunkState, ...]


def stands(stage: Stage) -> Stands:
    turn = stage.asked_turn
    would_be = proposed(turn)
    return Stands(
        stage.file.read_text(),
        would_be,
        tuple(part.out for part in turn.parts),
        tuple(states(stage)),
    )


async def rests(stage: Stage, pilot: Pilot[None]) -> None:
    """Let all that a key began come to its end, dialogs confirmed."""
    await pilot.pause()
    await until(
        pilot, lambda: isinstance(stage.app.screen, TurnScreen) or not list(stage.main.workers)
    )
    if isinstance(stage.app.screen, TurnScreen):
        await stage.press_later(pilot, "enter")
    await until(
        pilot,
        lambda: (
            not list(stage.main.workers) and not stage.main.busy and stage.main.view is stage.view
        ),
    )
    stage.main.run_frames()
    await until(pilot, lambda: stage.main.controller is not None and stage.controller.current)
    stage.later()


async def press(stage: Stage, pilot: Pilot[None], *keys: str) -> Stands:
    for key in keys:
        stage.diff.focus()
        await stage.press(pilot, key)
        await rests(stage, pilot)
    return stands(stage)


@pytest.mark.parametrize(
    ("first", "then", "state"), [("r", "a", HunkState.ACCEPTED), ("a", "r", HunkState.REJECTED)]
)
async def test_a_decision_takes_the_place_of_what_could_be_done_again_before_it(
    stage: Stage, first: str, then: str, state: HunkState
) -> None:
    async with stage.reviewing() as pilot:
        now = await press(stage, pilot, first, "u", then)
        assert now.states == (state, HunkState.OK)
        assert await press(stage, pilot, "ctrl+r") == now
        assert "nothing to redo" in stage.note
        assert (await press(stage, pilot, "u")).states == (HunkState.OK, HunkState.OK)
        assert await press(stage, pilot, "ctrl+r") == now


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(each, marks=pytest.mark.exhaustive) for each in range(1, 30))]
)
async def test_whatever_is_decided_u_leads_back_through_it_and_ctrl_r_forth(
    stage: Stage, seed: int
) -> None:
    chance = random.Random(seed)
    async with stage.reviewing() as pilot:
        walked, at, keys = [stands(stage)], 0, []
        for _ in range(25):
            key = chance.choice(["a", "r", "s", "space", "u", "u", "ctrl+r", "]", "[", "down"])
            keys.append(key)
            now = await press(stage, pilot, key)
            if key == "u":
                at = max(0, at - 1)
            elif key == "ctrl+r":
                at = min(len(walked) - 1, at + 1)
            elif now != walked[at]:
                at, walked = at + 1, [*walked[: at + 1], now]
            assert now == walked[at], " ".join(keys)
            assert now.file == stage.asked_turn.review.base.to_bytes().decode(), " ".join(keys)
