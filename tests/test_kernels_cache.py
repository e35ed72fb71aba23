"""Kernels load where nothing may be kept on disk, as in a container with a read-only file system."""

import subprocess
import sys

# Numba's own search for a place is made to fail, unless a directory is named.
PROGRAM = """
import os
from numba import config
from numba.core.caching import InTreeCacheLocator, UserWideCacheLocator
for locator in (InTreeCacheLocator, UserWideCacheLocator):
    locator.from_function = classmethod(lambda *_: None)
config.CACHE_DIR = ""
from hassle.model import Model
print(Model.build(["a"], ["a"]).solve(solver="table"), os.path.isdir(config.CACHE_DIR))
"""


def test_kernels_load_where_nothing_can_be_kept():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout.split() == ["1", "True"], done.stderr
