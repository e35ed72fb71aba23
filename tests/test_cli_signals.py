"""A signal is never lost, whatever Python does when it comes."""

import os
import subprocess
import sys

import pytest

posix = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")

# Modules and objects that forget whatever comes up in them, as compiled ones do now and then.
FORGETFUL_MODULE = """
import os, signal
try:
    os.kill(os.getpid(), signal.{name})
    for _ in range(1000): pass
except BaseException:
    print("lost")
"""

DURING_IMPORT = "import forgetful"
DURING_DESTRUCTION = """
import os, signal
class Forgetful:
    def __del__(self):
        os.kill(os.getpid(), signal.{name})
        for _ in range(1000): pass
        print("destroyed")
thing = Forgetful()
del thing
"""

PROGRAM = """
import sys, time
from hassle.cli.signals import take_signals, told_apart
take_signals()
try:
{body}
    for _ in range(1000): time.sleep(0.01)
    print("never ended")
except KeyboardInterrupt:
    print("ended", told_apart(130))
"""


@posix
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
@pytest.mark.parametrize(("body", "said"), [(DURING_IMPORT, ""), (DURING_DESTRUCTION, "destroyed\n")])
def test_a_signal_at_a_bad_moment_is_raised_when_that_is_over(tmp_path, name, code, body, said):
    (tmp_path / "forgetful.py").write_text(FORGETFUL_MODULE.format(name=name))
    lines = body.format(name=name).strip().splitlines()
    program = PROGRAM.format(body="\n".join("    " + line for line in lines))
    outcome = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (outcome.stdout, outcome.stderr, outcome.returncode) == (f"{said}ended {code}\n", "", 0)


@posix
def test_when_all_is_done_no_signal_raises_anything():
    program = """
import os, signal, time
from hassle.cli.signals import ignore_signals, take_signals
take_signals()
ignore_signals()
os.kill(os.getpid(), signal.SIGINT)
os.kill(os.getpid(), signal.SIGALRM)
time.sleep(0.05)
"""
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (outcome.returncode, outcome.stderr) == (0, "")
