"""``python -m hassle`` is the same as ``hassle``."""

from hassle.cli import run

run()
