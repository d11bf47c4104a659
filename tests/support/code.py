"""Run code in a process that is forked from one which has imported the libraries: `python -m tests.support.code CODE`."""

import sys

exec(sys.argv.pop(1), {"__name__": "__main__"})
