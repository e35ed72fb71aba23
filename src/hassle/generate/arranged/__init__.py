"""Arranged problems with known truths in families: wards, timetables, configurators."""

from hassle.generate.arranged.examples import arranged_examples, feasible_situations
from hassle.generate.arranged.ward import Ward, ward, ward_schema

__all__ = ["Ward", "arranged_examples", "feasible_situations", "ward", "ward_schema"]
