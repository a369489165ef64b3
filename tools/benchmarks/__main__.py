"""Run benchmarks: `python -m benchmarks [NAME …]`."""

import sys

from benchmarks import cli

sys.exit(cli.main(sys.argv[1:]))
