"""The version, in one place; CITATION.cff repeats it for those who cite, and a test compares them."""

__version__ = "0.2.0"
