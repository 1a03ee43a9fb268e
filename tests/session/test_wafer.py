"""What the screen is given of the simulated wafer, for a real session of a tiny model."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from spark_tui.engine.loader import LoadedModel
from spark_tui.errors import UsageError
from spark_tui.session.events import Token
from spark_tui.session.pace import Pace
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.session.wafer import MeshToken, WaferView
from spark_tui.vcs.repository import Repository
from tests.fakes import make_repo, rename_script, scripted

CODE = "def load(path):\n    d = []\n    for row in path:\n        d.append(row)\n    return d\n"
WORDS = "rename d to rows"
GRID = 8


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return scripted(tmp_path_factory.mktemp("models") / "tiny", {WORDS: rename_script("d", "rows")})


@pytest.fixture
def played(tmp_path: Path, loaded: LoadedModel) -> tuple[Turn, list[int]]:
    """A turn that is over, and the tokens it wrote."""
    root = make_repo(tmp_path / "repo", {"store.py": CODE})
    session = Session(Repository.discover(root), loaded, tmp_path / "state")
    turn = session.begin(Request(WORDS, path="store.py", symbol="load"))
    return turn, [event.token_id for event in turn.events() if isinstance(event, Token)]


def _all(view: WaferView, turn: Turn, written: list[int]) -> Iterator[MeshToken]:
    while (token := view.follow(turn, written)) is not None:
        yield token


def test_the_map_has_every_region_of_the_first_wafer_inside_it(loaded: LoadedModel) -> None:
    found = WaferView(loaded).place()
    assert (found.model, found.device, found.wafers) == ("tiny", "wse2", 1)
    assert all(0 <= each.row <= found.rows - found.grid for each in found.regions)
    assert all(0 <= each.column <= found.columns - found.grid for each in found.regions)
    assert found.regions[0].what.startswith("embedding, layers 1 to")
    assert found.rate > 1000


@pytest.mark.parametrize(
    ("pace", "seen"),
    [
        (Pace(1.0, "wse3", "tiny"), ("tiny", "wse3", 755)),
        (Pace(1.0, "wse3", "llama3-70b"), ("llama3-70b", "wse3", 755)),
        (Pace(1.0, "8 x h200", "llama3-70b"), ("tiny", "wse2", 750)),
        (Pace(65.0), ("tiny", "wse2", 750)),
    ],
)
def test_the_map_is_of_the_wafer_and_model_of_the_pace(
    loaded: LoadedModel, pace: Pace, seen: tuple[str, str, int]
) -> None:
    found = WaferView(loaded, pace).place()
    assert (found.model, found.device, found.rows) == seen
    assert found.wafers > 1 or found.model == "tiny"


def test_the_mesh_follows_a_turn_token_by_token(
    loaded: LoadedModel, played: tuple[Turn, list[int]]
) -> None:
    turn, written = played
    view = WaferView(loaded, grid=GRID)
    seen = list(_all(view, turn, written[:2]))
    assert [each.done for each in seen] == [0, 1, 2]
    assert [each.tokens for each in seen] == [len(turn.prompt), 1, 1]
    assert [each.done for each in _all(view, turn, written)] == list(range(3, len(written) + 1))


def test_a_prompt_for_which_the_mesh_has_no_room_at_once_goes_through_token_by_token(
    loaded: LoadedModel, played: tuple[Turn, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, written = played
    monkeypatch.setattr("spark_tui.wafer.layer.MeshLayer.has_room", lambda *_: False)
    seen = list(_all(WaferView(loaded, grid=GRID), turn, written))
    assert [each.done for each in seen] == list(range(1 - len(turn.prompt), len(written) + 1))
    assert {each.tokens for each in seen} == {1}


def test_each_token_tells_what_the_mesh_looks_like(
    loaded: LoadedModel, played: tuple[Turn, list[int]]
) -> None:
    turn, written = played
    *_, last = _all(WaferView(loaded, grid=GRID), turn, written[:1])
    for shares in (last.memory, last.heat):
        assert (len(shares), {len(row) for row in shares}) == (GRID, {GRID})
        assert 0 <= min(map(min, shares)) < max(map(max, shares)) <= 1
    assert last.layers == loaded.config.n_layers
    assert sum(cycles for _, cycles in last.phases) == pytest.approx(last.cycles)
    assert 0 < last.rate < 1.1e9 / (last.layers * last.cycles)
    assert 0 < last.busiest < last.cycles
    assert last.milliseconds > 0


def test_another_turn_begins_with_its_own_prompt(
    loaded: LoadedModel, played: tuple[Turn, list[int]], tmp_path: Path
) -> None:
    turn, written = played
    view = WaferView(loaded, grid=GRID)
    list(_all(view, turn, written))
    root = make_repo(tmp_path / "other", {"other.py": "def f(x):\n    return x\n"})
    session = Session(Repository.discover(root), loaded, tmp_path / "state")
    other = session.begin(Request("add a docstring", path="other.py", symbol="f"))
    assert [each.done for each in _all(view, other, [7])] == [0, 1]


def test_tokens_of_an_endpoint_are_not_followed(loaded: LoadedModel) -> None:
    remote = cast("Turn", SimpleNamespace(prompt=()))
    assert WaferView(loaded, grid=GRID).follow(remote, [-1, -1]) is None


def test_what_two_turns_share_is_not_run_again(
    loaded: LoadedModel, played: tuple[Turn, list[int]]
) -> None:
    turn, written = played
    view = WaferView(loaded, grid=GRID)
    list(_all(view, turn, written))
    assert [each.done for each in _all(view, turn, [*written[:1], 7])] == [2]


def test_a_layer_that_does_not_fit_on_the_mesh_is_refused(
    loaded: LoadedModel, played: tuple[Turn, list[int]]
) -> None:
    turn, written = played
    with pytest.raises(UsageError, match="layer"):
        WaferView(loaded, grid=1).follow(turn, written)
