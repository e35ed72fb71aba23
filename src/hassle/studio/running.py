"""Running the studio: a socket on this machine, a secret address, a server until it is told to end."""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hassle.errors import InputError
from hassle.studio.desk import FIRST_SECONDS, Desk

LOOPBACK = "127.0.0.1"
USUAL_PORT = 8420
# Seconds that pages get to close their streams when the studio ends.
ENDING = 1


@dataclass(frozen=True)
class Place:
    """Where the studio is: its socket is open already, so that nobody else can take the port."""

    socket: socket.socket
    host: str
    port: int
    secret: str
    moved: bool

    @property
    def address(self) -> str:
        return f"http://{self.host}:{self.port}/{self.secret}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names that requests may call it by; any where it is open to the network."""
        if self.host != LOOPBACK:
            return ()
        return (f"{LOOPBACK}:{self.port}", f"localhost:{self.port}")


def find_place(host: str, port: int | None) -> Place:
    """A socket at this port, or at another one where it is taken."""
    wanted = USUAL_PORT if port is None else port
    moved = False
    for candidate in (wanted, 0):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, candidate))
            sock.listen(128)
        except PermissionError:
            sock.close()
            raise InputError(f"port {candidate} may not be used", fix="choose one above 1023") from None
        except socket.gaierror:
            sock.close()
            raise InputError(f"there is no host {host!r}", fix="name an address of this machine") from None
        except OSError as error:
            sock.close()
            if candidate == 0:
                raise InputError(f"{host} cannot be listened on ({error.strerror})", fix="choose another") from None
            moved = port is not None
            continue
        return Place(sock, host, sock.getsockname()[1], secrets.token_urlsafe(24), moved)
    raise AssertionError


def run(
    place: Place,
    folder: Path,
    file: Path | None = None,
    *,
    browser: bool = True,
    seconds: float = FIRST_SECONDS,
    end_after: float | None = None,
    started: Callable[[Desk], None] = lambda desk: None,
) -> None:
    """Serve until Ctrl-C, SIGTERM, or ``end_after`` seconds."""
    try:
        import uvicorn

        from hassle.studio.server import make_app
    except ImportError:
        raise InputError(
            "the studio takes Starlette and uvicorn", fix="install them with pip install 'hassle-learn[studio]'"
        ) from None
    desk = Desk(folder, seconds)
    try:
        if file is not None:
            desk.open_file(file)
        app = make_app(desk, place.secret, place.hosts)
        # Its logging set-up would close the handlers of whoever called us.
        config = uvicorn.Config(
            app, log_config=None, log_level="critical", access_log=False, timeout_graceful_shutdown=ENDING,
            server_header=False, lifespan="off", ws="none",
        )  # fmt: skip
        server = uvicorn.Server(config)
        threading.Thread(target=desk.prepare, daemon=True).start()
        started(desk)
        if browser:
            threading.Timer(0.3, webbrowser.open, [place.address]).start()
        if end_after is not None:
            timer = threading.Timer(end_after, setattr, [server, "should_exit", True])
            timer.daemon = True
            timer.start()
        with suppress(KeyboardInterrupt):  # the usual way to end
            asyncio.run(server.serve(sockets=[place.socket]))
    finally:
        desk.close()
        place.socket.close()
