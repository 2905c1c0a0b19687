"use strict";
// Draws the pictures of a memcost page from the data in it. Everything that is
// drawn stands in the page's tables too; without this script nothing is lost but
// the view.
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const pictures = new Map(data.pictures.map(p => [p.id, p]));
const root = document.documentElement;

// Colours that the common kinds of colour blindness keep apart (after Okabe and
// Ito), darkened or lightened until they stand out from the background by 3:1.
const palette = {
  light: ["#0072b2", "#c04d00", "#007a5a", "#a0478a", "#7a5c00", "#2b7bba", "#b3261e", "#555555", "#5b3fb5", "#00767a", "#8a5a2b", "#3d6b00"],
  dark: ["#56b4e9", "#ff9450", "#3ddba5", "#e79bd0", "#f0d04a", "#8fc7ff", "#ff8a80", "#c0c6cd", "#b9a5ff", "#4fd6db", "#d9a679", "#a5d65a"],
};
const dashes = ["", "6 3", "2 3", "8 3 2 3", "1 4", "12 4"];
const symbols = ["circle", "square", "triangle", "diamond", "star", "wye"];

const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
const ink = () => dark() ? {text: "#e7eaee", soft: "#a7b0bb", line: "#3a414b", bg: "#14171b", good: "#7fdc97", bad: "#ff9d9d"} : {text: "#1b1f24", soft: "#545d68", line: "#d5dae1", bg: "#ffffff", good: "#14692f", bad: "#a31621"};
const colour = i => palette[dark() ? "dark" : "light"][i % 12];

// ---- words ----

const digits = v => {
  if (v === Math.trunc(v) && Math.abs(v) < 1e6) return String(v);
  const s = Number(v.toPrecision(3));
  return Math.abs(s) >= 1e6 || Math.abs(s) < 1e-4 ? s.toExponential() : s.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.abs(s)))));
};
const scaled = (v, steps) => {
  const a = Math.abs(Number(v.toPrecision(3))) * (1 + 1e-9);
  let [size, unit] = steps[0];
  for (const [s, u] of steps) if (a >= s) [size, unit] = [s, u];
  return digits(v / size) + " " + unit;
};
const bytes = v => scaled(v, [[1, "B"], [1024, "KiB"], [2 ** 20, "MiB"], [2 ** 30, "GiB"], [2 ** 40, "TiB"]]);
const quantity = (v, unit) => {
  switch (unit) {
    case "": return digits(v) + "×";
    case "sec/op": case "sec": return v === 0 ? "0" : scaled(v, [[1e-12, "ps"], [1e-9, "ns"], [1e-6, "µs"], [1e-3, "ms"], [1, "s"]]);
    case "B/sec": case "B/s": return scaled(v, [[1, "B/s"], [1e3, "kB/s"], [1e6, "MB/s"], [1e9, "GB/s"]]);
    case "B/op": return bytes(v);
    case "allocs/op": return digits(v);
  }
  return digits(v) + " " + unit;
};
const axisName = unit => ({"": "ratio", "sec/op": "time per operation", "B/sec": "throughput", "B/op": "bytes per operation"})[unit] ?? unit;

// ---- choices, kept in the URL's fragment ----

const initial = () => ({off: new Set(), from: null, to: null, x: "log", y: "log"});
const choices = data.studies.map(initial);
const groups = [["machine", "machine"], ["go", "Go"], ["arm", "arm"]];

function readFragment() {
  const h = decodeHash();
  if (!h) return;
  root.dataset.theme = ["light", "dark"].includes(h.get("theme")) ? h.get("theme") : "";
  if (!root.dataset.theme) delete root.dataset.theme;
  data.studies.forEach((name, i) => {
    const c = choices[i] = initial(), get = k => h.get(name + "." + k);
    for (const v of h.getAll(name + ".off")) c.off.add(v);
    c.from = get("from"); c.to = get("to");
    if (get("x") === "linear") c.x = "linear";
    if (get("y") === "linear") c.y = "linear";
  });
}
function decodeHash() {
  const h = location.hash.slice(1);
  return h.includes("=") || h === "" ? new URLSearchParams(h) : null; // else it is the name of a section
}
function writeFragment() {
  const h = new URLSearchParams();
  if (root.dataset.theme) h.set("theme", root.dataset.theme);
  data.studies.forEach((name, i) => {
    const c = choices[i];
    for (const v of c.off) h.append(name + ".off", v);
    for (const k of ["from", "to"]) if (c[k] !== null) h.set(name + "." + k, c[k]);
    for (const k of ["x", "y"]) if (c[k] !== "log") h.set(name + "." + k, c[k]);
  });
  const text = h.toString();
  history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
}

