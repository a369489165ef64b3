"""Run benchmarks: `python -m benchmarks [NAME …]`."""

import sys

from benchmarks import door

sys.exit(door.main(sys.argv[1:]))
