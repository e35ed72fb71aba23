"""Ten dirty files, and the line that is printed for each."""

import openpyxl
import pytest

from hassle.cli.main import main

ROWS = [["maths", "room", "open", "label"], *(["mon", 2, "yes", "good"], ["tue", 3, "no", "bad"]) * 5]


def csv(rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def changed(line, column, value):
    return csv(
        [[value if (r, c) == (line - 1, column) else cell for c, cell in enumerate(row)] for r, row in enumerate(ROWS)]
    )


def with_column(name, cells):
    return csv([[first, *row] for first, row in zip([name, *cells], ROWS, strict=True)])


ROSTER = "ana_mon,ana_tue,ben_mon,ben_tue,label\n1,0,1,0,good\n0,1,1,0,bad\n"
DIRTY = {
    "a wrong type in one cell": (
        changed(5, 1, "two"),
        "e.csv:5: column 'room': 'two' is no whole number, as the other cells are; correct the cell, say in a schema "
        "what the column is (--schema), or leave it out (--ignore 'room')",
    ),
    "mixed styles of yes and no": (
        csv([*ROWS, *[["mon", 2, "1", "good"]] * 3]),
        "e.csv:12: column 'open' writes yes and no in two ways: 'yes' and '1'; use one of them all over",
    ),
    "a duplicate header": (
        changed(1, 1, "maths"),
        "e.csv:1: there are two columns 'maths'; rename or remove one",
    ),
    "an id column": (
        with_column("id", [f"E{k}" for k in range(10)]),
        "e.csv:1: column 'id' cannot be a decision: 10 different values in 10 rows (such as E0, E1 and 8 more); leave "
        "it out with --ignore 'id'",
    ),
    "a date column": (
        with_column("when", [f"2024-03-{k:02}" for k in range(1, 11)]),
        "e.csv:1: column 'when' cannot be a decision: it holds dates; leave it out with --ignore 'when'",
    ),
    "umlauts in Latin-1": (
        changed(1, 0, "Prüfung").encode("latin-1"),
        "e.csv:1: is not UTF-8 text (byte 0xfc); save it as UTF-8",
    ),
    "a number too large": (
        changed(4, 1, 30000),
        "e.csv:4: column 'room': '30000' is far from the other cells, 2 to 3; correct the cell, or leave the column "
        "out (--ignore 'room')",
    ),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", DIRTY)
def test_the_line_that_is_printed(folder, capsys, kind):
    content, line = DIRTY[kind]
    (folder / "e.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert main(["inspect", "e.csv"]) == 2
    assert capsys.readouterr().err == f"hassle: {line}\n"


def test_an_unknown_nurse_in_the_attributes(folder, capsys):
    (folder / "e.csv").write_text(ROSTER)
    (folder / "nurses.csv").write_text("nurse,senior\nana,yes\nbne,no\n")
    assert main(["inspect", "e.csv", "--attributes", "nurses.csv"]) == 2
    assert capsys.readouterr().err == "hassle: nurses.csv:3: unknown nurse 'bne'; known are ana, ben\n"


def test_merged_cells_in_excel(folder, capsys):
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.save("e.xlsx")
    assert main(["inspect", "e.xlsx"]) == 2
    assert (
        capsys.readouterr().err == "hassle: e.xlsx:2: cells are merged; separate them, and give each its own content\n"
    )


def test_trailing_empty_rows_are_no_examples(folder, capsys):
    (folder / "e.csv").write_text(csv(ROWS) + ",,,\n , ,,\n\n")
    assert main(["inspect", "e.csv"]) == 0
    assert capsys.readouterr().out.startswith("10 examples over")
