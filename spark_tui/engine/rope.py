"""How far RoPE turns each pair of numbers a position: plainly, or slowed down for a longer context."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from spark_tui.engine.entries import Entries

Frequencies = npt.NDArray[np.float64]
KINDS = ("linear", "llama3", "yarn")
_UNSCALED = (None, "default", "dynamic")
_MOST_POSITIONS = 1 << 20
_MOST_FACTOR = 1e4


@dataclass(frozen=True, slots=True)
class RopeScaling:
    """How the turns are slowed down; each kind reads the fields that its name stands beside.

    Source: linear: arXiv:2306.15595; llama3: the reference code of Llama 3.1; yarn: arXiv:2309.00071.
    """

    kind: str
    """linear, llama3 or yarn."""
    factor: float
    """How many times slower the slowed turns are."""
    original_positions: int = 0
    """llama3, yarn: the context the model was first trained on, in tokens."""
    low_freq_factor: float = 1.0
    """llama3: pairs with fewer turns than this in the first context are slowed in full."""
    high_freq_factor: float = 4.0
    """llama3: pairs with more turns than this are left alone."""
    beta_fast: float = 32.0
    """yarn: pairs with more turns than this are left alone."""
    beta_slow: float = 1.0
    """yarn: pairs with fewer turns than this are slowed in full."""
    attention_factor: float = 1.0
    """yarn: what queries and keys are multiplied by."""
    whole_bounds: bool = True
    """yarn: whether the two bounds are rounded outwards to whole pairs."""

    @classmethod
    def read(cls, entries: Entries, positions: int) -> "RopeScaling | None":
        """Read rope_scaling or rope_parameters of a config.json.

        Args: entries: that object. positions: the tokens the model may hold, for files that name no first context.
        Returns: None where nothing is slowed down. Dynamic scaling is among that: it starts behind the last
            position the model may hold.
        Raises: ModelError: a kind this engine does not know, or numbers that make no sense.
        """
        name = "rope_type" if "rope_type" in entries else "type"
        kind = entries.choice(name, (*_UNSCALED, *KINDS))
        if kind in _UNSCALED:
            return None
        factor = entries.number("factor", 1.0, _MOST_FACTOR)
        if kind == "linear":
            return cls("linear", factor)
        first = entries.whole("original_max_position_embeddings", _MOST_POSITIONS, positions)
        return (_read_llama3 if kind == "llama3" else _read_yarn)(entries, factor, first)


class Rotary(Protocol):
    """What of a model's shape decides how far its heads are turned."""

    @property
    def head_dim(self) -> int:
        """D."""

    @property
    def rope_theta(self) -> float:
        """The base of the turns."""

    @property
    def rope_scaling(self) -> RopeScaling | None:
        """How they are slowed down, if they are."""


def frequencies(config: Rotary) -> Frequencies:
    """The turn of each pair of a head from one position to the next, (D / 2,) radians, float64.

    Source: RoPE, arXiv:2104.09864.
    """
    pairs = np.arange(0, config.head_dim, 2)
    plain: Frequencies = config.rope_theta ** (-pairs / config.head_dim)
    scaling = config.rope_scaling
    if scaling is None:
        return plain
    kept = _kept(scaling, plain, config.rope_theta)
    slowed: Frequencies = plain * (kept + (1 - kept) / scaling.factor)
    return slowed


def attention_factor(config: Rotary) -> float:
    """What queries and keys are multiplied by when they are turned; the scores grow by its square."""
    return config.rope_scaling.attention_factor if config.rope_scaling else 1.0


def _kept(scaling: RopeScaling, plain: Frequencies, theta: float) -> Frequencies:
    """The share of each pair's turn that is not slowed down, 0 to 1, (D / 2,)."""
    if scaling.kind == "linear":
        return np.zeros_like(plain)
    turns = scaling.original_positions * plain / (2 * math.pi)
    if scaling.kind == "llama3":
        low, high = scaling.low_freq_factor, scaling.high_freq_factor
        return np.clip((turns - low) / (high - low), 0, 1)
    first, last = _yarn_bounds(scaling, 2 * len(plain), theta)
    kept: Frequencies = 1 - np.clip((np.arange(len(plain)) - first) / (last - first), 0, 1)
    return kept


def _yarn_bounds(scaling: RopeScaling, dim: int, theta: float) -> tuple[float, float]:
    """The pairs between which the turns go from kept to slowed, as fractions of pairs."""

    def pair(turns: float) -> float:
        return dim * math.log(scaling.original_positions / (turns * 2 * math.pi)) / (2 * math.log(theta))

    first, last = pair(scaling.beta_fast), pair(scaling.beta_slow)
    if scaling.whole_bounds:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, dim - 1)
    return first, last if last != first else last + 0.001


def _read_llama3(entries: Entries, factor: float, first: int) -> RopeScaling:
    low = entries.number("low_freq_factor", 1e-3, _MOST_FACTOR)
    high = entries.number("high_freq_factor", 1e-3, _MOST_FACTOR)
    if low >= high:
        raise entries.wrong("high_freq_factor", f"not above low_freq_factor {low:g}")
    return RopeScaling("llama3", factor, first, low_freq_factor=low, high_freq_factor=high)


def _read_yarn(entries: Entries, factor: float, first: int) -> RopeScaling:
    over, under = (entries.number(name, 0.0, _MOST_FACTOR, 0.0) for name in ("mscale", "mscale_all_dim"))
    usual = _magnitude(factor, over) / _magnitude(factor, under) if over and under else _magnitude(factor, 1.0)
    return RopeScaling(
        "yarn",
        factor,
        first,
        beta_fast=entries.number("beta_fast", 1e-3, _MOST_FACTOR, 32.0),
        beta_slow=entries.number("beta_slow", 1e-3, _MOST_FACTOR, 1.0),
        attention_factor=entries.number("attention_factor", 1e-3, _MOST_FACTOR, usual),
        whole_bounds=entries.flag("truncate", default=True),
    )


def _magnitude(factor: float, scale: float) -> float:
    """Equation 22 of the paper, with the scale of later models."""
    return 0.1 * scale * math.log(factor) + 1.0
