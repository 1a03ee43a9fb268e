"""Published figures, a cell each, that the simulator is compared with.

Each function holds the rows of one kind of table; add a figure there. Left out are WaferLLM's rows
of other systems on a wafer, and the GPUs of its table 2, which contradict its table 4.
"""

from dataclasses import dataclass
from typing import Literal

_PAPER = "WaferLLM, OSDI 2025, arXiv:2502.04563"
_GPT_FAST = "github.com/pytorch-labs/gpt-fast, README, A100 80 GB"
_LUCZYNSKI = "Luczynski et al., HPDC 2024, arXiv:2404.15888"
_ROCKI = (
    "Rocki et al., SC 2020: an allreduce takes about 1.1 x the diameter of 600 x 595 PEs; "
    "a line of it"
)

# The largest errors that count as agreement.
_DECODE_GATE = 0.03
_PREFILL_GATE = 0.06
_REQUEST_GATE = 0.12
_GEMV_GATE = 0.12
_GPU_GATE = 0.06


@dataclass(frozen=True, slots=True)
class Cell:
    """A published figure.

    Attributes:
        set: The table that the figure belongs to.
        case: What `spark wafer validate --case` takes for it; of a service, what `spark wafer plan`
            takes.
        published: The figure, in `unit`.
        unit: Unit of the figure.
        gate: Largest relative error that counts as agreement, or None.
        source: Where the figure was published.
        bound: For a figure of something similar: whether the simulated figure has to be at least
            ("min") or at most ("max") the published one.
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
            plural = "" if case["words"] == "1" else "s"
            return f"{case['collective']}, {case['words']} word{plural}, {case['p']} PEs"
        name = case.get("model") or f"product of {int(case['size']) // 1024}K"
        if self.bound:
            return f"{name}, {case['known']}"
        if "output" in case:
            name += f", {case['context']} + {case['output']}"
        if "gpus" in case:
            name += f", {self._gpu_label}"
        if "kv" in case:
            name += f", {case['kv']}"
        return name

    @property
    def _gpu_label(self) -> str:
        case = self.case
        label = f"{case['gpus']} {case['device']}"
        if case["nodes"] != "1":
            label = f"{case['nodes']} x {label}"
        if case.get("stack") == "gpt-fast":
            label += ", gpt-fast"
        return label


def _layer_cell(phase: str, model: str, grid: int, speed: float, gate: float, table: int) -> Cell:
    case = {"model": model, "grid": str(grid), "phase": phase, "context": "4096"}
    return Cell(phase, case, speed, "tokens/s", gate, f"{_PAPER}, table {table}")


def _layer_cells() -> list[Cell]:
    """One layer on a wafer, times the layers."""
    decode = [
        ("llama3-8b", 420, 2699.9),
        ("llama3-8b", 540, 2501.5),
        ("llama3-8b", 660, 2243.3),
        ("llama2-13b", 420, 2039.2),
        ("llama2-13b", 660, 1739.8),
        ("codellama-34b", 540, 1407.7),
        ("qwen2-72b", 420, 839.7),
        ("qwen2-72b", 660, 787.1),
    ]
    prefill = [
        ("llama3-8b", 480, 20320.6),
        ("llama3-8b", 720, 27686.5),
        ("llama2-13b", 480, 13685.1),
        ("llama2-13b", 600, 16854.2),
        ("codellama-34b", 600, 7540.1),
        ("codellama-34b", 720, 8526.0),
        ("qwen2-72b", 480, 2785.2),
        ("qwen2-72b", 720, 4421.6),
    ]
    cells = [_layer_cell("decode", *row, gate=_DECODE_GATE, table=4) for row in decode]
    cells += [_layer_cell("prefill", *row, gate=_PREFILL_GATE, table=3) for row in prefill]
    return cells


def _request_cells() -> list[Cell]:
    """Whole requests: the grids of prompt and answer, their tokens, tokens/s."""
    table = [
        ("llama3-8b", 660, 360, 2048, 128, 764.4),
        ("llama3-8b", 660, 360, 2048, 2048, 2370.3),
        ("llama3-8b", 660, 360, 4096, 4096, 2459.0),
        ("llama2-13b", 750, 375, 4096, 128, 414.0),
        ("llama2-13b", 750, 375, 2048, 2048, 1690.3),
    ]
    cells = []
    for model, prompt_grid, answer_grid, prompt, output, speed in table:
        case = {
            "model": model,
            "phase": "e2e",
            "grid_prefill": str(prompt_grid),
            "grid_decode": str(answer_grid),
            "context": str(prompt),
            "output": str(output),
        }
        cells.append(Cell("e2e", case, speed, "tokens/s", _REQUEST_GATE, f"{_PAPER}, table 2"))
    return cells


def _gpu_case(
    phase: str, model: str, stack: str, gpus: int, nodes: int, context: int
) -> dict[str, str]:
    return {
        "model": model,
        "phase": phase,
        "device": "a100",
        "stack": stack,
        "gpus": str(gpus),
        "nodes": str(nodes),
        "context": str(context),
    }


def _gpu_cells() -> list[Cell]:
    """Decoding on GPUs: GPUs of a node, nodes, tokens/s."""
    gated = [
        ("llama3-8b", "sglang", 1, 1, 78.9),
        ("llama3-8b", "sglang", 8, 1, 260.4),
        ("llama3-8b", "sglang", 8, 2, 164.6),
        ("llama2-13b", "sglang", 1, 1, 48.7),
        ("llama2-13b", "sglang", 8, 1, 175.8),
        ("llama2-7b", "gpt-fast", 1, 1, 104.9),
        ("llama2-7b", "gpt-fast", 2, 1, 168.84),
        ("llama2-7b", "gpt-fast", 4, 1, 254.02),
        ("llama2-7b", "gpt-fast", 8, 1, 328.43),
        ("llama2-70b", "gpt-fast", 2, 1, 21.32),
        ("llama2-70b", "gpt-fast", 8, 1, 62.5),
    ]
    others = [
        ("codellama-34b", "sglang", 1, 1, 26.1),
        ("qwen2-72b", "sglang", 1, 1, 10.6),
        ("llama2-70b", "gpt-fast", 4, 1, 38.01),
        ("llama3-8b", "gpt-fast", 1, 1, 93.83),
        ("llama3-8b", "gpt-fast", 2, 1, 149.10),
        ("llama3-8b", "gpt-fast", 4, 1, 217.21),
        ("llama3-70b", "gpt-fast", 2, 1, 16.03),
        ("llama3-70b", "gpt-fast", 8, 1, 58.78),
    ]
    contexts = {"sglang": 4096, "gpt-fast": 128}
    sources = {"sglang": f"{_PAPER}, table 4", "gpt-fast": _GPT_FAST}
    cells = []
    for gate, rows in ((_GPU_GATE, gated), (None, others)):
        for model, stack, gpus, nodes, speed in rows:
            case = _gpu_case("gpu", model, stack, gpus, nodes, contexts[stack])
            cells.append(Cell("gpu", case, speed, "tokens/s", gate, sources[stack]))
    return cells


def _gpu_prompt_cells() -> list[Cell]:
    """Prompts on GPUs: GPUs of a node, nodes, tokens/s."""
    table = [
        ("llama3-8b", 1, 1, 13988.3),
        ("llama3-8b", 8, 1, 17361.6),
        ("llama3-8b", 8, 2, 13994.2),
        ("llama2-13b", 1, 1, 7805.1),
        ("llama2-13b", 8, 1, 12287.1),
        ("codellama-34b", 1, 1, 5382.5),
        ("codellama-34b", 8, 1, 7155.5),
        ("codellama-34b", 8, 2, 6409.2),
        ("qwen2-72b", 1, 1, 1677.3),
        ("qwen2-72b", 8, 1, 3803.8),
        ("qwen2-72b", 8, 2, 3750.5),
    ]
    # Scaled up from some layers; the first of them lies above the peak of the GPU.
    scaled = {("codellama-34b", 1), ("qwen2-72b", 1)}
    cells = []
    for model, gpus, nodes, speed in table:
        case = _gpu_case("prefill", model, "sglang", gpus, nodes, 4096)
        gate = None if (model, gpus) in scaled else _GPU_GATE
        cells.append(Cell("gpu_prefill", case, speed, "tokens/s", gate, f"{_PAPER}, table 3"))
    return cells


def _gpu_product_cells() -> list[Cell]:
    """Large products on GPUs: size, GPUs of a node, nodes, milliseconds."""
    table = [
        (16384, 1, 1, 0.336),
        (16384, 8, 1, 0.253),
        (16384, 8, 2, 0.340),
        (32768, 1, 1, 1.231),
        (32768, 8, 1, 0.341),
        (32768, 8, 2, 0.339),
    ]
    cells = []
    for size, gpus, nodes, milliseconds in table:
        case = {
            "phase": "gemv",
            "size": str(size),
            "device": "a100",
            "gpus": str(gpus),
            "nodes": str(nodes),
        }
        cells.append(Cell("gpu_gemv", case, milliseconds, "ms", None, f"{_PAPER}, table 6"))
    return cells


def _product_and_cache_cells() -> list[Cell]:
    """A large product on a wafer, and the tokens that a cache holds."""
    product = {"phase": "gemv", "size": "32768", "grid": "750"}
    shift = {"model": "llama3-8b", "phase": "kv", "kv": "shift"}
    concat = {"model": "llama3-8b", "phase": "kv", "kv": "concat", "grid": "360"}
    return [
        Cell("gemv", product, 0.00203, "ms", _GEMV_GATE, f"{_PAPER}, table 6"),
        Cell("kv", shift, 137548, "tokens", None, f"{_PAPER}, table 5"),
        Cell("kv", concat, 382, "tokens", None, f"{_PAPER}, table 5"),
    ]


def _energy_cells() -> list[Cell]:
    """Joules of GPUs over joules of a wafer: GPUs of a node, nodes, ratio."""
    tokens = [
        ("llama3-8b", 1, 1, 0.92),
        ("llama3-8b", 8, 1, 2.22),
        ("llama3-8b", 8, 2, 7.02),
        ("llama2-13b", 1, 1, 1.13),
        ("llama2-13b", 8, 1, 2.49),
    ]
    products = [
        (1, 1, 16.17),
        (8, 1, 35.83),
        (8, 2, 71.25),
    ]
    cells = []
    for model, gpus, nodes, ratio in tokens:
        case = {
            "phase": "energy",
            "device": "a100",
            "model": model,
            "gpus": str(gpus),
            "nodes": str(nodes),
            "grid": "420",
            "context": "4096",
        }
        cells.append(Cell("energy", case, ratio, "x", None, f"{_PAPER}, table 8"))
    for gpus, nodes, ratio in products:
        case = {
            "phase": "energy",
            "device": "a100",
            "size": "32768",
            "grid": "750",
            "gpus": str(gpus),
            "nodes": str(nodes),
        }
        cells.append(Cell("energy", case, ratio, "x", None, f"{_PAPER}, table 6"))
    return cells


def _collective_cell(name: str, p: int, words: int, cycles: float, source: str) -> Cell:
    case = {"phase": "collective", "collective": name, "p": str(p), "words": str(words)}
    return Cell("collective", case, cycles, "cycles", None, source)


def _collective_cells() -> list[Cell]:
    """The formulas of Luczynski et al. for 256 PEs and 256 words, and a measured allreduce."""
    # Written out here, so that the check is independent of `collective_costs`. With T_R = 2, B
    # words and D = 2 (sqrt(P) - 1): chain B + (2 T_R + 2)(P - 1), star B (P - 1) + 2 T_R + 1,
    # broadcast B + P + 2 T_R, two-phase max(2 B, E/N + P - 1) + (2 T_R + 1) D.
    p = 256
    words = 256
    group = 16  # PEs of a group: the root of P
    two_phase_depth = 2 * group - 2
    two_phase_energy = words * 2 * (p - group) / (p - 1)
    two_phase = max(2 * words, two_phase_energy + p - 1) + 5 * two_phase_depth
    return [
        _collective_cell("chain", p, words, words + 6 * (p - 1), _LUCZYNSKI),
        _collective_cell("star", p, words, words * (p - 1) + 5, _LUCZYNSKI),
        _collective_cell("broadcast", p, words, words + p + 4, _LUCZYNSKI),
        _collective_cell("two-phase", p, words, two_phase, _LUCZYNSKI),
        _collective_cell("allreduce", 600, 1, 660, _ROCKI),
    ]


def _bound_cells() -> list[Cell]:
    """Figures of similar things, which bound the simulated ones."""
    product = {"phase": "gemv", "size": "32768", "grid": "750", "known": "TLR-MVM"}
    product_source = "KAUST, SC 2023: 92.58 PB/s on 48 CS-2"
    cells = [Cell("bound", product, 1.93, "PB/s", None, product_source, "max")]
    services = [
        ("llama3-8b", 2024, 1800),
        ("llama3-8b", 2026, 2200),
        ("llama3-70b", 2024, 450),
    ]
    service_source = "Cerebras, 16 bits, no speculative decoding"
    for model, year, speed in services:
        case = {
            "model": model,
            "device": "wse3",
            "context": "4096",
            "known": f"service of {year}",
        }
        cells.append(Cell("bound", case, speed, "tokens/s", None, service_source, "min"))
    first_token = {
        "model": "llama3-70b",
        "device": "wse3",
        "context": "1000",
        "known": "first token of 1,000",
    }
    first_token_source = (
        "Cerebras, late 2024, queue and network included; "
        "of a prompt of unsaid length, here 1,000 tokens"
    )
    cells.append(Cell("bound", first_token, 170, "ms", None, first_token_source, "max"))
    return cells


CELLS: tuple[Cell, ...] = (
    *_layer_cells(),
    *_request_cells(),
    *_product_and_cache_cells(),
    *_energy_cells(),
    *_gpu_cells(),
    *_gpu_prompt_cells(),
    *_gpu_product_cells(),
    *_collective_cells(),
    *_bound_cells(),
)
"""Every cell that is compared, in the order of the report."""
