"""The paper's experiments, and more: resumable grids of runs, their tables and their figures."""
