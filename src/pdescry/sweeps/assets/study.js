"use strict";
// The table of a sweep, and coefficients against what was varied, drawn from the numbers in the page as SVG.

const DATA = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const PAGE = 500; // rows shown at a time
const PANELS = 24;
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [320, 200, 58, 10, 8, 34];
const COLUMN = Object.fromEntries(DATA.columns.map((name, k) => [name, k]));
const TERMS = terms();
const SEVERAL = new Set(TERMS.map(([field]) => field)).size > 1;
// Columns of coefficients follow the others: values are means, by which the table sorts.
for (const [field, term] of TERMS.slice(0, PANELS)) {
  COLUMN[label(field, term)] = DATA.columns.length;
  DATA.columns.push(label(field, term));
}
const COEFFICIENTS = DATA.columns.slice(DATA.columns.length - Math.min(TERMS.length, PANELS));
const told = new Map(); // what stands in a cell of a coefficient: "1.968 ± 0.031", and its probability
for (const [number, field, term, mean, low, high, probability, sd] of DATA.points) {
  const name = label(field, term);
  if (!(name in COLUMN)) continue;
  DATA.rows[number][COLUMN[name]] = mean;
  const sure = probability === null ? "" : ` (probability ${shown(probability, 3)})`;
  told.set(`${number} ${name}`, `${shown(mean)} ± ${shown(sd, 2)}${sure}`);
}
DATA.rows.forEach((row, number) => {
  while (row.length < DATA.columns.length) row.push(null);
  for (let k = 0; k < row.length; k++) row[k] ??= null;
  row.number = number;
});

function label(field, term) {
  return SEVERAL ? `${field}: ${term}` : term;
}

function shown(value, digits = 4) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

function compared(one, other) {
  const [a, b] = [one === null || one === undefined, other === null || other === undefined];
  if (a || b) return a - b; // those without a value last
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), undefined, { numeric: true });
}

// ---- the table ----------------------------------------------------------------------------------------------------

const table = { by: null, down: false, rows: PAGE, words: "" };

function head() {
  const row = document.createElement("tr");
  for (const name of DATA.columns.filter((each) => each !== "report")) {
    const cell = document.createElement("th");
    cell.scope = "col";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => {
      table.down = table.by === name ? !table.down : false;
      table.by = name;
      table.rows = PAGE;
      fill();
    });
    cell.append(button);
    cell.dataset.name = name;
    row.append(cell);
  }
  document.querySelector("#table thead").append(row);
}

