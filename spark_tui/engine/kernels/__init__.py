"""The forward pass as compiled code: numba around small kernels written in LLVM's own language."""
