"""What loggers and spreadsheets write around and into a table of text: preambles, units, numerals, dates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pdescry.data import Readings, read
from pdescry.errors import InputError

Load = Callable[..., Readings]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def load(text: str, **options: str) -> Readings:
        (tmp_path / "a.csv").write_text(text, encoding="utf-8")
        return read(tmp_path / "a.csv", **options)  # type: ignore[arg-type]

    return load


@pytest.fixture
def expected(frame: pd.DataFrame) -> Readings:
    return Readings.from_frame(frame)


def table(rows: list[str], header: str = "t,x,u") -> str:
    return "\n".join([header, *rows]) + "\n"


def rows_of(write: Callable[[float, float, float], str]) -> list[str]:
    """Rows for 4 times and 3 places, of values from 900 to 1400."""
    return [write(t, x, 900 + 100 * (t + x % 2)) for t in range(4) for x in range(1, 4)]


class TestStart:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", " "], ids=repr)
    @pytest.mark.parametrize(
        "preamble",
        [
            "Device: ThermoLogger 3000\nSerial: 123-456\n\nOperator: A. Person\n",
            "Messung;Stab A\nDatum;31.05.2024\nOffset;0\n",
            "Device,X,\nRate,10,Hz\n,,\nnothing,,\n",
            "[header]\nrate=10\n[data]\n",
        ],
        ids=["colons", "semicolons", "spreadsheet", "sections"],
    )
    def test_preamble(self, load: Load, frame: pd.DataFrame, expected: Readings, preamble: str, delimiter: str) -> None:
        readings = load(preamble + frame.to_csv(index=False, sep=delimiter))
        assert readings == expected
        count = sum(bool(line) for line in preamble.splitlines())
        assert tuple(map(str, readings.notes)) == (f"Skipped {count} lines above the header.",)

    def test_rows_are_counted_as_in_an_editor(self, load: Load, frame: pd.DataFrame) -> None:
        frame["u"] = frame.u.astype(object)
        frame.loc[1, "u"] = "broken"
        text = "Device: X\n\n# why\n" + frame.to_csv(index=False).replace("t,x,u\n", "t,x,u\ns,mm,C\n")
        with pytest.raises(InputError, match="row 7, 'broken'"):
            load(text)

    @pytest.mark.parametrize("mark", ["#", "%", "//"])
    def test_comments(self, load: Load, frame: pd.DataFrame, expected: Readings, mark: str) -> None:
        text = frame.to_csv(index=False)
        assert load(f"{mark} a, b, c\n" + text.replace("\n0.4", f"\n{mark} pause\n0.4", 1)) == expected
        header, rows = text.split("\n", 1)
        assert load(f"{mark} by me\n{mark} {header}\n{rows}") == expected

    @pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;"])
    def test_separator_line_of_excel(self, load: Load, frame: pd.DataFrame, expected: Readings, line: str) -> None:
        readings = load(f"{line}\n" + frame.to_csv(index=False, sep=";", decimal=","))
        assert readings == expected
        assert readings.notes == ()

    @pytest.mark.parametrize("units", ["s,mm,C", "[s],[m],[°C]", "(s),,(kg/m^3)", "s,m,-", "h,cm,mg/L"])
    def test_row_of_units(self, load: Load, frame: pd.DataFrame, expected: Readings, units: str) -> None:
        readings = load(frame.to_csv(index=False).replace("t,x,u\n", f"t,x,u\n{units}\n"))
        assert readings == expected
        shown = ", ".join(cell or "-" for cell in units.split(","))
        assert tuple(map(str, readings.notes)) == (f"Below the header is a row of units: {shown}.",)

    def test_row_of_units_above_rows_that_end_with_a_delimiter(
        self, load: Load, frame: pd.DataFrame, expected: Readings
    ) -> None:
        rows = frame.to_csv(index=False, header=False).replace("\n", ",\n")
        assert load(f"Device: X\nt,x,u\ns,m,K\n{rows}") == load(f"t,x,u,\ns,m,K,\n{rows}") == expected

    def test_row_of_units_in_a_wide_table(self, load: Load) -> None:
        readings = load("t,10,20,30\ns,C,C,C\n0,1,2,3\n1,2,3,4\n2,5,6,8\n")
        np.testing.assert_array_equal(readings.places[:, 0], [10, 20, 30])

    def test_stray_text_below_the_header_is_no_header(self, load: Load, frame: pd.DataFrame) -> None:
        for stray in ("err,0.1,2", "0,err,2", "0,0.1,err"):
            with pytest.raises(InputError, match="row 2, 'err'"):
                load(frame.to_csv(index=False).replace("t,x,u\n", f"t,x,u\n{stray}\n"))

    def test_short_and_blank_rows_below_the_header_are_gaps(
        self, load: Load, frame: pd.DataFrame, expected: Readings
    ) -> None:
        readings = load(frame.to_csv(index=False).replace("t,x,u\n", "t,x,u\n0,9\n,,\n"))
        assert readings == expected
        assert tuple(map(str, readings.notes)) == ("Dropped 2 of 22 readings with missing values.",)

    def test_no_header_below_a_preamble(self, load: Load, frame: pd.DataFrame, expected: Readings) -> None:
        rows = frame.to_csv(index=False, header=False)
        with pytest.raises(InputError, match=r"seems to start at line 3.*numbered"):
            load(f"Device\nSerial\n{rows}")
        assert load(f"Device\nSerial\n{rows}", time="1", space="2", fields="3") == expected
        with pytest.raises(InputError, match=r"Expected 3 names .* start at line 3; got 2 in line 2"):
            load(f"Device,X\nSerial,Y\n{rows}")

    def test_text_without_a_table(self, load: Load) -> None:
        with pytest.raises(InputError, match="no row of numbers among its first 2 lines"):
            load("to be, or not to be,\nthat is, the question\n")


class TestNumerals:
    def test_one_comma_in_a_quoted_cell_is_unclear(self, load: Load) -> None:
        with pytest.raises(InputError, match=r"row 2, '1,000'\); write 1000 or 1\.000 there, whichever is meant"):
            load(table(rows_of(lambda t, x, u: f'{t},{x},"{u:,.0f}"')))

    def test_two_commas_part_thousands(self, load: Load) -> None:
        readings = load(table(rows_of(lambda t, x, u: f'{t},{x},"{1000 * u:,.0f}"')))
        assert (readings.values.min(), readings.values.max()) == (900_000, 1_300_000)
        assert str(readings.notes[0]) == "The separators of thousands, as in '1,000,000', were left out."

    def test_a_field_known_only_by_elimination(self, load: Load) -> None:
        with pytest.raises(InputError, match=r"'temperature'.*whichever is meant"):
            load(table(rows_of(lambda t, x, u: f'{t},{x},"2{u / 1000:.3f}"'.replace(".", ",")), "t,x,temperature"))

    @pytest.mark.parametrize("delimiter", [";", "\t"], ids=repr)
    def test_997_beside_1_074_is_unclear_under_any_delimiter(self, load: Load, delimiter: str) -> None:
        with pytest.raises(InputError, match="whichever is meant"):
            load(table(rows_of(lambda t, x, u: f"{t};{x};{u:,.0f}"), "t;x;u").replace(";", delimiter))

    @pytest.mark.parametrize("delimiter", [";", "\t", " "], ids=repr)
    def test_three_decimals_throughout_are_taken_as_such_and_told(self, load: Load, delimiter: str) -> None:
        text = table(rows_of(lambda t, x, u: f"{t};{x};{u / 100:.3f}".replace(".", ",")), "t;x;u")
        readings = load(text.replace(";", delimiter))
        assert readings.values.min() == 9.0
        assert tuple(map(str, readings.notes)) == ("The comma in '10,000' was taken as a decimal comma.",)

    def test_a_zero_in_front_proves_the_decimal_comma(self, load: Load) -> None:
        readings = load(table(rows_of(lambda t, x, u: f'{t},"0,{x}00","{u / 100:.3f}"'.replace(".", ","))))
        assert (readings.values.min(), readings.notes) == (9.0, ())

    @pytest.mark.parametrize(
        ("cell", "first"),
        [("{:,.2f}", "'1,000.00'"), ("{:_.2f}", "'1.000,00'"), ("{:,.0f}'000", "\"1'000'000\"")],
        ids=["English", "German", "Swiss"],
    )
    def test_separators_beyond_doubt(self, load: Load, cell: str, first: str) -> None:
        def write(t: float, x: float, u: float) -> str:
            number = cell.format(u)
            number = number.replace(".", ",").replace("_", ".") if "_" in cell else number
            return f"{t};{x};{number.replace(',', chr(39)) if chr(39) in cell else number}"

        readings = load(table(rows_of(write), "t;x;u"))
        assert readings.values.max() in (1300, 1_300_000)
        assert tuple(map(str, readings.notes)) == (f"The separators of thousands, as in {first}, were left out.",)

    def test_a_point_among_decimal_commas_is_not_taken_for_one(self, load: Load) -> None:
        rows = [f"{k},5;{k % 7};{k % 5},25" for k in range(300)]
        with pytest.raises(InputError, match=r"decimal commas.*'1\.234' in row 302"):
            load(table([*rows, "900,5;1;1.234"], "t;x;u"))

    def test_unicode_minus(self, load: Load, frame: pd.DataFrame, expected: Readings) -> None:
        assert load(frame.to_csv(index=False).replace("-", "−")) == expected
        assert load(frame.to_csv(index=False, sep=";", decimal=",").replace("-", "−")) == expected
        assert Readings.from_frame(frame.assign(u=frame.u.map(lambda u: str(u).replace("-", "−")))) == expected

    def test_units_in_wide_headers(self, load: Load) -> None:
        rows = "0,1,2,3\n1,2,3,4\n2,5,6,8\n"
        assert tuple(map(str, load(f"t,10 cm,20 cm,30 cm\n{rows}").notes)) == (
            "Read as a wide table: one column for each of 3 places in cm, field u.",
        )
        for header, got in (("10 cm,250 mm,0.4 m", "cm, mm, m"), ("10,20 cm,30 cm", "none, cm")):
            with pytest.raises(InputError, match=f"one unit in the header of a.csv; got {got}; write all"):
                load(f"t,{header}\n{rows}")

    def test_thousands_in_wide_headers(self, load: Load) -> None:
        with pytest.raises(InputError, match=r"write 1000 or 1\.000, whichever is meant"):
            load("t;1,000;2,000;3,000\n0;1;2;3\n1;2;3;4\n2;5;6;8\n")
        readings = load("t;1,000;2,000;3,000\n0;1,5;2;3\n1;2;3;4\n2;5;6;8\n")
        np.testing.assert_array_equal(readings.places[:, 0], [1, 2, 3])


class TestDates:
    @pytest.mark.parametrize(
        ("form", "told"),
        [
            ("%Y/%m/%d %H:%M:%S", ""),
            ("%d.%m.%Y %H:%M:%S", ""),
            ("%d.%m.%Y, %H:%M:%S.%f", ""),
            ("%Y-%m-%d %H:%M:%S,%f", ""),
            ("%m/%d/%Y %I:%M:%S %p", "Dates were read as month, day, year, as '05/31/2024' shows."),
            ("%d/%m/%Y %H:%M:%S", "Dates were read as day, month, year, as '31/05/2024' shows."),
        ],
    )
    def test_dates_of_one_meaning(self, load: Load, form: str, told: str) -> None:
        times = [pd.Timestamp("2024-05-31 23:59:58") + pd.Timedelta(seconds=k) for k in range(4)]
        readings = load(table(rows_of(lambda t, x, u: f'"{times[int(t)].strftime(form)}",{x},{u}')))
        np.testing.assert_array_equal(readings.times, [0, 1, 2, 3])
        assert tuple(map(str, readings.notes)) == (
            *([told] if told else []),
            "Times are seconds since 2024-05-31T23:59:58.",
        )

    def test_dates_of_two_meanings(self, load: Load) -> None:
        with pytest.raises(InputError, match=r"swapped \(first: row 2, '05/01/2024'\); write them as 2024-05-31T12"):
            load(table(rows_of(lambda t, x, u: f"05/0{t + 1}/2024,{x},{u}")))

    def test_clock_times(self, load: Load) -> None:
        readings = load(table(rows_of(lambda t, x, u: f"12:00:0{t}.5,{x},{u}")))
        np.testing.assert_array_equal(readings.times, 43200.5 + np.arange(4))
        assert tuple(map(str, readings.notes)) == ("The clock times in 't' (hh:mm:ss) were converted to seconds.",)
        longer = load(table(rows_of(lambda t, x, u: f"{22 + t}:00:00,{x},{u}")))
        np.testing.assert_array_equal(longer.times, 3600.0 * np.arange(22, 26))

    def test_clock_times_past_midnight(self, load: Load) -> None:
        with pytest.raises(InputError, match=r"fall from '23:00:00' to '00:00:00' \(row 8\), as at midnight"):
            load(table(rows_of(lambda t, x, u: f"{(22 + t) % 24:02}:00:00,{x},{u}")))
        blocks = sorted(rows_of(lambda t, x, u: f"{x},{6 * t:02}:00:00,{u}"))
        assert load(table(blocks, "x,t,u")).span["t"] == (0, 64800)

    @pytest.mark.parametrize("wide", [False, True])
    def test_days_and_clock_times_in_two_columns(self, load: Load, wide: bool) -> None:
        days = [("31.05.2024", "23:59:59"), ("01.06.2024", "00:00:01"), ("01.06.2024", "00:00:02")]
        rows = [f"{day},{time},{k},{k * k},{5 - k}" for k, (day, time) in enumerate(days)]
        if not wide:
            rows = [f"{day},{time},{x},{x * k}" for k, (day, time) in enumerate(days) for x in range(1, 4)]
        readings = load(table(rows, "Datum,Zeit,1,2,3" if wide else "Datum,Zeit,Ort,u"))
        np.testing.assert_array_equal(readings.times, [0, 2, 3])
        assert "date-and-time-joined" in [note.code for note in readings.notes]
