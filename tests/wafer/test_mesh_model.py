"""A model computed on the mesh: its tokens are the plain engine's, its cycles those of the closed form."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from spark_tui.editing.format import END, Frame, encode_pieces, render_region, render_request
from spark_tui.engine.cache import KVCache
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.generate import Step, generate
from spark_tui.engine.library import StoredModel, find_model, read_model
from spark_tui.engine.model import Model
from spark_tui.engine.sampling import greedy
from spark_tui.errors import ShapeError, UsageError
from spark_tui.wafer.devices import WAFERS, Wafer
from spark_tui.wafer.mesh_model import MeshModel, prompt_cycles, token_cycles
from tests.blind_cases import own_cases
from tests.engine.tiny import FAMILIES, random_weights

FEW, MANY = 2, 20
TOKENS = 12
WORST_MS, SLOWEST = 150, 5e6


@pytest.fixture(scope="module")
def stored() -> StoredModel:
    return read_model(find_model())


def _mesh(family: str = "qwen3", grid: int = 4, wafer: Wafer = WAFERS["wse2"]) -> MeshModel:
    config = FAMILIES[family]
    return MeshModel(config, random_weights(config), grid=grid, wafer=wafer)


def _prompts(stored: StoredModel) -> Iterator[list[int]]:
    """Instructions as people give them, about the shortest code first."""
    for case in sorted(own_cases(), key=lambda case: len("\n".join(case.before))):
        frame = Frame.of(case.before)
        pieces = [*render_region(case.before, frame), *render_request(case.instruction, frame, None)]
        yield encode_pieces(pieces, stored.tokenizer)


def _greedy(model: Model, prompt: list[int], stored: StoredModel) -> list[int]:
    stop = {stored.tokenizer.special(END.name)}
    steps = generate(
        model, model.new_cache(len(prompt) + TOKENS), prompt, sampler=greedy(), max_tokens=TOKENS, stop_ids=stop
    )
    return [step.token_id for step in steps if isinstance(step, Step)]


def _same_tokens(stored: StoredModel, count: int) -> MeshModel:
    plain = Decoder(stored.config, stored.weights)
    mesh = MeshModel(stored.config, stored.weights, grid=32)
    for prompt, _ in zip(_prompts(stored), range(count), strict=False):
        assert _greedy(mesh, prompt, stored) == _greedy(plain, prompt, stored)
    mesh.fabric.check_conserved()
    return mesh


def test_the_embedded_model_writes_the_same_tokens_on_32_x_32_pes(stored: StoredModel) -> None:
    _same_tokens(stored, FEW)


@pytest.mark.exhaustive
def test_the_embedded_model_writes_the_same_tokens_for_many_prompts_and_fast_enough(stored: StoredModel) -> None:
    mesh = _same_tokens(stored, MANY)
    tokens = [each for each in mesh.passes if each.tokens == 1]
    assert np.median([each.seconds for each in tokens]) * 1000 < WORST_MS
    assert np.median([mesh.grid**2 * each.cycles / each.seconds for each in tokens]) > SLOWEST


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_of_every_family_are_those_of_the_plain_engine(family: str) -> None:
    config = FAMILIES[family]
    mesh, plain = _mesh(family), Decoder(config, random_weights(config))
    ours, theirs = mesh.new_cache(), plain.new_cache()
    prompt = [7, 300, 19, 4, 100, 101, 12]
    for tokens in (prompt, [5], [319], [0]):
        expected = plain.forward(tokens, theirs)
        np.testing.assert_allclose(mesh.forward(tokens, ours), expected, rtol=0, atol=1e-5 * abs(expected).max())
    assert ours.token_ids == theirs.token_ids


def test_a_prompt_at_once_gives_what_it_gives_token_by_token() -> None:
    mesh, prompt = _mesh(), [7, 300, 19, 4, 100]
    at_once = mesh.forward(prompt, mesh.new_cache())
    each = mesh.forward(prompt, mesh.new_cache(), last_only=False)
    assert each.shape == (5, 320)
    np.testing.assert_allclose(at_once, each[-1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("grid", [1, 2, 3, 4, 7, 16])
@pytest.mark.parametrize("family", ["qwen3", "qwen2", "llama"])
def test_cycles_of_every_token_are_those_of_the_closed_form(family: str, grid: int) -> None:
    mesh = _mesh(family, grid, replace(WAFERS["wse3"], sram=1 << 20))
    cache = mesh.new_cache()
    for prompt in ([1, 2, 3], list(range(20))):
        cache.trim(0)
        mesh.forward(prompt, cache)
        assert mesh.passes[-1].cycles == prompt_cycles(mesh.shape, mesh.wafer, grid, len(prompt))
    for token in (0, 319, 160, 7, 90):
        mesh.forward([token], cache)
        run = mesh.passes[-1]
        assert run.cycles == token_cycles(mesh.shape, mesh.wafer, grid, token, cache.length)
        assert sum(run.parts.values()) == pytest.approx(run.cycles)
    mesh.fabric.check_conserved()


def test_what_is_trimmed_runs_again_with_the_same_outcome() -> None:
    mesh = _mesh()
    cache = mesh.new_cache()
    first = mesh.forward([7, 8, 9, 10, 11], cache)
    for token in (1, 2, 3):
        mesh.forward([token], cache)
    cache.trim(4)
    np.testing.assert_allclose(mesh.forward([11], cache), first, rtol=1e-4, atol=1e-5)


def test_a_model_that_does_not_fit_names_the_pe_and_what_lies_there() -> None:
    config = replace(FAMILIES["qwen3"], intermediate_size=512)
    with pytest.raises(UsageError, match=r"PE \(0, 0\) needs .* of 49,152 bytes: code .* weights"):
        MeshModel(config, random_weights(config), grid=1)


@pytest.mark.parametrize("grid", [0, -3, 751])
def test_a_grid_that_a_wafer_does_not_have_is_refused(grid: int) -> None:
    with pytest.raises(UsageError, match="takes 1 to 750"):
        _mesh(grid=grid)


def test_a_cache_that_outgrows_a_pe_is_left_as_it_was() -> None:
    config = replace(FAMILIES["qwen3"], max_position_embeddings=4096)
    wafer = replace(WAFERS["wse2"], sram=72_000)
    mesh = MeshModel(config, random_weights(config), grid=1, wafer=wafer)
    cache = mesh.new_cache()
    with pytest.raises(UsageError, match="KV"):
        deque(mesh.forward([7], cache) for _ in range(300))
    held = cache.length
    assert 0 < held < 300
    assert {rows.length for rows in cache.rows} == {held}


def test_what_makes_no_sense_is_refused() -> None:
    mesh = _mesh()
    cache = mesh.new_cache(4)
    for ids in ([], [320], [-1], [1] * 5):
        with pytest.raises(ShapeError):
            mesh.forward(ids, cache)
    with pytest.raises(ShapeError, match="mesh"):
        mesh.forward([1], KVCache(mesh.config))
