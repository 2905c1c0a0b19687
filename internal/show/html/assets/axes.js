"use strict";
// What all pictures have in common: lines, styles, scales and axes.

// Values that an axis can show; an interval may reach beyond.
const finite = v => v !== null && Number.isFinite(v) && (v === 0 || (Math.abs(v) > 1e-30 && Math.abs(v) < 1e30));
const narrow = width => width < 480;

// The points of a picture that the choices leave: one list for each data set and
// column that has any.
function lines(p) {
  const out = [];
  for (const s of p.sets)
    if (shown(p.study, s.set))
      p.columns.forEach((column, c) => {
        const points = [];
        for (const r of s.rows) {
          const f = r.cells[c];
          if (!f || !finite(f[0]) || !inRange(p, r.value)) continue;
          points.push({
            label: r.label,
            value: r.value,
            x: number(r.value),
            v: f[0],
            lo: f[1],
            hi: f[2],
            n: f[3],
            set: s.set,
            column: c,
          });
        }
        if (points.length)
          out.push({
            set: s.set,
            column: c,
            name: column,
            points: p.numeric ? points.sort((a, b) => a.x - b.x) : points,
          });
      });
  return out;
}

// How a line looks: colour by column where there are several, else by data set;
// the other of the two by dash and symbol.
function styler(p, ls) {
  const sets = [...new Set(p.sets.map(s => s.set))],
    several = p.columns.length > 1;
  // A means has its colour, the first column of it where there are several.
  const of = p.columns.map(familyOf),
    own = c => several && of[c] && of.indexOf(of[c]) === c;
  return l => {
    const at = sets.indexOf(l.set),
      c = several ? l.column : at;
    return {
      stroke: l.column === p.roofline ? ink().soft : own(c) ? familyColour(of[c]) : colour(c),
      dash: several ? dashes[at % dashes.length] : "",
      symbol: symbols[at % symbols.length],
      hollow: data.sets[l.set].published,
    };
  };
}
const ownSets = p => new Set(p.sets.map(s => s.set).filter(s => !data.sets[s].published)).size;
const lineName = (p, l, ls) => {
  const many = new Set(ls.map(x => x.set)).size > 1,
    columns = p.columns.length > 1;
  // On a card what is of here, and of one configuration, goes without saying.
  const here = p.compact && columns && !data.sets[l.set].published && ownSets(p) === 1,
    sets = many && !here;
  return [columns || !sets ? l.name : "", sets ? data.sets[l.set].label : ""].filter(Boolean).join(" · ");
};
const said = (p, l, d, ls) =>
  `${lineName(p, l, ls)}\n${p.by} ${d.label}: ${quantity(d.v, p.unit)}` +
  (finite(d.lo) && finite(d.hi)
    ? `\n${quantity(d.lo, p.unit)} to ${quantity(d.hi, p.unit)}`
    : data.sets[d.set].published
      ? "\na single published figure"
      : "\nno interval");

function legend(p, ls, style) {
  if (ls.length < 2) return null;
  const list = make("ul", {className: "key"});
  for (const l of ls) {
    const s = style(l),
      svg = d3.create("svg").attr("width", 30).attr("height", 12).attr("aria-hidden", "true");
    if (p.kind === "curve")
      svg
        .append("line")
        .attr("x1", 0)
        .attr("x2", 30)
        .attr("y1", 6)
        .attr("y2", 6)
        .attr("stroke", s.stroke)
        .attr("stroke-width", 2)
        .attr("stroke-dasharray", s.dash);
    svg
      .append("path")
      .attr("transform", "translate(15,6)")
      .attr("d", d3.symbol(symbolType(s.symbol), 40)())
      .attr("fill", s.hollow ? ink().bg : s.stroke)
      .attr("stroke", s.stroke);
    list.append(make("li", {}, svg.node(), lineName(p, l, ls)));
  }
  return list;
}
const symbolType = name => d3["symbol" + name[0].toUpperCase() + name.slice(1)];

// Axes with the ticks that were chosen: on its own, a logarithmic scale leaves the
// labels of some out.
const axisX = ({ticks, tickFormat}, label) => [
  Plot.gridX({ticks, stroke: ink().line, strokeOpacity: 1}),
  Plot.axisX({ticks, text: tickFormat, label, labelAnchor: "center", labelArrow: "none", tickSize: 4}),
];
const axisY = ({ticks, tickFormat}, label) => [
  Plot.gridY({ticks, stroke: ink().line, strokeOpacity: 1}),
  Plot.axisY({ticks, text: tickFormat, label, labelAnchor: "top", labelArrow: "none", tickSize: 4}),
];
const scale = ({type, domain, nice}) => ({type, domain, nice});

