"""Test Kubernetes CustomResourceDefinitions with pytest, offline, with the API server's answers."""

import sys

if sys.platform == "win32":
    raise ImportError("pytest-crd runs on Linux and macOS; on Windows, install it inside WSL")
