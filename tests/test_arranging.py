"""Dimensions that names show."""

from __future__ import annotations

import itertools

from hassle.logic import Choice, Number, Schema, YesNo
from hassle.logic.arranging import arranged


def test_a_product_of_names_is_an_arrangement():
    names = ["_".join(index) for index in itertools.product(("ana", "ben"), ("tue", "mon", "wed"), ("early", "night"))]
    found = arranged(Schema.of(names))
    assert [(d.name, d.members, d.ordered) for d in found.dimensions] == [
        ("item", ("ana", "ben"), False),
        ("day", ("mon", "tue", "wed"), True),
        ("shift", ("early", "night"), False),
    ]
    cells = found.cells(found.arrangements[0])
    assert found.variables[cells[1, 0, 1]] == "ben_mon_night"
    assert found.variables == tuple(names)


def test_nearly_a_product_will_do_and_less_will_not():
    names = [f"{a}_{b}" for a in "abc" for b in "123"]
    assert arranged(Schema.of(names[1:])).arrangements
    assert not arranged(Schema.of([names[0], names[4], names[8], names[1]])).arrangements
    assert not arranged(Schema.of(["x1", "x2", "x3", "x4", "x5"])).arrangements
    assert not arranged(Schema.of(["a_b", "c", "d_e", "f_g"])).arrangements


def test_brackets_and_numbers():
    found = arranged(Schema.of([f"works[{a},{b}]" for a in ("ana", "ben") for b in ("10", "9", "1")]))
    assert found.arrangements[0].name == "works"
    assert found.dimensions[1].members == ("1", "9", "10")
    assert (found.cells(found.arrangements[0]) >= 0).all()


def test_choices_among_the_same_values_have_them_as_a_dimension():
    found = arranged(Schema(tuple(Choice(name, ("mon", "tue")) for name in ("maths", "art", "music", "latin"))))
    assert [d.members for d in found.dimensions] == [("maths", "art", "music", "latin"), ("mon", "tue")]
    assert found.variables[found.cells(found.arrangements[0])[1, 1]] == "art=tue"
    mixed = (*(Choice(name, ("mon", "tue")) for name in "abc"), Choice("d", ("x", "y")))
    assert not arranged(Schema(mixed)).arrangements


def test_numbers_stand_along_the_dimensions_that_their_names_have_members_of():
    cells = [
        YesNo("_".join(each)) for each in itertools.product(("ana", "ben", "carla"), ("mon", "tue"), ("early", "late"))
    ]
    demand = [Number(f"demand_{day}_{shift}", 0, 2) for day in ("mon", "tue") for shift in ("early", "late")]
    found = arranged(Schema((*cells, *demand, Number("most", 0, 3), Number("wanted_mon", 0, 3))))
    assert [(each.name, each.dimensions) for each in found.arrangements[1:]] == [("demand", ("day", "shift"))]
    assert (found.numbers(found.arrangements[1]) >= 0).all()
