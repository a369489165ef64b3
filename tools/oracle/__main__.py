"""Run a command: `python -m oracle COMMAND …`."""

import sys

from oracle import cli

sys.exit(cli.main(sys.argv[1:]))
