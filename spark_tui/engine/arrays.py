"""The array types the engine passes around."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]
ComplexArray = npt.NDArray[np.complex64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int32]
