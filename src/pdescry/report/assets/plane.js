// Fields in the plane: maps at a time that is chosen, and the record of a sensor. After figures.js, which draws them.

class Plane {
  constructor(packed) {
    Object.assign(this, packed);
    for (const key of ["times", "xs", "ys"]) this[key] = Array.from(unpacked(packed[key]));
    for (const part of this.fields) for (const key of ["mean", "sd", "low", "high", "read"]) part[key] = unpacked(part[key]);
    for (const key of ["time", "x", "y", "sensor"]) this[key] = unpacked(packed[key]);
    this.of_sensor = this.pins.map(() => []);
    this.sensor.forEach((number, i) => this.of_sensor[number].push(i));
    for (const own of this.of_sensor) own.sort((a, b) => this.time[a] - this.time[b]);
  }
  size() { return this.xs.length * this.ys.length; }
  /** Those of one time, row by row of y. */
  now(values, i) { return values.subarray(i * this.size(), (i + 1) * this.size()); }
  /** [y, x] of readings near a time. */
  read_near(time) {
    const near = (this.times.at(-1) - this.times[0]) / 40;
    const found = [];
    this.time.forEach((t, i) => { if (Math.abs(t - time) <= near && found.length < 3000) found.push([this.y[i], this.x[i]]); });
    return found;
  }
  nearest_sensor(x, y) {
    let best = 0;
    const away = ([px, py]) => (px - x) ** 2 + (py - y) ** 2;
    this.pins.forEach((pin, number) => { if (away(pin) < away(this.pins[best])) best = number; });
    return best;
  }
  /** Over time at a place, between the points of the grid. */
  over_time(values, [x, y]) {
    const at = (all, value) => {
      const share = Math.min(Math.max(((value - all[0]) / (all.at(-1) - all[0])) * (all.length - 1), 0), all.length - 1);
      const first = Math.min(Math.floor(share), all.length - 2);
      return [first, share - first];
    };
    const [[k, a], [j, b]] = [at(this.xs, x), at(this.ys, y)];
    return this.times.map((_, i) => {
      const frame = this.now(values, i);
      const row = (j) => (1 - a) * frame[j * this.xs.length + k] + a * frame[j * this.xs.length + k + 1];
      return (1 - b) * row(j) + b * row(j + 1);
    });
  }
}

const PLANES = (DATA.planes ?? []).map((packed) => new Plane(packed));
const spot = { experiment: 0, field: 0, i: 0, j: 0, k: 0 };
const plane = () => PLANES[spot.experiment];
const shown_part = () => plane().fields[spot.field];
const place = () => [plane().xs[spot.k], plane().ys[spot.j]];

function plane_map(width, key, stops, range, label) {
  const { xs, ys, names, times, pins } = plane();
  const [[x, y], shape] = [place(), (ys.at(-1) - ys[0]) / (xs.at(-1) - xs[0])];
  const box = map(width, {
    values: plane().now(shown_part()[key], spot.i), times: ys, places: xs, range, stops, label, names: { axis: names.across, time: names.up },
    marks: plane().read_near(times[spot.i]), cursor: { t: y, x }, height: Math.max(220, Math.min((width - 148) * shape + 60, 620)),
  });
  for (const [px, py] of pins) box.plot.append(element("circle", { class: "ring", cx: box.X(px), cy: box.Y(py), r: 3 }));
  return box;
}

function plane_record() {
  const sensor = plane().nearest_sensor(...place());
  const found = Object.fromEntries(["mean", "low", "high"].map((key) => [key, plane().over_time(shown_part()[key], plane().pins[sensor])]));
  return { ...found, sensor };
}

function rows_of_plane(key) {
  const { times, xs, ys, plain } = plane();
  const rows = [[plain.time, plain.across, plain.up, `${shown_part().name}_${key}`]];
  times.forEach((t, i) => {
    const frame = plane().now(shown_part()[key], i);
    ys.forEach((y, j) => xs.forEach((x, k) => rows.push([t, x, y, frame[j * xs.length + k]])));
  });
  return rows;
}