const setValue = (s, key) => key === "machine" && s.published ? s.label : s[key];
const shown = (study, set) => !groups.some(([key]) => choices[study].off.has(key + ":" + setValue(data.sets[set], key)));
// A range is of the values of one key, the study's most frequent one with numbers.
function rangeOf(study) {
  const by = new Map();
  for (const p of data.pictures) if (p.study === study && p.numeric) {
    const m = by.get(p.by) ?? by.set(p.by, new Map()).get(p.by);
    for (const s of p.sets) for (const r of s.rows) m.set(r.value, r.label);
  }
  let best = null;
  for (const [key, values] of by) if (values.size > 2 && (!best || values.size > best.values.length)) {
    best = {key, values: [...values].sort((a, b) => number(a[0]) - number(b[0]))};
  }
  return best;
}
// The value of a key may carry GOMAXPROCS behind it: 1024-2.
const number = v => parseFloat(v);
const ranges = data.studies.map((_, i) => rangeOf(i));
function inRange(p, value) {
  const r = ranges[p.study], c = choices[p.study];
  if (!r || !p.numeric || r.key !== p.by) return true;
  return (c.from === null || number(value) >= number(c.from)) && (c.to === null || number(value) <= number(c.to));
}

// ---- controls ----

const make = (tag, props = {}, ...children) => {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) k in e ? e[k] = v : e.setAttribute(k, v);
  e.append(...children);
  return e;
};

function controls(form, study) {
  form.replaceChildren();
  const c = choices[study], sets = new Set();
  for (const p of data.pictures) if (p.study === study) for (const s of p.sets ?? []) sets.add(s.set);
  const change = () => { writeFragment(); redraw(study); };
  for (const [key, title] of groups) {
    const values = [...new Set([...sets].map(s => setValue(data.sets[s], key)))].filter(v => key !== "go" && key !== "arm" || v !== "");
    if (values.length < 2) continue;
    form.append(make("fieldset", {}, make("legend", {textContent: title}), ...values.map(v => {
      const box = make("input", {type: "checkbox", checked: !c.off.has(key + ":" + v)});
      box.addEventListener("change", () => { box.checked ? c.off.delete(key + ":" + v) : c.off.add(key + ":" + v); change(); });
      return make("label", {}, box, v);
    })));
  }
  const r = ranges[study];
  if (r) for (const [k, title] of [["from", r.key + " from"], ["to", "to"]]) {
    const s = make("select", {}, make("option", {value: "", textContent: k === "from" ? "smallest" : "largest"}),
      ...r.values.map(([v, label]) => make("option", {value: v, textContent: label})));
    s.value = c[k] ?? "";
    s.dataset.choice = k;
    s.addEventListener("change", () => { c[k] = s.value || null; change(); });
    form.append(make("label", {}, title, s));
  }
  for (const k of ["x", "y"]) {
    const s = make("select", {}, ...["log", "linear"].map(v => make("option", {value: v, textContent: v === "log" ? "logarithmic" : v})));
    s.value = c[k];
    s.dataset.choice = k;
    s.addEventListener("change", () => { c[k] = s.value; change(); });
    form.append(make("label", {}, k + " axis", s));
  }
  const reset = make("button", {type: "button", textContent: "Reset"});
  reset.addEventListener("click", () => { choices[study] = initial(); writeFragment(); controls(form, study); redraw(study); });
  form.append(reset);
  form.hidden = false;
}

// ---- drawing ----

const finite = v => v !== null && Number.isFinite(v);
const narrow = width => width < 480;

// The points of a picture that the choices leave: one list for each data set and
// column that has any.
function lines(p) {
  const out = [];
  for (const s of p.sets) if (shown(p.study, s.set)) p.columns.forEach((column, c) => {
    const points = [];
    for (const r of s.rows) {
      const f = r.cells[c];
      if (!f || !finite(f[0]) || !inRange(p, r.value)) continue;
      points.push({label: r.label, value: r.value, x: number(r.value), v: f[0], lo: f[1], hi: f[2], n: f[3], set: s.set, column: c});
    }
    if (points.length) out.push({set: s.set, column: c, name: column, points: p.numeric ? points.sort((a, b) => a.x - b.x) : points});
  });
  return out;
}