// The width of a text, and a text that is cut in its middle to fit: names differ
// at their ends.
const pen = document.createElement("canvas").getContext("2d");
const textWidth = (s, size = 12) => {
  pen.font = `${size}px ${font}`;
  return pen.measureText(s).width;
};
function fit(s, room) {
  const w = textWidth(s);
  if (w <= room) return s;
  const keep = Math.max(4, Math.floor((s.length * room) / w) - 2),
    front = Math.floor(keep / 3);
  return s.slice(0, front) + "…" + s.slice(s.length - (keep - front));
}
// Returns labels that fit into the room: where one does not fit, all lose the parts that
// they share; then the keys; labels that are still too long are cut.
function shortNames(names, room) {
  const fits = all => all.every(n => textWidth(n) <= room);
  let labels = names;
  if (!fits(labels)) {
    const parts = names.map(n => n.split("/"));
    const shared = (p, i) => parts.every(q => q[i] === p[i]);
    const rest = parts.map(p => p.filter((_, i) => !shared(p, i)));
    if (rest.some(p => p.length === 0)) rest.splice(0, rest.length, ...parts);
    labels = rest.map(p => p.join("/"));
    if (!fits(labels)) {
      const values = rest.map(p => p.map(v => v.slice(v.indexOf("=") + 1)).join("/"));
      if (new Set(values).size === new Set(names).size) labels = values;
    }
  }
  return new Map(names.map((n, i) => [n, fit(labels[i], room)]));
}
// Returns the axis of names, and the room that it takes.
function nameAxis(names, width, least) {
  const left = Math.min(Math.max(least, d3.max(names, n => textWidth(n)) + 14), width * 0.45);
  const labels = shortNames(names, left - 12);
  return {left, y: {type: "band", domain: names, label: null, tickSize: 0, tickFormat: t => labels.get(t)}};
}

const font = "system-ui, 'DejaVu Sans', sans-serif";
const base = (width, height) => ({
  width,
  height,
  style: {
    fontFamily: font,
    fontSize: "12px",
    background: "transparent",
    color: ink().text,
    overflow: "visible",
  },
});

// Returns the ticks of a key with numbers: its values, as many as have room.
function keyTicks(p, ls, room, log) {
  const values = [...new Map(ls.flatMap(l => l.points.map(d => [d.x, d.label]))).entries()].sort((a, b) => a[0] - b[0]);
  const ends = [values[0][0], values.at(-1)[0]],
    at = (log && ends[0] > 0 ? d3.scaleLog : d3.scaleLinear)(ends, [0, room]),
    kept = [];
  for (const [x] of values) if (!kept.length || at(x) - at(kept.at(-1)) >= 58) kept.push(x);
  return {ticks: kept, format: v => new Map(values).get(v) ?? digits(v)};
}
// Ticks of a logarithmic axis: few enough to be read, at 1, 2 and 5 where decades
// are not enough.
const logSteps = [[1, 1.5, 2, 3, 4, 5, 7], [1, 2, 5], [1, 3], [1]];
function logTicks(lo, hi, most) {
  if (!(lo > 0 && hi / lo < 1e60)) return [lo, hi];
  if (hi / lo < 4) {
    // Nearly linear; but the upper ones stand closer to each other. 1, where two
    // things cost the same, comes before any other.
    const least = (Math.log(hi / lo) / most) * 0.9,
      kept = lo <= 1 && hi >= 1 ? [1] : [];
    for (const t of d3.ticks(lo, hi, most)) if (kept.every(k => Math.abs(Math.log(t / k)) >= least)) kept.push(t);
    return kept;
  }
  const all = m => {
    const out = [];
    for (let e = Math.floor(Math.log10(lo)); e <= Math.ceil(Math.log10(hi)); e++)
      for (const x of m) {
        const v = Number((x * 10 ** e).toPrecision(12));
        if (v >= lo * 0.999 && v <= hi * 1.001) out.push(v);
      }
    return out;
  };
  for (const m of logSteps) {
    const t = all(m);
    if (t.length <= most && t.length > 1) return t;
  }
  const t = all([1]),
    step = Math.ceil(t.length / most);
  return t.length > 1 ? t.filter((_, i) => i % step === 0) : [lo, hi].filter((v, i, a) => a.indexOf(v) === i);
}
// Bytes are counted in powers of two.
const inBytes = unit => quantity(1024, unit) === "1 KiB";
function binaryTicks(lo, hi, most) {
  const from = Math.ceil(Math.log2(lo)),
    to = Math.floor(Math.log2(hi)),
    step = Math.max(1, Math.ceil((to - from) / most));
  return to - from < 2
    ? logTicks(lo, hi, most)
    : d3.range(Math.ceil(from / step) * step, to + 1, step).map(e => 2 ** e);
}
// The scale of figures: what its axis covers, and its ticks.
function figureScale(values, type, unit, most, include = []) {
  const usable = values.concat(include).filter(v => finite(v) && (type === "linear" || v > 0));
  let [lo, hi] = d3.extent(usable);
  if (lo === undefined) return null;
  const tick = v =>
    quantity(v, unit)
      .replace(/(\.\d*?)0+(?=\D|$)/, "$1")
      .replace(/\.(?=\D|$)/, ""); // 50 ns, not 50.0 ns
  if (type === "linear") return {type, domain: [Math.min(0, lo), hi || 1], ticks: most, tickFormat: tick, nice: true};
  const pad = Math.max(1.03, (hi / lo) ** 0.04);
  lo /= pad;
  hi *= pad;
  const ticks = inBytes(unit) ? binaryTicks(lo, hi, most) : logTicks(lo, hi, most);
  return {type: "log", domain: [lo, hi], ticks, tickFormat: tick};
}
