"""Parquet and Arrow files hold the examples that the CSV file would, and what is no such file is told in one line."""

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import InputError

ROWS = {
    "ana": [True, False, True, None],
    "shift": ["night", "day", "day", "night"],
    "staff": [2.0, 3.0, 2.0, 4.0],
    "context": ["ana", None, "staff >= 2", ""],
    "label": [1, 0, 1, 0],
}
CSV = "ana,shift,staff,context,label\nx,night,2,ana,1\n,day,3,,0\nx,day,2,staff >= 2,1\n,night,4,,0\n"


def written(folder, extension, rows=ROWS):
    path = folder / f"examples{extension}"
    write = parquet.write_table if extension == ".parquet" else feather.write_feather
    write(pa.table(rows), str(path))
    return path


@pytest.mark.parametrize("extension", [".parquet", ".arrow", ".feather"])
def test_the_examples_are_those_of_the_csv_file(tmp_path, extension):
    rows = {**ROWS, "ana": ["x", "", "x", None]}
    (tmp_path / "examples.csv").write_text(CSV)
    found, meant = Dataset.read(written(tmp_path, extension, rows)), Dataset.read(tmp_path / "examples.csv")
    assert found.schema == meant.schema
    assert found.contexts == meant.contexts
    assert found.assignments.tolist() == meant.assignments.tolist()
    assert found.labels.tolist() == meant.labels.tolist()


@pytest.mark.parametrize("extension", [".parquet", ".arrow"])
def test_truth_values_and_numbers(tmp_path, extension):
    rows = {"ana": [True, False], "staff": [2.0, 3.0], "label": [True, False]}
    data = Dataset.read(written(tmp_path, extension, rows))
    assert [column.name for column in data.schema.columns] == ["ana", "staff"]
    assert data.positive.tolist() == [True, False]


@pytest.mark.parametrize("extension", [".parquet", ".arrow", ".feather"])
@pytest.mark.parametrize("content", [b"", b"a,label\n1,1\n", b"PAR1", b"ARROW1\0\0garbage"])
def test_what_is_no_such_file_is_one_line(tmp_path, capsys, extension, content):
    path = tmp_path / f"broken{extension}"
    path.write_bytes(content)
    assert main(["inspect", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"broken{extension}" in error
    assert "can be read" in error


def test_an_unknown_label_is_told_with_its_row(tmp_path):
    path = written(tmp_path, ".parquet", {**ROWS, "ana": [1, 0, 1, 0], "label": ["good", "bad", "perhaps", "bad"]})
    with pytest.raises(InputError, match="perhaps"):
        Dataset.read(path)
