"use strict";
// Draws the evidence behind a run's figures.

// What is of several configurations is called after its own, too.
function ofArms(rows, name) {
  if (new Set(rows.map(r => r.config)).size < 2) return rows;
  return rows.map(r => ({...r, [name]: `${r[name]} · ${r.config}`}));
}

function timeline(p, width) {
  const e = p.evidence,
    points = e.points.map(([round, lo, mid, hi]) => ({round, lo, mid, hi}));
  const doubles = e.doubles.flatMap((d, i) => d.points.map(([round, ratio]) => ({round, ratio, i, case: d.case})));
  const y = figureScale(points.flatMap(d => [d.lo, d.hi]).concat(doubles.map(d => d.ratio)), "log", "", 6, [1]);
  if (!y) return null;
  const key = e.doubles.length
    ? make(
        "ul",
        {className: "key"},
        ...e.doubles.map((d, i) => {
          const svg = d3.create("svg").attr("width", 14).attr("height", 12).attr("aria-hidden", "true");
          svg
            .append("path")
            .attr("transform", "translate(7,6)")
            .attr("d", d3.symbol(symbolType(symbols[i % 6]), 40)())
            .attr("fill", colour(i + 1));
          return make("li", {}, svg.node(), d.case + ", second copy/first copy");
        }),
      )
    : null;
  const svg = Plot.plot({
    ...base(width, 260),
    marginLeft: 62,
    marginRight: 14,
    marginTop: 24,
    marginBottom: 42,
    x: {
      label: "round",
      labelAnchor: "center",
      labelArrow: "none",
      tickFormat: d => (Number.isInteger(d) ? String(d) : ""),
      domain: points.length > 1 ? undefined : [-0.5, 0.5],
    },
    y: scale(y),
    marks: [
      axisY(y, "sample/median of its case"),
      Plot.areaY(points, {x: "round", y1: "lo", y2: "hi", fill: colour(0), fillOpacity: 0.18, className: "band"}),
      Plot.ruleY([1], {stroke: ink().text}),
      Plot.lineY(points, {x: "round", y: "mid", stroke: colour(0), strokeWidth: 2, className: "line"}),
      Plot.dot(points, {x: "round", y: "mid", r: 2.5, fill: colour(0), className: "figure"}),
      e.doubles.map((_, i) =>
        Plot.dot(
          doubles.filter(d => d.i === i),
          {x: "round", y: "ratio", r: 3, symbol: symbols[i % 6], fill: colour(i + 1), className: "double"},
        ),
      ),
      Plot.ruleX(e.disturbed, {x: "round", stroke: ink().bad, strokeDasharray: "3 2", className: "excluded"}),
      Plot.tip(
        points.map(d => ({
          ...d,
          text:
            `round ${d.round}${e.perPoint > 1 ? " and the next " + (e.perPoint - 1) : ""}\n` +
            `80% of the samples lie in ${quantity(d.lo, "")} to ${quantity(d.hi, "")}` +
            e.disturbed
              .filter(x => x.round === d.round)
              .map(x => "\n" + x.reason)
              .join(""),
        })),
        Plot.pointerX({x: "round", y: "mid", title: "text", fill: ink().bg}),
      ),
    ],
  });
  return {nodes: [key, svg], svg};
}

function strips(p, width) {
  const rows = ofArms(p.evidence, "case"),
    points = rows.flatMap(s => s.ratios.map(r => ({case: s.case, r, two: !!s.groups})));
  const names = nameAxis(
      rows.map(d => d.case),
      width,
      60,
    ),
    left = names.left;
  const x = figureScale(
    points.map(d => d.r),
    "log",
    "",
    Math.max(3, Math.floor((width - left) / 60)),
    [1],
  );
  if (!x) return null;
  const svg = Plot.plot({
    ...base(width, rows.length * 18 + 66),
    marginLeft: left,
    marginRight: 24,
    marginTop: 14,
    marginBottom: 42,
    x: scale(x),
    y: names.y,
    marks: [
      axisX(x, "process/median of its case"),
      Plot.ruleX([1], {stroke: ink().text}),
      Plot.dot(points, {
        x: "r",
        y: "case",
        r: 2.6,
        fill: d => (d.two ? colour(1) : colour(0)),
        fillOpacity: 0.55,
        className: "figure",
      }),
      Plot.tickX(
        rows.flatMap(s => (s.groups ?? []).map(g => ({case: s.case, g}))),
        {x: "g", y: "case", stroke: ink().bad, strokeWidth: 2, className: "group"},
      ),
      Plot.tip(
        rows.flatMap(s =>
          s.ratios.map(r => ({
            case: s.case,
            r,
            text:
              `${s.case}\n${s.n} processes, median ${quantity(s.median, "sec/op")}\n` +
              `this one ${quantity(r * s.median, "sec/op")}`,
          })),
        ),
        Plot.pointer({x: "r", y: "case", title: "text", fill: ink().bg}),
      ),
    ],
  });
  return {nodes: [svg], svg};
}

