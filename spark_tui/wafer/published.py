"""Published figures, a cell each, that the simulator is held against.

Left out are WaferLLM's rows of other systems on a wafer, and the GPUs of its table 2, which contradict its table 4.
"""

from dataclasses import dataclass
from typing import Literal

_PAPER = "WaferLLM, OSDI 2025, arXiv:2502.04563"
_GPT_FAST = "github.com/pytorch-labs/gpt-fast, README, A100 80 GB"


@dataclass(frozen=True, slots=True)
class Cell:
    """A published figure. `case`: what `spark wafer validate --case` would be told for it.

    Args: set: the table it belongs to. published: the figure, in `unit`. gate: the largest error that is agreement;
        None where none was agreed on. bound: the simulated figure is to be at least, or at most, the published one,
        which measures something like it; of a service the case is what `spark wafer plan` is told.
    """

    set: str
    case: dict[str, str]
    published: float
    unit: str
    gate: float | None
    source: str
    bound: Literal["", "min", "max"] = ""

    @property
    def label(self) -> str:
        """The model, and what tells the cell from others of its set."""
        case = self.case
        if "collective" in case:
            return f"{case['collective']}, {case['words']} word{'s' * (case['words'] != '1')}, {case['p']} PEs"
        name = case.get("model") or f"product of {int(case['size']) // 1024}K"
        if self.bound:
            return f"{name}, {case['known']}"
        if "output" in case:
            name += f", {case['context']} + {case['output']}"
        if "gpus" in case:
            count = case["gpus"] if case["nodes"] == "1" else f"{case['nodes']} x {case['gpus']}"
            name += f", {count} {case['device']}" + ", gpt-fast" * (case.get("stack") == "gpt-fast")
        return f"{name}, {case['kv']}" if "kv" in case else name


def _layers() -> list[Cell]:
    decode = {
        "llama3-8b": {420: 2699.9, 540: 2501.5, 660: 2243.3},
        "llama2-13b": {420: 2039.2, 660: 1739.8},
        "codellama-34b": {540: 1407.7},
        "qwen2-72b": {420: 839.7, 660: 787.1},
    }
    prefill = {
        "llama3-8b": {480: 20320.6, 720: 27686.5},
        "llama2-13b": {480: 13685.1, 600: 16854.2},
        "codellama-34b": {600: 7540.1, 720: 8526.0},
        "qwen2-72b": {480: 2785.2, 720: 4421.6},
    }
    return [
        Cell(phase, {"model": model, "grid": str(grid), "phase": phase, "context": "4096"}, speed, "tokens/s", gate,
             f"{_PAPER}, table {number}")
        for phase, table, gate, number in (("decode", decode, 0.03, 4), ("prefill", prefill, 0.06, 3))
        for model, speeds in table.items() for grid, speed in speeds.items()
    ]  # fmt: skip


def _requests() -> list[Cell]:
    table = [
        ("llama3-8b", 660, 360, 2048, 128, 764.4), ("llama3-8b", 660, 360, 2048, 2048, 2370.3),
        ("llama3-8b", 660, 360, 4096, 4096, 2459.0), ("llama2-13b", 750, 375, 4096, 128, 414.0),
        ("llama2-13b", 750, 375, 2048, 2048, 1690.3),
    ]  # fmt: skip
    return [
        Cell("e2e", {"model": model, "phase": "e2e", "grid_prefill": str(first), "grid_decode": str(second),
                     "context": str(prompt), "output": str(output)}, speed, "tokens/s", 0.12, f"{_PAPER}, table 2")
        for model, first, second, prompt, output, speed in table
    ]  # fmt: skip


def _gpus() -> list[Cell]:
    table = [
        ("llama3-8b", "sglang", 1, 1, 78.9), ("llama3-8b", "sglang", 8, 1, 260.4), ("llama3-8b", "sglang", 8, 2, 164.6),
        ("llama2-13b", "sglang", 1, 1, 48.7), ("llama2-13b", "sglang", 8, 1, 175.8),
        ("llama2-7b", "gpt-fast", 1, 1, 104.9), ("llama2-7b", "gpt-fast", 2, 1, 168.84),
        ("llama2-7b", "gpt-fast", 4, 1, 254.02), ("llama2-7b", "gpt-fast", 8, 1, 328.43),
        ("llama2-70b", "gpt-fast", 2, 1, 21.32), ("llama2-70b", "gpt-fast", 8, 1, 62.5),
    ]  # fmt: skip
    others = [
        ("codellama-34b", "sglang", 1, 1, 26.1), ("qwen2-72b", "sglang", 1, 1, 10.6),
        ("llama2-70b", "gpt-fast", 4, 1, 38.01), ("llama3-8b", "gpt-fast", 1, 1, 93.83),
        ("llama3-8b", "gpt-fast", 2, 1, 149.10), ("llama3-8b", "gpt-fast", 4, 1, 217.21),
        ("llama3-70b", "gpt-fast", 2, 1, 16.03), ("llama3-70b", "gpt-fast", 8, 1, 58.78),
    ]  # fmt: skip
    return [
        Cell("gpu", {"model": model, "phase": "gpu", "device": "a100", "stack": stack, "gpus": str(gpus),
                     "nodes": str(nodes), "context": "128" if stack == "gpt-fast" else "4096"}, speed, "tokens/s", gate,
             _GPT_FAST if stack == "gpt-fast" else f"{_PAPER}, table 4")
        for gate, rows in ((0.06, table), (None, others)) for model, stack, gpus, nodes, speed in rows
    ]  # fmt: skip


