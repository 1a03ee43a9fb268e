"""What terminals send for keys: the bytes of a legacy keyboard (xterm) and of the kitty protocol.

The kitty forms are those of the flags that the screen asks for, 25: escape codes told apart (1),
every key as an escape code (8), with its text (16). Source:
https://sw.kovidgoyal.net/kitty/keyboard-protocol/
"""

from collections.abc import Callable

_LEGACY = {
    "Esc": b"\x1b",
    "Enter": b"\r",
    "Tab": b"\t",
    "Shift+Tab": b"\x1b[Z",
    "Alt+Enter": b"\x1b\r",
    "Backspace": b"\x7f",
    "Space": b" ",
    "Up": b"\x1b[A",
    "Down": b"\x1b[B",
    "Right": b"\x1b[C",
    "Left": b"\x1b[D",
    "Home": b"\x1b[H",
    "End": b"\x1b[F",
    "PgUp": b"\x1b[5~",
    "PgDn": b"\x1b[6~",
}
_KITTY_CODES = {"Esc": 27, "Enter": 13, "Tab": 9, "Backspace": 127, "Space": 32}
_SHIFTED = dict(zip('~!@#$%^&*()_+{}|:"<>?', "`1234567890-=[]\\;',./", strict=True))
_SHIFT, _ALT, _CTRL, _NUM_LOCK = 1, 2, 4, 128

Encoder = Callable[[str], bytes]


def legacy(key: str) -> bytes:
    """The bytes of a key: a character, or a name such as Esc, Shift+Tab, Ctrl+R."""
    if key.startswith("Ctrl+"):
        return bytes([ord(key[-1]) & 0x1F])
    return _LEGACY.get(key) or key.encode()


def kitty(key: str, locks: int = 0) -> bytes:
    """The same key in the kitty protocol.

    Args:
        locks: The modifier bits of caps lock and num lock.
    """
    if key.startswith("Ctrl+"):
        return _csi_u(ord(key[-1].lower()), _CTRL | locks)
    if key == "Shift+Tab":
        return _csi_u(9, _SHIFT | locks)
    if key == "Alt+Enter":
        return _csi_u(13, _ALT | locks)
    if key in _KITTY_CODES:
        return _csi_u(_KITTY_CODES[key], locks, " " if key == "Space" else "")
    if key in _LEGACY:
        return _functional(_LEGACY[key], locks)
    unshifted = _SHIFTED.get(key, key.lower())
    return _csi_u(ord(unshifted), (_SHIFT if key != unshifted else 0) | locks, key)


def kitty_with_num_lock(key: str) -> bytes:
    """The same while num lock is on, which every key then tells, too."""
    return kitty(key, _NUM_LOCK)


def _csi_u(code: int, modifiers: int, text: str = "") -> bytes:
    fields = [str(code), str(1 + modifiers) if modifiers else "", str(ord(text)) if text else ""]
    return f"\x1b[{';'.join(fields).rstrip(';')}u".encode()


def _functional(sequence: bytes, modifiers: int) -> bytes:
    if not modifiers:
        return sequence
    number, end = sequence[2:-1] or b"1", sequence[-1:]
    return b"\x1b[" + number + f";{1 + modifiers}".encode() + end


ENCODINGS: dict[str, Encoder] = {
    "legacy": legacy,
    "kitty": kitty,
    "kitty-num-lock": kitty_with_num_lock,
}
