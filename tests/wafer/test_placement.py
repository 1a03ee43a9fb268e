"""A placement holds every layer once, keeps to the memory of PEs, and is the best one found."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_tui.errors import UsageError
from spark_tui.wafer import costs
from spark_tui.wafer.constants import CODE_RESERVE, COLORS, RESERVED_COLORS
from spark_tui.wafer.machine import SHAPES, WAFERS, ModelShape, Wafer
from spark_tui.wafer.placement import Need, Placement, capacity, place
from spark_tui.wafer.predict import head_cycles, layer_parts, prompt_cycles

WSE2, WSE3 = WAFERS["wse2"], WAFERS["wse3"]
TINY = ModelShape("tiny", 256, 704, 6, 4, 1, 64, 8192, tied=True)


@st.composite
def shapes(draw: st.DrawFn) -> ModelShape:
    kv_heads = draw(st.integers(1, 8))
    return ModelShape(
        name="drawn",
        dim=draw(st.integers(1, 8192)),
        ffn=draw(st.integers(1, 30_000)),
        layers=draw(st.integers(1, 100)),
        heads=kv_heads * draw(st.integers(1, 8)),
        kv_heads=kv_heads,
        head_dim=2 * draw(st.integers(1, 64)),
        vocab=draw(st.integers(1, 160_000)),
        tied=draw(st.booleans()),
        qk_norm=draw(st.booleans()),
        bias=draw(st.booleans()),
    )


def _holds(placed: Placement) -> None:
    """What must be true of every placement."""
    wafer, grid, need = placed.wafer, placed.grid, placed.need
    taken = [
        layer
        for region in placed.regions
        for layer in range(region.first, region.first + region.layers)
    ]
    assert taken == list(range(placed.shape.layers))
    for rows in (
        [region.embedding for region in placed.regions],
        [region.head for region in placed.regions],
    ):
        assert sum(rows) == need.vocab_rows
        assert need.vocab_rows * grid >= placed.shape.vocab
    spots = {(region.wafer, region.row, region.column) for region in placed.regions}
    assert len(spots) == len(placed.regions)
    for region in placed.regions:
        assert region.row % grid == region.column % grid == 0
        assert 0 <= region.row <= wafer.rows - grid
        assert 0 <= region.column <= wafer.columns - grid
        weights = region.layers * (need.layer_weights + need.layer_cache)
        assert (
            region.bytes
            == CODE_RESERVE
            + need.buffers
            + weights
            + (region.embedding + region.head) * need.vocab_row
        )
        assert region.bytes <= wafer.sram
    assert placed.colors + placed.colors_free == COLORS - len(RESERVED_COLORS)
    assert placed.colors_free >= 0


@settings(max_examples=150)
@given(
    shapes(),
    st.sampled_from([WSE2, WSE3]),
    st.integers(1, 750),
    st.integers(1, 20_000),
    st.sampled_from([8, 16]),
    st.sampled_from(["token", "prompt"]),
)
def test_layers_are_placed_once_and_no_pe_is_over_its_memory(
    shape: ModelShape, wafer: object, grid: int, context: int, bits: int, aim: object
) -> None:
    try:
        placed = place(shape, wafer, grid=grid, context=context, bits=bits, aim=aim)  # type: ignore[arg-type]
    except UsageError:
        need = Need.of(shape, grid, context, bits)
        assert need.fixed + max(need.layer, need.vocab_row) > WSE2.sram
        return
    _holds(placed)
    assert capacity(placed) >= context


@pytest.mark.parametrize("wafer", [WSE2, WSE3], ids=lambda wafer: wafer.name)
@pytest.mark.parametrize("shape", [TINY, *SHAPES.values()], ids=lambda shape: shape.name)
def test_the_grid_that_is_found_is_the_best_one(shape: ModelShape, wafer: Wafer) -> None:
    best = place(shape, wafer)
    _holds(best)
    apart = 1 if shape.name == "qwen2-7b" else 17
    for grid in range(best.grid % apart + 1, wafer.largest_grid + 1, apart):
        try:
            other = place(shape, wafer, grid=grid)
        except UsageError:
            continue
        assert (best.wafers, best.token_cycles) <= (other.wafers, other.token_cycles)


def test_weights_take_at_least_their_bytes_and_half_of_them_at_8_bits() -> None:
    shape = SHAPES["llama3-70b"]
    full, half = (place(shape, WSE3, bits=bits) for bits in (16, 8))
    assert len(full.regions) * full.grid**2 * full.used > 2 * shape.parameters
    assert half.wafers < full.wafers
    assert full.need.layer_weights * full.grid**2 >= 2 * shape.layer_parameters


def test_a_larger_model_a_longer_cache_or_fewer_pes_never_take_fewer_wafers() -> None:
    shape = SHAPES["llama2-13b"]
    taken = [place(replace(shape, layers=layers), WSE2).wafers for layers in (1, 20, 40, 80, 160)]
    assert taken == sorted(taken)
    taken = [place(shape, WSE2, context=context).wafers for context in (1, 4096, 20_000, 100_000)]
    assert taken == sorted(taken)
    for each in SHAPES.values():
        assert place(each, WSE3).wafers <= place(each, WSE2).wafers


def test_a_regions_layers_are_as_even_as_they_can_be() -> None:
    placed = place(replace(TINY, layers=12), WSE2, grid=16)
    counts = [region.layers for region in placed.regions]
    assert len(counts) > 1
    assert placed.used < WSE2.sram
    assert sum(counts) == 12


def test_regions_that_follow_each_other_touch() -> None:
    placed = place(SHAPES["llama3-70b"], WSE2, grid=240)
    for one, other in zip(placed.regions, placed.regions[1:], strict=False):
        if one.wafer == other.wafer:
            assert abs(one.row - other.row) + abs(one.column - other.column) == placed.grid


def test_the_parts_of_a_token_are_its_layers_and_more() -> None:
    for shape in (TINY, *SHAPES.values()):
        for grid in (1, 64, 333, 660):
            parts = layer_parts(shape, grid, 4096, 4)
            assert sum(parts.values()) == pytest.approx(costs.decode_layer(shape, grid, 4096, 4))
            assert min(parts.values()) >= 0
    placed = place(SHAPES["llama3-8b"], WSE2, grid=343)
    layers = placed.shape.layers * costs.decode_layer(placed.shape, 343, 4096, 4)
    assert layers < placed.token_cycles < 1.05 * layers
    assert placed.all_tokens_per_second > placed.tokens_per_second


def test_one_region_serves_one_request_at_a_time() -> None:
    alone = place(TINY, WSE2, grid=512)
    assert len(alone.regions) == 1
    assert alone.all_tokens_per_second == pytest.approx(alone.tokens_per_second)


def test_the_slowest_region_counts_its_part_of_the_lm_head() -> None:
    placed = place(SHAPES["llama3-8b"], WSE2, grid=343)
    layer = costs.decode_layer(placed.shape, 343, 4096, 4)
    last = placed.regions[-1]
    assert last.head
    slowest = WSE2.clock / placed.all_tokens_per_second
    assert slowest >= max(region.layers for region in placed.regions) * layer
    assert slowest > last.layers * layer + head_cycles(placed.shape, 343, last.head, 4)


def test_a_short_prompt_goes_token_by_token() -> None:
    placed = place(SHAPES["llama3-8b"], WSE2)
    assert placed.prompt_seconds(1) < 1.1 / placed.tokens_per_second
    assert placed.prompt_seconds(10) < 10 / placed.tokens_per_second


def test_only_a_model_on_several_wafers_waits_for_their_links() -> None:
    one, more = place(SHAPES["llama3-8b"], WSE2), place(SHAPES["llama3-70b"], WSE2)
    assert one.token_parts["links between wafers"] == 0 < more.token_parts["links between wafers"]


def test_a_prompt_in_pieces_is_no_slower_than_in_one() -> None:
    shape = SHAPES["llama3-8b"]
    whole = 32 * costs.prefill_layer(shape, 360, 4096, 4)
    alone = prompt_cycles(shape, WSE2, 360, 4096, stages=[32], most_rows=100)
    spread = prompt_cycles(shape, WSE2, 360, 4096, stages=[8] * 4, most_rows=100)
    tight = prompt_cycles(shape, WSE2, 360, 4096, stages=[8] * 4, most_rows=1)
    assert whole < alone < 1.01 * whole
    assert spread < alone
    assert spread < tight


def test_a_longer_prompt_is_never_faster() -> None:
    placed = place(SHAPES["llama3-8b"], WSE2)
    waits = [placed.prompt_seconds(tokens) for tokens in (1, 300, 1000, 4096, 10_000)]
    assert waits == sorted(waits)
    aimed = place(SHAPES["llama3-8b"], WSE2, aim="prompt")
    assert aimed.wafers == placed.wafers
    assert aimed.prompt_seconds(4096) <= placed.prompt_seconds(4096)


def test_a_cache_that_holds_its_most_does_not_hold_one_more() -> None:
    placed = place(SHAPES["llama3-8b"], WSE2, grid=343)
    most = capacity(placed)
    assert (
        place(placed.shape, WSE2, grid=343, context=most, wafers=placed.wafers).wafers
        == placed.wafers
    )
    with pytest.raises(UsageError):
        place(placed.shape, WSE2, grid=343, context=most + 343, wafers=placed.wafers)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"grid": 0}, "takes 1 to 750 a side"),
        ({"grid": -1}, "takes 1 to 750"),
        ({"grid": 751}, "takes 1 to 750"),
        ({"wafers": 0}, "at least 1"),
        ({"wafers": 3}, "takes 7 wse2 on the best grid, not 3"),
        ({"wafers": 3, "grid": 375}, "on grids of 375 x 375"),
        ({"context": 0}, "give 1 to"),
        ({"context": 10**12}, "give 1 to"),
        ({"bits": 4}, "choose 8 or 16"),
        ({"grid": 8}, "does not fit: one layer"),
    ],
)
def test_what_cannot_be_placed_is_refused_in_one_line(asked: dict[str, int], told: str) -> None:
    with pytest.raises(UsageError, match=told) as refused:
        place(SHAPES["llama3-70b"], WSE2, **asked)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


def test_a_layer_larger_than_a_wafer_is_refused() -> None:
    vast = replace(SHAPES["llama3-70b"], dim=1 << 16, ffn=1 << 18, heads=512, kv_heads=512)
    with pytest.raises(UsageError, match="one layer takes"):
        place(vast, WSE2)