// How a line looks: colour by column where there are several, else by data set;
// the other of the two by dash and symbol.
function styler(p, ls) {
  const sets = [...new Set(p.sets.map(s => s.set))], several = p.columns.length > 1;
  return l => {
    const at = sets.indexOf(l.set), c = several ? l.column : at;
    return {stroke: l.column === p.roofline ? ink().soft : colour(c), dash: several ? dashes[at % dashes.length] : "", symbol: symbols[at % symbols.length], hollow: data.sets[l.set].published};
  };
}
const lineName = (p, l, ls) => {
  const sets = new Set(ls.map(x => x.set)).size > 1, columns = p.columns.length > 1;
  return [columns || !sets ? l.name : "", sets ? data.sets[l.set].label : ""].filter(Boolean).join(" · ");
};
const said = (p, l, d, ls) => `${lineName(p, l, ls)}\n${p.by} ${d.label}: ${quantity(d.v, p.unit)}` +
  (finite(d.lo) && finite(d.hi) ? `\n${quantity(d.lo, p.unit)} to ${quantity(d.hi, p.unit)}` : data.sets[d.set].published ? "\na single published figure" : "\nno interval");

function legend(p, ls, style) {
  if (ls.length < 2) return null;
  const list = make("ul", {className: "key"});
  for (const l of ls) {
    const s = style(l), svg = d3.create("svg").attr("width", 30).attr("height", 12).attr("aria-hidden", "true");
    if (p.kind === "curve") svg.append("line").attr("x1", 0).attr("x2", 30).attr("y1", 6).attr("y2", 6).attr("stroke", s.stroke).attr("stroke-width", 2).attr("stroke-dasharray", s.dash);
    svg.append("path").attr("transform", "translate(15,6)").attr("d", d3.symbol(symbolType(s.symbol), 40)()).attr("fill", s.hollow ? ink().bg : s.stroke).attr("stroke", s.stroke);
    list.append(make("li", {}, svg.node(), lineName(p, l, ls)));
  }
  return list;
}
const symbolType = name => d3["symbol" + name[0].toUpperCase() + name.slice(1)];

// Axes with the ticks that were chosen: on its own, a logarithmic scale leaves the
// labels of some out.
const axisX = ({ticks, tickFormat}, label) => [Plot.gridX({ticks, stroke: ink().line, strokeOpacity: 1}), Plot.axisX({ticks, text: tickFormat, label, labelAnchor: "center", labelArrow: "none", tickSize: 4})];
const axisY = ({ticks, tickFormat}, label) => [Plot.gridY({ticks, stroke: ink().line, strokeOpacity: 1}), Plot.axisY({ticks, text: tickFormat, label, labelAnchor: "top", labelArrow: "none", tickSize: 4})];
const scale = ({type, domain, nice}) => ({type, domain, nice});

const base = (width, height) => ({width, height, style: {fontFamily: "system-ui, 'DejaVu Sans', sans-serif", fontSize: "12px", background: "transparent", color: ink().text, overflow: "visible"}});

