"""What a model's speed may and may not do when one thing about it changes."""

from dataclasses import replace

import pytest

from spark_tui.errors import UsageError
from spark_tui.wafer import costs, predict
from spark_tui.wafer.machine import GPUS, SHAPES, STACKS, WAFERS, Gpu, ModelShape

WSE2 = WAFERS["wse2"]
FAMILIES = [shape.as_measured() for shape in SHAPES.values()]
GRIDS = (240, 256, 300, 360, 420, 500, 540, 660, 720, 750)


@pytest.mark.parametrize("shape", FAMILIES, ids=lambda shape: shape.name)
@pytest.mark.parametrize("grid", GRIDS)
def test_more_context_is_never_faster(shape: ModelShape, grid: int) -> None:
    contexts = (1, 7, 128, 1000, 1001, 4096, 8192, 100_000)
    for layers in (predict.decode, predict.prefill):
        seconds = [layers(shape, WSE2, grid, context).seconds for context in contexts]
        assert seconds == sorted(seconds)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("wider", [{"dim": 5120}, {"ffn": 20_000}, {"layers": 33}, {"heads": 40}])
def test_a_larger_model_is_never_faster(grid: int, wider: dict[str, int]) -> None:
    shape = SHAPES["llama3-8b"]
    larger = replace(shape, **wider)  # type: ignore[arg-type]
    for layers in (predict.decode, predict.prefill):
        assert layers(larger, WSE2, grid, 4096).seconds >= layers(shape, WSE2, grid, 4096).seconds
    assert predict.kv_capacity(larger, WSE2) <= predict.kv_capacity(shape, WSE2)


def test_a_request_is_its_prompt_and_each_of_its_tokens() -> None:
    shape, grids = SHAPES["llama3-8b"].as_measured(), (660, 360)
    first = predict.prefill(shape, WSE2, 660, 700).seconds
    rest = sum(predict.decode(shape, WSE2, 360, 700 + number).seconds for number in range(500))
    whole = predict.request(shape, WSE2, grids, 700, 500)
    assert whole.tokens == 500
    # a context that fills its last row counts with those that begin the next one
    assert whole.seconds == pytest.approx(first + rest, rel=2e-3)


def test_a_longer_answer_has_exactly_its_tokens_whatever_the_grid() -> None:
    for grid in (1, 7, 360, 750):
        for prompt, output in ((1, 1), (359, 2), (360, 1), (4096, 5000), (1, 100_000)):
            spans = predict.answer_contexts(prompt, output, grid)
            assert sum(count for _, count in spans) == output
            assert all(count >= 0 for _, count in spans)
            assert len(spans) < 3 * 4096


def test_a_product_keeps_to_the_memory_bandwidth_and_to_the_depth_of_its_sum() -> None:
    small, large = (predict.gemv(WSE2, 750, size).layer_cycles for size in (16384, 32768))
    assert costs.allreduce(750, 22) < small < large < 4 * small


@pytest.mark.parametrize("grid", [0, -1, 751, 10**6])
def test_a_grid_that_is_none_is_refused(grid: int) -> None:
    for layers in (predict.decode, predict.prefill):
        with pytest.raises(UsageError, match="wse2 takes 1 to 750 a side"):
            layers(FAMILIES[0], WSE2, grid, 4096)
    with pytest.raises(UsageError, match="wse2 takes 1 to 750 a side"):
        predict.gemv(WSE2, grid, 1024)


@pytest.mark.parametrize("gpu", GPUS.values(), ids=lambda gpu: gpu.name)
def test_no_gpu_is_faster_than_its_memory_or_its_arithmetic(gpu: Gpu) -> None:
    shape, stack = SHAPES["llama3-8b"], STACKS["sglang"]
    for count in (1, 2, 8):
        token = predict.gpu_token(shape, gpu, stack, 4096, count)
        assert token > 2 * shape.streamed / (count * gpu.bandwidth)
        prompt = predict.gpu_prompt(shape, gpu, stack, 4096, count)
        assert prompt > 2 * shape.layers * shape.layer_parameters * 4096 / (count * gpu.flops)
        assert predict.gpu_gemv(gpu, stack, 32768, count) > 2 * 32768**2 / (count * gpu.bandwidth)


@pytest.mark.parametrize("count", [1, 8])
def test_a_gpu_reads_the_cache_of_every_token(count: int) -> None:
    shape, gpu, stack = SHAPES["llama2-13b"], GPUS["a100"], STACKS["sglang"]
    short, long = (predict.gpu_token(shape, gpu, stack, context, count) for context in (0, 4096))
    cache = 2 * 2 * shape.layers * shape.kv_dim * 4096
    assert long - short == pytest.approx(cache / (count * gpu.bandwidth * stack.efficiency))
    assert predict.needed_bytes(shape, 4096) - predict.needed_bytes(shape, 0) == cache


def test_a_prompt_of_one_token_takes_as_long_as_a_decoded_one() -> None:
    shape, gpu, stack = SHAPES["llama3-8b"], GPUS["a100"], STACKS["sglang"]
    for count in (1, 8):
        assert predict.gpu_prompt(shape, gpu, stack, 1, count) == predict.gpu_token(
            shape, gpu, stack, 1, count
        )
        waits = [
            predict.gpu_prompt(shape, gpu, stack, tokens, count)
            for tokens in (1, 16, 256, 1024, 4096)
        ]
        assert waits == sorted(waits)
    assert (
        predict.prefill(shape, WSE2, 660, 1).seconds == predict.decode(shape, WSE2, 660, 1).seconds
    )


def test_gpus_that_nothing_joins_wait_for_nothing() -> None:
    stack = STACKS["sglang"]
    assert stack.link(1, 1).allreduce == stack.link(1, 1).row == stack.link(1, 1).product == 0
    assert 0 < stack.link(8, 1).allreduce < stack.link(8, 2).allreduce
