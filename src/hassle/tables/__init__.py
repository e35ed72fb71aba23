"""Contexts as tables of their completions: which points there are, where the examples are among them, what is small."""
