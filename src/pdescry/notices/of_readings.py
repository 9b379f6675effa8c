"""Of readings: what was done on the way in, what was averaged, what is wrong with sensors."""

from __future__ import annotations

_KEEPS = "⟦average=False‖--average off⟧ keeps them all."
_KEPT = "; it was kept: leave it out with ⟦without=[{sensor!r}]‖--without {sensor:sh}⟧ if it is broken."
_READS = "{sensor:Sensors} reads {field} = {value:short}[[ {unit}]]"
_SINCE = "[[ from {time} = {since:short}[[ {clock}]] on|| throughout]]"
_DRIFTS = "{sensor:Sensors} drifts by {rate:short}[[ {unit}]] per {clock} in {field}"
_OUTLIERS = "{readings} {readings:reading|readings} of {field} {readings:is an outlier|are outliers} (of "
_OUTLIERS += "[[{sensors:sensors}]][[{many} sensors]])"

TEMPLATES = {
    # reading a file
    "read-as-csv": "Read as CSV: {file} looks like text.",
    "read-as-csv-without-ending": "Read as CSV: {file} has no known ending and looks like text.",
    "read-sheet": "Read from the sheet {sheet!r}.",
    "read-group": "Read from the group {group!r}.",
    "lines-skipped": "Skipped {lines} {lines:line|lines} above the {where}.",
    "row-of-units": "Below the header is a row of units: {units:comma}.",
    "thousands-separators": "The separators of thousands, as in {example!r}, were left out.",
    "decimal-comma": "The comma in {example!r} was taken as a decimal comma.",
    "marks-of-gaps": "{values} {values:value|values} {marks:and} taken for gaps.",
    "steps-given": "Times and places from ⟦dt={dt:g}⟧ and ⟦dx={dx:and}⟧: {times} times, {places} places.",
    "steps-given-of-images": "Times and places from ⟦dt={dt:g}⟧ and ⟦dx={dx:and}⟧: {times} times, images of {rows} "
    "rows (y) by {columns} columns (x).",
    # who is who
    "wide-table": "Read as a wide table: one column for each of {places} places[[ in {unit}]], field u.",
    "sensors-as-columns": "Read as a wide table: the columns {columns:comma} are sensors at given places.",
    "names-changed": "Names for equations: {changes:comma}.",
    "columns-unused": "Not used: {columns:quoted}{more: …|}.",
    "column-numbers-rows": "{column!r} differs in every row, so it numbers the rows and not the sensors; not used.",
    "axes-open": "Equal lengths leave the order of the axes open: taken as [{axes:comma}]; transpose if that is wrong.",
    "axes-turned": "The field was taken as [{axes:comma}], the only order that fits.",
    # times
    "date-and-time-joined": "Joined {date!r} and {time!r} to one time.",
    "dates-read-as": "Dates were read as {order}, as {example} shows.",
    "times-since": "Times are {unit} since {start}.",
    "times-converted": "Times were converted from {old} to {new}.",
    "durations-converted": "The durations in {column!r} were converted to {unit}.",
    "clock-times-converted": "The clock times in {column!r} (hh:mm:ss) were converted to {unit}.",
    # gaps, repeats, what is implausible
    "gaps-dropped": "Dropped {dropped} of {readings} readings with missing values"
    "[[; {inputs} of them contain inputs, which are kept]].",
    "repeats-dropped": "Dropped {dropped} of {readings} readings that repeat another one exactly.",
    "rows-joined": "Joined {rows} {rows:row|rows} with others of the same time and place with other fields.",
    "incomplete-left-out": "Left out {left_out} of {readings} readings that did not measure every field.",
    "places-are-sensors": "Each place counts as a sensor: {places} for {readings} readings; name the column that "
    "identifies sensors with ⟦sensor=⟧, or round the places.",
    "sensors-moved": "{moved} of {sensors} {sensors:sensor|sensors} moved: {names:quoted}{more: …|}.",
    "stand-in": "{value:g} occurs {times} times in {field!r}, far outside the rest; if it marks a missing value, "
    "empty those cells.",
    "input-sampled": "Input {name} was sampled at {times} times.",
    "input-held": "Input {name} is constant between its readings (it looks switched); pass "
    "⟦inputs={{{name!r}: 'linear'}}‖--input {name}=linear⟧ if it varies smoothly.",
    "input-linear": "Input {name} is interpolated linearly between its readings; pass "
    "⟦inputs={{{name!r}: 'held'}}‖--input {name}=held⟧ if it is switched.",
    "noise-unknown": "Too few runs of {window} readings by one sensor to distinguish noise from signal.",
    "noise-partly-unknown": "{few} of {sensors} sensors have too few readings for an estimate of their own.",
    # averaging
    "averaged-in-time": "{before:,} readings were averaged to {after:,}, {alike:|about }{each:.0f} at a time"
    "{harmless: (all but noise is kept)|}; " + _KEEPS,
    "averaged-in-space": "{before:,} sensors were averaged to {after:,}, neighbours together (all but noise is kept); "
    + _KEEPS,
    "averaged-in-plane": "{before:,} readings of {places:,} places were averaged to {after:,}, over {across} × {up} "
    "cells of the plane and {moments} of time; " + _KEEPS,
    "averaged-in-blocks": "{before:,} pixels were averaged to {after:,}, in blocks of about {images} "
    "{images:image|images} by {pixels:by} pixels ({harmless:all but noise is kept|waves shorter than a few blocks are "
    "lost}); " + _KEEPS,
    # sensors
    "sensors-left-out": "Left out as asked: {names:sensor|sensors} {names:comma}.",
    "outliers-left-out": _OUTLIERS + " and {readings:was|were} left out.",
    "outliers-kept": _OUTLIERS + " and kept.",
    "constant-left-out": _READS + _SINCE + " and was left out.",
    "constant-partly-left-out": _READS + _SINCE + "; these {readings} readings were left out.",
    "constant-outermost": _READS + _SINCE + "; it is outermost, where that may be so, and was kept.",
    "constant-kept": _READS + _SINCE + _KEPT,
    "drift-left-out": _DRIFTS + " and was left out.",
    "drift-kept": _DRIFTS + _KEPT,
    "drift-of-either": "Either {first:sensors} or {other:sensors} drifts (the first, by {rate:short}[[ {unit}]] per "
    "{clock} in {field}); both were kept.",
    "coarse-steps": "{field} changes in steps of {step:short}[[ {unit}]] at [[{sensors:sensors}]][[{many} sensors]]"
    "{everywhere:all sensors|}, larger than the noise.",
}
