"""Files that recordings are kept in."""

from __future__ import annotations

from pathlib import Path


def keep(path: Path, text: str, *, check: bool) -> bool:
    """Write *text* into a file that has another one, or with *check* only name it; return whether it has."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    print(f"{'differs' if check else 'written'}: {path.name}", flush=True)
    if not check:
        path.write_text(text, encoding="utf-8")
    return True


def outcome(changed: int, *, check: bool) -> int:
    """Say how many files changed, and return the exit code: 1 where a check finds another answer than the recorded."""
    print(f"{changed} changed")
    return 1 if check and changed else 0
