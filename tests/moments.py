"""Does what another thread may do at every moment of a function, one after the other: no race
is left to chance.
"""

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

Scene = Callable[[], tuple[Callable[[], object], Callable[[], object]]]
"""Sets the stage anew.

Returns:
    What is done, and what another thread does meanwhile.
"""


def at_every_moment(of: Callable[..., object], scene: Scene) -> int:
    """Play a scene as often as a function has moments, and do what is done meanwhile at each.

    Returns:
        How often.

    Locks do not hold here, as all is done in one thread: it is for what does without.
    """
    moment = 0
    while _played(of.__code__, scene, moment):
        moment += 1
    return moment


def _played(code: CodeType, scene: Scene, moment: int) -> bool:
    """Play it once.

    Returns:
        Whether there is such a moment.
    """
    do, meanwhile = scene()
    left = moment

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_code is not code:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left == -1:
                meanwhile()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        do()
    finally:
        sys.settrace(before)
    return left < 0
