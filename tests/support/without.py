"""The command as in an installation that lacks a package: `python -m tests.support.without PACKAGE ARGUMENTS`."""

import runpy
import sys

sys.modules[sys.argv.pop(1)] = None  # type: ignore[assignment]
runpy.run_module("draftroom", run_name="__main__", alter_sys=True)
