"""JSON on a line of its own that shows whether it is whole: `LENGTH CHECKSUM JSON`."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def frame(body: Mapping[str, Any]) -> bytes:
    """The line for some JSON, its end included."""
    payload = json.dumps(body, separators=(",", ":")).encode("ascii")
    return b"%d %s %s\n" % (len(payload), _checksum(payload), payload)


def unframe(line: bytes) -> dict[str, Any] | None:
    """The JSON object of a line without its end, or None where the line is damaged or has none."""
    length, _, rest = line.partition(b" ")
    checksum, _, payload = rest.partition(b" ")
    if length != b"%d" % len(payload) or checksum != _checksum(payload):
        return None
    try:
        body = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _checksum(payload: bytes) -> bytes:
    return hashlib.sha256(payload).hexdigest()[:16].encode("ascii")