// Ticks of a key with numbers: its values, as many as have room.
function keyTicks(p, ls, room) {
  const values = [...new Map(ls.flatMap(l => l.points.map(d => [d.x, d.label]))).entries()].sort((a, b) => a[0] - b[0]);
  const step = Math.max(1, Math.ceil(values.length / Math.max(2, Math.floor(room / 62))));
  const kept = values.filter((_, i) => i % step === 0);
  return {ticks: kept.map(v => v[0]), format: v => new Map(values).get(v) ?? digits(v)};
}
// Ticks of a logarithmic axis: few enough to be read, at 1, 2 and 5 where decades
// are not enough.
const logSteps = [d3.range(100, 1000, 2).map(x => x / 100), d3.range(10, 100).map(x => x / 10), [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9], [1, 1.5, 2, 3, 4, 5, 7], [1, 2, 5], [1, 3], [1]];
function logTicks(lo, hi, most) {
  const all = m => { const out = []; for (let e = Math.floor(Math.log10(lo)); e <= Math.ceil(Math.log10(hi)); e++) for (const x of m) { const v = Number((x * 10 ** e).toPrecision(12)); if (v >= lo * 0.999 && v <= hi * 1.001) out.push(v); } return out; };
  for (const m of logSteps) { const t = all(m); if (t.length <= most && t.length > 1) return t; }
  const t = all([1]), step = Math.ceil(t.length / most);
  return t.length > 1 ? t.filter((_, i) => i % step === 0) : [lo, hi].filter((v, i, a) => a.indexOf(v) === i);
}
// The scale of figures: what its axis covers, and its ticks.
function figureScale(values, type, unit, most, include = []) {
  const usable = values.concat(include).filter(v => finite(v) && (type === "linear" || v > 0));
  let [lo, hi] = d3.extent(usable);
  if (lo === undefined) return null;
  const tick = v => quantity(v, unit).replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, ""); // 50 ns, not 50.0 ns
  if (type === "linear") return {type, domain: [Math.min(0, lo), hi || 1], ticks: most, tickFormat: tick, nice: true};
  const pad = Math.max(1.03, (hi / lo) ** 0.04);
  lo /= pad; hi *= pad;
  const ticks = logTicks(lo, hi, most);
  return {type: "log", domain: [lo, hi], ticks, tickFormat: tick};
}

function curve(p, width) {
  const ls = lines(p), c = choices[p.study], style = styler(p, ls), height = narrow(width) ? 300 : 380;
  if (!ls.length) return null;
  const left = 74, right = 14, k = keyTicks(p, ls, width - left - right);
  const y = figureScale(ls.flatMap(l => l.points.flatMap(d => [d.v, d.lo, d.hi].filter(finite))).filter(v => v < 1e30), c.y, p.unit, 7);
  if (!y) return null;
  const onAxis = v => c.y === "linear" || v > 0;
  const xs = ls.flatMap(l => l.points.map(d => d.x));
  if (new Set(xs).size < 2) return forest(p, width); // a curve needs two points
  const xLog = c.x === "log" && d3.min(xs) > 0;
  const marks = [];
  const machine = ls.map(l => data.sets[l.set]).find(s => !s.published && s.caches);
  if (p.by === "size" && machine) {
    const [lo, hi] = d3.extent(xs), inside = machine.caches.filter(x => x.bytes > lo && x.bytes <= hi);
    marks.push(Plot.ruleX(inside, {x: "bytes", stroke: ink().soft, strokeDasharray: "1 3", className: "cache"}),
      Plot.text(inside, {x: "bytes", text: d => `${d.name} ${bytes(d.bytes)}`, frameAnchor: "top", dy: -8, fill: ink().soft, fontSize: 11}));
  }
  for (const l of ls) {
    const s = style(l), ps = l.points.filter(d => onAxis(d.v));
    const band = ps.filter(d => finite(d.lo) && finite(d.hi) && onAxis(d.lo));
    if (l.column === p.roofline) marks.push(Plot.areaY(ps, {x: "x", y1: p.unit === "B/sec" ? y.domain[1] : y.domain[0], y2: "v", fill: s.stroke, fillOpacity: 0.12, className: "roofline"}));
    if (band.length > 1) marks.push(Plot.areaY(band, {x: "x", y1: "lo", y2: "hi", fill: s.stroke, fillOpacity: 0.18, className: "band"}));
    if (ps.length > 1) marks.push(Plot.lineY(ps, {x: "x", y: "v", stroke: s.stroke, strokeWidth: 2, strokeDasharray: s.dash, className: "line"}));
    marks.push(Plot.dot(ps, {x: "x", y: "v", r: 3, symbol: s.symbol, fill: s.hollow ? ink().bg : s.stroke, stroke: s.stroke, strokeWidth: 1.2, className: "figure"}));
  }
  const all = ls.flatMap(l => l.points.filter(d => onAxis(d.v)).map(d => ({...d, text: said(p, l, d, ls)})));
  marks.push(Plot.tip(all, Plot.pointer({x: "x", y: "v", title: "text", fill: ink().bg})));
  const svg = Plot.plot({...base(width, height), marginLeft: left, marginRight: right, marginTop: 34, marginBottom: 42,
    x: {type: xLog ? "log" : "linear"}, y: scale(y), marks: [axisX({ticks: k.ticks, tickFormat: k.format}, p.by), axisY(y, axisName(p.unit)), marks]});
  return {nodes: [legend(p, ls, style), svg], svg};
}

