"""The command line: one file per command, which parses, calls the library and renders."""

from __future__ import annotations

import os
import signal
import sys


def run() -> None:
    """The ``hassle`` command. All the rest is loaded here, so that Ctrl-C meanwhile is told in one line too."""
    try:
        _occupy_closed_descriptors()
        from hassle.cli.main import main

        code = main()
    except KeyboardInterrupt:
        print("hassle: interrupted", file=sys.stderr)
        if "--json" in sys.argv:
            print('{"error": "interrupted", "fix": null, "file": null, "line": null}')
        code = 130
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: Ctrl-C could only spoil Python's way out
    sys.exit(code)


def _occupy_closed_descriptors() -> None:
    """Point standard streams that are closed to nowhere, lest a file we open takes their place and gets their text."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, which is this one
    if sys.stderr is None:  # else what is printed there would go to stdout
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 (it stays open until the end)
