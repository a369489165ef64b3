"""Files with recordings."""

from __future__ import annotations

from pathlib import Path


def keep(path: Path, text: str, *, check: bool) -> bool:
    """Write *text* to a file with different content, with *check* only print its name; return True if the content differs."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    print(f"{'differs' if check else 'written'}: {path.name}", flush=True)
    if not check:
        path.write_text(text, encoding="utf-8")
    return True


def outcome(changed: int, *, check: bool) -> int:
    """Print the number of changed files, and return the exit code: 1 if a check finds a difference."""
    print(f"{changed} changed")
    return 1 if check and changed else 0
