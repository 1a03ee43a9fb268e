"""Small files of a model that are not the engine's to read, kept in GGUF metadata as base64."""

import base64
import binascii
import re
from collections.abc import Mapping

from spark_tui.engine.files import damaged
from spark_tui.engine.gguf import GgufFile

_PREFIX = "spark.file."
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\.json\.gz")


def extras_metadata(extras: Mapping[str, bytes]) -> dict[str, str]:
    """The entries that hold these files. Args: extras: by file name."""
    return {_PREFIX + name: base64.b64encode(data).decode() for name, data in extras.items()}


def gguf_extras(file: GgufFile) -> dict[str, bytes]:
    """The files in the metadata, by name; only names that a model folder may have.

    Raises: ModelError: one is damaged.
    """
    found = {key.removeprefix(_PREFIX): value for key, value in file.metadata.items() if key.startswith(_PREFIX)}
    return {name: _decoded(file, name, value) for name, value in found.items() if _NAME.fullmatch(name)}


def _decoded(file: GgufFile, name: str, value: object) -> bytes:
    try:
        return base64.b64decode(value if isinstance(value, str) else "?", validate=True)
    except (ValueError, binascii.Error) as error:
        raise damaged(file.path, f"{_PREFIX}{name} is not base64") from error
