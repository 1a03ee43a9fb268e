"""Writing LLVM IR from Python: vectors of 16 lanes, loops, and what the kernels share.

LLVM splits these vectors into the registers of the processor, so one text serves AVX-512, AVX2 and
NEON. Addresses are plain integers; the caller of a kernel answers for the memory behind them.

The machine code of the kernels is separate from numba's. Numba's code looks up the address of a
kernel when it runs. So both can be compiled at the same time, and kernels for other processors
as well.
"""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

LANES = 16
"""The floats of a vector, as many as one register of AVX-512 holds."""
Value = Any
"""An llvmlite value, or a Python number that stands for a constant."""

I8 = ir.IntType(8)
I16 = ir.IntType(16)
I32 = ir.IntType(32)
I64 = ir.IntType(64)
F16 = ir.HalfType()
F32 = ir.FloatType()
FLOATS = ir.VectorType(F32, LANES)
INTS = ir.VectorType(I32, LANES)
# e^x = 2^n * e^r with |r| <= ln(2) / 2, and a polynomial for e^r. ln(2) comes in two parts, the
# first with so few bits that its product with n is exact. Source of the numbers: Cephes,
# single/expf.c.
_LOG2E = 1.44269504088896341
_LN2_HIGH = 0.693359375
_LN2_LOW = -2.12194440e-4
_EXP_TERMS = (
    1.9875691500e-4,
    1.3981999507e-3,
    8.3334519073e-3,
    4.1665795894e-2,
    1.6666665459e-1,
    5.0000001201e-1,
)


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A kernel: the function that writes it, and the cell where numba's code looks up its address.

    Attributes:
        name: The name of its symbol.
        kind: Its type in LLVM.
        write: Writes its text, with a `Code` and its arguments.
        slot: Holds its address as soon as `objects.load` has loaded it, 0 until then.
    """

    name: str
    kind: Any
    write: Callable[..., Value]
    slot: ctypes.c_int64 = field(default_factory=ctypes.c_int64)

    def define(self, module: Any, features: str) -> Any:
        """Write its text into a module, once.

        Args:
            module: The module.
            features: The features of the processor, as LLVM spells them.
        """
        # Several kernels may call this one, and each of them asks for it.
        known = module.globals.get(self.name)
        if known is not None:
            return known
        function = ir.Function(module, self.kind, self.name)
        # Inlined into all of its callers, a kernel would take long to compile.
        function.attributes.add("noinline")
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        result = self.write(Code(builder, features), *function.args)
        if result is None:
            builder.ret_void()
        else:
            builder.ret(result)
        return function

    def write_call(self, builder: Any, values: Sequence[Value]) -> Value:
        """Write a call into code that numba compiles, through the slot."""
        # A name, not an address: numba keeps this code on disk, and other processes load it.
        symbol = f"{self.name}.slot"
        slot = builder.module.globals.get(symbol)
        if slot is None:
            slot = ir.GlobalVariable(builder.module, I64, symbol)
        return builder.call(builder.inttoptr(builder.load(slot), self.kind.as_pointer()), values)


KERNELS: dict[str, Kernel] = {}
"""The kernels of all modules that are imported, by name."""


def kernel(
    arguments: str,
    suffix: str = "",
    *,
    counts: bool = False,
) -> Callable[[Callable[..., Value]], Any]:
    """Make a kernel that numba code can call.

    The decorated function gets a `Code` and the arguments as LLVM values, and writes the text of
    the kernel.

    Args:
        arguments: A letter each: i for an int64 (an address or a count), f for a float32.
        suffix: The end of its name, where one function writes several kernels.
        counts: Whether it returns an int64, else nothing.
    """
    numba_kinds = {"i": types.int64, "f": types.float32}
    llvm_kinds = {"i": I64, "f": F32}
    signature_kinds = [numba_kinds[letter] for letter in arguments]
    inputs = [llvm_kinds[letter] for letter in arguments]
    result: Any = types.void
    returned_kind: Any = ir.VoidType()
    if counts:
        result = types.int64
        returned_kind = I64
    function_kind = ir.FunctionType(returned_kind, inputs)

    def wrap(write: Callable[..., Value]) -> Any:
        made = Kernel(f"spark_{write.__name__}{suffix}", function_kind, write)
        KERNELS[made.name] = made
        # Binds the symbol that `write_call` refers to, to the cell of this process.
        binding.add_symbol(f"{made.name}.slot", ctypes.addressof(made.slot))

        def generate(context: Any, builder: Any, _signature: Any, values: Sequence[Value]) -> Any:
            returned = made.write_call(builder, values)
            return returned if counts else context.get_dummy_value()

        # Numba takes the number of arguments from the signature of a Python function, hence the
        # function written as text.
        names = ", ".join(f"a{number}" for number in range(len(arguments)))
        scope: dict[str, Any] = {"typed": lambda: (result(*signature_kinds), generate)}
        exec(f"def {write.__name__}(context, {names}): return typed()", scope)  # noqa: S102
        callee: Any = intrinsic(scope[write.__name__])
        callee.kernel = made
        return callee

    return wrap


class Code:
    """Writes instructions where the builder stands.

    Args:
        builder: A builder of llvmlite.
        features: The features of the processor, as LLVM spells them.
    """

    def __init__(self, builder: Any, features: str) -> None:
        self.b = builder
        self.features = features
        has = set(features.split(","))
        self.vnni = {"+avx512vnni", "+avx512f"} <= has
        self.avx2 = "+avx2" in has
        # A vector of 16 lanes takes one of AVX-512's 32 registers, two of AVX2's 16, or four of
        # NEON's 32. The totals fill half of them; weights and inputs take the others.
        self.totals = 16 if "+avx512f" in has else 4
        """The vectors of 16 lanes that a loop can add to without running out of registers."""

    def run(self, callee: Any, *values: Value) -> Value:
        """Call another kernel.

        Args:
            callee: A kernel that `kernel` made.
            values: Its arguments.
        """
        return self.b.call(callee.kernel.define(self.b.module, self.features), values)

    def number(self, value: Value, kind: Any = I64) -> Value:
        """Make a constant of a Python number, in all lanes of a vector; return a value as it is."""
        if not isinstance(value, int | float):
            return value
        if isinstance(kind, ir.VectorType):
            return ir.Constant(kind, [value] * kind.count)
        return ir.Constant(kind, value)

    def at(self, base: Value, *offsets: tuple[Value, int]) -> Value:
        """Return an address: the base, plus index times size for each of the offsets."""
        for index, size in offsets:
            base = self.b.add(base, self.b.mul(self.number(index), self.number(size)))
        return base

    def load(self, kind: Any, address: Value) -> Value:
        """Load from an address of any alignment."""
        # Without `align` LLVM may choose an instruction that faults on an unaligned address.
        return self.b.load(self.b.inttoptr(address, kind.as_pointer()), align=1, typ=kind)

    def store(self, value: Value, address: Value) -> None:
        """Store a value at an address of any alignment."""
        self.b.store(value, self.b.inttoptr(address, value.type.as_pointer()), align=1)

    def prefetch(self, address: Value) -> None:
        """Prefetch the cache line at an address; an address outside all memory does no harm."""
        kind = ir.FunctionType(ir.VoidType(), [I8.as_pointer(), I32, I32, I32])
        function = self.b.module.declare_intrinsic("llvm.prefetch.p0", (), kind)
        # For a read (0), into all levels of the cache (3), of data rather than of code (1).
        self.b.call(function, [self.b.inttoptr(address, I8.as_pointer()), I32(0), I32(3), I32(1)])

    def hidden(self, address: Value) -> Value:
        """Return the same address in a way that LLVM does not see through.

        A value that is loaded through both addresses is loaded twice.
        """
        # Assembler without a single instruction, whose output is the register of its input.
        return self.b.asm(ir.FunctionType(I64, [I64]), "", "=r,0", [address], side_effect=False)

    def splat(self, value: Value, count: int = LANES) -> Value:
        """Return a vector that holds a scalar in every lane."""
        kind = ir.VectorType(value.type, count)
        undefined = ir.Constant(kind, ir.Undefined)
        first = self.b.insert_element(undefined, value, I32(0))
        mask = self.number(0, ir.VectorType(I32, count))
        return self.b.shuffle_vector(first, undefined, mask)

    def repeat(
        self,
        stop: Value,
        values: Sequence[Value],
        body: Callable[[Value, list[Value]], Sequence[Value]],
        *,
        start: Value = 0,
        step: Value = 1,
    ) -> list[Value]:
        """Write `for i in range(start, stop, step): values = body(i, values)`.

        Returns:
            The last values.
        """
        start, stop, step = map(self.number, (start, stop, step))
        # before -> check -> inside -> check ... -> after, with the values as phis of `check`.
        before = self.b.block
        check = self.b.append_basic_block("check")
        inside = self.b.append_basic_block("inside")
        after = self.b.append_basic_block("after")
        self.b.branch(check)
        self.b.position_at_end(check)
        index = self.b.phi(I64)
        carried = [self.b.phi(value.type) for value in values]
        for phi, value in zip([index, *carried], [start, *values], strict=True):
            phi.add_incoming(value, before)
        self.b.cbranch(self.b.icmp_signed("<", index, stop), inside, after)
        self.b.position_at_end(inside)
        results = body(index, list(carried))
        following = self.b.add(index, step)
        for phi, value in zip([index, *carried], [following, *results], strict=True):
            # Not `inside`: the body may have begun other blocks, and control comes from the last.
            phi.add_incoming(value, self.b.block)
        self.b.branch(check)
        self.b.position_at_end(after)
        return list(carried)

    def loop(self, stop: Value, *, step: Value = 1) -> Callable[[Callable[[Value], None]], None]:
        """Write the decorated function as the body of `for i in range(0, stop, step)`."""

        def write(body: Callable[[Value], None]) -> None:
            def carrying_nothing(i: Value, _: list[Value]) -> list[Value]:
                body(i)
                return []

            self.repeat(stop, [], carrying_nothing, step=step)

        return write

    def in_parts(self, count: Value, largest: int, write: Callable[[int, Value], None]) -> None:
        """Cut range(count) into parts of `largest`, a power of 2, and the rest into smaller powers.

        Args:
            count: The numbers to cut.
            largest: The size of all parts but the last ones.
            write: Writes the work on a part, given the part's size and first number.
        """
        # Minus a power of 2 has that power's bit and all higher ones set, and no lower one.
        first = self.b.and_(count, self.number(-largest))

        @self.loop(first, step=largest)
        def whole(start: Value) -> None:
            write(largest, start)

        # Every bit that is left in the count is a part of that size.
        size = largest // 2
        while size:
            part = self.b.and_(count, self.number(size))
            with self.b.if_then(self.b.icmp_signed("!=", part, self.number(0))):
                write(size, first)
            first = self.b.add(first, part)
            size //= 2

    def call(self, name: str, *values: Value) -> Value:
        """Call one of LLVM's own functions on values of one type."""
        kind = values[0].type
        full = f"{name}.f32"
        if isinstance(kind, ir.VectorType):
            full = f"{name}.v{kind.count}f32"
        function_kind = ir.FunctionType(kind, [kind] * len(values))
        function = self.b.module.declare_intrinsic(full, (), function_kind)
        return self.b.call(function, values)

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        """Return a * b + c, rounded once."""
        return self.call("llvm.fma", a, b, c)

    def widened(self, address: Value, half: bool, kind: Any = FLOATS) -> Value:
        """Load float32 numbers from an address that holds half or single precision ones."""
        if not half:
            return self.load(kind, address)
        return self.b.fpext(self.load(ir.VectorType(F16, kind.count), address), kind)

    def store_narrowed(self, value: Value, address: Value, half: bool) -> None:
        """Put float32 numbers where half or single precision ones are kept."""
        if half:
            value = self.b.fptrunc(value, ir.VectorType(F16, value.type.count))
        self.store(value, address)

    def across(self, value: Value, join: Callable[[Value, Value], Value]) -> Value:
        """Join all lanes into one scalar: the two halves of the vector, then the halves of that.

        The order is the same on every processor, and with it the rounding of a sum.
        """
        count = value.type.count
        while count > 1:
            count //= 2
            lanes = ir.VectorType(I32, count)
            low = self.b.shuffle_vector(value, value, ir.Constant(lanes, [*range(count)]))
            high = self.b.shuffle_vector(
                value, value, ir.Constant(lanes, [*range(count, 2 * count)])
            )
            value = join(low, high)
        return self.b.extract_element(value, I32(0))

    def larger(self, a: Value, b: Value) -> Value:
        """Return the larger of two numbers, neither of them a NaN."""
        # llvm.maxnum takes further instructions to treat a NaN as its definition demands.
        return self.b.select(self.b.fcmp_ordered(">", a, b), a, b)

    def sum(self, value: Value) -> Value:
        """Return the sum of all lanes."""
        return self.across(value, self.b.fadd)

    def exp(self, x: Value) -> Value:
        """Return the exponential of each lane, at most 88, to 2 units in the last place.

        Below -87 the result stays above 0.

        Source:
            Moshier's Cephes library, expf.
        """
        # e^-87 is still a normal number; further down the exponent written below would underflow.
        x = self.larger(x, self.number(-87.0, FLOATS))
        # x = twos * ln(2) + rest.
        twos = self.call("llvm.rint", self.b.fmul(x, self.number(_LOG2E, FLOATS)))
        rest = self.fma(twos, self.number(-_LN2_HIGH, FLOATS), x)
        rest = self.fma(twos, self.number(-_LN2_LOW, FLOATS), rest)
        # e^rest = 1 + rest + rest^2 * polynomial.
        result = self.number(_EXP_TERMS[0], FLOATS)
        for term in _EXP_TERMS[1:]:
            result = self.fma(result, rest, self.number(term, FLOATS))
        square = self.b.fmul(rest, rest)
        linear = self.b.fadd(rest, self.number(1.0, FLOATS))
        result = self.fma(result, square, linear)
        # 2^twos, put together from the bits of a float32: a biased exponent above 23 zero bits.
        exponent = self.b.add(self.b.fptosi(twos, INTS), self.number(127, INTS))
        power = self.b.shl(exponent, self.number(23, INTS))
        return self.b.fmul(result, self.b.bitcast(power, FLOATS))
