"""Run code in a process forked from one that has imported the libraries: `python -m tests.support.code CODE`."""

import sys

exec(sys.argv.pop(1), {"__name__": "__main__"})