Object.assign(FIGURES, {
  "plane-mean": {
    draw: (width) => plane_map(width, "mean", DATA.colours.mean, ends(shown_part().mean), `mean of ${shown_part().label}`),
    rows: () => rows_of_plane("mean"),
  },
  "plane-sd": {
    draw: (width) => plane_map(width, "sd", DATA.colours.sd, [0, most(shown_part().sd, 0.9)], `sd of ${shown_part().label}`),
    rows: () => rows_of_plane("sd"),
  },
  "plane-record": {
    draw: (width) => {
      const { sensor, mean, low, high } = plane_record();
      const { times, time, names, of_sensor } = plane();
      const part = shown_part();
      return curve(width, {
        at: times, mean, low, high, readings: of_sensor[sensor].map((i) => [time[i], part.read[i]]),
        y: widened(ends(part.read, ...ends(part.mean))), xlabel: names.time, ylabel: part.label, rule: times[spot.i],
      });
    },
    rows: () => {
      const { sensor, mean, low, high } = plane_record();
      const { plain, times, pins } = plane();
      return [[plain.time, plain.across, plain.up, shown_part().name, "low", "high"], ...times.map((t, i) => [t, ...pins[sensor], mean[i], low[i], high[i]])];
    },
  },
});

const plane_figures = all_figures.filter((figure) => figure.dataset.figure.startsWith("plane-"));

function moved_in_the_plane() {
  const { times, xs, ys, plain, pins, sensor_names } = plane();
  const part = shown_part();
  const [[x, y], at] = [place(), spot.i * plane().size() + spot.j * xs.length + spot.k];
  const [mean, sd, low, high] = ["mean", "sd", "low", "high"].map((key) => part[key][at]);
  const what = (value) => apart(value, [value - 10 * sd, value + 10 * sd]);
  const when = `${plain.time} = ${apart(times[spot.i], ends(times))}`;
  const where = `${plain.across} = ${apart(x, ends(xs))}, ${plain.up} = ${apart(y, ends(ys))}`;
  control("value-now").textContent = `${when}, ${where}: ${part.name} = ${what(mean)} ± ${shown(sd, 2)} (95 %: ${what(low)} to ${what(high)})`;
  control("time").value = spot.i;
  control("time").setAttribute("aria-valuetext", when);
  const sensor = plane().nearest_sensor(x, y);
  control("sensor-now").textContent = `Sensor ${sensor_names[sensor]} at ${plain.across} = ${apart(pins[sensor][0], ends(xs))}, ${plain.up} = ${apart(pins[sensor][1], ends(ys))}`;
  for (const figure of plane_figures) if (figure.drawn) redraw(figure);
}

if (plane_figures.length) {
  const begin = () => {
    control("time").max = plane().times.length - 1;
    [spot.i, spot.j, spot.k] = ["times", "ys", "xs"].map((key) => Math.floor(plane()[key].length / 2));
    moved_in_the_plane();
  };
  control("time").addEventListener("input", (event) => { spot.i = Number(event.target.value); moved_in_the_plane(); });
  control("experiment")?.addEventListener("change", (event) => { spot.experiment = Number(event.target.value); begin(); });
  control("component")?.addEventListener("change", (event) => { spot.field = Number(event.target.value); moved_in_the_plane(); });
  let playing = null;
  control("play").addEventListener("click", () => {
    if (playing !== null) {
      clearInterval(playing);
      playing = null;
    } else {
      playing = setInterval(() => { spot.i = (spot.i + 1) % plane().times.length; moved_in_the_plane(); }, 150);
    }
    control("play").textContent = playing === null ? "Play" : "Pause";
  });
  for (const figure of plane_figures.filter((each) => each.dataset.figure !== "plane-record")) {
    figure.querySelector(".canvas").addEventListener("pointermove", (event) => {
      const bounds = figure.box.svg.getBoundingClientRect();
      const { t, x } = figure.box.pointed(event.clientX - bounds.left, event.clientY - bounds.top);
      [spot.j, spot.k] = [nearest(plane().ys, t), nearest(plane().xs, x)];
      moved_in_the_plane();
    });
  }
  begin();
}
