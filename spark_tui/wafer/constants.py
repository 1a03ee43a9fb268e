"""The one frozen file of numbers that the simulator takes from outside, each with where it comes from.

No number here belongs to one model or one published cell. "Calibrated" ones were chosen so that published figures
come out: for wafers those of WaferLLM (OSDI 2025, arXiv:2502.04563, tables 3 to 5), for GPUs its tables 3, 4 and 6 and
the README of gpt-fast; all others are stated by their source. What data sheets say of a device is in `devices`.
"""

from typing import Final

HOP: Final = 1
"""Cycles from one router to the next. Source: Luczynski et al., HPDC 2024, arXiv:2404.15888."""

RAMP: Final = 2
"""Cycles between a router and its own PE, one way. Source: the same."""

THROUGH_PE: Final = 2 * RAMP + 1
"""Cycles for a wavelet to go from a router into the PE and out again. Source: the same."""

ISSUE: Final = 19
"""Cycles to set up and issue a vector operation on new operands. Calibrated (table 4)."""

REISSUE: Final = 1
"""Cycles to issue a vector operation again in an inner loop. Calibrated (table 3)."""

WAVELET: Final = 2
"""Cycles a wavelet keeps a PE that takes it in, to keep it or to add it up and send that on. Calibrated (table 4)."""

PASSING: Final = 6
"""Cycles a wavelet of a tile keeps a PE that stores it and sends one of its own meanwhile. Calibrated (table 3)."""

STEP: Final = 300
"""Cycles of a step of MeshGEMM beside arithmetic and shifts: its tasks, its loops, its waits. Calibrated (table 3)."""

WAVELET_BYTES: Final = 4
"""Source: Cerebras SDK documentation, "wavelet"."""

ELEMENT_BYTES: Final = 2
"""Weights, activations and KV cache on the mesh are fp16. Source: WaferLLM."""

CODE_RESERVE: Final = 3_400
"""Bytes of a PE's memory that hold code, stack and the buffers of its tasks. Calibrated (table 5)."""

COLORS: Final = 24
"""Routing colors of a PE. Source: Cerebras SDK documentation."""

RESERVED_COLORS: Final = (21, 22, 23)
"""Colors that host input and output take. Source: the same."""

SGLANG_EFFICIENCY: Final = 0.79
"""Share of an A100's memory bandwidth that decoding with SGLang reaches. Calibrated (table 4)."""

SGLANG_LAYER_SECONDS: Final = 80e-6
"""Overhead of a layer there: its kernels' launches. Calibrated (table 4)."""

SGLANG_ALLREDUCE_SECONDS: Final = 3.5e-6
"""A small allreduce over NVLink. Calibrated (table 4)."""

NODES_ALLREDUCE_SECONDS: Final = 45e-6
"""A small allreduce over several nodes. Calibrated (table 4)."""

GPT_FAST_EFFICIENCY: Final = 0.78
"""As for SGLang. Calibrated (gpt-fast)."""

GPT_FAST_LAYER_SECONDS: Final = 42e-6
"""As for SGLang. Calibrated (gpt-fast)."""

GPT_FAST_ALLREDUCE_SECONDS: Final = 10e-6
"""As for SGLang. Calibrated (gpt-fast)."""

PROMPT_COMPUTE: Final = 0.675
"""Share of an A100's peak flops that a prompt reaches with SGLang. Calibrated (table 3)."""

PROMPT_BANDWIDTH: Final = 26e9
"""Bytes/s of a prompt's allreduce. Calibrated (table 3)."""

PROMPT_ROW_SECONDS: Final = 0.46e-6
"""What each token of a prompt adds to an allreduce beside its bytes, over NVLink. Calibrated (table 3)."""

NODES_PROMPT_ROW_SECONDS: Final = 0.76e-6
"""The same over several nodes. Calibrated (table 3)."""

PRODUCT_EFFICIENCY: Final = 0.86
"""Share of an A100's memory bandwidth that one large matrix-vector product reaches. Calibrated (table 6)."""

PRODUCT_REDUCE_SECONDS: Final = 200e-6
"""What adding up such a product takes over NVLink. Calibrated (table 6)."""

NODES_PRODUCT_REDUCE_SECONDS: Final = 285e-6
"""The same over several nodes. Calibrated (table 6)."""
