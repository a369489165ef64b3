"""Run a command: `python -m oracle COMMAND …`."""

import sys

from oracle import door

sys.exit(door.main(sys.argv[1:]))
