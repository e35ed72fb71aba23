"""Inspection speaks of the schema: arrangement, rare values, members with few examples."""

import numpy as np
import pytest

from hassle.data import Dataset
from hassle.evaluation.doctor import inspect
from hassle.logic import Choice, Number, Schema, YesNo

DAYS = ("mon", "tue", "wed")


def found(data, kind):
    return [finding.what for finding in inspect(data).findings if finding.kind == kind]


def test_values_that_hardly_occur_are_told():
    schema = Schema((YesNo("a"), Choice("shift", ("early", "late", "off")), Number("staff", 0, 3)))
    rows = [("", [k % 2, ("early", "off")[k % 2], k % 3], k % 2) for k in range(60)]
    rows[7] = ("", [1, "late", 2], 1)
    data = Dataset.build(schema, rows)
    assert found(data, "rare-value") == ["hardly any of the 60 examples has shift = late (1), staff = 3 (0)"]
    assert found(data.subset(range(10)), "rare-value") == []


@pytest.mark.parametrize("thin", [False, True])
def test_members_with_few_examples_are_told(thin):
    names = [f"{person}_{day}" for person in ("ana", "ben", "cid") for day in DAYS]
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (40, 9))
    bits[:, :6] |= rng.integers(0, 2, (40, 6))
    if thin:
        bits[3:, 6:] = 0
    data = Dataset.build(names, [("", row.astype(np.uint8), 1) for row in bits])
    (arranged,) = found(data, "arranged")
    assert "3 item × 3 day" in arranged
    assert "day: mon, tue, wed, in order" in arranged
    count = int(bits[:, 6:].any(axis=1).sum())
    usual = int(np.median([bits[:, k : k + 3].any(axis=1).sum() for k in (0, 3, 6)]))
    expected = [f"of item, cid ({count}) occur in few examples, where others occur in {usual}"] if thin else []
    assert found(data, "thin-dimension") == expected
