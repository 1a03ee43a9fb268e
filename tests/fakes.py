"""Stand-ins for tests: a tiny random Qwen3 folder with a real tokenizer, and a model whose words are known.

`ScriptedModel` runs the real forward pass of a tiny network (so that caches, prefixes and threads are real)
and then bends the logits so that greedy decoding writes a given script.
"""

import json
import os
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file
from tokenizers import Tokenizer as RawTokenizer
from tokenizers import decoders, models, pre_tokenizers, trainers

from spark_tui.editing.format import (
    END,
    FIXED_MARKS,
    INSTRUCTION,
    OUTPUT,
    Frame,
    Piece,
    encode_pieces,
    kind_mark,
    render_script,
)
from spark_tui.editing.script import LineOp, Substitute, write_script
from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.cache import KVCache
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.library import LoadedModel, load
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import read_weights
from spark_tui.session.keeping.store import SessionStore
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.vcs.repository import Repository

KINDS = ("rename", "none", "bug")
_TEXT = ["def f(self, value):", "return value + 1", "rename the variable", "for item in items:", "import os"] * 3

Script = Iterable[Piece]


def write_tokenizer(path: Path, *, kinds: Sequence[str] = KINDS) -> int:
    """Write a byte-level BPE tokenizer.json with every mark as a special token; returns its size."""
    tokenizer = RawTokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    marks = [mark.name for mark in (*FIXED_MARKS, *map(kind_mark, kinds))]
    trainer = trainers.BpeTrainer(
        vocab_size=len(marks) + 256 + 64,
        special_tokens=marks,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_TEXT, trainer)
    tokenizer.save(str(path))
    return int(tokenizer.get_vocab_size())


