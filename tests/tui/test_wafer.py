"""The wafer view: pictures of the placement and of a mesh that follows the turn, and an
interface that never waits.
"""

import threading
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from spark_tui.errors import UsageError
from spark_tui.session.controller import Controller
from spark_tui.session.pace import Pace
from spark_tui.session.wafer import MapRegion, MeshToken, WaferMap, WaferView
from spark_tui.tui.screens.wafer import (
    Canvas,
    Ramp,
    Square,
    WaferScreen,
    bar,
    heat,
    longest_phases,
    plan,
    pooled,
)
from spark_tui.tui.widgets.status_bars import Bar
from tests.tui.support import EDIT, Stage, until

RAMP, SHADES = Ramp("#000000", "#ffffff"), Ramp("ansi_default", "ansi_green")
PAGE = "#000000", "#111111"
SIZES = pytest.mark.parametrize(
    "size", [(80, 24), (120, 40), (200, 60)], ids=["80x24", "120x40", "200x60"]
)
PHASES = (
    ("embedding", 76.0),
    ("norm", 2736.0),
    ("queries, keys, values", 5904.0),
    ("scores", 2448.0),
    ("down", 4122.0),
)
MAP = WaferMap(
    "spark-m",
    "wse2",
    750,
    994,
    159,
    1,
    (MapRegion(0, 0, "embedding, layers 1 to 24, head"),),
    5488.0,
)
TOKEN = MeshToken(
    model="spark-m",
    device="wse2",
    grid=32,
    layers=24,
    done=3,
    written=8,
    tokens=1,
    memory=tuple(tuple((row + column) / 70 for column in range(32)) for row in range(32)),
    heat=tuple(tuple(1 - abs(row - 16) / 16 for _ in range(32)) for row in range(32)),
    emptiest=16200,
    fullest=16248,
    sram=49152,
    busiest=1200,
    cycles=15286.0,
    phases=PHASES,
    rate=2908.0,
    milliseconds=21.0,
)


class View:
    """Says what it was told to; `gate` holds it until it is let go."""

    def __init__(self, said: list[MeshToken | Exception]) -> None:
        self.said = said
        self.gate = threading.Event()

    def place(self) -> WaferMap:
        return MAP

    def follow(self, turn: object, written: object) -> MeshToken | None:
        assert self.gate.wait(20)
        if not self.said:
            return None
        said = self.said.pop(0)
        if isinstance(said, Exception):
            raise said
        return said


def _let_go(said: list[MeshToken | Exception]) -> View:
    view = View(said)
    view.gate.set()
    return view


def _screen(view: View, *, turn: object = 1, pace: Pace | None = None) -> WaferScreen:
    seen = SimpleNamespace(token_ids=[1, 2], figures=SimpleNamespace(rate=412.0))
    pacer = SimpleNamespace(pace=pace)
    return WaferScreen(
        cast("WaferView", view),
        cast("Controller", SimpleNamespace(turn=turn, view=seen, model="spark-m", pacer=pacer)),
    )


def _words(screen: WaferScreen) -> str:
    return "\n".join([each.words for each in screen.query(Bar)] + [screen.query_one(Canvas).words])


# Pictures


def test_a_cell_holds_two_pes_one_above_the_other() -> None:
    ((cell,),) = heat([[0.0], [1.0]], RAMP)
    assert cell.text == "▀"
    assert cell.style is not None
    black, white = (cell.style.parse(each).color for each in ("#000000", "#ffffff"))
    assert (cell.style.color, cell.style.bgcolor) == (black, white)


def test_without_colors_shades_stand_for_values() -> None:
    text = "".join(segment.text for segment in heat([[0.0, 0.5, 1.0], [0.0, 0.0, 0.2]], SHADES)[0])
    assert text == " ▒█"


def test_pooling_keeps_the_largest_of_each_square() -> None:
    values = [[0.0] * 4 for _ in range(4)]
    values[3][0] = 0.9
    assert pooled(values, 2) == [[0.0, 0.0], [0.9, 0.0]]
    assert pooled(values, 4) == values


def test_every_region_of_a_map_is_lettered_however_small() -> None:
    squares = [
        Square(0, 0, 10, "#ff0000"),
        Square(0, 500, 10, "#00ff00"),
        Square(600, 0, 10, "#0000ff"),
    ]
    text = "\n".join(
        "".join(segment.text for segment in line) for line in plan((750, 994), squares, 26, PAGE)
    )
    assert all(letter in text for letter in "ABC")
    assert {len(line) for line in text.splitlines()} == {26}


@pytest.mark.parametrize(
    ("share", "drawn"), [(0.0, "    "), (0.5, "██  "), (1.0, "████"), (0.53, "██▏ "), (9.0, "████")]
)
def test_bars_are_as_long_as_their_share(share: float, drawn: str) -> None:
    assert bar(share, 4) == drawn


def test_short_phases_are_put_together_when_there_is_no_room() -> None:
    assert longest_phases(PHASES, 9) == list(PHASES)
    kept = longest_phases(PHASES, 3)
    assert [name for name, _ in kept] == ["queries, keys, values", "down", "all else"]
    assert sum(cycles for _, cycles in kept) == sum(cycles for _, cycles in PHASES)


# The screen


