"""Begin a Python without Linux, see tests/without_linux.py, which stands beside this folder."""

import importlib.util
import os
import sys
from pathlib import Path

if "SPARK_TESTS_WITHOUT_LINUX" in os.environ:
    file = Path(__file__).parent.parent / "without_linux.py"
    spec = importlib.util.spec_from_file_location("without_linux", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.take_away()
