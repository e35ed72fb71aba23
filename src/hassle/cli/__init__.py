"""The command line: one file per command, which parses, calls the library and renders."""

from __future__ import annotations

import sys


def run() -> None:
    """The ``hassle`` command. All the rest is loaded here, so that Ctrl-C meanwhile is told in one line too."""
    try:
        from hassle.cli.main import main

        code = main()
    except KeyboardInterrupt:
        print("hassle: interrupted", file=sys.stderr)
        code = 130
    sys.exit(code)