function narrowing(p, width) {
  const rows = ofArms(p.evidence, "label").filter(d => d.points.length);
  if (!rows.length) return null;
  const per = Math.max(1, Math.min(rows.length, Math.floor((width - 60) / 130))),
    lines = Math.ceil(rows.length / per);
  const points = rows.flatMap((d, i) =>
    d.points.map(([n, lo, hi]) => ({label: d.label, n, lo, hi, fx: i % per, fy: Math.floor(i / per)})),
  );
  const y = figureScale(
    points.flatMap(d => [d.lo, d.hi]),
    "log",
    "",
    5,
    [1],
  );
  const [first, last] = d3.extent(points, d => d.n);
  const svg = Plot.plot({
    ...base(width, lines * 120 + 54),
    marginLeft: 56,
    marginRight: 14,
    marginTop: 10,
    marginBottom: 42,
    x: {type: "log", domain: [first, Math.max(last, first * 1.2)]},
    y: scale(y),
    fx: {axis: null, padding: 0.12},
    fy: {axis: null, padding: 0.25},
    marks: [
      axisX(
        {ticks: [first, last].filter((v, i, a) => a.indexOf(v) === i), tickFormat: d => String(Math.round(d))},
        "rounds",
      ),
      axisY(y, null),
      Plot.ruleY([1], {stroke: ink().text}),
      Plot.areaY(points, {
        x: "n",
        y1: "lo",
        y2: "hi",
        fx: "fx",
        fy: "fy",
        fill: colour(0),
        fillOpacity: 0.25,
        className: "band",
      }),
      Plot.lineY(points, {x: "n", y: "lo", fx: "fx", fy: "fy", stroke: colour(0)}),
      Plot.lineY(points, {x: "n", y: "hi", fx: "fx", fy: "fy", stroke: colour(0)}),
      Plot.dot(points, {x: "n", y: "lo", fx: "fx", fy: "fy", r: 1.8, fill: colour(0), className: "figure"}),
      Plot.dot(points, {x: "n", y: "hi", fx: "fx", fy: "fy", r: 1.8, fill: colour(0)}),
      Plot.text(
        rows.map((d, i) => ({label: d.label, fx: i % per, fy: Math.floor(i / per)})),
        {
          text: "label",
          fx: "fx",
          fy: "fy",
          frameAnchor: "top-left",
          dy: -10,
          fontWeight: 600,
          fontSize: 11,
          fill: ink().text,
        },
      ),
      Plot.tip(
        points.map(d => ({
          ...d,
          text: `${d.label}, after ${d.n} rounds\n${quantity(d.lo, "")} to ${quantity(d.hi, "")}`,
        })),
        Plot.pointer({x: "n", y: "hi", fx: "fx", fy: "fy", title: "text", fill: ink().bg}),
      ),
    ],
  });
  return {nodes: [svg], svg};
}

// The ratios of single rounds, a small picture for each comparison with a scale of its own, and
// how their intervals narrowed.
function rounds(p, width) {
  const rows = p.evidence;
  if (!rows.length) return null;
  const per = Math.max(1, Math.min(rows.length, Math.floor(width / 230))),
    wide = Math.floor(width / per),
    high = 150;
  const height = Math.ceil(rows.length / per) * high;
  const all = d3
    .create("svg")
    .attr("width", width)
    .attr("height", height)
    .attr("viewBox", `0 0 ${width} ${height}`)
    .node();
  rows.forEach((d, i) => {
    const one = roundsOf(d, wide, high);
    if (!one) return;
    one.setAttribute("x", (i % per) * wide);
    one.setAttribute("y", Math.floor(i / per) * high);
    for (const g of one.querySelectorAll(":scope > g")) g.setAttribute("aria-hidden", "true");
    all.append(one);
  });
  return {nodes: [all], svg: all};
}
function roundsOf(d, width, height) {
  const dots = d.ratios.map((r, i) => ({n: i + 1, r})),
    looks = d.looks.map(([n, lo, hi]) => ({n, lo, hi}));
  const y = figureScale(
    dots.map(x => x.r).concat(looks.flatMap(x => [x.lo, x.hi])),
    "log",
    "",
    4,
    [1],
  );
  if (!y) return null;
  return Plot.plot({
    ...base(width, height),
    marginLeft: 54,
    marginRight: 10,
    marginTop: 22,
    marginBottom: 34,
    x: {domain: [0, dots.length + 1]},
    y: scale(y),
    marks: [
      axisX({ticks: 3, tickFormat: v => String(Math.round(v))}, "round"),
      axisY(y, null),
      Plot.ruleY([1], {stroke: ink().text}),
      Plot.areaY(looks, {x: "n", y1: "lo", y2: "hi", fill: colour(0), fillOpacity: 0.25, className: "band"}),
      Plot.dot(dots, {x: "n", y: "r", r: 1.8, fill: colour(1), className: "figure"}),
      Plot.text([fit(d.label, width - 70)], {
        frameAnchor: "top-left",
        dy: -16,
        fontWeight: 600,
        fontSize: 11,
        fill: ink().text,
      }),
      Plot.tip(
        dots.map(x => ({...x, text: `${d.label}\nround ${x.n}: ${quantity(x.r, "")}`})),
        Plot.pointer({x: "n", y: "r", title: "text", fill: ink().bg}),
      ),
    ],
  });
}