// Figures or ratios with their intervals, one line for each value of the key.
function forest(p, width) {
  const ratio = p.kind === "forest", ls = lines(p), c = choices[p.study], style = styler(p, ls);
  if (!ls.length) return null;
  const labels = [...new Map(ls.flatMap(l => l.points.map(d => [d.label, d.x]))).entries()];
  if (p.numeric) labels.sort((a, b) => a[1] - b[1]);
  const step = narrow(width) ? 8 : 9, row = Math.max(24, ls.length * step + 10);
  const longest = d3.max(labels, d => d[0].length), left = Math.min(Math.max(60, longest * 6.6 + 12), width * 0.45);
  const letters = Math.max(6, Math.floor((left - 12) / 6.6));
  const bounds = ratio ? (p.bounds ?? []) : [];
  const inclusive = bounds.flatMap(b => [b.lo, b.hi]).filter(finite).concat(ratio ? [1] : []);
  const x = figureScale(ls.flatMap(l => l.points.flatMap(d => [d.v, d.lo, d.hi].filter(finite))).filter(v => v < 1e30), c.x, p.unit, Math.max(3, Math.floor((width - left) / 70)), inclusive.filter(v => v > 0));
  if (!x) return null;
  const ok = v => c.x === "linear" || v > 0, marks = [];
  bounds.forEach((b, i) => {
    const x1 = finite(b.lo) ? Math.max(b.lo, x.domain[0]) : x.domain[0], x2 = finite(b.hi) ? Math.min(b.hi, x.domain[1]) : x.domain[1];
    if (!(x1 < x2)) return;
    marks.push(Plot.rectX([b], {x1, x2, fill: ink().good, fillOpacity: 0.09, className: "allowed"}),
      Plot.ruleX([b.lo, b.hi].filter(finite), {stroke: ink().good, strokeDasharray: "4 3", className: "bound"}),
      Plot.text([b], {x: x1, text: d => `${d.claim}: ${words(d)}`, frameAnchor: "top-left", textAnchor: "start", dx: 3, dy: -12 * (i + 1), fill: ink().good, fontSize: 11}));
  });
  if (ratio) marks.push(Plot.ruleX([1], {stroke: ink().text, strokeWidth: 1.5, className: "one"}));
  ls.forEach((l, i) => {
    const s = style(l), dy = (i - (ls.length - 1) / 2) * step, ps = l.points.filter(d => ok(d.v));
    marks.push(Plot.ruleY(ps.filter(d => finite(d.lo) && finite(d.hi) && ok(d.lo)), {y: "label", x1: "lo", x2: "hi", stroke: s.stroke, strokeWidth: 2.5, strokeOpacity: 0.65, dy, className: "interval"}),
      Plot.dot(ps, {y: "label", x: "v", r: 3.5, symbol: s.symbol, fill: s.hollow ? ink().bg : s.stroke, stroke: s.stroke, dy, className: "figure"}),
      Plot.tip(ps.map(d => ({...d, text: said(p, l, d, ls)})), Plot.pointer({y: "label", x: "v", title: "text", dy, fill: ink().bg})));
  });
  const top = 22 + 12 * bounds.length;
  const svg = Plot.plot({...base(width, labels.length * row + top + 44), marginLeft: left, marginRight: 24, marginTop: top, marginBottom: 42,
    x: scale(x),
    y: {type: "band", domain: labels.map(d => d[0]), label: null, tickSize: 0, tickFormat: t => t.length > letters ? t.slice(0, Math.floor(letters / 3)) + "…" + t.slice(t.length - (letters - Math.floor(letters / 3) - 1)) : t}, marks: [axisX(x, ratio ? "ratio (1×: as dear as each other)" : axisName(p.unit)), marks]});
  return {nodes: [legend(p, ls, style), svg], svg};
}
const words = b => !finite(b.lo) ? `at most ${digits(b.hi)}×` : !finite(b.hi) ? `more than ${digits(b.lo)}×` : `${digits(b.lo)} to ${digits(b.hi)}×`;

