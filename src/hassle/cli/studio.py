"""``hassle studio``: a page in the browser, on this machine alone, to learn, correct and use a model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hassle.cli.options import Json
from hassle.cli.output import emit
from hassle.errors import InputError

if TYPE_CHECKING:
    from hassle.studio.desk import Desk

EXAMPLE = "hassle studio rosters.csv"


def studio(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="Examples (CSV, Excel, JSONL), or a study (.hassle).")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", min=0, max=65535, help="Where to listen; if it is taken, another is found.", show_default="8420"
        ),
    ] = None,
    host: Annotated[str | None, typer.Option("--host", help="Listen there; needs --allow-network.")] = None,
    allow_network: Annotated[
        bool, typer.Option("--allow-network", help="Let other machines in: whoever has the address sees everything.")
    ] = False,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=0.1, metavar="SECONDS", help="How long the first learning takes.")
    ] = 60.0,
    end_after: Annotated[
        float | None, typer.Option("--end-after", min=0, metavar="SECONDS", help="End by itself after so long.")
    ] = None,
    json: Json = False,
) -> None:
    """Open a page in the browser: drop a table, watch rules appear, correct them, ask what if, take plans away.

    The page is on this machine alone and loads nothing from elsewhere. The study is saved beside the file, as it grows.
    """
    from hassle.studio.running import LOOPBACK, find_place, run

    if host is not None and not allow_network:
        raise InputError(
            f"--host {host} would let other machines see and change your data, unencrypted",
            fix="add --allow-network if you mean it",
        )
    if file is not None and not Path(file).is_file():
        raise InputError("there is no such file", fix="check the path, or leave it out and drop a file", file=file)
    place = find_place(host or LOOPBACK, port)

    def started(desk: Desk) -> None:
        record = {"address": place.address, "host": place.host, "port": place.port, "study": desk.path}
        moved = f"Port {port} is taken.\n" if place.moved else ""
        text = f"{moved}The studio is open at {place.address}\nEnd it with Ctrl-C."
        emit(record, text, json)
        sys.stdout.flush()
        if host is not None:
            print(
                "hassle: whoever can reach this machine and has the address sees and changes the study; what is sent "
                "is not encrypted",
                file=sys.stderr,
            )

    run(
        place,
        Path.cwd(),
        None if file is None else Path(file),
        browser=not no_browser,
        seconds=time_limit,
        end_after=end_after,
        started=started,
    )
