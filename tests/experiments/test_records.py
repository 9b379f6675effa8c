"""Records on disk: found again in order, refused when damaged."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pdescry.errors import InputError
from pdescry.experiments.cell import Cell, read_record
from pdescry.experiments.records import of_cell, read_records


def test_records_come_back_in_the_order_of_the_paper(folder, make):
    cells = [Cell("heat", 0.0, 0), Cell("burgers", 0.05, 1), Cell("burgers", 0.05, 0), Cell("burgers", 0.0, 0, "paper")]
    for cell in cells:
        make(cell.system, cell.noise, cell.seed, cell.source)
    (folder / "generated-kdv-noise0.00-seed0").mkdir()  # begun, not finished
    found = read_records(folder)
    assert [record.cell for record in found] == [cells[2], cells[1], cells[0], cells[3]]
    assert [record.cell.seed for record in of_cell(found, "burgers", 0.05, "generated")] == [0, 1]
    assert of_cell(found, "kdv", 0.0, "generated") == ()
    assert read_records(folder / "nowhere") == ()


def test_what_was_written_is_what_is_read(folder, make):
    written = make("heat", 0.01, STBLR={"u_xx": 1.5}, STOLS_status="ill-posed", STOLS={"u": 1.0})
    (found,) = read_records(folder)
    assert found.numbers == written.numbers
    assert found.laws["STBLR"].coefficients == {"u_xx": 1.5}
    assert found.laws["STBLR"].right
    assert found.laws["STOLS"].e_L is None
    assert not found.laws["STOLS"].right
    assert found.fields()["truth"].shape == (11, 21)
    assert np.isfinite(found.fields()["slice_low"]).all()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"format": "another"}',
        '{"format": "pdescry cell 1"}',
        '{"format": "pdescry cell 1", "cell": {}}',
    ],
)
def test_damaged_records_are_told(folder, make, text):
    record = make("heat", 0.01)
    (record.folder / "cell.json").write_text(text)
    with pytest.raises(InputError, match="remove"):
        read_records(folder)


def test_a_record_without_its_laws_is_damaged(folder, make):
    record = make("heat", 0.01)
    numbers = json.loads((record.folder / "cell.json").read_text())
    del numbers["laws"]["STOLS"]
    (record.folder / "cell.json").write_text(json.dumps(numbers))
    with pytest.raises(InputError, match="damaged"):
        read_records(folder)


def test_fields_that_are_missing_are_told(folder, make):
    record = make("heat", 0.01)
    (record.folder / "fields.nc").unlink()
    assert read_record(record.folder) is not None
    with pytest.raises(InputError, match=r"fields\.nc"):
        record.fields()
