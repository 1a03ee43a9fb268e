"""Teaching a base: the same numbers as the engine, requests that do not see one another, exact resume."""

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
from spark_tui.engine.library import load, read_model  # noqa: E402
from spark_tui.errors import UsageError  # noqa: E402
from spark_tui.training.bases import write_base  # noqa: E402
from spark_tui.training.batching import Batch  # noqa: E402
from spark_tui.training.decoder import Decoder, Lora  # noqa: E402
from spark_tui.training.finetune import Recipe, Tuner, batches  # noqa: E402
from spark_tui.training.rounding import importance_of, packed, rounded, write_rounded  # noqa: E402
from spark_tui.training.rows import Row, make_row, read_regions  # noqa: E402
from spark_tui.training.teach import pack  # noqa: E402
from tests.answering.quoting_models import write_tokenizer  # noqa: E402
from tests.engine.tiny import FAMILIES, write_model  # noqa: E402

REGION = {
    "path": "a.py",
    "code": "def f(self, value):\n    return value + 1",
    "requests": [
        {"words": "add two", "edits": [["+ 1", "+ 2"]]},
        {"words": "rename it", "after": "def f(self, number):\n    return number + 1", "selected": [1, 1]},
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
def rows(base: Path, tmp_path: Path) -> list[Row]:
    (tmp_path / "asked.jsonl").write_text(json.dumps(REGION) + "\n" + json.dumps(REGION | {"path": "b.py"}) + "\n")
    tokenizer = read_model(base).tokenizer
    end = tokenizer.special("<|endoftext|>")
    made = [make_row(region, tokenizer.encode, end, longest=400) for region in read_regions([tmp_path / "asked.jsonl"])]
    return [row for row in made if row is not None]


def recipe(rank: int = 4) -> Recipe:
    return Recipe("base", Lora(rank, 1), steps=6, rate=1e-2, warmup=2, batch_tokens=600)


def decoder(base: Path) -> Decoder:
    return Decoder(ModelConfig.read(base), base, Lora(4, 1))


def test_the_decoder_computes_what_the_engine_does(base: Path) -> None:
    loaded = load(base)
    ids = np.arange(12)[None] * 7 % 300
    expected = loaded.model.forward(ids[0], loaded.model.new_cache(64), last_only=False)
    mask = torch.ones(1, 12, 12).tril().bool()
    model = decoder(base)
    found = model.logits(model(torch.from_numpy(ids), torch.arange(12)[None], mask)[0]).detach().numpy()
    assert np.abs(found - expected).mean() < 0.03 * expected.std(), "but for bfloat16"


def test_a_request_does_not_see_the_others_on_its_region(base: Path, rows: list[Row]) -> None:
    whole, model = Batch.of(rows[:1]), decoder(base)

    def hidden(keep: np.ndarray) -> Any:
        parts = (part[:, keep] for part in (whole.tokens, whole.positions))
        mask = whole.mask()[:, keep][:, :, keep]
        return model(*(torch.from_numpy(part) for part in parts), torch.from_numpy(mask))[0]

    third = np.flatnonzero((whole.branches[0] == 0) | (whole.branches[0] == 3))
    alone, together = hidden(third), hidden(np.arange(whole.tokens.shape[1]))[third]
    assert torch.allclose(alone.float(), together.float(), atol=0.05)
    assert (np.diff(whole.positions[0][third]) == 1).all(), "its positions go on from the region's"


def test_only_what_the_grammar_leaves_open_is_learned(rows: list[Row]) -> None:
    learned = [int(rows[0].learned[rows[0].branches == number].sum()) for number in (1, 2, 3)]
    answered = [int((rows[0].branches == number).sum()) for number in (1, 2, 3)]
    assert rows[0].learned[rows[0].branches == 0].sum() == 0
    assert all(0 < some < every for some, every in zip(learned, answered, strict=True))


def merged_weights(tuner: Tuner) -> dict[str, Any]:
    """Every matrix that has an adapter, with the adapter in it."""
    return {
        name: (matrix.weight.float() + matrix.scale * matrix.up @ matrix.down).detach()
        for name, matrix in tuner.model.matrices()
        if matrix.up is not None and matrix.down is not None
    }


def test_a_new_adapter_changes_nothing_and_a_trained_one_is_what_the_engine_reads(
    base: Path, rows: list[Row], tmp_path: Path
) -> None:
    tuner = Tuner(tmp_path / "run", base, recipe(), rows)
    untouched = tuner.held_out_loss(rows)
    records = list(tuner.run())
    assert records[0]["loss"] == pytest.approx(untouched, rel=0.05)
    assert tuner.held_out_loss(rows) < 0.8 * untouched
    before = read_model(base).weights
    tuner.save_adapter(base / "adapter_model.safetensors")
    assert json.loads((base / "adapter_config.json").read_text())["r"] == 4
    after = read_model(base).weights
    merged = merged_weights(tuner)
    for name, weight in after.items():
        expected = merged[name].numpy() if name in merged else before[name]
        assert np.allclose(weight, expected, rtol=2e-2, atol=2e-2), name
    assert any(np.abs(after[name] - before[name]).max() > 0.01 for name in merged)


def test_a_resumed_run_repeats_an_uninterrupted_one(base: Path, rows: list[Row], tmp_path: Path) -> None:
    whole = Tuner(tmp_path / "whole", base, recipe(), rows)
    list(whole.run())
    stopped = Tuner(tmp_path / "parts", base, recipe(), rows).run()
    for _ in range(3):
        next(stopped)
    stopped.close()
    with pytest.raises(UsageError, match="another lora"):
        Tuner(tmp_path / "parts", base, recipe(rank=8), rows)
    parts = Tuner(tmp_path / "parts", base, recipe(), rows)
    assert parts.step == 3
    list(parts.run())
    for name, value in whole.trained.items():
        assert torch.equal(value, parts.trained[name]), name


def test_a_packed_adapter_is_what_was_trained_and_a_run_can_begin_from_it(
    base: Path, rows: list[Row], tmp_path: Path
) -> None:
    tuner = Tuner(tmp_path / "run", base, recipe(), rows)
    list(tuner.run())
    tuner.save_adapter(tmp_path / "run" / "adapter_model.safetensors")
    trained = tuner.held_out_loss(rows)
    assert pack(Namespace(adapters=[tmp_path / "run" / "adapter_model.safetensors"], model=base)) == 0
    again = Tuner(tmp_path / "again", base, recipe(), rows, start=base / "adapter.gguf")
    assert again.held_out_loss(rows) == pytest.approx(trained, rel=0.02)
    merged, found = merged_weights(tuner), read_model(base).weights
    for name, weight in merged.items():
        assert np.linalg.norm(found[name] - weight.numpy()) <= 0.02 * np.linalg.norm(weight), name
    with pytest.raises(UsageError, match="another rank"):
        Tuner(tmp_path / "other", base, recipe(rank=8), rows, start=base / "adapter.gguf")


def test_all_weights_of_the_upper_layers_can_be_trained_instead(base: Path, rows: list[Row], tmp_path: Path) -> None:
    tuner = Tuner(tmp_path / "run", base, recipe(rank=0), rows)
    first = tuner.held_out_loss(rows)
    list(tuner.run())
    assert tuner.held_out_loss(rows) < first


def test_every_row_is_in_one_batch_an_epoch(rows: list[Row]) -> None:
    many = rows * 40
    for epoch in (0, 1):
        numbers = [number for batch in batches(many, recipe(), epoch) for number in batch]
        assert sorted(numbers) == list(range(len(many)))
    assert batches(many, recipe(), 0) != batches(many, recipe(), 1)


def test_a_rounded_base_is_close_to_the_one_it_was_made_of(base: Path, rows: list[Row], tmp_path: Path) -> None:
    parts = write_rounded(base, importance_of(base, rows), tmp_path / "rounded")
    assert parts
    exact, found = read_model(base).weights, read_model(tmp_path / "rounded").weights
    for name, weight in exact.items():
        error = float(np.linalg.norm(found[name] - weight) / np.linalg.norm(weight))
        assert error == 0.0 if weight.ndim == 1 else error < (0.01 if "embed" in name else 0.12), name
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