async def test_it_shows_the_map_the_mesh_and_the_time_line_within_the_screen(stage: Stage) -> None:
    screen = _screen(view := View([TOKEN]))
    view.gate.set()
    async with stage.app.run_test() as pilot:
        await stage.app.push_screen(screen)
        await until(pilot, lambda: "token 3 of 8" in _words(screen))
        for size in ((80, 24), (120, 40), (200, 60)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: screen.query_one(Canvas).size.width == size[0] - 2)  # type: ignore[misc]
            words = _words(screen)
            for each in (
                "5,488 tok/s simulated on wse2",
                "2,908 on 32 x 32 PEs",
                "412 tok/s measured here",
                "A embedding",
                "wse2, 750 x 994 PEs",
                "wse2 PE memory",
                "wse2 link words",
                "token 3 of 8, layer 1 of 24 on wse2",
                "33%",
                "15,286 cycles simulated",
                "queries, keys",
            ):
                assert each in words
            lines = screen.query_one(Canvas).words.splitlines()
            assert max(len(line.rstrip()) for line in lines) <= size[0] - 2
            assert len(lines) <= screen.query_one(Canvas).size.height


async def test_where_there_is_room_every_region_is_named(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    regions = tuple(
        MapRegion(373 * (n // 3), 373 * (n % 3), f"layers {3 * n + 1} to {3 * n + 3}")
        for n in range(6)
    )
    screen = _screen(view := View([TOKEN]))
    monkeypatch.setattr(view, "place", lambda: replace(MAP, grid=373, regions=regions))
    view.gate.set()
    async with stage.app.run_test(size=(200, 50)) as pilot:
        await stage.app.push_screen(screen)
        await until(pilot, lambda: "token 3 of 8" in _words(screen))
        assert "F layers 16 to 18" in _words(screen)
        assert "down" in _words(screen)
        await pilot.resize_terminal(110, 37)
        await until(pilot, lambda: "and 3 more" in _words(screen))
        assert "C layers 7 to 9" in _words(screen)
        assert "down" in _words(screen)


async def test_while_the_mesh_computes_the_interface_answers(stage: Stage) -> None:
    screen = _screen(view := View([TOKEN]))
    async with stage.app.run_test() as pilot:
        await stage.app.push_screen(screen)
        await until(pilot, lambda: "the mesh reads the prompt" in _words(screen))
        await stage.closes(pilot, "escape")
        view.gate.set()


async def test_it_says_what_to_do_how_far_a_prompt_is_what_does_not_fit_and_which_pace_holds(
    stage: Stage,
) -> None:
    told = {
        "no turn yet: send an instruction": (_screen(_let_go([]), turn=None), "A embedding"),
        "the prompt, 1,205 tokens to go, layer 1 of 24 on wse2": (
            _screen(_let_go([replace(TOKEN, done=-1205)])),
            "33%",
        ),
        "PE (0, 0) needs": (
            _screen(_let_go([UsageError("PE (0, 0) needs 60,000 of 49,152 bytes")])),
            "A embedding",
        ),
        "paced as 8 x h200: 94": (
            _screen(_let_go([TOKEN]), pace=Pace(94.4, "8 x h200", "llama3-70b")),
            "5,488 tok/s simulated on wse2",
        ),
    }
    async with stage.app.run_test(size=(110, 30)) as pilot:
        for words, (screen, more) in told.items():
            await stage.app.push_screen(screen)
            await until(pilot, lambda words=words, screen=screen: words in _words(screen))  # type: ignore[misc]
            await until(pilot, lambda more=more, screen=screen: more in _words(screen))  # type: ignore[misc]
            await stage.app.pop_screen()


async def test_w_in_the_diff_opens_it_on_the_turn_and_esc_comes_back(stage: Stage) -> None:
    async with stage.reviewing(EDIT) as pilot:
        await stage.opens(pilot, WaferScreen, "w")
        screen = cast("WaferScreen", stage.app.screen)
        await until(
            pilot,
            lambda: f"of {len(stage.view.token_ids)}, layer 1 of 3 on wse2: " in _words(screen),
        )
        assert stage.controller.simulated is not None
        await stage.closes(pilot, "escape")


async def test_w_shows_the_wafer_of_the_sessions_pace_with_its_name_on_every_panel(
    stage: Stage,
) -> None:
    async with stage.reviewing(EDIT, size=(110, 40)) as pilot:
        for pace, model in (("wse3:llama3-70b", "llama3-70b"), ("real", "model")):
            device = pace.partition(":")[0].replace("real", "wse2")
            await stage.app.run_action(f"app.pace('{pace}')")
            await stage.opens(pilot, WaferScreen, "w")
            screen = cast("WaferScreen", stage.app.screen)
            await until(pilot, lambda: " on 32 x 32 PEs" in _words(screen))  # noqa: B023 - waits in this round
            words = _words(screen)
            for told in (
                f"{model} on {device}",
                f"simulated on {device}",
                f"{device} PE memory",
                f"{device} link words",
            ):
                assert told in words
            assert (" model " in words) == (model != "model")
            await stage.closes(pilot, "escape")


@SIZES
def test_picture_of_the_wafer_view(
    snap_compare: Callable[..., bool], stage: Stage, size: tuple[int, int]
) -> None:
    screen = _screen(view := View([TOKEN]))
    view.gate.set()

    async def begin(pilot: Pilot[Any]) -> None:
        await stage.app.push_screen(screen)
        await until(pilot, lambda: "token 3 of 8" in _words(screen))

    assert snap_compare(stage.app, terminal_size=size, run_before=begin)
