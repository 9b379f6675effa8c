"use strict";
// Draws the figures of a report from the numbers in the page, as SVG; nothing is fetched from anywhere.

const DATA = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";

// ---- numbers ----------------------------------------------------------------------------------------------------

/** An array as it stands, or one packed as little-endian floats in base64: {"f4": "…"} or {"f8": "…"}. */
function unpacked(given) {
  if (Array.isArray(given)) return given;
  const [[kind, text]] = Object.entries(given);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return kind === "f4" ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
}

function ends(values, least = Infinity, most = -Infinity) {
  for (const value of values) {
    if (Number.isFinite(value)) {
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  return least <= most ? [least, most] : [0, 1];
}

function widened([low, high], by = 0.05) {
  const margin = (high - low || Math.abs(high) || 1) * by;
  return [low - margin, high + margin];
}

function shown(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

/** With as many digits as tell a hundredth of the range. */
function apart(value, [low, high]) {
  const times = (100 * Math.max(Math.abs(low), Math.abs(high))) / (high - low);
  return shown(value, Number.isFinite(times) && times > 0 ? Math.min(Math.max(Math.ceil(Math.log10(times)) + 1, 4), 15) : 4);
}

function ticks([low, high], wanted) {
  const raw = (high - low) / Math.max(wanted, 1);
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((times) => times * size).find((each) => each >= raw * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return found;
}

function nearest(sorted, value) {
  let low = 0;
  let high = sorted.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle;
    else high = middle;
  }
  return value - sorted[low] <= sorted[high] - value ? low : high;
}

// ---- drawing ----------------------------------------------------------------------------------------------------

function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function line(points, attributes) {
  const path = points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`).join("");
  return element("path", { d: path, fill: "none", ...attributes });
}

function dots(points, attributes) {
  return element("path", {
    // A field may not be read in each row.
    d: points.filter((at) => at.every(Number.isFinite)).map(([x, y]) => `M${x.toFixed(1)},${y.toFixed(1)}h0`).join(""),
    "stroke-linecap": "round",
    fill: "none",
    ...attributes,
  });
}

/** An empty picture with axes: the scales X and Y, the svg, and a group to draw into. names: rows instead of numbers. */
function frame(width, height, { x, y, xlabel, ylabel, names, left = 62, right = 14, top = 14, bottom = 46 }) {
  if (names) left = Math.min(width * 0.4, 20 + 7.2 * Math.max(...names.map((name) => name.length)));
  const X = (value) => left + ((value - x[0]) / (x[1] - x[0])) * (width - left - right);
  const Y = (value) => height - bottom - ((value - y[0]) / (y[1] - y[0])) * (height - top - bottom);
  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "drawing" });
  const axes = element("g", { class: "axes" });
  const plot = element("g", {});
  for (const value of ticks(x, (width - left) / 80)) {
    axes.append(
      element("line", { class: "grid", x1: X(value), x2: X(value), y1: top, y2: height - bottom }),
      element("text", { x: X(value), y: height - bottom + 16, "text-anchor": "middle" }, apart(value, x)),
    );
  }
  if (names) {
    names.forEach((name, i) => axes.append(element("text", { x: left - 8, y: Y(names.length - 1 - i) + 4, "text-anchor": "end" }, name)));
  } else {
    for (const value of ticks(y, (height - bottom) / 50)) {
      axes.append(
        element("line", { class: "grid", x1: left, x2: width - right, y1: Y(value), y2: Y(value) }),
        element("text", { x: left - 6, y: Y(value) + 4, "text-anchor": "end" }, apart(value, y)),
      );
    }
  }
  axes.append(element("text", { class: "label", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, xlabel));
  if (ylabel) {
    const at = [14, (top + height - bottom) / 2];
    axes.append(element("text", { class: "label", x: at[0], y: at[1], "text-anchor": "middle", transform: `rotate(-90 ${at})` }, ylabel));
  }
  svg.append(axes, plot);
  return { svg, plot, X, Y, left, right: width - right, top, bottom: height - bottom };
}

function colours(stops) {
  const parts = stops.map((text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)));
  return (share) => {
    const at = Math.min(Math.max(share, 0), 1) * (parts.length - 1);
    const low = Math.min(Math.floor(at), parts.length - 2);
    return parts[low].map((part, k) => Math.round(part + (at - low) * (parts[low + 1][k] - part)));
  };
}

/** values (times × places, the first time first) as a picture, the first time at the bottom. */
function picture(values, n_times, n_places, [low, high], colour) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [n_places, n_times];
  const context = canvas.getContext("2d");
  const image = context.createImageData(n_places, n_times);
  for (let i = 0; i < n_times; i++) {
    for (let j = 0; j < n_places; j++) {
      const value = values[(n_times - 1 - i) * n_places + j];
      const at = 4 * (i * n_places + j);
      const [r, g, b] = colour((value - low) / (high - low || 1));
      image.data.set([r, g, b, Number.isFinite(value) ? 255 : 0], at);
    }
  }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

/** A map over place (across) and time (up), with a bar of its colours at the right. */
function map(width, { values, times, places, range, stops, label, names, marks = [], pins = [], cursor, height = Math.max(260, Math.min(0.75 * width, 420)) }) {
  const box = frame(width, height, {
    x: [places[0], places.at(-1)], y: [times[0], times.at(-1)], xlabel: names.axis, ylabel: names.time, right: 86,
  });
  const colour = colours(stops);
  const { plot, X, Y } = box;
  plot.append(element("image", {
    x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top, preserveAspectRatio: "none",
    href: picture(values, times.length, places.length, range, colour),
  }));
  plot.append(dots(marks.map(([t, x]) => [X(x), Y(t)]), { class: "halo", "stroke-width": marks.length > 2000 ? 1.5 : 3 }));
  plot.append(dots(marks.map(([t, x]) => [X(x), Y(t)]), { class: "mark", "stroke-width": marks.length > 2000 ? 0.8 : 1.6 }));
  for (const place of pins) {
    plot.append(element("path", { class: "pin", d: `M${X(place) - 4},${box.top - 8}h8l-4,7z` }));
  }
  const bar = Array.from({ length: 64 }, (_, i) => i / 63);
  plot.append(element("image", {
    x: box.right + 14, y: box.top, width: 12, height: box.bottom - box.top, preserveAspectRatio: "none", href: picture(bar, 64, 1, [0, 1], colour),
  }));
  for (const value of ticks(range, 5)) {
    const y = box.bottom - ((value - range[0]) / (range[1] - range[0] || 1)) * (box.bottom - box.top);
    plot.append(element("text", { x: box.right + 30, y: y + 4 }, apart(value, range)));
  }
  const at = [width - 5, (box.top + box.bottom) / 2];
  plot.append(element("text", { class: "label", x: at[0], y: at[1], "text-anchor": "middle", transform: `rotate(-90 ${at})` }, label));
  if (cursor) {
    plot.append(
      element("line", { class: "cursor", x1: box.left, x2: box.right, y1: Y(cursor.t), y2: Y(cursor.t) }),
      element("line", { class: "cursor", x1: X(cursor.x), x2: X(cursor.x), y1: box.top, y2: box.bottom }),
    );
  }
  box.pointed = (px, py) => ({
    x: places[0] + ((px - box.left) / (box.right - box.left)) * (places.at(-1) - places[0]),
    t: times[0] + ((box.bottom - py) / (box.bottom - box.top)) * (times.at(-1) - times[0]),
  });
  return box;
}

/** A line with its band, and readings as dots. */
function curve(width, { at, mean, low, high, readings, ylabel, xlabel, y, rule }) {
  const box = frame(width, Math.max(240, Math.min(0.55 * width, 340)), { x: [at[0], at.at(-1)], y, xlabel, ylabel });
  const { plot, X, Y } = box;
  const upper = Array.from(at, (value, i) => [X(value), Y(high[i])]);
  const lower = Array.from(at, (value, i) => [X(value), Y(low[i])]);
  const band = line([...upper, ...lower.reverse()], {}).getAttribute("d");
  plot.append(element("path", { class: "band", d: `${band}Z` }));
  plot.append(line(Array.from(at, (value, i) => [X(value), Y(mean[i])]), { class: "curve" }));
  plot.append(dots(readings.map(([place, value]) => [X(place), Y(value)]), { class: "reading", "stroke-width": 5 }));
  if (rule !== undefined) plot.append(element("line", { class: "cursor", x1: X(rule), x2: X(rule), y1: box.top, y2: box.bottom }));
  return box;
}

// ---- the inferred field, and a time and a place in it -------------------------------------------------------------

class Field {
  constructor(packed) {
    Object.assign(this, packed);
    for (const key of ["times", "places"]) this[key] = Array.from(unpacked(packed[key]));
    for (const part of this.fields) for (const key of ["mean", "sd", "low", "high", "read"]) part[key] = unpacked(part[key]);
    for (const key of ["time", "place", "sensor"]) this[key] = unpacked(packed[key]);
    this.marks = [];
    const every = Math.max(1, Math.ceil(this.time.length / 3000));
    for (let i = 0; i < this.time.length; i += every) this.marks.push([this.time[i], this.place[i]]);
    this.of_sensor = this.pins.map(() => []);
    this.sensor.forEach((number, i) => this.of_sensor[number].push(i));
    for (const own of this.of_sensor) own.sort((a, b) => this.time[a] - this.time[b]);
  }
  /** [place, value] of each sensor's reading nearest to a time, if it is near. */
  read_at(time, read) {
    const near = (this.times.at(-1) - this.times[0]) / 20;
    const found = [];
    for (const own of this.of_sensor) {
      const i = own[nearest(own.map((each) => this.time[each]), time)];
      if (i !== undefined && Math.abs(this.time[i] - time) <= near) found.push([this.place[i], read[i]]);
    }
    return found;
  }
  nearest_sensor(place) {
    let best = 0;
    this.pins.forEach((pin, number) => { if (Math.abs(pin - place) < Math.abs(this.pins[best] - place)) best = number; });
    return best;
  }
}

const FIELDS = DATA.fields.map((packed) => new Field(packed));
const now = { experiment: 0, field: 0, i: 0, j: 0 };
const inferred = () => FIELDS[now.experiment];
const part = () => inferred().fields[now.field];
const cursor = () => ({ t: inferred().times[now.i], x: inferred().places[now.j] });

function field_map(width, key, stops, range, label) {
  const { times, places, names, marks, pins } = inferred();
  return map(width, { values: part()[key], times, places, range, stops, label, names, marks, pins, cursor: cursor() });
}

function rows_of_map(key) {
  const { times, places, plain } = inferred();
  const rows = [[plain.time, plain.axis, `${part().name}_${key}`]];
  times.forEach((t, i) => places.forEach((x, j) => rows.push([t, x, part()[key][i * places.length + j]])));
  return rows;
}

function slice() {
  const { places } = inferred();
  const from = now.i * places.length;
  return Object.fromEntries(["mean", "low", "high"].map((key) => [key, part()[key].slice(from, from + places.length)]));
}

/** The field over time at the sensor nearest to the chosen place. */
function record() {
  const { times, places, pins } = inferred();
  const sensor = inferred().nearest_sensor(cursor().x);
  const at = Math.min(Math.max(((pins[sensor] - places[0]) / (places.at(-1) - places[0])) * (places.length - 1), 0), places.length - 1);
  const j = Math.min(Math.floor(at), places.length - 2);
  const between = (values, i) => values[i * places.length + j] * (1 - at + j) + values[i * places.length + j + 1] * (at - j);
  const found = Object.fromEntries(["mean", "low", "high"].map((key) => [key, times.map((_, i) => between(part()[key], i))]));
  return { ...found, sensor, place: pins[sensor] };
}

/** Up to where colours of an sd reach: what only a corner has would darken all the rest. */
function most(values, share = 0.98) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor(share * (sorted.length - 1))] || 1;
}

function whole_range() {
  return widened(ends(part().read, ...ends(part().mean)));
}

// ---- rows of terms and candidates -----------------------------------------------------------------------------------

/** The first of many candidates, or all of them where the reader asks for it. */
const FEW = 12;
const asked_for_all = new Set();
const some = (list, figure, worth_a_word = () => true) => (asked_for_all.has(figure) ? list : list.filter((each, i) => each.kept || (i < FEW && worth_a_word(each))));

function rows(width, names, x, xlabel, draw) {
  const box = frame(width, 64 + 24 * names.length, { x, y: [-0.7, names.length - 0.3], xlabel, names, right: 30 });
  if (x[0] <= 0 && x[1] >= 0) box.plot.append(element("line", { class: "zero", x1: box.X(0), x2: box.X(0), y1: box.top, y2: box.bottom }));
  names.forEach((_, i) => draw(box, i, box.Y(names.length - 1 - i)));
  return box;
}

function forest(width) {
  const terms = DATA.terms;
  const range = widened(ends(terms.flatMap((term) => [term.low, term.high, 0])), 0.12);
  return rows(width, terms.map((term) => term.name), range, "coefficient, 95 % interval", ({ plot, X }, i, y) => {
    const { mean, low, high } = terms[i];
    plot.append(
      element("path", { class: "interval", d: `M${X(low)},${y}H${X(high)}M${X(low)},${y - 5}v10M${X(high)},${y - 5}v10` }),
      dots([[X(mean), y]], { class: "dot", "stroke-width": 9 }),
      element("text", { x: X(mean), y: y - 8, "text-anchor": "middle" }, shown(mean)),
    );
  });
}

function probabilities(width) {
  const all = some(DATA.candidates, "probabilities", ({ probability }) => probability >= 0.005);
  return rows(width, all.map((each) => each.name), [0, 1], "probability that the term is in the law", ({ plot, X }, i, y) => {
    const { probability, kept } = all[i];
    plot.append(
      element("rect", { class: kept ? "bar kept" : "bar", x: X(0), y: y - 7, width: Math.max(X(probability) - X(0), 1), height: 14 }),
      element("text", { x: probability > 0.85 ? X(probability) - 6 : X(probability) + 6, y: y + 4, class: probability > 0.85 ? "inside" : "", "text-anchor": probability > 0.85 ? "end" : "start" }, probability.toFixed(2)),
    );
  });
}

function path(width) {
  const all = some(DATA.path.rows, "path");
  const { furthest } = DATA.path;
  if (DATA.path.kind === "steps") {
    return rows(width, all.map((each) => each.name), [0, furthest], "step at which it was dropped", ({ plot, X }, i, y) => {
      const { step, kept } = all[i];
      plot.append(element("rect", { class: kept ? "bar kept" : "bar", x: X(0), y: y - 7, width: Math.max(X(kept ? furthest : step ?? 0) - X(0), 1), height: 14 }));
    });
  }
  return rows(width, all.map((each) => each.name), [-1.15 * furthest, 0.4 * furthest], "change of the log score, complexity counted (nats)", ({ plot, X }, i, y) => {
    const { score, kept, ill_posed } = all[i];
    const beyond = score === null || score < -furthest;
    const end = beyond ? -furthest : Math.min(score, 0.4 * furthest);
    const style = kept ? "stem kept" : score > 0 && !ill_posed ? "stem better" : "stem";
    plot.append(element("line", { class: style, x1: X(0), x2: X(end), y1: y, y2: y }));
    if (beyond) plot.append(element("path", { class: style, d: `M${X(end) + 8},${y - 5}l-8,5l8,5` }));
    else plot.append(dots([[X(end), y]], { class: `${style} end` }));
    if (ill_posed) plot.append(element("text", { x: X(Math.max(end, 0)) + 8, y: y + 4 }, "ill-posed"));
  });
}

// ---- the law solved forward -----------------------------------------------------------------------------------------

function forward_map(width, part, key, stops, label) {
  const forward = DATA.forward;
  const values = unpacked(part[key]);
  const range = key === "difference" ? (([a, b]) => { const most = Math.max(Math.abs(a), Math.abs(b)); return [-most, most]; })(ends(values)) : ends(values);
  const [times, places] = [unpacked(forward.times), unpacked(forward.places)].map((each) => Array.from(each));
  return map(width, { values, times, places, range, stops, label, names: { ...forward.names, field: part.label }, pins: forward.pins });
}

function forecast(width, sensor) {
  const { low, high, mean, times, read } = sensor;
  const y = widened(ends(read, ...ends(high, ...ends(low))));
  return curve(width, {
    at: times, mean, low, high, readings: times.map((t, i) => [t, read[i]]), y, xlabel: DATA.forward.names.time, ylabel: sensor.label,
  });
}

// ---- diagnostics ----------------------------------------------------------------------------------------------------

function left_out(width) {
  const sensors = DATA.left_out;
  // Outermost sensors may be missed by far more: where they are, they are drawn at the upper edge.
  const inner = sensors.filter((each) => each.inside);
  const y = [0, 1.15 * ends((inner.length ? inner : sensors).flatMap((each) => [each.rms_error, each.expected]))[1]];
  const box = frame(width, 300, { x: [-0.8, sensors.length - 0.2], y, xlabel: "sensor left out", ylabel: "rms error" });
  sensors.forEach((each, i) => {
    const x = box.X(i);
    box.plot.append(element("path", { class: "expected", d: `M${x - 6},${box.Y(Math.min(each.expected, y[1]))}h12` }));
    box.plot.append(dots([[x, box.Y(Math.min(each.rms_error, y[1]))]], { class: each.inside ? "dot" : "faint", "stroke-width": 8 }));
  });
  return box;
}

function residuals(width, part) {
  const [expected, found] = [unpacked(part.expected), unpacked(part.found)];
  const range = widened(ends(expected, ...ends(found)));
  const box = frame(width, 300, { x: range, y: range, xlabel: "normal quantile", ylabel: "reading − field, in noise" });
  box.plot.append(element("line", { class: "zero", x1: box.X(range[0]), x2: box.X(range[1]), y1: box.Y(range[0]), y2: box.Y(range[1]) }));
  box.plot.append(dots(Array.from(expected, (value, i) => [box.X(value), box.Y(found[i])]), { class: "dot", "stroke-width": 3 }));
  return box;
}

function chains(width) {
  const all = DATA.chains.map(unpacked);
  const y = widened(ends(all.flatMap((chain) => Array.from(chain))));
  const box = frame(width, 300, { x: [1, all[0].length], y, xlabel: "draw", ylabel: "log p" });
  all.forEach((chain, number) => box.plot.append(line(Array.from(chain, (value, i) => [box.X(i + 1), box.Y(value)]), { class: `chain chain-${number % 4}` })));
  return box;
}

// ---- where to put the next sensor -------------------------------------------------------------------------------------

function next_map(width) {
  const { times, places, values, names, pins, advised } = DATA.next;
  const shape = { times: Array.from(unpacked(times)), places: Array.from(unpacked(places)), values: unpacked(values) };
  const box = map(width, { ...shape, range: [0, ends(shape.values)[1]], stops: DATA.colours.sd, label: DATA.next.label, names, pins });
  advised.forEach((place, i) => {
    const x = box.X(place);
    box.plot.append(element("line", { class: "advised", x1: x, x2: x, y1: box.top, y2: box.bottom }));
    box.plot.append(element("text", { class: "number", x: x + 5, y: box.top + 16 }, String(i + 1)));
  });
  return box;
}

// ---- which figure is where, and what it can be saved as ---------------------------------------------------------------

const pairs = (head, list, keys) => [head, ...list.map((each) => keys.map((key) => each[key]))];
const FIGURES = {
  mean: {
    draw: (width) => field_map(width, "mean", DATA.colours.mean, ends(part().mean), `mean of ${part().label}`),
    rows: () => rows_of_map("mean"),
  },
  sd: {
    draw: (width) => field_map(width, "sd", DATA.colours.sd, [0, most(part().sd)], `sd of ${part().label}`),
    rows: () => rows_of_map("sd"),
  },
  slice: {
    draw: (width) => curve(width, {
      at: inferred().places, ...slice(), readings: inferred().read_at(cursor().t, part().read), y: whole_range(),
      xlabel: inferred().names.axis, ylabel: part().label, rule: cursor().x,
    }),
    rows: () => {
      const { mean, low, high } = slice();
      const { plain, places } = inferred();
      return [[plain.time, plain.axis, part().name, "low", "high"], ...places.map((x, j) => [cursor().t, x, mean[j], low[j], high[j]])];
    },
  },
  record: {
    draw: (width) => {
      const field = inferred();
      const { sensor, mean, low, high } = record();
      const own = field.of_sensor[sensor];
      return curve(width, {
        at: field.times, mean, low, high, readings: own.map((i) => [field.time[i], part().read[i]]), y: whole_range(),
        xlabel: field.names.time, ylabel: part().label, rule: cursor().t,
      });
    },
    rows: () => {
      const { mean, low, high, place } = record();
      const { plain, times } = inferred();
      return [[plain.time, plain.axis, part().name, "low", "high"], ...times.map((t, i) => [t, place, mean[i], low[i], high[i]])];
    },
  },
  forest: { draw: forest, rows: () => pairs(["term", "mean", "sd", "low", "high", "probability", "unit"], DATA.terms, ["name", "mean", "sd", "low", "high", "probability", "unit"]) },
  probabilities: { draw: probabilities, rows: () => pairs(["term", "probability", "in_the_law"], DATA.candidates, ["name", "probability", "kept"]) },
  path: {
    draw: path,
    rows: () => DATA.path.kind === "steps"
      ? pairs(["term", "in_the_law", "step"], DATA.path.rows, ["name", "kept", "step"])
      : pairs(["term", "in_the_law", "score", "ill_posed"], DATA.path.rows, ["name", "kept", "score", "ill_posed"]),
  },
  left_out: { draw: left_out, rows: () => pairs(["sensor", "rms_error", "expected"], DATA.left_out, ["sensor", "rms_error", "expected"]) },
  chains: { draw: chains, rows: () => [["chain", "draw", "log_p"], ...DATA.chains.flatMap((chain, k) => Array.from(unpacked(chain), (value, i) => [k + 1, i + 1, value]))] },
  next: {
    draw: next_map,
    rows: () => {
      const [times, places, values] = [DATA.next.times, DATA.next.places, DATA.next.values].map(unpacked);
      return [["time", "place", "value"], ...Array.from(values, (value, k) => [times[Math.floor(k / places.length)], places[k % places.length], value])];
    },
  },
};
/** The figure of each field: that of the first without a number. */
const of_field = (name, number) => (number ? `${name}-${number + 1}` : name);
for (const [number, packed] of (DATA.profiles ?? []).entries()) {
  const [at, mean, low, high] = ["place", "mean", "low", "high"].map((key) => Array.from(unpacked(packed[key])));
  FIGURES[of_field("profile", number)] = {
    draw: (width) => curve(width, {
      at, mean, low, high, readings: [], y: widened(ends([...low, ...high])), xlabel: packed.axis, ylabel: `coefficient of ${packed.name}`,
    }),
    rows: () => [["place", "mean", "low", "high"], ...at.map((place, i) => [place, mean[i], low[i], high[i]])],
  };
}
for (const [number, part] of (DATA.forward?.fields ?? []).entries()) {
  FIGURES[of_field("solved", number)] = {
    draw: (width) => forward_map(width, part, "mean", DATA.colours.mean, part.label), rows: () => rows_of_forward(part, "mean"),
  };
  FIGURES[of_field("difference", number)] = {
    draw: (width) => forward_map(width, part, "difference", DATA.colours.difference, "solved − inferred"), rows: () => rows_of_forward(part, "difference"),
  };
}
for (const [number, part] of DATA.residuals.entries()) {
  FIGURES[of_field("residuals", number)] = {
    draw: (width) => residuals(width, part),
    rows: () => [["normal_quantile", "residual"], ...Array.from(unpacked(part.expected), (value, i) => [value, unpacked(part.found)[i]])],
  };
}
for (const [number, sensor] of (DATA.forward?.sensors ?? []).entries()) {
  for (const key of ["times", "mean", "low", "high", "read"]) sensor[key] = Array.from(unpacked(sensor[key]));
  FIGURES[`forecast-${number}`] = {
    draw: (width) => forecast(width, sensor),
    rows: () => [["time", "read", "mean", "low", "high"], ...sensor.times.map((t, i) => [t, sensor.read[i], sensor.mean[i], sensor.low[i], sensor.high[i]])],
  };
}

function rows_of_forward(part, key) {
  const { times, places } = DATA.forward;
  const [t, x, values] = [times, places, part[key]].map(unpacked);
  return [["time", "place", key], ...Array.from(values, (value, k) => [t[Math.floor(k / x.length)], x[k % x.length], value])];
}

function redraw(figure) {
  const here = figure.querySelector(".canvas");
  const width = Math.max(Math.floor(here.clientWidth), 280);
  const box = FIGURES[figure.dataset.figure].draw(width);
  box.svg.setAttribute("role", "img");
  box.svg.setAttribute("aria-label", figure.dataset.alt);
  here.replaceChildren(box.svg);
  figure.box = box;
  figure.drawn = width;
}

// ---- saving -----------------------------------------------------------------------------------------------------------

const STYLED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "font-family", "font-size", "font-weight", "opacity", "image-rendering"];

/** The drawing as a file of its own: styles that the page gives it are written into it. */
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((each, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of STYLED) each.setAttribute(name, style.getPropertyValue(name));
    each.removeAttribute("class");
  });
  const page = getComputedStyle(document.body).backgroundColor;
  copy.prepend(element("rect", { width: "100%", height: "100%", fill: page }));
  copy.setAttribute("xmlns", SVG);
  return new XMLSerializer().serializeToString(copy);
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function comma_separated(rows) {
  const cell = (value) => (value === null || value === undefined || Number.isNaN(value) ? "" : /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

const SAVED = {
  csv: (figure, name) => save(new Blob([comma_separated(FIGURES[figure.dataset.figure].rows())], { type: "text/csv" }), `${name}.csv`),
  svg: (figure, name) => save(new Blob([standalone(figure.box.svg)], { type: "image/svg+xml" }), `${name}.svg`),
  png: (figure, name) => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, `${name}.png`));
    };
    image.src = `data:image/svg+xml;base64,${btoa(unescape(encodeURIComponent(standalone(figure.box.svg))))}`;
  },
};

// ---- what a reader does -------------------------------------------------------------------------------------------------

const all_figures = Array.from(document.querySelectorAll("figure[data-figure]"));
const follow = all_figures.filter((figure) => ["mean", "sd", "slice", "record"].includes(figure.dataset.figure));
const control = (name) => document.getElementById(name);

function moved() {
  const field = inferred();
  const { t, x } = cursor();
  const k = now.i * field.places.length + now.j;
  const { mean, sd, low, high, name } = part();
  const [when, where] = [apart(t, ends(field.times)), apart(x, ends(field.places))];
  const what = (value) => apart(value, [value - 10 * sd[k], value + 10 * sd[k]]);
  control("time-now").textContent = `At ${field.plain.time} = ${when}`;
  control("value-now").textContent = `${field.plain.time} = ${when}, ${field.plain.axis} = ${where}: ${name} = ${what(mean[k])} ± ${shown(sd[k], 2)} (95 %: ${what(low[k])} to ${what(high[k])})`;
  control("time").setAttribute("aria-valuetext", `${field.plain.time} = ${when}`);
  control("place").setAttribute("aria-valuetext", `${field.plain.axis} = ${where}`);
  const whose = field.nearest_sensor(x);
  control("sensor-now").textContent = `Sensor ${field.sensor_names[whose]} at ${field.plain.axis} = ${apart(field.pins[whose], ends(field.places))}`;
  follow.forEach(redraw);
}

if (follow.length) {
  const set_ranges = () => {
    [control("time").max, control("place").max] = [inferred().times.length - 1, inferred().places.length - 1];
    [now.i, now.j] = [Math.floor(inferred().times.length / 2), Math.floor(inferred().places.length / 2)];
    [control("time").value, control("place").value] = [now.i, now.j];
  };
  set_ranges();
  control("time").addEventListener("input", (event) => { now.i = Number(event.target.value); moved(); });
  control("place").addEventListener("input", (event) => { now.j = Number(event.target.value); moved(); });
  control("experiment")?.addEventListener("change", (event) => { now.experiment = Number(event.target.value); set_ranges(); moved(); });
  control("component")?.addEventListener("change", (event) => { now.field = Number(event.target.value); moved(); });
  for (const figure of follow.slice(0, 2)) {
    figure.querySelector(".canvas").addEventListener("pointermove", (event) => {
      const bounds = figure.box.svg.getBoundingClientRect();
      const { t, x } = figure.box.pointed(event.clientX - bounds.left, event.clientY - bounds.top);
      [now.i, now.j] = [nearest(inferred().times, t), nearest(inferred().places, x)];
      [control("time").value, control("place").value] = [now.i, now.j];
      moved();
    });
  }
}

for (const figure of all_figures) {
  for (const button of figure.querySelectorAll("button[data-save]")) {
    button.addEventListener("click", () => SAVED[button.dataset.save](figure, `${DATA.name}-${figure.dataset.figure}`));
  }
}
for (const button of document.querySelectorAll("button[data-all]")) {
  button.addEventListener("click", () => {
    const figure = button.closest("figure");
    asked_for_all.add(figure.dataset.figure);
    button.remove();
    redraw(figure);
  });
}
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    const text = control(button.dataset.copy).textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
  });
}

// Drawn when they come into view, and again when the page gets wider or narrower; all of them before printing.
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting && !target.drawn) redraw(target);
}, { rootMargin: "400px" });
const sized = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const figure = target.closest("figure");
    if (figure.drawn && figure.drawn !== Math.max(Math.floor(target.clientWidth), 280)) redraw(figure);
  }
});
for (const figure of all_figures) {
  seen.observe(figure);
  sized.observe(figure.querySelector(".canvas"));
}
addEventListener("beforeprint", () => all_figures.forEach(redraw));
if (follow.length) moved();
document.documentElement.dataset.ready = "yes";