function timeline(p, width) {
  const e = p.evidence, points = e.points.map(([round, lo, mid, hi]) => ({round, lo, mid, hi}));
  const doubles = e.doubles.flatMap((d, i) => d.points.map(([round, ratio]) => ({round, ratio, i, case: d.case})));
  const y = figureScale(points.flatMap(d => [d.lo, d.hi]).concat(doubles.map(d => d.ratio)), "log", "", 6, [1]);
  if (!y) return null;
  const key = e.doubles.length ? make("ul", {className: "key"}, ...e.doubles.map((d, i) => {
    const svg = d3.create("svg").attr("width", 14).attr("height", 12).attr("aria-hidden", "true");
    svg.append("path").attr("transform", "translate(7,6)").attr("d", d3.symbol(symbolType(symbols[i % 6]), 40)()).attr("fill", colour(i + 1));
    return make("li", {}, svg.node(), d.case + " against its own copy");
  })) : null;
  const svg = Plot.plot({...base(width, 260), marginLeft: 62, marginRight: 14, marginTop: 24, marginBottom: 42,
    x: {label: "round", labelAnchor: "center", labelArrow: "none", tickFormat: d => Number.isInteger(d) ? String(d) : "", domain: points.length > 1 ? undefined : [-0.5, 0.5]},
    y: scale(y), marks: [
      axisY(y, "a sample over its case’s median"),
      Plot.areaY(points, {x: "round", y1: "lo", y2: "hi", fill: colour(0), fillOpacity: 0.18, className: "band"}),
      Plot.ruleY([1], {stroke: ink().text}),
      Plot.lineY(points, {x: "round", y: "mid", stroke: colour(0), strokeWidth: 2, className: "line"}),
      Plot.dot(points, {x: "round", y: "mid", r: 2.5, fill: colour(0), className: "figure"}),
      e.doubles.map((_, i) => Plot.dot(doubles.filter(d => d.i === i), {x: "round", y: "ratio", r: 3, symbol: symbols[i % 6], fill: colour(i + 1), className: "double"})),
      Plot.ruleX(e.disturbed, {x: "round", stroke: ink().bad, strokeDasharray: "3 2", className: "disturbed"}),
      Plot.tip(points.map(d => ({...d, text: `round ${d.round}${e.perPoint > 1 ? " and the next " + (e.perPoint - 1) : ""}\n80% of the samples: ${quantity(d.lo, "")} to ${quantity(d.hi, "")}` +
        e.disturbed.filter(x => x.round === d.round).map(x => "\n" + x.reason).join("")})), Plot.pointerX({x: "round", y: "mid", title: "text", fill: ink().bg})),
    ]});
  return {nodes: [key, svg], svg};
}

function strips(p, width) {
  const rows = p.evidence, points = rows.flatMap(s => s.ratios.map(r => ({case: s.case, r, two: !!s.groups})));
  const longest = d3.max(rows, d => d.case.length), left = Math.min(longest * 6.6 + 12, width * 0.45), letters = Math.max(8, Math.floor((left - 12) / 6.6));
  const x = figureScale(points.map(d => d.r), "log", "", Math.max(3, Math.floor((width - left) / 60)), [1]);
  if (!x) return null;
  const svg = Plot.plot({...base(width, rows.length * 18 + 66), marginLeft: left, marginRight: 24, marginTop: 14, marginBottom: 42,
    x: scale(x),
    y: {type: "band", domain: rows.map(d => d.case), label: null, tickSize: 0, tickFormat: t => t.length > letters ? t.slice(0, Math.floor(letters / 3)) + "…" + t.slice(t.length - (letters - Math.floor(letters / 3) - 1)) : t},
    marks: [axisX(x, "a process over its case’s median"), Plot.ruleX([1], {stroke: ink().text}),
      Plot.dot(points, {x: "r", y: "case", r: 2.6, fill: d => d.two ? colour(1) : colour(0), fillOpacity: 0.55, className: "figure"}),
      Plot.tickX(rows.flatMap(s => (s.groups ?? []).map(g => ({case: s.case, g}))), {x: "g", y: "case", stroke: ink().bad, strokeWidth: 2, className: "group"}),
      Plot.tip(rows.flatMap(s => s.ratios.map(r => ({case: s.case, r, text: `${s.case}\n${s.n} processes, median ${quantity(s.median, "sec/op")}\nthis one ${quantity(r * s.median, "sec/op")}`}))), Plot.pointer({x: "r", y: "case", title: "text", fill: ink().bg}))]});
  return {nodes: [svg], svg};
}

