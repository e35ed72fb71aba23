"""Dimensions are recognised in names and values, and get attributes from tables."""

import itertools

import pytest

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import InputError
from hassle.logic import Choice, Number, Schema, YesNo
from hassle.logic.arranging import arranged, with_attributes
from hassle.logic.schema import Arrangement, Dimension


def found(schema):
    """The dimensions, and the variable at each index by the definition: the pattern with the members filled in."""
    result = arranged(schema)
    assert result.columns == schema.columns
    for arrangement in result.arrangements:
        members = [result.dimension(name).members for name in arrangement.dimensions]
        cells = result.cells(arrangement)
        for place in itertools.product(*(range(len(each)) for each in members)):
            name = arrangement.pattern
            for dimension, each, i in zip(arrangement.dimensions, members, place, strict=True):
                name = name.replace(f"{{{dimension}}}", each[i])
            assert (cells[place] >= 0) == (name in schema.variables)
            assert cells[place] < 0 or schema.variables[cells[place]] == name
    return {dimension.name: dimension.members for dimension in result.dimensions}, result


def product(pattern, *members):
    return [pattern.format(*index) for index in itertools.product(*members)]


NURSES, DAYS = ("ana", "ben"), ("tue", "mon")


@pytest.mark.parametrize("pattern", ["{}_{}", "{} {}", "{}-{}", "works[{},{}]", "works[{}, {}]", "works_{}_{}"])
def test_names_that_form_a_product(pattern):
    dimensions, schema = found(Schema.of(product(pattern, NURSES, DAYS)))
    assert dimensions == {"item": NURSES, "day": ("mon", "tue")}
    (arrangement,) = schema.arrangements
    assert arrangement.name == ("works" if "works" in pattern else "is")
    assert (schema.cells(arrangement) >= 0).all()


def test_other_columns_stay_alone():
    columns = [*map(YesNo, product("{}_{}", NURSES, DAYS)), Number("staff", 0, 3), YesNo("open")]
    dimensions, _ = found(Schema(tuple(columns)))
    assert dimensions == {"item": NURSES, "day": ("mon", "tue")}


def test_values_of_choices_are_dimensions():
    roster = Schema(tuple(Choice(name, ("early", "night", "off")) for name in product("{}_{}", NURSES, DAYS)))
    assert found(roster)[0] == {"item": NURSES, "day": ("mon", "tue"), "shift": ("early", "night", "off")}
    slots = ("mon_am", "tue_pm", "mon_pm")
    exams = Schema((Choice("maths", slots), Choice("physics", slots[1:]), YesNo("open")))
    assert found(exams)[0] == {"item": ("maths", "physics"), "day": ("mon", "tue"), "half": ("am", "pm")}
    assert not found(Schema((Choice("colour", ("red", "blue")), Choice("size", ("S", "L")))))[0]


@pytest.mark.parametrize(
    ("members", "name", "ordered"),
    [
        (("wed", "Mon", "tue"), "day", ("Mon", "tue", "wed")),
        (("Dienstag", "Montag"), "day", ("Montag", "Dienstag")),
        (("feb", "jan"), "month", ("jan", "feb")),
        (("10", "9"), "number", ("9", "10")),
        (("week10", "week9"), "week", ("week9", "week10")),
        (("2024-02-01", "2024-01-31"), "date", ("2024-01-31", "2024-02-01")),
        (("pm", "am"), "half", ("am", "pm")),
        (("high", "low"), "level", ("low", "high")),
    ],
)
def test_what_has_an_order(members, name, ordered):
    dimensions, schema = found(Schema.of(product("{}_{}", ("zoe", "ana"), members)))
    assert dimensions == {"item": ("zoe", "ana"), name: ordered}
    assert [dimension.ordered for dimension in schema.dimensions] == [False, True]


def test_what_a_schema_says_is_kept():
    schema = Schema((YesNo("a_b"),), (Dimension("d", ("a",)),), (Arrangement("r", ("d",), "{d}_b"),))
    assert arranged(schema) is schema


def test_attributes_from_a_table(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = product("{}_{}", NURSES, DAYS)
    (tmp_path / "e.csv").write_text(",".join([*names, "label"]) + "\n1,0,1,0,good\n0,1,1,0,bad\n")
    (tmp_path / "nurses.csv").write_text("nurse,senior,contract\nben,no,50\nana,yes,100\n")
    (tmp_path / "days.csv").write_text("day;busy\nmon;yes\ntue;no\n")
    data = Dataset.read("e.csv", attributes=["nurses.csv", "days.csv"])
    nurse, day = data.schema.dimensions
    assert (nurse.name, nurse.attributes) == ("nurse", {"senior": ("yes", "no"), "contract": ("100", "50")})
    assert (day.name, day.attributes) == ("day", {"busy": ("yes", "no")})
    assert data.schema.arrangements[0].pattern == "{nurse}_{day}"
    assert main(["schema", "e.csv", "--attributes", "nurses.csv"]) == 0
    assert 'attributes = {senior = {ana = "yes", ben = "no"}' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("nurse,senior\nana,yes\nben,no\ncleo,no\n", "n.csv:4: unknown nurse 'cleo'; known are ana, ben"),
        ("nurse,senior\nana,yes\n", "n.csv: nothing is said of the nurse 'ben'; add a row for it"),
        ("nurse,senior\nana,yes\nana,no\nben,no\n", "n.csv:3: nurse 'ana' stands twice; give each one row"),
        ("room,size\nr1,20\n", "n.csv: no dimension has members such as r1; known are item, day"),
        ("nurse\nana\n", "n.csv:1: there are no attributes; write a header and a row per member"),
    ],
)
def test_bad_attributes_are_told(tmp_path, capsys, monkeypatch, table, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.csv").write_text("ana_mon,ana_tue,ben_mon,ben_tue,label\n1,0,1,0,good\n0,1,1,0,bad\n")
    (tmp_path / "n.csv").write_text(table)
    assert main(["inspect", "e.csv", "--attributes", "n.csv"]) == 2
    assert capsys.readouterr().err == f"hassle: {message}\n"


def test_attributes_need_dimensions():
    with pytest.raises(InputError, match="name columns like ana_mon"):
        with_attributes(Schema.of(["a", "b"]), "nurse", {"senior": {"ana": "yes"}})
