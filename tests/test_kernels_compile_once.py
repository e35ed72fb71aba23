"""Every kernel is compiled for one signature: a second one would double the wait of a first run.

Counted in a process of its own, because other tests hand kernels arrays of their own making.
"""

from __future__ import annotations

import subprocess
import sys

PROGRAMME = """
import importlib, pkgutil
import hassle.kernels
from hassle.data import Dataset
from hassle.evaluation import evaluate
from hassle.generate import generate
from hassle.learners import learn
from hassle.solve import optima

problem = generate(6, 3, 3, 20, seed=1)
data, truth = problem.data, problem.truth
general = Dataset.build("ab", [("a | b", "01", 1), ("", "00", 0)])
for strategy in ("walksat", "novelty", "novelty+", "adaptive-novelty+"):
    learn(data, "sls", strategy=strategy, steps=10)
learn(data, "sls", neighbourhood="naive", steps=5)
learn(data, "sls", steps=2, memory=1)
learn(data.without_contexts(), "sls", steps=5, jobs=2)
learn(general, "sls", steps=5)
learn(data, "statistical", steps=300)
learn(general, "statistical", steps=100)
learn(data, "auto", steps=50)
for longest in (2, 3):
    learn(data, "cuts", time_limit=1, max_literals=longest)
evaluate(truth, truth)
evaluate(truth, truth, "x1 | x2")
optima(truth, limit=1)
kernels = 0
for found in pkgutil.iter_modules(hassle.kernels.__path__):
    module = importlib.import_module(f"hassle.kernels.{found.name}")
    for name, kernel in vars(module).items():
        if hasattr(kernel, "signatures") and kernel.py_func.__module__ == module.__name__:
            part = "no_cpython_wrapper" in kernel.targetoptions
            kernels += not part
            assert len(kernel.signatures) <= 1 + part, (module.__name__, name, kernel.signatures)  # rows of two types
print(kernels)
"""


def test_each_kernel_is_compiled_for_one_signature():
    run = subprocess.run([sys.executable, "-c", PROGRAMME], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) >= 20
