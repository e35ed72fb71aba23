"""The ``hassle`` command: finds the command's file, and turns every failure into one line and an exit code.

Exit codes: 0 done, 1 the answer is no, 2 bad usage or bad input, 70 a mistake in hassle itself, 130 interrupted (143 by
SIGTERM). With ``--json`` a failure is an object on stdout as well.
"""

from __future__ import annotations

import logging
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, wraps
from importlib import import_module
from typing import Annotated, Any

import typer

from hassle.cli.output import emit_error, expect_answer
from hassle.cli.signals import INTERRUPTED
from hassle.errors import DataWarning, HassleError, InputError, error_record
from hassle.memory import VARIABLE
from hassle.version import __version__

# The modules of this package that are commands, in the order the help lists them.
COMMANDS = (
    "demo",
    "generate",
    "schema",
    "learn",
    "crossval",
    "ask",
    "show",
    "solve",
    "label",
    "score",
    "evaluate",
    "inspect",
    "convert",
    "studio",
    "experiment",
    "warm_up",
)

# As in sysexits.h; not 1, which would pass for the answer "no".
INTERNAL = 70

# Set (to anything), the traceback of an internal error is shown.
DEBUG = "HASSLE_DEBUG"


def build_app(names: Sequence[str] = COMMANDS) -> typer.Typer:
    """The application with the commands of these modules."""
    app = typer.Typer(
        name="hassle",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Start with: hassle demo",
    )
    app.callback()(_hassle)
    for name in names:
        module = import_module(f"hassle.cli.{name}")
        command = _guarded(getattr(module, name))
        app.command(_spelled(name), epilog=f"Example: {module.EXAMPLE}")(command)
    return app


def _spelled(module: str) -> str:
    """A command as users type it."""
    return module.replace("_", "-")


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
    expect_answer()
    given = _spelled_out(sys.argv[1:] if arguments is None else arguments)
    if hasattr(sys.stdout, "reconfigure"):
        # A name that the terminal cannot show must not cost the user the whole answer.
        sys.stdout.reconfigure(errors="backslashreplace")
    if logging.lastResort is not None:  # the handler of what is logged without --verbose
        logging.lastResort.setFormatter(logging.Formatter("hassle: %(message)s"))
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning  # type: ignore[assignment]
        warnings.simplefilter("always", DataWarning)
        return _exit_code(lambda: _dispatch(given), "--json" in given, given)


@cache
def _parser(first: str) -> Callable[..., object]:
    """What Typer makes of the command that the first argument names: of that alone, as making all takes longer."""
    named = [name for name in COMMANDS if _spelled(name) == first]
    return typer.main.get_command(build_app(named or COMMANDS))


class _Ended(int):
    """The exit code of a command that has told how it ended."""


def _dispatch(given: Sequence[str]) -> object:
    outcome = _parser(given[0] if given else "")(args=given, prog_name="hassle", standalone_mode=False)
    if outcome == INTERRUPTED and not isinstance(outcome, _Ended):
        raise KeyboardInterrupt  # before any command began; Typer made an exit code of it, without a word
    return outcome


def _guarded(command: Callable[..., object]) -> Callable[..., int]:
    """The command with its failures told here, as Typer would make something of its own of some of them."""

    @wraps(command)
    def guarded(*arguments: Any, **options: Any) -> int:
        return _Ended(_exit_code(lambda: command(*arguments, **options), options["json"]))

    return guarded


def _exit_code(action: Callable[[], object], json: bool, given: Sequence[str] = ()) -> int:
    """Do it, tell in one line what went wrong, if anything, and return the exit code."""
    try:
        outcome = action()
        if sys.stdout is not None:
            sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        code, message, record = _told(error, given)
        if message:
            with suppress(OSError):  # a full or broken stderr must not cost the exit code and the object
                print(f"hassle: {message}", file=sys.stderr)
        if json and record:
            emit_error(record)
        return code
    return outcome if isinstance(outcome, int) else 0


def _told(error: BaseException, given: Sequence[str]) -> tuple[int, str, dict[str, Any] | None]:
    """What went wrong: the exit code, the line for people (none if empty), and the object for programs."""
    match error:
        case HassleError():
            return error.exit_code, str(error), error.record()
        case KeyboardInterrupt() | typer.Abort():
            return INTERRUPTED, "interrupted", error_record("interrupted")
        case BrokenPipeError():
            # The reader of our output is gone (`hassle ... | head`): nothing is wrong, and nobody is left to tell.
            _forget_output()
            return 0, "", None
        case OSError(filename=None) if not isinstance(error, FileNotFoundError | PermissionError):
            # Files are the files room's business; what remains is our own output, on a full disk for instance.
            _forget_output()
            told = HassleError(f"the output cannot be written ({error.strerror or error}); send it elsewhere")
            return told.exit_code, str(told), None
        case MemoryError():
            told = HassleError(f"out of memory; use a smaller problem, or allow less than was free with {VARIABLE}=1GB")
        case OSError():
            where = None if error.filename is None else os.fsdecode(error.filename)
            told = InputError(f"cannot be used ({error.strerror or error})", file=where)
        case _ if hasattr(error, "format_message"):
            # Typer's usage errors share no public base class across its versions, but all can format themselves.
            message = " ".join(error.format_message().split()).rstrip(".")
            if not message or message.startswith("Usage:"):
                return 2, "", None  # no command: Typer has printed the help
            told = _usage_error(message, error, given)
        case _:
            return INTERNAL, *_internal_error(error)
    return told.exit_code, str(told), told.record()


def _internal_error(error: BaseException) -> tuple[str, dict[str, Any]]:
    """A mistake of ours: in one line, as the traceback says nothing to a user; and how to report it."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"internal error: {type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"
    told = InputError(what, fix=f"please report it, with the command and what it prints with {DEBUG}=1")
    return str(told), told.record()


def _forget_output() -> None:
    """Let go of what is still waiting to be printed, which Python would try once more, and fail, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage_error(message: str, error: BaseException, given: Sequence[str]) -> InputError:
    command = " ".join(["hassle", *(name for name in given[:1] if name in map(_spelled, COMMANDS))])
    value = _value_given(getattr(error, "param", None), given)
    return InputError(f"{message}{f', not {value!r}' if value else ''}", fix=f"see {command} --help")


def _value_given(parameter: object, given: Sequence[str]) -> str | None:
    """What the user wrote for an option, which Typer's messages leave out."""
    for option in getattr(parameter, "opts", ()):
        for i, argument in enumerate(given):
            if argument == option and i + 1 < len(given):
                return given[i + 1]
            if argument.startswith(f"{option}="):
                return argument.partition("=")[2]
    return None


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
