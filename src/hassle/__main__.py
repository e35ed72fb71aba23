"""``python -m hassle`` is the same as ``hassle``."""

from hassle.cli.main import run

run()
