"""Arranged problems with known truths in families: wards, timetables, configurators."""

from hassle.generate.arranged.configurator import Configurator, configurator
from hassle.generate.arranged.examples import arranged_examples, feasible_situations
from hassle.generate.arranged.timetable import Timetable, timetable
from hassle.generate.arranged.ward import Ward, elsewhere, ward, ward_schema

__all__ = [
    "Configurator",
    "Timetable",
    "Ward",
    "arranged_examples",
    "configurator",
    "elsewhere",
    "feasible_situations",
    "timetable",
    "ward",
    "ward_schema",
]
