"""How a bench ends that is told to stop: as by Ctrl+C, once, so that it can clean up undisturbed."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def ended_once() -> Iterator[None]:
    """Let the first signal that ends programs raise KeyboardInterrupt; those after it do nothing until the end."""
    before = {each: handler for each in _SIGNALS if (handler := signal.getsignal(each)) != signal.SIG_IGN}

    def end(*_: object) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    for each in before:
        signal.signal(each, end)
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
