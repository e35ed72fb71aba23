"""Long files: read piece by piece to the same examples as at once, in a memory that the distinct cells decide."""

from __future__ import annotations

import random
import tracemalloc

import numpy as np
import pytest

from hassle.data import Dataset
from hassle.errors import InputError, ResourceError
from hassle.files import decode
from hassle.files.compact import Cells, GrowingCells
from hassle.files.csv_examples import read_csv
from hassle.files.jsonl_examples import jsonl_text
from hassle.files.sheet import CELLS, WORDS

HARD = 'a,b,c,label,context\n1,0,x,1,a\n\n# said\n0,1,y,0,"!a &\n b"\n1,1,x,good,\n'


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(decode, "PIECE", 7)


@pytest.mark.parametrize("seed", range(5))
def test_cells_are_the_sequence_they_stand_for(seed):
    rng = random.Random(seed)
    texts = [rng.choice(["", "1", "0", "ü", "night"][: 1 + seed]) for _ in range(50)]
    if seed == 4:
        texts += [f"w{i}" for i in range(300)]  # more than a byte tells apart
    growing = GrowingCells()
    for first in range(0, len(texts), 11):
        growing.add(texts[first : first + 11])
    cells = growing.cells()
    assert list(cells) == texts
    assert cells == texts
    assert len(cells) == len(texts)
    assert cells.words == tuple(dict.fromkeys(texts))
    assert growing.size == sum(map(len, set(texts)))
    assert cells[3] == texts[3]
    assert cells[-2] == texts[-2]
    assert cells[5:9] == tuple(texts[5:9])
    for word in set(texts):
        assert cells.index(word) == texts.index(word)
        assert cells.counted()[word] == texts.count(word)
    places = rng.sample(range(len(texts)), 20)
    some = cells.at(places)
    assert list(some) == [texts[k] for k in places]
    assert some.words == tuple(dict.fromkeys(texts[k] for k in places))
    assert cells.at([]) == ()
    assert Cells.of(cells) is cells


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_a_long_csv_file_is_what_it_is_at_once(tmp_path, small_pieces, encoding, ends):
    (tmp_path / "e.csv").write_bytes(HARD.replace("\n", ends).encode(encoding))
    data = Dataset.read(tmp_path / "e.csv")
    assert data == read_csv(HARD)
    assert data.lines.tolist() == read_csv(HARD).lines.tolist() == [2, 5, 7]


def test_a_long_json_lines_file_too(tmp_path, small_pieces):
    data = Dataset.build(["a", "b"], [("a", "10", 1), ("", "01", 0)], [("", "11", "00")])
    (tmp_path / "e.jsonl").write_text(jsonl_text(data) + "\n\n")
    assert Dataset.read(tmp_path / "e.jsonl") == data


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"a,b,label\n1,0,1\n0,1,\xff\n", r"e.csv:3: is not UTF-8 text \(byte 0xff\)"),
        (b"a,b,label\n1,0,1\n0,\0,1\n", "e.csv:3: holds a NUL character"),
        (b"\x1f\x8b,b,label\n1,0,1\n", r"is compressed \(gzip\)"),
        (b"a,b,label\n1,0,1\n0,1\n", "e.csv:3: the row has 2 cells where the header has 3"),
        (b'a,b,label\n1,0,1\n0,1,"1\n', "e.csv:3: the row cannot be read"),
        (b"#a,b,label\n#1,0,1\n#0,1,0\n", "every row begins with '#'"),
        (b"a,b,label\n1,0,1\n0,maybe,0\n1,1,1\n0,0,0\n1,1,1\n", "e.csv:3: column 'b': 'maybe' is neither 0 nor 1"),
    ],
)
def test_what_is_wrong_is_said_as_for_a_short_one(tmp_path, monkeypatch, content, what):
    (tmp_path / "e.csv").write_bytes(content)
    said = []
    for piece in (decode.PIECE, 7):
        monkeypatch.setattr(decode, "PIECE", piece)
        with pytest.raises(InputError, match=what) as raised:
            Dataset.read(tmp_path / "e.csv")
        said.append(str(raised.value))
    assert said[0] == said[1]


def test_a_table_that_grows_too_large_is_refused_on_the_way(tmp_path, monkeypatch):
    rows = (f"{i % 2},{i // 7 % 2},1,x{i} | a\n" for i in range(20_000))
    (tmp_path / "e.csv").write_text("a,b,label,context\n" + "".join(rows))
    monkeypatch.setattr(decode, "PIECE", 10_000)
    monkeypatch.setenv("HASSLE_MEMORY", "1MB")
    with pytest.raises(ResourceError, match=r"the table would take about .* more than the 1 MB allowed; divide it"):
        Dataset.read(tmp_path / "e.csv")


def test_many_rows_take_little_memory(tmp_path):
    """What docs/growth.md says: so much for each cell, for each character of a distinct one, and a few pieces."""
    rows, columns = 20_000, 30
    bits = np.random.default_rng(0).integers(0, 2, (rows, columns))
    contexts = [" | ".join(f"x{i} | !x{i}" for i in range(k, k + 3)) for k in range(20)]
    path = tmp_path / "e.csv"
    with path.open("w") as file:
        file.write(",".join(f"x{i}" for i in range(columns)) + ",label,context\n")
        for k, row in enumerate(bits.tolist()):
            file.write(f"{','.join(map(str, row))},{k % 2},{contexts[k % 20]}\n")
    Dataset.read(path)  # what is imported is imported
    tracemalloc.start()
    try:
        data = Dataset.read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(data) == rows
    pieces = 8 * decode.PIECE + 8192 * (columns + 2) * 16
    assert peak < CELLS * rows * (columns + 2) + WORDS * sum(map(len, contexts)) + 100 * rows + pieces
    assert peak < 10 * 2**20 + pieces  # as text it would be 40 MB
