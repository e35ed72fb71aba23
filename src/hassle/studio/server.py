"""The studio's server: the page, its requests as JSON, its events as a stream, and files to take away.

Everything that takes time is done in threads; a request either answers with what it was asked for or with one line that
says what is wrong.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from hassle.errors import HassleError, InputError
from hassle.studio.desk import Desk
from hassle.studio.guard import Guard, TooLargeError
from hassle.studio.planning import Situation
from hassle.studio.study import whole_text
from hassle.studio.taking import plan_file, take

TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
# Seconds between two signs of life where nothing happens, and the least between two messages.
ALIVE, PACE = 15.0, 0.1

Action = Callable[[Desk, dict[str, Any]], Any]

# What the page may ask for, by name.
ACTIONS: dict[str, Action] = {
    "ward": lambda desk, said: desk.open_ward(),
    "column": lambda desk, said: desk.set_column(_text(said, "name"), _text(said, "role")),
    "sheet": lambda desk, said: desk.choose_sheet(_text(said, "name")),
    "gaps": lambda desk, said: desk.skip_gaps(bool(said.get("skip"))),
    "learn": lambda desk, said: desk.learn(bool(said.get("more"))),
    "stop": lambda desk, said: desk.stop(),
    "rule": lambda desk, said: desk.change_rule(_text(said, "rule"), _text(said, "action"), _text(said, "text", "")),
    "write": lambda desk, said: desk.write_rule(_text(said, "text")),
    "allow": lambda desk, said: desk.allow_rule(_number(said, "place")),
    "details": lambda desk, said: desk.rule_details(_text(said, "rule")),
    "plan": lambda desk, said: desk.plan(_situation(said), list(map(_items, _items(said.get("without", []))))),
    "whynot": lambda desk, said: desk.why_not(_situation(said), _items(said.get("on"))),
    "judge": lambda desk, said: desk.judge(
        _situation(said),
        _items(said.get("on")),
        bool(said.get("good")),
        None if said.get("instead_of") is None else _items(said["instead_of"]),
    ),
    "ask": lambda desk, said: desk.question(),
    "answer": lambda desk, said: desk.answer(
        _text(said, "question"), _text(said, "value"), None if said.get("on") is None else _items(said["on"])
    ),
    "go": lambda desk, said: desk.go_to(_number(said, "at")),
    "note": lambda desk, said: desk.note(_number(said, "place"), _text(said, "text")),
}


def make_app(desk: Desk, secret: str, hosts: Collection[str], ended: asyncio.Event | None = None) -> Guard:
    """The application, guarded; ``hosts`` are the names it answers to, all where there are none."""
    pages = {each.name: each.read_bytes() for each in files("hassle.studio").joinpath("page").iterdir()}

    async def page(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        ending = f".{name.rpartition('.')[2]}"
        if name not in pages:
            return Response("There is nothing here.\n", 404, media_type="text/plain")
        return Response(pages[name], media_type=TYPES[ending])

    async def do(request: Request) -> Response:
        action = ACTIONS.get(request.path_params["action"])
        if action is None:
            raise InputError("the studio cannot do that", fix="load the page again")
        said = _object(await request.body())
        return JSONResponse(await run_in_threadpool(action, desk, said))

    async def open_(request: Request) -> Response:
        body = await request.body()
        await run_in_threadpool(desk.open_content, request.query_params.get("name", ""), body)
        return JSONResponse(None)

    async def plan(request: Request) -> Response:
        said = _object(await request.body())
        made = await run_in_threadpool(plan_file, desk.study, _items(said.get("on")), request.path_params["ending"])
        return _attached(*made)

    async def taken(request: Request) -> Response:
        return _attached(*await run_in_threadpool(take, desk.study, request.path_params["what"]))

    async def events(request: Request) -> Response:
        return StreamingResponse(_events(desk), media_type="text/event-stream")

    app = Starlette(
        routes=[
            Route("/", page),
            Route("/page/{name}", page),
            Route("/events", events),
            Route("/do/{action}", _told(do), methods=["POST"]),
            Route("/open", _told(open_), methods=["POST"]),
            Route("/take/plan{ending}", _told(plan), methods=["POST"]),
            Route("/take/{what}", _told(taken)),
        ]
    )
    return Guard(app, secret, hosts)


Endpoint = Callable[[Request], Awaitable[Response]]


def _told(endpoint: Endpoint) -> Endpoint:
    """With what goes wrong told in one line, as JSON."""

    async def told(request: Request) -> Response:
        try:
            return await endpoint(request)
        except HassleError as error:
            return JSONResponse(error.record() | {"said": str(error)}, 400)
        except TooLargeError:
            return JSONResponse({"error": "too large", "said": "That is too large for the studio."}, 413)

    return told


async def _events(desk: Desk) -> AsyncIterator[str]:
    """The parts that are new to this listener, whenever there are any."""
    loop, new, sent = asyncio.get_running_loop(), asyncio.Event(), dict[str, str]()

    def tell() -> None:
        loop.call_soon_threadsafe(new.set)

    desk.changed.add(tell)
    try:
        while True:
            new.clear()
            for name, part in desk.parts.items():
                if sent.get(name) != part:
                    sent[name] = part
                    yield f"event: {name}\ndata: {part}\n\n"
            try:
                await asyncio.wait_for(new.wait(), ALIVE)
                await asyncio.sleep(PACE)
            except TimeoutError:
                yield ": still here\n\n"
    finally:
        desk.changed.discard(tell)


def _attached(name: str, kind: str, content: bytes) -> Response:
    ascii_name = "".join(c if c.isascii() and (c.isalnum() or c in "-_. ") else "_" for c in name)
    where = f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(name, safe='')}"
    return Response(content, media_type=kind, headers={"Content-Disposition": where})


def _object(body: bytes) -> dict[str, Any]:
    try:
        said = json.loads(whole_text(body.decode("utf-8")) or "{}")
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise InputError("the request is no JSON object", fix="load the page again")
    return said


def _text(said: dict[str, Any], key: str, default: str | None = None) -> str:
    value = said.get(key, default)
    if not isinstance(value, str):
        raise InputError(f"{key!r} should be a text", fix="load the page again")
    return value


def _number(said: dict[str, Any], key: str) -> int:
    value = said.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"{key!r} should be a number", fix="load the page again")
    return value


def _items(value: Any) -> list[int]:
    if not isinstance(value, list):
        raise InputError("a plan is a list of items", fix="load the page again")
    return value


def _situation(said: dict[str, Any]) -> Situation:
    return Situation.from_data(said.get("situation"))