function narrowing(p, width) {
  const rows = p.evidence.filter(d => d.points.length);
  if (!rows.length) return null;
  const per = Math.max(1, Math.min(rows.length, Math.floor((width - 60) / 130))), lines = Math.ceil(rows.length / per);
  const points = rows.flatMap((d, i) => d.points.map(([n, lo, hi]) => ({label: d.label, n, lo, hi, fx: i % per, fy: Math.floor(i / per)})));
  const y = figureScale(points.flatMap(d => [d.lo, d.hi]), "log", "", 5, [1]);
  const [first, last] = d3.extent(points, d => d.n);
  const svg = Plot.plot({...base(width, lines * 120 + 54), marginLeft: 56, marginRight: 14, marginTop: 10, marginBottom: 42,
    x: {type: "log", domain: [first, Math.max(last, first * 1.2)]}, y: scale(y), fx: {axis: null, padding: 0.12}, fy: {axis: null, padding: 0.25},
    marks: [axisX({ticks: [first, last].filter((v, i, a) => a.indexOf(v) === i), tickFormat: d => String(Math.round(d))}, "rounds"), axisY(y, null), Plot.ruleY([1], {stroke: ink().text}),
      Plot.areaY(points, {x: "n", y1: "lo", y2: "hi", fx: "fx", fy: "fy", fill: colour(0), fillOpacity: 0.25, className: "band"}),
      Plot.lineY(points, {x: "n", y: "lo", fx: "fx", fy: "fy", stroke: colour(0)}), Plot.lineY(points, {x: "n", y: "hi", fx: "fx", fy: "fy", stroke: colour(0)}),
      Plot.dot(points, {x: "n", y: "lo", fx: "fx", fy: "fy", r: 1.8, fill: colour(0), className: "figure"}), Plot.dot(points, {x: "n", y: "hi", fx: "fx", fy: "fy", r: 1.8, fill: colour(0)}),
      Plot.text(rows.map((d, i) => ({label: d.label, fx: i % per, fy: Math.floor(i / per)})), {text: "label", fx: "fx", fy: "fy", frameAnchor: "top-left", dy: -10, fontWeight: 600, fontSize: 11, fill: ink().text}),
      Plot.tip(points.map(d => ({...d, text: `${d.label}, after ${d.n} rounds\n${quantity(d.lo, "")} to ${quantity(d.hi, "")}`})), Plot.pointer({x: "n", y: "hi", fx: "fx", fy: "fy", title: "text", fill: ink().bg}))]});
  return {nodes: [svg], svg};
}

const kinds = {curve, forest, dots: forest, timeline, strips, narrowing};

function draw(figure) {
  const p = pictures.get(figure.id), box = figure.querySelector(".drawing");
  const width = Math.max(260, Math.floor(box.getBoundingClientRect().width));
  let drawn = null;
  try {
    drawn = kinds[p.kind](p, width);
  } catch (e) { // one picture that cannot be drawn leaves the others, and its table
    console.error(p.title, e);
  }
  if (!drawn) {
    box.replaceChildren(make("p", {className: "note", textContent: "Nothing to draw with these choices. The figures stand in the table."}));
    return;
  }
  drawn.svg.setAttribute("role", "img");
  drawn.svg.setAttribute("aria-label", p.sentence + " The figures are in the table below.");
  box.replaceChildren(...drawn.nodes.filter(Boolean), exporter(p, drawn.svg));
  box.dataset.width = width;
}
function redraw(study) {
  for (const f of document.querySelectorAll("figure.picture")) if (study === undefined || pictures.get(f.id).study === study) if (f.querySelector(".drawing").dataset.width) draw(f);
}

// ---- export ----