def _gpu_prompts() -> list[Cell]:
    table = {
        "llama3-8b": {(1, 1): 13988.3, (8, 1): 17361.6, (8, 2): 13994.2},
        "llama2-13b": {(1, 1): 7805.1, (8, 1): 12287.1},
        "codellama-34b": {(1, 1): 5382.5, (8, 1): 7155.5, (8, 2): 6409.2},
        "qwen2-72b": {(1, 1): 1677.3, (8, 1): 3803.8, (8, 2): 3750.5},
    }
    scaled = {("codellama-34b", 1), ("qwen2-72b", 1)}  # from some layers; the one is above the GPU's peak
    return [
        Cell("gpu_prefill", {"model": model, "phase": "prefill", "device": "a100", "stack": "sglang",
                             "gpus": str(gpus), "nodes": str(nodes), "context": "4096"}, speed, "tokens/s",
             None if (model, gpus) in scaled else 0.06,
             f"{_PAPER}, table 3")
        for model, speeds in table.items() for (gpus, nodes), speed in speeds.items()
    ]  # fmt: skip


def _gpu_products() -> list[Cell]:
    table = {16384: {(1, 1): 0.336, (8, 1): 0.253, (8, 2): 0.340}, 32768: {(1, 1): 1.231, (8, 1): 0.341, (8, 2): 0.339}}
    return [
        Cell("gpu_gemv", {"phase": "gemv", "size": str(size), "device": "a100", "gpus": str(gpus), "nodes": str(nodes)},
             milliseconds, "ms", None, f"{_PAPER}, table 6")
        for size, row in table.items() for (gpus, nodes), milliseconds in row.items()
    ]  # fmt: skip


def _others() -> list[Cell]:
    gemv = {"phase": "gemv", "size": "32768", "grid": "750"}
    energy = {"phase": "energy", "device": "a100"}
    return [
        Cell("gemv", gemv, 0.00203, "ms", 0.12, f"{_PAPER}, table 6"),
        Cell("kv", {"model": "llama3-8b", "phase": "kv", "kv": "shift"}, 137548, "tokens", None, f"{_PAPER}, table 5"),
        Cell("kv", {"model": "llama3-8b", "phase": "kv", "kv": "concat", "grid": "360"}, 382, "tokens", None,
             f"{_PAPER}, table 5"),
        *(Cell("energy", energy | {"model": model, "gpus": gpus, "nodes": nodes, "grid": "420", "context": "4096"},
               ratio, "x", None, f"{_PAPER}, table 8")
          for model, gpus, nodes, ratio in (("llama3-8b", "1", "1", 0.92), ("llama3-8b", "8", "1", 2.22),
                                            ("llama3-8b", "8", "2", 7.02), ("llama2-13b", "1", "1", 1.13),
                                            ("llama2-13b", "8", "1", 2.49))),
        *(Cell("energy", energy | gemv | {"phase": "energy", "gpus": gpus, "nodes": nodes}, ratio, "x", None,
               f"{_PAPER}, table 6")
          for gpus, nodes, ratio in (("1", "1", 16.17), ("8", "1", 35.83), ("8", "2", 71.25))),
    ]  # fmt: skip


def _collectives() -> list[Cell]:
    """The formulas of Luczynski et al. for 256 PEs and as many words, and what a stencil code measured."""
    p = words = 256
    depth = 2 * 16 - 2
    table = {
        "chain": words + 6 * (p - 1), "star": words * (p - 1) + 5, "broadcast": words + p + 4,
        "two-phase": max(2 * words, words * 2 * (p - 16) / (p - 1) + p - 1) + 5 * depth,
    }  # fmt: skip
    formulas = "Luczynski et al., HPDC 2024, arXiv:2404.15888"
    rocki = "Rocki et al., SC 2020: an allreduce takes about 1.1 x the diameter of 600 x 595 PEs; a line of it"
    return [
        *(Cell("collective", {"phase": "collective", "collective": name, "p": str(p), "words": str(words)}, cycles,
               "cycles", None, formulas) for name, cycles in table.items()),
        Cell("collective", {"phase": "collective", "collective": "allreduce", "p": "600", "words": "1"}, 660, "cycles",
             None, rocki),
    ]  # fmt: skip


def _bounds() -> list[Cell]:
    services = [("llama3-8b", 2024, 1800), ("llama3-8b", 2026, 2200), ("llama3-70b", 2024, 450)]
    product = {"phase": "gemv", "size": "32768", "grid": "750", "known": "TLR-MVM"}
    return [
        Cell("bound", product, 1.93, "PB/s", None, "KAUST, SC 2023: 92.58 PB/s on 48 CS-2", "max"),
        *(Cell("bound", {"model": model, "device": "wse3", "context": "4096", "known": f"service of {year}"}, speed,
               "tokens/s", None, "Cerebras, 16 bits, no speculative decoding", "min")
          for model, year, speed in services),
        Cell("bound", {"model": "llama3-70b", "device": "wse3", "context": "1000", "known": "first token of 1,000"},
             170, "ms", None,
             "Cerebras, late 2024, queue and network included; of a prompt of unsaid length, here 1,000 tokens", "max"),
    ]  # fmt: skip


CELLS: tuple[Cell, ...] = (
    *_layers(),
    *_requests(),
    *_others(),
    *_gpus(),
    *_gpu_prompts(),
    *_gpu_products(),
    *_collectives(),
    *_bounds(),
)
"""Every cell that is compared, in the order of the report."""
