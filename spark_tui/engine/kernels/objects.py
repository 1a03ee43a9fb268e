"""The machine code of the kernels: compile all of them into one object, keep it, and load it.

A process loads the object once. The process that compiles the object keeps it in the folder where
numba keeps the passes.
"""

import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llvmlite import binding, ir
from numba import config

# Imported for their kernels, which register themselves: the object must hold all kernels whichever
# module asks for it.
from spark_tui.engine.kernels import blocks, elementwise, heads, products, threads  # noqa: F401
from spark_tui.engine.kernels.ir import KERNELS

_NAME = "kernels.o"
_OPTIMIZATION = 3
"""LLVM's highest level."""
_lock = threading.Lock()
_engines: list[Any] = []
"""The engine that owns the memory of the machine code; empty until the object is loaded."""


@dataclass(frozen=True, slots=True)
class Target:
    """The processor and the system that an object is made for, as LLVM spells them.

    Args:
        triple: The architecture and the system.
        processor: The name of the processor.
        features: The features of the processor, each with its sign, commas between.
        linked: Whether a linker takes the object, rather than `load`.
    """

    triple: str
    processor: str
    features: str
    linked: bool = False

    @classmethod
    def here(cls) -> "Target":
        """Name this machine as numba sees it."""
        # Honors NUMBA_CPU_NAME and NUMBA_CPU_FEATURES, so that kernels and passes are made for the
        # same processor.
        features = config.CPU_FEATURES  # type: ignore[attr-defined]
        if features is None:
            features = binding.get_host_cpu_features().flatten()
        name = config.CPU_NAME or binding.get_host_cpu_name()  # type: ignore[attr-defined]
        return cls(binding.get_process_triple(), name, features)


def text(target: Target) -> str:
    """Return all kernels as LLVM's text."""
    module = ir.Module("spark_kernels")
    module.triple = target.triple
    for kernel in KERNELS.values():
        kernel.define(module, target.features)
    return str(module)


def compile_kernels(target: Target) -> bytes:
    """Compile an object that defines all kernels.

    Raises:
        RuntimeError: This LLVM has no such target.
    """
    machine = _machine(target)
    module = binding.parse_assembly(text(target))
    module.data_layout = str(machine.target_data)
    module.verify()
    options = binding.create_pipeline_tuning_options(speed_level=_OPTIMIZATION)
    # An unrolled loop would prefetch more cache lines at a time than can be on their way, and be
    # 20 % slower.
    options.loop_unrolling = False
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    made: bytes = machine.emit_object(module)
    return made


def _machine(target: Target) -> Any:
    options = {"reloc": "default", "codemodel": "jitdefault"}
    if target.linked:  # then it may be for another processor
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
        options = {"reloc": "pic", "codemodel": "default"}
    kind = binding.Target.from_triple(target.triple)
    processor = target.processor
    features = target.features
    return kind.create_target_machine(processor, features, _OPTIMIZATION, **options)


def keep() -> None:
    """Compile the kernels, and keep them for the next process, unless they are kept already."""
    place = _place()
    if place is not None and not place.exists():
        _write(place, compile_kernels(Target.here()))


def load() -> None:
    """Load the kernels into this process, unless they are there; compile them where need be."""
    with _lock:
        if _engines:
            return
        # A folder that cannot be written to is no failure: the kernels are compiled again then.
        with suppress(OSError):
            keep()
        engine = engine_of(_read() or compile_kernels(Target.here()))
        for name, kernel in KERNELS.items():
            kernel.slot.value = engine.get_function_address(name)
        _engines.append(engine)


def engine_of(made: bytes) -> Any:
    """Load an object that was made for this machine, and not to be linked.

    Returns:
        The engine, which knows the addresses of the object's functions and owns their memory.
    """
    # An engine takes no object without a module, so the module is an empty one.
    module = binding.parse_assembly(f'target triple = "{Target.here().triple}"')
    engine = binding.create_mcjit_compiler(module, _machine(Target.here()))
    engine.add_object_file(binding.ObjectFileRef.from_data(made))
    engine.finalize_object()
    return engine


def _place() -> Path | None:
    """Return where the object is kept, or None where numba keeps nothing either."""
    folder = config.CACHE_DIR  # type: ignore[attr-defined]
    return Path(folder) / _NAME if folder else None


def _read() -> bytes:
    """Return the object that is kept, or no bytes."""
    place = _place()
    if place is None:
        return b""
    try:
        return place.read_bytes()
    except OSError:
        return b""


def _write(place: Path, made: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    # Under another name first: another process may read or write the object at the same time.
    handle, part = tempfile.mkstemp(".part", place.stem, place.parent)
    try:
        with open(handle, "wb") as stream:  # noqa: PTH123 - what is open already
            stream.write(made)
        Path(part).replace(place)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
