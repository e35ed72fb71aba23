"""How much memory a run may take: decided here, and asked for wherever much would be taken.

Half of what is free when the run begins, unless ``--memory``, ``memory=`` or the environment's ``HASSLE_MEMORY`` says
otherwise. It is what a run may take beside the program itself. Whoever is about to take much asks first
(:func:`allowed_memory`), and then takes another way or raises a :class:`hassle.errors.ResourceError` with the numbers.
Estimates are rough, which is why half of what is free is left free.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from hassle.errors import InputError, ResourceError

VARIABLE = "HASSLE_MEMORY"
SHARE = 0.5
# Taken for free where the system does not say.
UNKNOWN = 4 * 10**9
# What every message advises in the end.
MORE = f"allow more with --memory of learn or {VARIABLE}"

_UNITS = {letter: (1000**k, 1024**k) for k, letter in enumerate("KMGT", 1)}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*(?:([KMGT])(I?)B?|B)?\s*")

P = ParamSpec("P")
R = TypeVar("R")

_limit: ContextVar[int | None] = ContextVar("memory limit", default=None)


def memory_size(value: str | int) -> int:
    """The bytes that ``2GB``, ``500 MB``, ``1.5 GiB`` or a number of bytes stand for."""
    found = _SIZE.fullmatch(str(value).upper()) if isinstance(value, str | int) and value is not True else None
    result = 0
    if found:
        factor = _UNITS[found[2]][bool(found[3])] if found[2] else 1
        result = int(float(found[1]) * factor)
    if result <= 0:
        raise InputError(f"{value!r} is no amount of memory", fix="write one such as 500MB, 2GB or 1.5GiB")
    return result


def shown_bytes(count: float) -> str:
    """So many bytes as messages say them."""
    for letter in "TGM":
        if count >= _UNITS[letter][0]:
            return f"{count / _UNITS[letter][0]:.3g} {letter}B"
    return f"{count / 1000:.3g} KB"


def allowed_memory() -> int:
    """The bytes that may be taken: by the run under way, or by one that would begin now."""
    limit = _limit.get()
    if limit is not None:
        return limit
    if wish := os.environ.get(VARIABLE):
        try:
            return memory_size(wish)
        except InputError as error:
            raise InputError(f"{VARIABLE}: {error.what}", fix=error.fix) from None
    return int(SHARE * free_memory())


@contextmanager
def allowing_memory(memory: str | int | None) -> Iterator[None]:
    """Inside, so much memory may be taken; without a number, what is allowed now, however much is free later."""
    token = _limit.set(allowed_memory() if memory is None else memory_size(memory))
    try:
        yield
    finally:
        _limit.reset(token)


def within_memory(function: Callable[P, R]) -> Callable[P, R]:
    """Gives a function that takes any options the option ``memory``, which holds for all that it does."""

    @wraps(function)
    def within(*arguments: P.args, **options: P.kwargs) -> R:
        with allowing_memory(options.pop("memory", None)):  # type: ignore[arg-type]
            return function(*arguments, **options)

    return within


def require_memory(needed: float, what: str, fix: str) -> None:
    """An error that says the numbers, and what to do, unless so much may be taken."""
    if needed > allowed_memory():
        raise ResourceError(f"{what} would take about {shown_bytes(needed)} of memory, {memory_refusal(fix)}")


def memory_refusal(fix: str) -> str:
    """The end of a message about too much memory."""
    return f"more than the {shown_bytes(allowed_memory())} allowed; {fix}, or {MORE}"


def free_memory() -> int:
    """What this process may still take: the least of what the machine, its container and its limits leave."""
    found = [free for free in (_machine(), *_control_groups(), _address_space()) if free is not None]
    return max(0, min(found, default=UNKNOWN))


def _machine() -> int | None:
    text = _text("/proc/meminfo")
    if found := re.search(r"^MemAvailable:\s*([0-9]+) kB", text, re.MULTILINE):
        return int(found[1]) * 1024
    try:  # elsewhere as if half of all memory were free
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return None


def _control_groups(root: str = "/sys/fs/cgroup") -> Iterator[int]:
    """What the limits of containers and batch systems leave, in both versions of Linux's control groups."""
    for line in _text("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            names = ("memory.max", "memory.current", "inactive_file")
            top = Path(root)
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            top = Path(root) / "memory"
        else:
            continue
        group = top / path.lstrip("/")
        # In a container the path may be the host's; the limits then stand at the top. A limit holds for all below.
        for folder in (group, *group.parents):
            if folder.is_relative_to(top) and (free := _left_in(folder, *names)) is not None:
                yield free


def _left_in(group: Path, limit: str, usage: str, cached: str) -> int | None:
    """The limit less what is used; cached files are given up when memory is short."""
    most, used = _text(group / limit).strip(), _text(group / usage).strip()
    if not most.isdigit() or not used.isdigit():
        return None
    reclaimable = re.search(rf"^{cached} ([0-9]+)$", _text(group / "memory.stat"), re.MULTILINE)
    return int(most) - int(used) + (int(reclaimable[1]) if reclaimable else 0)


def _address_space() -> int | None:
    """What ``ulimit -v`` leaves."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = _text("/proc/self/statm").split()
    return None if most == resource.RLIM_INFINITY or not pages else most - int(pages[0]) * resource.getpagesize()


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text()
    except (OSError, ValueError):
        return ""
