"""The array types the engine passes around."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]
ComplexArray = npt.NDArray[np.complex64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int32]


class Rows(Protocol):
    """A matrix, in memory or with rows that are made when a slice of them is taken."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The numbers of rows and columns."""

    def __getitem__(self, rows: slice, /) -> FloatArray: ...


@dataclass(frozen=True, slots=True)
class LazyRows:
    """A matrix whose rows are made by `make` when they are taken; see `Rows`."""

    shape: tuple[int, ...]
    make: Callable[[slice], FloatArray]

    def __getitem__(self, rows: slice, /) -> FloatArray:
        return self.make(rows)
