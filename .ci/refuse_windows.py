"""What the build backend runs before it builds, or tells the dependencies of, anything."""

import runpy
import sys
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class RefuseWindows(MetadataHookInterface):
    """End `pip install` on Windows with what to do, before a dependency is downloaded."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Leave the metadata as it is, or end the build."""
        if sys.platform == "win32":
            windows = runpy.run_path(str(Path(self.root) / "spark_tui" / "windows.py"))
            raise SystemExit(windows["ADVICE"])