def write_model(folder: Path, *, layers: int = 2, context: int = 4096, seed: int = 0) -> Path:
    """Write a tiny random Qwen3 in Hugging Face form: config.json, tokenizer.json, model.safetensors."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "vocab_size": write_tokenizer(folder / "tokenizer.json"),
        "hidden_size": 16,
        "num_hidden_layers": layers,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "intermediate_size": 32,
        "rope_theta": 10000.0,
        "rms_norm_eps": 1e-6,
        "max_position_embeddings": context,
        "tie_word_embeddings": True,
        "hidden_act": "silu",
        "attention_bias": False,
        "torch_dtype": "float32",
    }
    (folder / "config.json").write_text(json.dumps(config))
    save_file(_random_weights(config, np.random.default_rng(seed)), folder / "model.safetensors")
    return folder


def _random_weights(config: Mapping[str, Any], rng: np.random.Generator) -> dict[str, FloatArray]:
    hidden, inner, head = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    queries, keys = head * config["num_attention_heads"], head * config["num_key_value_heads"]
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (config["vocab_size"], hidden)}
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}"
        shapes |= {
            f"{at}.input_layernorm.weight": (hidden,),
            f"{at}.post_attention_layernorm.weight": (hidden,),
            f"{at}.self_attn.q_proj.weight": (queries, hidden),
            f"{at}.self_attn.k_proj.weight": (keys, hidden),
            f"{at}.self_attn.v_proj.weight": (keys, hidden),
            f"{at}.self_attn.o_proj.weight": (hidden, queries),
            f"{at}.self_attn.q_norm.weight": (head,),
            f"{at}.self_attn.k_norm.weight": (head,),
            f"{at}.mlp.gate_proj.weight": (inner, hidden),
            f"{at}.mlp.up_proj.weight": (inner, hidden),
            f"{at}.mlp.down_proj.weight": (hidden, inner),
        }
    shapes["model.norm.weight"] = (hidden,)
    return {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}


class ScriptedModel(Decoder):
    """A tiny Qwen3 whose greedy decoding writes the script given for the instruction in its prompt.

    Args: scripts: instruction -> pieces; the key "" answers every other instruction (default: `<K:none>`), and None
            leaves the network, which is random, to itself.
        before_step: called before every forward pass behind a prompt, in the engine's thread: block in it to hold the
            stream still, count in it to know how far it went.
    """

    def __init__(
        self,
        config: ModelConfig,
        weights: dict[str, FloatArray],
        tokenizer: Tokenizer,
        scripts: Mapping[str, Script | None],
        before_step: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(config, weights)
        self._tokenizer = tokenizer
        self._scripts = {words: script if script is None else tuple(script) for words, script in scripts.items()}
        self._before_step = before_step

    def forward(self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True) -> FloatArray:
        """The real forward pass, then after each token a large logit for the one the script has next."""
        if self._before_step is not None and self._tokenizer.special(OUTPUT.name) in cache.token_ids:
            self._before_step()
        logits = super().forward(token_ids, cache, last_only=last_only)
        rows, context = np.atleast_2d(logits), cache.token_ids
        for later, row in enumerate(rows[::-1]):
            forced = self._next_token(context[: len(context) - later])
            if forced is not None:
                row[forced] += 1000.0
        return logits

    def _next_token(self, context: list[int]) -> int | None:
        begin, out = self._tokenizer.special(INSTRUCTION.name), self._tokenizer.special(OUTPUT.name)
        if out not in context:
            return None
        at = len(context) - 1 - context[::-1].index(out)
        first = at - context[:at][::-1].index(begin)
        words = b"".join(piece for i in context[first:at] if isinstance(piece := self._tokenizer.piece(i), bytes))
        script = self._scripts.get(words.decode(), self._scripts.get("", (kind_mark("none"), END)))
        if script is None:
            return None
        ids = encode_pieces(script, self._tokenizer)
        done = len(context) - at - 1
        return ids[done] if done < len(ids) else self._tokenizer.special(END.name)


def edit_script(before: str, after: str, kind: str = "bug") -> tuple[Piece, ...]:
    """What the model would write to turn the region `before` into `after`."""
    lines = before.splitlines()
    return tuple(render_script(kind, write_script(lines, after.splitlines()), Frame.of(lines)))


def rename_script(region: str, old: str, new: str) -> tuple[Piece, ...]:
    """What the model would write to rename `old` to `new` in a region."""
    return ops_script(region, Substitute(old, new), kind="rename")


def ops_script(region: str, *ops: LineOp, kind: str = "bug") -> tuple[Piece, ...]:
    """What the model would write for these operations on a region."""
    return tuple(render_script(kind, ops, Frame.of(region.splitlines())))


def scripted(
    folder: Path, scripts: Mapping[str, Script | None], before_step: Callable[[], None] | None = None, **shape: int
) -> LoadedModel:
    """A loaded model that writes the given scripts; its files are written to `folder`."""
    loaded = load(write_model(folder, **shape))
    model = ScriptedModel(
        loaded.config, read_weights(folder, loaded.config), loaded.tokenizer, scripts, before_step=before_step
    )
    return replace(loaded, model=model)


class _PlainTurn(Turn):
    """A turn without drafts: a forward pass for a token."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options, speculate=False)


class _PlainSession(Session):
    turn_type = _PlainTurn


def scripted_session(
    folder: Path,
    files: Mapping[str, str | bytes],
    scripts: Mapping[str, Script | None],
    before_step: Callable[[], None] | None = None,
    sessions: SessionStore | None = None,
) -> Session:
    """A session in a new repository `folder/repo` with these files committed, on a model that writes the scripts.

    With a `before_step` it drafts nothing, so that the stream can be held at any token.
    """
    repo = Repository.discover(make_repo(folder / "repo", files))
    kind = _PlainSession if before_step else Session
    return kind(repo, scripted(folder / "model", scripts, before_step), folder / "state", sessions=sessions)


def git(folder: Path, *args: str, stdin: bytes | None = None) -> bytes:
    """Run git in a test's own repository, untouched by the configuration of whoever runs the tests."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    env |= {f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(["git", *args], cwd=folder, env=env, input=stdin, capture_output=True, check=True)
    return done.stdout


def make_repo(folder: Path, files: Mapping[str, str | bytes], *, commit: bool = True) -> Path:
    """A git repository with these files tracked (and committed)."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    git(folder, "add", "-A")
    if commit:
        git(folder, "commit", "-q", "--allow-empty", "-m", "start")
    return folder
