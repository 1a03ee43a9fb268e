"""A model with a layer on the mesh: the plain engine's tokens, the closed form's cycles."""

from collections import deque
from dataclasses import replace

import numpy as np
import pytest

from spark_tui.engine.decoder import Decoder
from spark_tui.engine.generate import Step, generate, greedy
from spark_tui.engine.kv_cache import Branches, KVCache
from spark_tui.engine.model import Model
from spark_tui.errors import ShapeError, UsageError
from spark_tui.wafer.machine import WAFERS, Wafer
from spark_tui.wafer.mesh_model import LayerOnMesh, MeshModel
from spark_tui.wafer.placement import place
from tests.engine.tiny import FAMILIES, MIXTURES, random_weights
from tests.wafer.samples import conserved

PROMPT = [7, 300, 19, 4, 100, 101, 12]
ROOMY = replace(WAFERS["wse2"], sram=1 << 20)


def _mesh(family: str = "qwen2", number: int = 2, grid: int = 4, wafer: Wafer = ROOMY) -> MeshModel:
    config, weights = FAMILIES[family], random_weights(FAMILIES[family])
    return MeshModel(
        Decoder(config, weights), LayerOnMesh(config, weights, number, grid=grid, wafer=wafer)
    )


def _greedy(model: Model) -> list[int]:
    steps = generate(model, model.new_cache(), PROMPT, sampler=greedy(), max_tokens=60)
    return [step.token_id for step in steps if isinstance(step, Step)]


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("family", FAMILIES)
def test_logits_of_every_family_are_those_of_the_plain_engine_whichever_layer_is_on_the_mesh(
    family: str, number: int
) -> None:
    mesh = _mesh(family, number)
    ours, theirs = mesh.new_cache(), mesh.plain.new_cache()
    for tokens in (PROMPT, [5], [319], [0]):
        expected = mesh.plain.forward(tokens, theirs)
        np.testing.assert_allclose(
            mesh.forward(tokens, ours), expected, rtol=0, atol=1e-5 * abs(expected).max()
        )
    assert ours.token_ids == theirs.token_ids
    conserved(mesh.mesh.fabric)


def test_a_mixture_of_experts_is_refused() -> None:
    config = MIXTURES["qwen3_moe"]
    with pytest.raises(UsageError, match="a mixture of experts, which no mesh here runs"):
        LayerOnMesh(config, random_weights(config), 1, grid=4, wafer=ROOMY)


def test_the_tokens_written_are_those_of_the_plain_engine_and_each_went_through_the_mesh() -> None:
    mesh = _mesh()
    assert _greedy(mesh) == _greedy(mesh.plain)
    assert [each.tokens for each in mesh.mesh.passes] == [len(PROMPT)] + [1] * 59


def test_tokens_depend_on_what_comes_out_of_the_mesh(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = _mesh()
    monkeypatch.setattr(mesh.mesh, "run", lambda hidden, _rows: np.zeros_like(hidden))
    assert _greedy(mesh) != _greedy(mesh.plain)


def test_a_prompt_at_once_gives_what_it_gives_token_by_token() -> None:
    mesh = _mesh()
    at_once = mesh.forward(PROMPT, mesh.new_cache())
    cache = mesh.new_cache()
    for token in PROMPT:
        each = mesh.forward([token], cache)
    np.testing.assert_allclose(at_once, each, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("grid", [1, 2, 3, 4, 7, 16])
@pytest.mark.parametrize("family", ["qwen3", "qwen2", "llama"])
def test_cycles_of_every_token_are_those_of_the_closed_form(family: str, grid: int) -> None:
    model = _mesh(family, grid=grid, wafer=replace(WAFERS["wse3"], sram=1 << 20))
    mesh, cache = model.mesh, model.new_cache()
    for prompt in ([1, 2, 3], list(range(20))):
        cache.trim(0)
        model.forward(prompt, cache)
        assert (mesh.passes[-1].tokens, mesh.passes[-1].context) == (len(prompt), len(prompt))
    for token in (0, 319, 160, 7, 90):
        model.forward([token], cache)
        assert (mesh.passes[-1].tokens, mesh.passes[-1].context) == (1, cache.length)
        assert sum(mesh.passes[-1].parts.values()) == pytest.approx(mesh.passes[-1].cycles)
    assert [each.cycles for each in mesh.passes] == [mesh.closed_form(each) for each in mesh.passes]
    conserved(mesh.fabric)


def test_a_whole_token_takes_what_the_placement_on_such_regions_counts() -> None:
    model = _mesh()
    placed = place(model.mesh.shape, ROOMY, grid=4, context=2048)
    cache = model.new_cache()
    model.forward(PROMPT, cache)
    model.forward([5], cache)
    (*_, run) = model.mesh.passes
    layers = sum(placed.token_parts[name] for name in list(placed.token_parts)[:4])
    assert model.mesh.whole_token(run.cycles) == 3 * run.cycles + placed.token_cycles - layers


def test_what_is_trimmed_runs_again_with_the_same_outcome() -> None:
    mesh = _mesh()
    cache = mesh.new_cache()
    first = mesh.forward([7, 8, 9, 10, 11], cache)
    for token in (1, 2, 3):
        mesh.forward([token], cache)
    cache.trim(4)
    np.testing.assert_allclose(mesh.forward([11], cache), first, rtol=1e-4, atol=1e-5)


def test_a_prompt_that_does_not_fit_at_once_goes_through_token_by_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mesh = _mesh(grid=2)
    monkeypatch.setattr(mesh.mesh.fabric.ledger, "sram", int(mesh.mesh.fabric.memory.max()) + 9000)
    mesh.forward(list(range(90)), cache := mesh.new_cache())
    assert [each.tokens for each in mesh.mesh.passes] == [1] * 90
    assert mesh.mesh.at_once(3, mesh.mesh.new_rows())
    assert not mesh.mesh.at_once(3, cache.rows)


def test_a_layer_that_does_not_fit_names_the_pe_and_what_lies_there() -> None:
    config = replace(FAMILIES["qwen3"], intermediate_size=512)
    with pytest.raises(UsageError, match=r"PE \(0, 0\) needs .* of 49,152 bytes: code .* weights"):
        LayerOnMesh(config, random_weights(config), 1, grid=1)


def test_a_cache_that_outgrows_a_pe_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = _mesh(grid=1)
    cache = mesh.new_cache()
    monkeypatch.setattr(mesh.mesh.fabric.ledger, "sram", int(mesh.mesh.fabric.memory.max()) + 3000)
    with pytest.raises(UsageError, match="KV"):
        deque(mesh.forward([7], cache) for _ in range(90))
    assert 0 < cache.length < 90
    assert cache.rows.length == cache.length


def test_what_makes_no_sense_is_refused() -> None:
    mesh = _mesh()
    cache = mesh.new_cache(4)
    for ids in ([], [320], [-1], [1] * 5):
        with pytest.raises(ShapeError):
            mesh.forward(ids, cache)
    with pytest.raises(ShapeError, match="mesh"):
        mesh.forward([1], KVCache(mesh.config))
    with pytest.raises(UsageError, match="one sequence at a time"):
        mesh.forward_branches([1], Branches(cache, 1, 1), [0])
