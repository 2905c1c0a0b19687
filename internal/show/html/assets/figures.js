"use strict";
// The pictures that a study asks for.

function curve(p, width) {
  const ls = lines(p),
    c = choices[p.study],
    style = styler(p, ls),
    height = p.compact ? 222 : narrow(width) ? 300 : 380;
  if (!ls.length) return null;
  const left = 74,
    right = p.compact ? 28 : 14,
    xs = ls.flatMap(l => l.points.map(d => d.x)),
    xLog = c.x === "log" && d3.min(xs) > 0,
    k = keyTicks(p, ls, width - left - right, xLog);
  const y = figureScale(
    ls.flatMap(l => l.points.flatMap(d => [d.v, d.lo, d.hi].filter(finite))),
    c.y,
    p.unit,
    7,
  );
  if (!y) return null;
  const onAxis = v => c.y === "linear" || v > 0;
  if (new Set(xs).size < 2) return forest(p, width); // a curve needs two points
  const marks = [];
  const machine = ls.map(l => data.sets[l.set]).find(s => !s.published && s.caches);
  if (p.by === "size" && machine) {
    const [lo, hi] = d3.extent(xs),
      inside = machine.caches.filter(x => x.bytes > lo && x.bytes <= hi);
    marks.push(
      Plot.ruleX(inside, {x: "bytes", stroke: ink().soft, strokeDasharray: "1 3", className: "cache"}),
      // At the right end there is room on one side only.
      [false, true].map(right =>
        Plot.text(
          inside.filter(d => d.bytes > 0.6 * hi === right),
          {
            x: "bytes",
            text: d => `${d.name} ${bytes(d.bytes)}`,
            frameAnchor: "top",
            textAnchor: right ? "end" : "middle",
            dy: -8,
            fill: ink().soft,
            fontSize: 11,
          },
        ),
      ),
    );
  }
  for (const l of ls) {
    const s = style(l),
      ps = l.points.filter(d => onAxis(d.v));
    const band = ps.filter(d => finite(d.lo) && finite(d.hi) && onAxis(d.lo));
    if (l.column === p.roofline)
      marks.push(
        Plot.areaY(ps, {
          x: "x",
          y1: p.unit === "B/sec" ? y.domain[1] : y.domain[0],
          y2: "v",
          fill: s.stroke,
          fillOpacity: 0.12,
          className: "roofline",
        }),
      );
    if (band.length > 1)
      marks.push(Plot.areaY(band, {x: "x", y1: "lo", y2: "hi", fill: s.stroke, fillOpacity: 0.18, className: "band"}));
    if (ps.length > 1)
      marks.push(
        Plot.lineY(ps, {x: "x", y: "v", stroke: s.stroke, strokeWidth: 2, strokeDasharray: s.dash, className: "line"}),
      );
    marks.push(
      Plot.dot(ps, {
        x: "x",
        y: "v",
        r: 3,
        symbol: s.symbol,
        fill: s.hollow ? ink().bg : s.stroke,
        stroke: s.stroke,
        strokeWidth: 1.2,
        className: "figure",
      }),
    );
  }
  const all = ls.flatMap(l => l.points.filter(d => onAxis(d.v)).map(d => ({...d, text: said(p, l, d, ls)})));
  marks.push(Plot.tip(all, Plot.pointer({x: "x", y: "v", title: "text", fill: ink().bg})));
  const svg = Plot.plot({
    ...base(width, height),
    marginLeft: left,
    marginRight: right,
    marginTop: 34,
    marginBottom: 42,
    x: {type: xLog ? "log" : "linear"},
    y: scale(y),
    marks: [axisX({ticks: k.ticks, tickFormat: k.format}, p.by), axisY(y, axisName(p.unit)), marks],
  });
  return {nodes: [legend(p, ls, style), svg], svg};
}

// Draws figures by toolchain: each data set is one, and a figure holds until it changes.
function steps(p, width) {
  const c = choices[p.study],
    byColumn = p.columns.map((name, column) => ({name, column, set: p.sets[0].set, points: []}));
  for (const l of lines(p)) byColumn[l.column].points.push(...l.points);
  const ls = byColumn.filter(l => l.points.length),
    at = new Set(ls.flatMap(l => l.points.map(d => d.set)));
  if (!ls.length) return null;
  if (at.size < 2) return forest(p, width); // one toolchain has no steps
  const label = set => data.sets[set].label,
    domain = p.sets.filter(s => at.has(s.set)).map(s => label(s.set));
  const y = figureScale(
    ls.flatMap(l => l.points.map(d => d.v)),
    c.y,
    p.unit,
    7,
  );
  if (!y) return null;
  const style = styler({...p, sets: [p.sets[0]]}),
    all = [],
    marks = [];
  ls.forEach((l, i) => {
    const s = style(l),
      shift = (i - (ls.length - 1) / 2) * 3; // equal figures stay apart
    const ps = l.points.filter(d => c.y === "linear" || d.v > 0).map(d => ({...d, x: label(d.set)}));
    const shape = {x: "x", y: "v", stroke: s.stroke, dy: shift};
    marks.push(
      Plot.line(ps, {...shape, strokeWidth: 2, curve: "step", className: "line"}),
      Plot.dot(ps, {...shape, r: 3, fill: s.stroke, className: "figure"}),
    );
    all.push(...ps.map(d => ({...d, text: `${l.name}\n${d.x}: ${quantity(d.v, p.unit)}`})));
  });
  marks.push(Plot.tip(all, Plot.pointer({x: "x", y: "v", title: "text", fill: ink().bg})));
  const tilt = domain.length * 70 > width - 90;
  const svg = Plot.plot({
    ...base(width, p.compact ? 240 : narrow(width) ? 320 : 400),
    marginLeft: 74,
    marginRight: 30,
    marginTop: 24,
    marginBottom: tilt ? 78 : 42,
    x: {type: "point", domain, label: null, tickRotate: tilt ? -45 : 0, tickSize: 4},
    y: scale(y),
    marks: [axisY(y, axisName(p.unit)), marks],
  });
  return {nodes: [legend({...p, kind: "curve"}, ls, style), svg], svg};
}

