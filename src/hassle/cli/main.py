"""The ``hassle`` command: finds the command's file, and turns every failure into one line and an exit code.

Exit codes: 0 done, 1 the answer is no, 2 bad usage or bad input, 130 interrupted (143 by SIGTERM).
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from typing import Annotated, Any

import typer

from hassle.errors import DataWarning, HassleError
from hassle.memory import VARIABLE
from hassle.version import __version__

# The modules of this package that are commands, in the order the help lists them.
COMMANDS = (
    "demo",
    "generate",
    "learn",
    "crossval",
    "show",
    "solve",
    "label",
    "score",
    "evaluate",
    "inspect",
    "convert",
    "experiment",
    "warm_up",
)

INTERRUPTED = 130


def build_app() -> typer.Typer:
    app = typer.Typer(
        name="hassle",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Start with: hassle demo",
    )
    app.callback()(_hassle)
    for name in COMMANDS:
        module = import_module(f"hassle.cli.{name}")
        command = _guarded(getattr(module, name))
        app.command(name.replace("_", "-"), epilog=f"Example: {module.EXAMPLE}")(command)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"hassle {__version__}")
        raise typer.Exit


def _hassle(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Learn combinatorial optimisation models from examples of good and bad decisions, and use them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = _spelled_out(sys.argv[1:] if arguments is None else arguments)
    if hasattr(sys.stdout, "reconfigure"):
        # A name that the terminal cannot show must not cost the user the whole answer.
        sys.stdout.reconfigure(errors="backslashreplace")
    if logging.lastResort is not None:  # the handler of what is logged without --verbose
        logging.lastResort.setFormatter(logging.Formatter("hassle: %(message)s"))
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning  # type: ignore[assignment]
        warnings.simplefilter("always", DataWarning)
        return _exit_code(lambda: build_app()(args=given, standalone_mode=False), given)


def _guarded(command: Callable[..., object]) -> Callable[..., int]:
    """The command with its failures told here, as Typer would make something of its own of some of them."""

    @wraps(command)
    def guarded(*arguments: Any, **options: Any) -> int:
        return _exit_code(lambda: command(*arguments, **options))

    return guarded


def _exit_code(action: Callable[[], object], given: Sequence[str] = ()) -> int:
    """Do it, tell in one line what went wrong, if anything, and return the exit code."""
    try:
        outcome = action()
        if sys.stdout is not None:
            sys.stdout.flush()
    except HassleError as error:
        return _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output is gone (`hassle ... | head`): nothing is wrong, and nobody is left to tell.
        _forget_output()
        return 0
    except OSError as error:
        # Files are the files room's business; what remains is our own output, on a full disk for instance.
        _forget_output()
        return _fail(f"the output cannot be written ({error.strerror or error}); send it elsewhere", 2)
    except MemoryError:
        return _fail(f"out of memory; use a smaller problem, or allow less than was free with {VARIABLE}=1GB", 2)
    except Exception as error:
        # Typer's usage errors share no public base class across its versions, but all can format themselves.
        if not hasattr(error, "format_message"):
            raise
        return _usage_error(error, given)
    return outcome if isinstance(outcome, int) else 0


def _forget_output() -> None:
    """Let go of what is still waiting to be printed, which Python would try once more, and fail, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage_error(error: Exception, given: Sequence[str]) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "hassle"
    message = " ".join(error.format_message().split()).rstrip(".")  # type: ignore[attr-defined]
    if not message or message.startswith("Usage:"):
        return 2
    value = _value_given(getattr(error, "param", None), given)
    return _fail(f"{message}{f', not {value!r}' if value else ''}; see {command} --help", 2)


def _value_given(parameter: object, given: Sequence[str]) -> str | None:
    """What the user wrote for an option, which Typer's messages leave out."""
    for option in getattr(parameter, "opts", ()):
        for i, argument in enumerate(given):
            if argument == option and i + 1 < len(given):
                return given[i + 1]
            if argument.startswith(f"{option}="):
                return argument.partition("=")[2]
    return None


def _fail(message: str, code: int) -> int:
    print(f"hassle: {message}", file=sys.stderr)
    return code


def _show_warning(message: Warning | str, category: type[Warning], *_: object) -> None:
    if issubclass(category, DataWarning):
        print(f"hassle: warning: {message}", file=sys.stderr)


def _spelled_out(arguments: Sequence[str]) -> list[str]:
    """The arguments with a bare ``--all`` given its default number, which Typer cannot do itself."""
    from hassle.cli.options import MANY

    given = list(arguments)
    for i, argument in enumerate(given):
        following = given[i + 1] if i + 1 < len(given) else ""
        if argument == "--all" and not following.lstrip("-").isdigit():
            given[i] = f"--all={MANY}"
    return given