function fill() {
  for (const cell of document.querySelectorAll("#table th")) {
    if (cell.dataset.name === table.by) cell.setAttribute("aria-sort", table.down ? "descending" : "ascending");
    else cell.removeAttribute("aria-sort");
  }
  const words = table.words.toLowerCase().split(/\s+/).filter(Boolean);
  let rows = DATA.rows.filter((row) => {
    const text = row.map((value) => String(value ?? "")).join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (table.by !== null) {
    const k = COLUMN[table.by];
    const sign = table.down ? -1 : 1;
    rows = [...rows].sort((a, b) => {
      const missing = (a[k] === null) - (b[k] === null);
      return missing || sign * compared(a[k], b[k]);
    });
  }
  const body = document.querySelector("#table tbody");
  body.replaceChildren(...rows.slice(0, table.rows).map(line));
  document.getElementById("count").textContent = `${rows.length} of ${DATA.rows.length} cases`;
  document.getElementById("more").hidden = rows.length <= table.rows;
}

function line(row) {
  const made = document.createElement("tr");
  if (row[COLUMN.status] === "failed") made.className = "failed";
  DATA.columns.forEach((name, k) => {
    if (name === "report") return;
    const cell = document.createElement("td");
    if (typeof row[k] === "number") cell.className = "number";
    if (name === "law") cell.className = "equation";
    if (name === "case" && row[COLUMN.report]) {
      const link = document.createElement("a");
      link.href = address(row[COLUMN.report]);
      link.textContent = row[k];
      cell.append(link);
    } else if (COEFFICIENTS.includes(name)) {
      cell.textContent = told.get(`${row.number} ${name}`) ?? "";
    } else {
      cell.textContent = shown(row[k], name === "seconds" ? 3 : name === "probability" ? 4 : 6);
    }
    made.append(cell);
  });
  return made;
}

function address(report) {
  return report.split("/").map(encodeURIComponent).join("/");
}

// ---- coefficients -------------------------------------------------------------------------------------------------

function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function ticks([low, high], wanted) {
  const raw = (high - low) / Math.max(wanted, 1);
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((times) => times * size).find((each) => each >= raw * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return found;
}

function range(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const margin = (high - low || Math.abs(high) || 1) * 0.08;
  return [low - margin, high + margin];
}

/** Terms by how many cases have them, as [field, term]. */
function terms() {
  const count = new Map();
  for (const [, field, term] of DATA.points) {
    const key = JSON.stringify([field, term]);
    count.set(key, (count.get(key) ?? 0) + 1);
  }
  return [...count].sort((a, b) => b[1] - a[1]).map(([key, number]) => [...JSON.parse(key), number]);
}

function chosen() {
  const name = document.getElementById("only-name").value;
  const value = document.getElementById("only-value").value;
  if (!name) return () => true;
  return (row) => JSON.stringify(row[COLUMN[name]]) === value;
}

function draw() {
  const against = document.getElementById("against").value;
  const k = COLUMN[against];
  const included = chosen();
  const values = [...new Set(DATA.rows.filter(included).map((row) => row[k]).filter((value) => value !== null))];
  values.sort(compared);
  const numeric = values.every((value) => typeof value === "number");
  const across = numeric ? range(values) : [-0.5, values.length - 0.5];
  const panels = TERMS.slice(0, PANELS).map(([field, term]) => {
    const points = DATA.points.filter((point) => point[1] === field && point[2] === term && included(DATA.rows[point[0]]));
    return panel(label(field, term), points, against, k, values, numeric, across);
  });
  document.getElementById("panels").replaceChildren(...panels.filter(Boolean));
  if (!TERMS.length) document.getElementById("panels").textContent = "No case has a law with a term.";
}

function panel(title, points, against, k, values, numeric, across) {
  if (!points.length) return null;
  const along = range(points.flatMap(([, , , mean, low, high]) => [mean, low ?? mean, high ?? mean]));
  const x = (value) => LEFT + ((value - across[0]) / (across[1] - across[0])) * (WIDTH - LEFT - RIGHT);
  const y = (value) => HEIGHT - BOTTOM - ((value - along[0]) / (along[1] - along[0])) * (HEIGHT - TOP - BOTTOM);
  const drawing = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "drawing", role: "group" });
  drawing.setAttribute("aria-label", `Coefficient of ${title} against ${against}`);
  for (const value of ticks(along, 4)) {
    drawing.append(element("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: value === 0 ? "zero" : "grid" }));
    drawing.append(element("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, shown(value)));
  }
  const every = Math.ceil(values.length / 6);
  const marks = numeric
    ? (values.length <= 6 ? values : ticks(across, 4)).map((value) => [value, shown(value)])
    : values.map((value, place) => [place, String(value).length > 12 ? `${String(value).slice(0, 11)}…` : String(value)]).filter((_, place) => place % every === 0);
  for (const [place, text] of marks) {
    drawing.append(element("text", { x: x(place), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle", class: "label" }, text));
  }
  drawing.append(element("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle", class: "label" }, against));
  const width = (WIDTH - LEFT - RIGHT) / Math.max(values.length, 1);
  const beside = new Map();
  for (const [number] of points) {
    const value = DATA.rows[number][k];
    beside.set(value, (beside.get(value) ?? 0) + 1);
  }
  const drawn = new Map();
  for (const [number, , , mean, low, high, probability] of points) {
    const row = DATA.rows[number];
    const value = row[k];
    if (value === null) continue;
    const nth = drawn.get(value) ?? 0;
    drawn.set(value, nth + 1);
    // Cases of one value stand side by side, so that none hides another.
    const aside = (nth - (beside.get(value) - 1) / 2) * Math.min(6, (0.7 * width) / beside.get(value));
    const at = x(numeric ? value : values.indexOf(value)) + aside;
    const parts = [];
    if (low !== null && high !== null) parts.push(element("line", { x1: at, x2: at, y1: y(low), y2: y(high), class: "range" }));
    const sure = probability === null || probability > 0.5;
    parts.push(element("circle", { cx: at, cy: y(mean), r: 3.2, class: sure ? "dot sure" : "dot" }));
    const sureness = probability === null ? "" : `, probability ${shown(probability, 3)}`;
    parts.push(element("title", {}, `${row[COLUMN.case]}: ${shown(mean)} (${shown(low)} to ${shown(high)})${sureness}`));
    const link = element("a", {}, ...parts);
    if (row[COLUMN.report]) link.setAttribute("href", address(row[COLUMN.report]));
    drawing.append(link);
  }
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = `${title} (${points.length} cases)`;
  figure.append(caption, drawing);
  return figure;
}

// ---- what the reader chooses --------------------------------------------------------------------------------------

function options(select, pairs) {
  select.replaceChildren(...pairs.map(([value, text]) => new Option(text, value)));
}

function valuesOf(name) {
  return name ? [...new Set(DATA.rows.map((row) => row[COLUMN[name]]))].sort(compared) : [];
}

const varied = DATA.varied.length ? DATA.varied : ["case"];
// First what has few values, and more than one: a setting says more than a name.
const byNumber = [...varied].sort((a, b) => valuesOf(a).length - valuesOf(b).length);
const first = byNumber.find((name) => name !== "file" && valuesOf(name).length > 1) ?? varied.find((name) => valuesOf(name).length > 1) ?? varied[0];
options(document.getElementById("against"), varied.map((name) => [name, name]));
document.getElementById("against").value = first;
options(document.getElementById("only-name"), [["", "anything"], ...varied.filter((name) => valuesOf(name).length > 1).map((name) => [name, name])]);
function only() {
  const found = valuesOf(document.getElementById("only-name").value);
  options(document.getElementById("only-value"), found.length ? found.map((value) => [JSON.stringify(value), shown(value)]) : [["", "–"]]);
  draw();
}
document.getElementById("only-name").addEventListener("change", only);
document.getElementById("only-value").addEventListener("change", draw);
document.getElementById("against").addEventListener("change", draw);
document.getElementById("find").addEventListener("input", (event) => {
  table.words = event.target.value;
  table.rows = PAGE;
  fill();
});
document.getElementById("more").addEventListener("click", () => {
  table.rows += PAGE;
  fill();
});
head();
fill();
only();
