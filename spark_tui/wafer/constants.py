"""The one frozen file of numbers that the simulator takes from outside, each with where it comes from.

No number here belongs to one model or one published cell. "Calibrated" ones were chosen so that the published
cycles of WaferLLM (OSDI 2025, arXiv:2502.04563, tables 3 and 4) come out; all others are stated by their source.
"""

from typing import Final

HOP: Final = 1
"""Cycles from one router to the next. Source: Luczynski et al., HPDC 2024, arXiv:2404.15888."""

RAMP: Final = 2
"""Cycles between a router and its own PE, one way. Source: the same."""

THROUGH_PE: Final = 2 * RAMP + 1
"""Cycles for a wavelet to go from a router into the PE and out again. Source: the same."""

ISSUE: Final = 19
"""Cycles to set up and issue a vector operation on new operands. Calibrated (decode)."""

REISSUE: Final = 1
"""Cycles to issue a vector operation again in an inner loop. Calibrated (prefill)."""

WAVELET: Final = 6
"""Cycles a wavelet costs the PE that takes it in or sends it on by program. Calibrated (decode and prefill)."""

STEP: Final = 300
"""Cycles of a step of MeshGEMM beside arithmetic and shifts: its tasks, its loops, its waits. Calibrated (prefill)."""

WAVELET_BYTES: Final = 4
"""Source: Cerebras SDK documentation, "wavelet"."""

ELEMENT_BYTES: Final = 2
"""Weights, activations and KV cache on the mesh are fp16. Source: WaferLLM."""

CODE_RESERVE: Final = 3_400
"""Bytes of a PE's memory that hold code, stack and the buffers of its tasks. Calibrated (KV capacity of Llama 3 8B)."""

COLORS: Final = 24
"""Routing colors of a PE. Source: Cerebras SDK documentation."""

RESERVED_COLORS: Final = (21, 22, 23)
"""Colors that host input and output take. Source: the same."""