function exporter(p, svg) {
  const save = (href, ext) => make("a", {href, download: `memcost-${data.studies[p.study]}-${p.title}.${ext}`.replace(/[^\w.-]+/g, "-")}).click();
  const button = (name, act) => { const b = make("button", {type: "button", textContent: name, "aria-label": `${name}: ${p.sentence}`}); b.addEventListener("click", act); return b; };
  const text = () => new XMLSerializer().serializeToString(framed(p, svg));
  return make("div", {className: "export"},
    button("SVG", () => save(URL.createObjectURL(new Blob([text()], {type: "image/svg+xml"})), "svg")),
    button("PNG", () => {
      const image = new Image(), w = svg.width.baseVal.value, h = svg.height.baseVal.value + 84, scale = 2;
      image.onload = () => {
        const canvas = make("canvas", {width: w * scale, height: h * scale});
        canvas.getContext("2d").drawImage(image, 0, 0, w * scale, h * scale);
        canvas.toBlob(b => save(URL.createObjectURL(b), "png"));
      };
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text());
    }));
}
// A picture on its own: with its answer above it, and where it comes from below.
function framed(p, svg) {
  const copy = svg.cloneNode(true), w = svg.width.baseVal.value, h = svg.height.baseVal.value, ns = "http://www.w3.org/2000/svg";
  for (const e of copy.querySelectorAll("[aria-label=tip]")) e.remove();
  const outer = document.createElementNS(ns, "svg");
  for (const [k, v] of Object.entries({xmlns: ns, width: w, height: h + 84, viewBox: `0 0 ${w} ${h + 84}`, "font-family": "system-ui, 'DejaVu Sans', sans-serif", fill: ink().text})) outer.setAttribute(k, v);
  const say = (s, y, size, colour) => { const t = document.createElementNS(ns, "text"); for (const [k, v] of Object.entries({x: 8, y, "font-size": size, fill: colour})) t.setAttribute(k, v); t.textContent = s; outer.append(t); };
  const back = document.createElementNS(ns, "rect");
  for (const [k, v] of Object.entries({width: "100%", height: "100%", fill: ink().bg})) back.setAttribute(k, v);
  outer.append(back);
  wrap(p.sentence, Math.floor(w / 7.2)).slice(0, 3).forEach((l, i) => say(l, 18 + 17 * i, 14, ink().text));
  copy.setAttribute("y", 60);
  outer.append(copy);
  const key = svg.parentNode?.querySelector(".key");
  const from = [...new Set((p.sets ?? []).map(s => data.sets[s.set].machine))].join(", ");
  say([key ? [...key.children].map(c => c.textContent).join(" | ") : "", from, "memcost"].filter(Boolean).join(" · ").slice(0, Math.floor(w / 5.6)), h + 76, 10, ink().soft);
  return outer;
}
function wrap(s, most) {
  const out = [""];
  for (const word of s.split(" ")) (out.at(-1) + " " + word).length > most && out.at(-1) ? out.push(word) : out[out.length - 1] += (out.at(-1) ? " " : "") + word;
  return out;
}

// ---- start ----

function start() {
  readFragment();
  for (const s of document.querySelectorAll("section.study")) {
    const study = Number(s.dataset.study), form = s.querySelector(".controls");
    if (data.pictures.some(p => p.study === study && p.sets)) controls(form, study);
    form.addEventListener("submit", e => e.preventDefault());
  }
  const theme = make("button", {type: "button", className: "theme"});
  const name = () => theme.textContent = dark() ? "Light theme" : "Dark theme";
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); writeFragment(); redraw(); });
  name();
  document.querySelector("header.top").append(theme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { name(); redraw(); });
  // Pictures are drawn when they come near the screen, and again when their
  // width changes.
  const figures = [...document.querySelectorAll("figure.picture")];
  const near = new IntersectionObserver(es => { for (const e of es) if (e.isIntersecting) { near.unobserve(e.target); draw(e.target); sizes.observe(e.target.querySelector(".drawing")); } }, {rootMargin: "600px"});
  const sizes = new ResizeObserver(es => { for (const e of es) if (Math.abs(Math.floor(e.contentRect.width) - Number(e.target.dataset.width || 0)) > 2) draw(e.target.closest("figure")); });
  figures.forEach(f => near.observe(f));
  addEventListener("hashchange", () => { if (!decodeHash()) return; readFragment(); document.querySelectorAll("section.study").forEach(s => { const f = s.querySelector(".controls"); if (!f.hidden) controls(f, Number(s.dataset.study)); }); name(); redraw(); });
  const all = () => { figures.forEach(f => { near.unobserve(f); draw(f); }); };
  addEventListener("beforeprint", () => { document.querySelectorAll("details.figures, details.cases").forEach(d => d.open = true); all(); });
  root.dataset.ready = "true";
}
start();
})();
