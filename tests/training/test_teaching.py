"""Teaching a base: the numbers of the engine, requests apart from one another, exact resume."""

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from spark_tui.engine.config import ModelConfig  # noqa: E402
from spark_tui.engine.gguf_quants import ENCODINGS, IQ4_NL, dequantise  # noqa: E402
from spark_tui.engine.loader import load, read_model  # noqa: E402
from spark_tui.engine.lora import GGUF_FILE, WEIGHTS_FILE  # noqa: E402
from spark_tui.errors import UsageError  # noqa: E402
from spark_tui.training.base_model import write_base  # noqa: E402
from spark_tui.training.batches import (  # noqa: E402
    PackedRows,
    PaddedBatch,
    WeightedRows,
)
from spark_tui.training.decoder import Inputs, TorchDecoder, read_frozen  # noqa: E402
from spark_tui.training.finetune import TrainingBudget, Tuner, cross_entropy  # noqa: E402
from spark_tui.training.quantization import importance_of, packed, rounded, write_rounded  # noqa: E402
from spark_tui.training.recipe import Recipe, read_recipe  # noqa: E402
from spark_tui.training.rows import CONTEXT, TokenRow, make_rows, read_regions  # noqa: E402
from spark_tui.training.teach import pack  # noqa: E402
from tests.engine.tiny import FAMILIES, write_model  # noqa: E402
from tests.providers.quoting_models import write_tokenizer  # noqa: E402

CPU = torch.device("cpu")
SMALL = {"rank": 4, "first_layer": 1, "rate": 1e-2, "batch_tokens": 600, "micro_tokens": 500}

RENAMED = "def f(self, number):\n    return number + 1"
REGION = {
    "path": "a.py",
    "code": "def f(self, value):\n    return value + 1",
    "requests": [
        {"words": "add two", "edits": [["+ 1", "+ 2"]]},
        {"words": "rename it", "after": RENAMED, "selected": [1, 1]},
        {"words": "thanks"},
    ],
}


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """As `spark train tune` has it: a fork of several threads may stand still."""
    torch.set_num_threads(1)