// Figures or ratios with their intervals, one line for each value of the key.
function forest(p, width) {
  const ratio = p.kind === "forest",
    ls = lines(p),
    c = choices[p.study],
    style = styler(p, ls);
  if (!ls.length) return null;
  const labels = [...new Map(ls.flatMap(l => l.points.map(d => [d.label, d.x]))).entries()];
  if (p.numeric) labels.sort((a, b) => a[1] - b[1]);
  if (p.sorted && c.sort === "name") labels.sort((a, b) => a[0].localeCompare(b[0], "en", {numeric: true}));
  const step = p.compact ? 5 : narrow(width) ? 8 : 9,
    row = p.compact ? Math.max(13, Math.min(30, 190 / labels.length)) : Math.max(24, ls.length * step + 10);
  const names = nameAxis(
      labels.map(d => d[0]),
      width,
      60,
    ),
    left = names.left;
  const bounds = ratio ? (p.bounds ?? []) : [];
  const inclusive = bounds
    .flatMap(b => [b.lo, b.hi])
    .filter(finite)
    .concat(ratio ? [1] : []);
  const x = figureScale(
    ls.flatMap(l => l.points.flatMap(d => [d.v, d.lo, d.hi].filter(finite))),
    c.x,
    p.unit,
    Math.max(3, Math.floor((width - left) / 70)),
    inclusive.filter(v => v > 0),
  );
  if (!x) return null;
  const ok = v => c.x === "linear" || v > 0,
    marks = [];
  const allowed = b => `${b.claim}: ${words(b)}`,
    place = v => (x.type === "log" ? d3.scaleLog : d3.scaleLinear)(x.domain, [left, width - 24])(v),
    atEnd = (b, x1) => place(x1) + textWidth(allowed(b), 11) + 8 > width;
  bounds.forEach((b, i) => {
    const x1 = finite(b.lo) ? Math.max(b.lo, x.domain[0]) : x.domain[0],
      x2 = finite(b.hi) ? Math.min(b.hi, x.domain[1]) : x.domain[1];
    if (!(x1 < x2)) return;
    marks.push(
      Plot.rectX([b], {x1, x2, fill: ink().good, fillOpacity: 0.09, className: "allowed"}),
      Plot.ruleX([b.lo, b.hi].filter(finite), {stroke: ink().good, strokeDasharray: "4 3", className: "bound"}),
      Plot.text([b], {
        // the margin of a comparison is far from the left where all is slower
        ...(p.sorted || atEnd(b, x1) ? {} : {x: x1}),
        text: allowed,
        frameAnchor: atEnd(b, x1) ? "top-right" : "top-left",
        textAnchor: atEnd(b, x1) ? "end" : "start",
        dx: 3,
        dy: -12 * (i + 1),
        fill: ink().good,
        fontSize: 11,
      }),
    );
  });
  if (ratio) marks.push(Plot.ruleX([1], {stroke: ink().text, strokeWidth: 1.5, className: "one"}));
  if (ls.length > 1)
    marks.push(Plot.ruleY(labels.slice(1), {y: d => d[0], dy: -row / 2, stroke: ink().line, className: "between"}));
  ls.forEach((l, i) => {
    const s = style(l),
      dy = (i - (ls.length - 1) / 2) * step,
      ps = l.points.filter(d => ok(d.v));
    marks.push(
      Plot.ruleY(
        ps.filter(d => finite(d.lo) && finite(d.hi) && ok(d.lo)),
        {
          y: "label",
          x1: "lo",
          x2: "hi",
          stroke: s.stroke,
          strokeWidth: 2.5,
          strokeOpacity: 0.65,
          dy,
          className: "interval",
        },
      ),
      Plot.dot(ps, {
        y: "label",
        x: "v",
        r: 3.5,
        symbol: s.symbol,
        fill: s.hollow ? ink().bg : s.stroke,
        stroke: s.stroke,
        dy,
        className: "figure",
      }),
      Plot.tip(
        ps.map(d => ({...d, text: said(p, l, d, ls)})),
        Plot.pointer({y: "label", x: "v", title: "text", dy, fill: ink().bg}),
      ),
    );
  });
  const top = 22 + 12 * bounds.length;
  const svg = Plot.plot({
    ...base(width, labels.length * row + top + 44),
    marginLeft: left,
    marginRight: 24,
    marginTop: top,
    marginBottom: 42,
    x: scale(x),
    y: names.y,
    marks: [axisX(x, ratio ? "ratio (1×: both cost the same)" : axisName(p.unit)), marks],
  });
  return {nodes: [legend(p, ls, style), svg], svg};
}
const words = b =>
  !finite(b.lo)
    ? `at most ${digits(b.hi)}×`
    : !finite(b.hi)
      ? `more than ${digits(b.lo)}×`
      : `${digits(b.lo)} to ${digits(b.hi)}×`;
