"""Who may speak to the studio: only a page that it served itself, on this machine, to whoever has the address.

The address holds a secret, which every request must repeat. The ``Host`` must be the studio's own, so that no other
name can be made to point here; a request that changes something must come from a page of the same origin. Requests
have a size limit, and every answer forbids the page to load, run or send anything elsewhere.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Bytes of a file that is dropped, and of any other request.
LARGEST_FILE, LARGEST_REQUEST = 256 * 2**20, 2 * 2**20

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "worker-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Lets through what belongs here, without the secret in its path; refuses all else."""

    def __init__(self, app: ASGIApp, secret: str, hosts: Collection[str]) -> None:
        self.app, self.secret, self.hosts = app, secret, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
            return
        path = scope["path"][len(self.secret) + 1 :]
        inside = {**scope, "path": path, "raw_path": path.encode(), "root_path": ""}
        largest = LARGEST_FILE if path == "/open" else LARGEST_REQUEST
        await self.app(inside, _limited(receive, largest), _with_headers(send))

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts and host not in self.hosts:
            return PlainTextResponse("This studio answers to its own address only.\n", 421)
        first = scope["path"].removeprefix("/").partition("/")[0]
        if not secrets.compare_digest(first.encode(), self.secret.encode()):
            return PlainTextResponse("Open the whole address that hassle studio printed.\n", 404)
        if scope["method"] not in ("GET", "HEAD") and headers.get("origin") != f"http://{host}":
            return PlainTextResponse("Only the studio's own page may do that.\n", 403)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return PlainTextResponse("Only the studio's own page may do that.\n", 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_FILE:
            return PlainTextResponse("That is too large.\n", 413)
        return None


class TooLargeError(Exception):
    """The request is longer than it may be."""


def _limited(receive: Receive, largest: int) -> Receive:
    total = 0

    async def limited() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > largest:
            raise TooLargeError
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return sending