@pytest.fixture(params=["llama", "qwen2", "qwen3"])
def base(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    config = replace(FAMILIES[request.param], max_position_embeddings=512, tie_word_embeddings=True)
    write_model(tmp_path / "source", config)
    write_tokenizer(tmp_path / "source" / "tokenizer.json", config.vocab_size)
    write_base(tmp_path / "source", tmp_path / "base")
    return tmp_path / "base"


@pytest.fixture
def rows(base: Path, tmp_path: Path) -> list[TokenRow]:
    regions = [REGION, REGION | {"path": "b.py"}]
    path = tmp_path / "asked.jsonl"
    path.write_text("".join(json.dumps(region) + "\n" for region in regions))
    tokenizer = read_model(base).tokenizer
    end = tokenizer.special("<|endoftext|>")
    made = [make_rows(region, tokenizer.encode, end) for region in read_regions([path])]
    return [row for rows_of_region in made for row in rows_of_region]


def recipe(**changed: Any) -> Recipe:
    return read_recipe(overrides=SMALL | changed)


def decoder(base: Path) -> TorchDecoder:
    config = ModelConfig.read(base)
    return TorchDecoder(config, read_frozen(base, config), CPU, torch.float32)


def tuner(folder: Path, base: Path, rows: list[TokenRow], **changed: Any) -> Tuner:
    mixture = WeightedRows([(PackedRows.of(rows), 1.0)])
    start = changed.pop("start", None)
    steps = TrainingBudget(steps=changed.pop("steps", 6))
    used = recipe(**changed)
    return Tuner(folder, decoder(base), used, mixture, steps, base="base", start=start)


def finish(run: Tuner) -> Tuner:
    while run.done < 1:
        run.step()
    return run


def test_the_decoder_computes_what_the_engine_does(base: Path) -> None:
    loaded = load(base)
    ids = np.arange(12, dtype=np.int32) * 7 % 300
    expected = loaded.model.forward(ids, loaded.model.new_cache(64), last_only=False)
    row = TokenRow(ids, np.zeros(12, np.int32), np.zeros(12, np.uint8))
    model = decoder(base)
    hidden = model.hidden(Inputs.of(PaddedBatch.of([row]), CPU))[:12]
    difference = np.abs(model.logits(hidden).numpy() - expected)
    assert difference.max() < 1e-3 * expected.std()


def test_in_bfloat16_it_computes_nearly_the_same(base: Path, rows: list[TokenRow]) -> None:
    config, inputs = ModelConfig.read(base), Inputs.of(PaddedBatch.of(rows), CPU)
    exact = decoder(base).hidden(inputs)
    rough = TorchDecoder(config, read_frozen(base, config), CPU, torch.bfloat16).hidden(inputs)
    assert (rough.float() - exact).norm() < 0.05 * exact.norm()


def test_a_request_does_not_see_the_others_on_its_region(base: Path, rows: list[TokenRow]) -> None:
    row, model = rows[0], decoder(base)
    third = np.flatnonzero((row.branches == 0) | (row.branches == 3))
    alone = TokenRow(row.tokens[third], row.branches[third], row.kinds[third])
    separate = model.hidden(Inputs.of(PaddedBatch.of([alone]), CPU))[: len(third)]
    together = model.hidden(Inputs.of(PaddedBatch.of([row]), CPU))[third]
    assert torch.allclose(separate, together, atol=1e-4)
    assert (np.diff(row.positions[third]) == 1).all(), "its positions go on from the region's"


def test_padding_changes_nothing(base: Path, rows: list[TokenRow]) -> None:
    model, row = decoder(base), rows[0]
    region = row.branches == 0
    short = TokenRow(row.tokens[region], row.branches[region], row.kinds[region])
    alone = model.hidden(Inputs.of(PaddedBatch.of([short]), CPU))[: len(short.tokens)]
    batch = PaddedBatch.of([row, short])
    padded = model.hidden(Inputs.of(batch, CPU)).view(2, batch.tokens.shape[1], -1)[1]
    assert torch.allclose(alone, padded[: len(short.tokens)], atol=1e-4)


def test_the_chunked_loss_has_the_value_and_the_gradient_of_the_plain_one() -> None:
    torch.manual_seed(0)
    hidden, table = torch.randn(2500, 8, requires_grad=True), torch.randn(30, 8)
    targets, weights = torch.randint(30, (2500,)), torch.rand(2500)
    total, losses = cross_entropy(hidden, table, targets, weights)
    (gradient,) = torch.autograd.grad(total * 2, hidden)
    plain = torch.nn.functional.cross_entropy(hidden @ table.T, targets, reduction="none")
    (expected,) = torch.autograd.grad((plain * weights).sum() * 2, hidden)
    assert torch.allclose(losses, plain, atol=1e-5)
    assert torch.allclose(gradient, expected, atol=1e-5)


def test_a_new_adapter_changes_nothing_and_a_trained_one_is_what_the_engine_reads(
    base: Path, rows: list[TokenRow], tmp_path: Path
) -> None:
    run = tuner(tmp_path / "run", base, rows, dropout=0.0)
    untouched = run.evaluate(PackedRows.of(rows)).answer
    run.step()
    assert run.report().loss.answer == pytest.approx(untouched, rel=0.05)
    finish(run)
    assert run.evaluate(PackedRows.of(rows)).answer < 0.8 * untouched
    before = read_model(base).weights
    run.write_adapter()
    merged = merged_weights(run, base)
    for name in (WEIGHTS_FILE, "adapter_config.json"):
        (base / name).write_bytes((tmp_path / "run" / name).read_bytes())
    after = read_model(base).weights
    for name, weight in after.items():
        expected = merged.get(name, before[name])
        assert np.allclose(weight, expected, rtol=2e-2, atol=2e-2), name
    assert any(np.abs(after[name] - before[name]).max() > 0.01 for name in merged)
    assert not any(".layers.0." in name for name in merged), "the first layer stays as it is"


def merged_weights(run: Tuner, base: Path) -> dict[str, Any]:
    """Every matrix that has an adapter, with the adapter in it."""
    scale = run.layout.scale
    weights = read_model(base, adapter=False).weights
    pairs = run.layout.pairs(run.flat)
    return {name: weights[name] + scale * up @ down for name, (down, up) in pairs.items()}


def test_a_resumed_run_repeats_a_whole_one(
    base: Path, rows: list[TokenRow], tmp_path: Path
) -> None:
    whole = finish(tuner(tmp_path / "whole", base, rows))
    stopped = tuner(tmp_path / "parts", base, rows)
    for _ in range(3):
        stopped.step()
    stopped.save()
    with pytest.raises(UsageError, match="another rank"):
        tuner(tmp_path / "parts", base, rows, rank=8)
    with pytest.raises(UsageError, match="another data"):
        tuner(tmp_path / "parts", base, rows[:1])
    parts = tuner(tmp_path / "parts", base, rows)
    assert parts.step_number == 3
    finish(parts)
    assert torch.equal(whole.flat, parts.flat)


def test_a_run_by_steps_ends_at_rate_zero(base: Path, rows: list[TokenRow], tmp_path: Path) -> None:
    run = tuner(tmp_path / "run", base, rows)
    rates = []
    while run.done < 1:
        run.step()
        rates.append(run.adam.param_groups[0]["lr"])
    assert rates[1:] == sorted(rates[1:], reverse=True)
    assert (run.step_number, run.report().rate) == (6, 0.0)


def test_smaller_batches_have_one_gradient(
    base: Path, rows: list[TokenRow], tmp_path: Path
) -> None:
    gradients = []
    for micro_tokens in (100, 100_000):
        run = tuner(tmp_path / str(micro_tokens), base, rows, dropout=0.0, rate=1e-9)
        run._micro_tokens = micro_tokens
        batches = [np.arange(len(rows))]
        run._gradient(batches, run._counts(batches))
        assert run.flat.grad is not None
        gradients.append(run.flat.grad)
    assert torch.allclose(*gradients, rtol=1e-3, atol=1e-5)


def test_an_infinite_gradient_is_dropped(base: Path, rows: list[TokenRow], tmp_path: Path) -> None:
    run = tuner(tmp_path / "run", base, rows)
    run.flat.grad = torch.full_like(run.flat, float("nan"))
    assert torch.isnan(run._clip())
    assert not run.flat.grad.any()


def test_a_packed_adapter_is_what_was_trained_and_a_run_can_begin_from_it(
    base: Path, rows: list[TokenRow], tmp_path: Path
) -> None:
    run = finish(tuner(tmp_path / "run", base, rows))
    run.write_adapter()
    held = PackedRows.of(rows)
    trained = run.evaluate(held).answer
    source = tmp_path / "run" / WEIGHTS_FILE
    assert pack(Namespace(adapters=[(source, 1.0)], model=base, rank=None)) == 0
    merged, found = merged_weights(run, base), read_model(base).weights
    for name, weight in merged.items():
        assert np.linalg.norm(found[name] - weight) <= 0.02 * np.linalg.norm(weight), name
    again = tuner(tmp_path / "again", base, rows, start=base / GGUF_FILE)
    larger = tuner(tmp_path / "larger", base, rows, start=base / GGUF_FILE, rank=8)
    assert again.evaluate(held).answer == pytest.approx(trained, rel=0.02)
    assert larger.evaluate(held).answer == pytest.approx(trained, rel=0.02)
    with pytest.raises(UsageError, match="rank 4, more than the 2"):
        tuner(tmp_path / "smaller", base, rows, start=base / GGUF_FILE, rank=2)
    with pytest.raises(UsageError, match="below the first trained layer"):
        tuner(tmp_path / "above", base, rows, start=base / GGUF_FILE, first_layer=2)


def test_only_what_the_grammar_leaves_open_is_learned(rows: list[TokenRow]) -> None:
    learned = [int(rows[0].learned[rows[0].branches == number].sum()) for number in (1, 2, 3)]
    answered = [int((rows[0].branches == number).sum()) for number in (1, 2, 3)]
    assert (rows[0].kinds[rows[0].branches == 0] == CONTEXT).all()
    assert all(0 < some < every for some, every in zip(learned, answered, strict=True))


def test_a_rounded_base_is_close_to_its_source(
    base: Path, rows: list[TokenRow], tmp_path: Path
) -> None:
    parts = write_rounded(base, importance_of(base, rows), tmp_path / "rounded")
    assert parts
    exact, found = read_model(base).weights, read_model(tmp_path / "rounded").weights
    for name, weight in exact.items():
        error = float(np.linalg.norm(found[name] - weight) / np.linalg.norm(weight))
        if weight.ndim == 1:
            assert error == 0.0, name
        else:
            assert error < (0.01 if "embed" in name else 0.12), name
    sizes = [tensor.nbytes for tensor in found.values() if tensor.ndim == 2]
    assert sum(part.stat().st_size for part in parts) < 0.5 * sum(sizes)


def test_a_column_that_is_used_more_is_rounded_less() -> None:
    torch.manual_seed(0)
    weight, weighed = torch.randn(64, 64), torch.ones(64)
    weighed[::2] = 100.0

    def errors(importance: Any) -> Any:
        codes, scales = rounded(weight, importance)
        blocks = packed(codes, scales)
        values = torch.from_numpy(dequantise(ENCODINGS[IQ4_NL], blocks)).view(64, 64)
        return ((values - weight) ** 2).mean(0)

    even, uneven = errors(torch.ones(64)), errors(weighed)
    assert uneven[::2].sum() < even[::2].sum()
