"""`python -m handbook`: write the parts of pages that are made from the source."""

from __future__ import annotations

import sys

from handbook import parts


def main() -> int:
    """Write what is not as the source has it, and say where."""
    for path in parts.pages():
        text = path.read_text(encoding="utf-8")
        if (current := parts.current(text)) != text:
            path.write_text(current, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(parts.ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
