"""The command line: one file per command, which parses, calls the library and renders."""

from __future__ import annotations

import sys

from hassle.cli.signals import INTERRUPTED, ignore_signals, take_signals, told_apart
from hassle.cli.streams import prepare_streams


def run() -> None:
    """The ``hassle`` command. All the rest is loaded here, so that Ctrl-C meanwhile is told in one line too."""
    try:
        prepare_streams()
        take_signals()
        from hassle.cli.main import main

        code = main()
    except KeyboardInterrupt:
        print("hassle: interrupted", file=sys.stderr)
        if "--json" in sys.argv:
            print('{"error": "interrupted", "fix": null, "file": null, "line": null}')
        code = INTERRUPTED
    ignore_signals()  # all is done: Ctrl-C could only spoil Python's way out
    sys.exit(told_apart(code))
