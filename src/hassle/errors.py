"""The few ways things go wrong, each with a message a user can act on.

Every message is one line and says what is wrong, where, and what to do. The command line prints it and exits with the
error's ``exit_code``; nothing else in the project decides on exit codes for bad input.
"""

from __future__ import annotations

from typing import Any

# Characters that each half of a message may have: what is wrong, and what to do.
LONGEST = 400


class HassleError(Exception):
    """Anything the user should read as a message rather than as a traceback."""

    exit_code = 2

    def record(self) -> dict[str, Any]:
        """The message in parts, for programs: what is wrong, what to do, where; None where that is not known."""
        what, _, fix = str(self).partition("; ")
        return error_record(what, fix or None)


def error_record(
    error: str, fix: str | None = None, file: str | None = None, line: int | None = None
) -> dict[str, Any]:
    """What programs are told of anything that went wrong."""
    return {"error": error, "fix": fix, "file": file, "line": line}


class InputError(HassleError):
    """Bad input: a file, an option or an argument that cannot be used as it is.

    ``what`` names the offending value, ``fix`` says what to do about it; ``file`` and ``line`` say where, and may be
    filled in later by the caller that knows them (:meth:`at`).
    """

    def __init__(self, what: str, *, fix: str | None = None, file: str | None = None, line: int | None = None) -> None:
        self.what, self.fix, self.file, self.line = what, fix, file, line
        super().__init__(str(self))

    def __str__(self) -> str:
        where = "" if self.file is None else f"{self.file}: "
        if self.line is not None:
            where = f"{where[:-2]}:{self.line}: " if self.file else f"line {self.line}: "
        message = where + _shortened(self.what) + (f"; {_shortened(self.fix)}" if self.fix else "")
        return " ".join(message.split())

    def record(self) -> dict[str, Any]:
        what, fix = (text and " ".join(_shortened(text).split()) for text in (self.what, self.fix))
        return error_record(what or "", fix, self.file, self.line)

    def at(self, file: str | None = None, line: int | None = None) -> InputError:
        """The same error with its place in a file; what is known already is kept."""
        return type(self)(
            self.what,
            fix=self.fix,
            file=self.file if self.file is not None else file,
            line=self.line if self.line is not None else line,
        )


def _shortened(text: str) -> str:
    """The text, cut in the middle where it quotes something so long that nobody would find its end."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


class ResourceError(HassleError):
    """The request needs more memory or time than it was given; says how much and how to allow or avoid it."""


class SolverError(HassleError):
    """A solver failed or contradicted itself; never a statement about the model."""

    exit_code = 1


class NoModelError(HassleError):
    """There is no model to return: because none exists (``proved``), or because none was found within the limits."""

    exit_code = 1

    def __init__(self, message: str, *, proved: bool) -> None:
        self.proved = proved
        super().__init__(message)


class DataWarning(UserWarning):
    """Data that can be used but should be looked at, such as examples that contradict each other."""
