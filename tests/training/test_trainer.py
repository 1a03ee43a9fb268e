"""Training: exact resume, work shared among processes, and the same numbers as the engine."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from spark_tui.engine.cache import KVCache  # noqa: E402
from spark_tui.engine.config import ModelConfig  # noqa: E402
from spark_tui.engine.decoder import Decoder  # noqa: E402
from spark_tui.engine.weights import read_weights  # noqa: E402
from spark_tui.training.network import Network, export, initialise, load_weights  # noqa: E402
from spark_tui.training.optimizer import orthogonalise  # noqa: E402
from spark_tui.training.packing import Batches, Packed, pack  # noqa: E402
from spark_tui.training.trainer import Recipe, Trainer, forced_accuracy  # noqa: E402
from tests.training.test_packing import FIRST_TAGS, NONE, VOCABULARY, group  # noqa: E402

CONFIG = ModelConfig(
    vocab_size=VOCABULARY.vocab_size,
    hidden_size=64,
    n_layers=2,
    n_heads=4,
    n_kv_heads=2,
    head_dim=16,
    intermediate_size=96,
    rope_theta=10_000.0,
    rms_norm_eps=1e-6,
    max_position_embeddings=512,
    tie_word_embeddings=True,
)


@pytest.fixture(scope="module")
def packed() -> Packed:
    return pack([group(2 + n % 4) for n in range(16)], VOCABULARY, seed=1)


def recipe(steps: int) -> Recipe:
    return Recipe(CONFIG, FIRST_TAGS, steps=steps, row_length=256, rows=1, microbatches=2, warmup=5, language_steps=3)


def random_network() -> Network:
    network = Network(CONFIG)
    torch.manual_seed(3)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, mean=1.0 if parameter.ndim == 1 else 0.0, std=0.2)
    return network


def test_a_resumed_run_repeats_an_uninterrupted_one_bit_for_bit(packed: Packed, tmp_path: Path) -> None:
    whole = Trainer(tmp_path / "whole", recipe(12), packed)
    list(whole.run())
    for _ in range(3):
        parts = Trainer(tmp_path / "parts", recipe(12), packed)
        list(parts.run(stop_after=4))
    for name, value in whole.network.state_dict().items():
        assert torch.equal(value, parts.network.state_dict()[name]), name
        assert torch.equal(whole.weights()[name], parts.weights()[name]), name


def test_two_workers_compute_what_one_does_up_to_rounding(packed: Packed, tmp_path: Path) -> None:
    losses = [
        [record["loss"] for record in Trainer(tmp_path / str(n), recipe(6), packed, workers=n).run()] for n in (1, 2)
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-2)


def test_training_learns_its_examples_by_heart(packed: Packed, tmp_path: Path) -> None:
    trainer = Trainer(tmp_path, recipe(300), packed)
    records = list(trainer.run())
    assert records[-1]["loss"] < 0.2 * records[0]["loss"]
    batches = Batches(packed, 256, 1, FIRST_TAGS, seed=0, words=NONE).epoch(99)
    assert forced_accuracy(trainer.network, batches)["exact"] > 0.5


def test_a_request_in_a_row_of_many_looks_as_if_it_were_asked_alone(packed: Packed) -> None:
    network = random_network()
    batch = next(Batches(packed, 384, 1, FIRST_TAGS, seed=2, words=NONE).epoch(0))
    tensors = [torch.from_numpy(part) for part in (batch.tokens, batch.positions, batch.mask())]
    with torch.no_grad():
        together = network(*tensors)
        for branch in (1, 2):
            alone = (batch.groups[0] == 2) & ((batch.branches[0] == 0) | (batch.branches[0] == branch))
            tokens = torch.from_numpy(batch.tokens[:, alone])
            length = tokens.shape[1]
            mask = torch.ones(length, length, dtype=torch.bool).tril()[None]
            apart = network(tokens, torch.arange(length)[None], mask)
            torch.testing.assert_close(together[:, alone], apart, rtol=1e-3, atol=1e-3)


def test_the_engine_gives_the_logits_of_the_network_it_was_exported_from(tmp_path: Path) -> None:
    network = random_network()
    export(network.state_dict(), CONFIG, tmp_path)
    network.load_state_dict(load_weights(tmp_path))
    tokens = np.random.default_rng(0).integers(0, CONFIG.vocab_size, 40)
    mask = torch.ones(40, 40, dtype=torch.bool).tril()[None]
    with torch.no_grad():
        hidden = network(torch.from_numpy(tokens)[None], torch.arange(40)[None], mask)
        wanted = network.logits(hidden[0]).numpy()
    assert ModelConfig.read(tmp_path) == CONFIG
    engine = Decoder(CONFIG, read_weights(tmp_path, CONFIG))
    ours = engine.forward(tokens, KVCache(CONFIG, 64), last_only=False)
    np.testing.assert_allclose(ours, wanted, rtol=1e-3, atol=1e-3)


def test_orthogonalising_brings_singular_values_near_one() -> None:
    torch.manual_seed(0)
    for shape in ((3, 16, 40), (3, 40, 16)):
        values = torch.linalg.svdvals(orthogonalise(torch.randn(shape)).float())
        assert float(values.min()) > 0.5
        assert float(values.max()) < 1.5


def test_fresh_line_tags_differ_from_their_end_tags_by_one_offset() -> None:
    network = Network(CONFIG)
    initialise(network, FIRST_TAGS, seed=1)
    table = network.embed_tokens.weight
    offsets = table[FIRST_TAGS[1] : FIRST_TAGS[1] + 256] - table[FIRST_TAGS[0] : FIRST_TAGS[0] + 256]
    torch.testing.assert_close(offsets, offsets[:1].expand_as(offsets))
