"use strict";
// What a program had resident over time, and what its settings hold and cost.

// The curves of a program under several settings: the line is the median run, the band the lowest and the highest. Its
// data: {work: seconds, lines: [{name, grey, rows: [{at_sec, low, median, high}]}], marks: [{at, name}]}.
kinds.held = (data, box, {width}) => {
  const lines = data.lines.map((l, i) => ({...l, colour: l.grey ? ink().soft : colour(i)})),
    rows = lines.flatMap(l => l.rows.map(r => ({...r, line: l}))),
    top = d3.max(rows, r => r.high);
  if (!(top > 0)) return;
  const last = d3.max(rows, r => r.at_sec),
    step = 2 ** Math.ceil(Math.log2(Math.max(1, top / 4.5))),
    ticks = d3.range(0, top + step, step);
  const many = lines.length > 1,
    after = data.work > 0 ? [{x: data.work, text: "the work ends"}] : [];
  const svg = Plot.plot({
    ...base(width, narrow(width) ? 260 : 320),
    marginLeft: 66,
    marginRight: 20,
    marginTop: 36,
    marginBottom: 40,
    x: {domain: [0, last]},
    y: {domain: [0, top * 1.04]},
    marks: [
      Plot.gridY(ticks, {stroke: ink().line}),
      Plot.axisY({ticks, tickFormat: v => (v ? bytes(v) : "0"), label: null, tickSize: 0}),
      Plot.axisX({ticks: Math.min(8, width / 90), tickFormat: v => (v ? quantity(v, "sec") : "0"), label: null, tickSize: 4}),
      Plot.ruleX(after, {x: "x", stroke: ink().text, strokeDasharray: "4 3"}),
      Plot.text(after, {x: "x", text: "text", frameAnchor: "top", textAnchor: data.work > last / 2 ? "end" : "start", dx: data.work > last / 2 ? -5 : 5, dy: -14, fill: ink().text}),
      Plot.ruleX(data.marks, {x: "at", stroke: ink().soft, strokeDasharray: "1 3"}),
      Plot.text(data.marks, {x: "at", text: "name", frameAnchor: "top", textAnchor: "start", dx: 3, dy: 2, fill: ink().soft, fontSize: 11}),
      lines.map(l => [
        Plot.areaY(l.rows, {x: "at_sec", y1: "low", y2: "high", fill: l.colour, fillOpacity: l.grey ? 0.08 : 0.2, className: "band"}),
        Plot.lineY(l.rows, {x: "at_sec", y: "median", stroke: l.colour, strokeWidth: l.grey ? 1 : 2, strokeOpacity: l.grey ? 0.6 : 1, className: "line"}),
      ]),
      Plot.tip(
        rows.map(r => ({
          ...r,
          text: `${many ? r.line.name + "\n" : ""}${quantity(r.at_sec, "sec")}: ${bytes(r.median)}` +
            (r.high > r.low ? ` (${bytes(r.low)} to ${bytes(r.high)})` : ""),
        })),
        Plot.pointer({x: "at_sec", y: "median", title: "text", fill: ink().bg}),
      ),
    ],
  });
  describe(svg, box);
  box.replaceChildren(...(many ? [namesOf(lines)] : []), svg);
};

// What each setting holds over the CPU time that it takes, as ratios to the program as it is. Its data: {of, points: [{name,
// grey, own, held: [ratio, lo, hi], cpu: [ratio, lo, hi], peak, says}]}.
kinds.frontier = (data, box, {width}) => {
  const points = data.points.map((p, i) => ({
    ...p,
    x: p.cpu[0], x1: p.cpu[1] ?? p.cpu[0], x2: p.cpu[2] ?? p.cpu[0], y: p.held[0], y1: p.held[1] ?? p.held[0], y2: p.held[2] ?? p.held[0],
    colour: p.grey && !p.own ? ink().soft : colour(i),
  }));
  const kept = points.filter(p => !p.grey || p.own).sort((a, b) => a.x - b.x),
    shown = kept.filter((p, i) => i === 0 || Math.abs(p.x - kept[i - 1].x) + Math.abs(p.y - kept[i - 1].y) > 0.04);
  const xs = points.flatMap(p => [p.x1, p.x2]).filter(finite),
    ys = points.flatMap(p => [p.y1, p.y2, 0]).filter(finite),
    pad = 0.06 * (d3.max(xs) - d3.min(xs) || 0.2);
  const svg = Plot.plot({
    ...base(width, narrow(width) ? 280 : 340),
    marginLeft: 60,
    marginRight: 24,
    marginTop: 26,
    marginBottom: 46,
    x: {domain: [d3.min(xs) - pad, d3.max(xs) + pad]},
    y: {domain: [0, d3.max(ys) * 1.06]},
    marks: [
      Plot.axisX({ticks: Math.max(2, Math.min(7, width / 110)), tickFormat: v => +v.toFixed(2) + "×", label: "CPU time", tickSize: 4}),
      Plot.axisY({ticks: 5, tickFormat: v => +v.toFixed(2) + "×", label: data.of, tickSize: 4}),
      Plot.ruleX([1], {stroke: ink().line}),
      Plot.ruleY([1], {stroke: ink().line}),
      Plot.ruleY(points, {y: "y", x1: "x1", x2: "x2", stroke: "colour", strokeWidth: 2, strokeOpacity: 0.45}),
      Plot.ruleX(points, {x: "x", y1: "y1", y2: "y2", stroke: "colour", strokeWidth: 2, strokeOpacity: 0.45}),
      Plot.dot(points, {x: "x", y: "y", r: d => (d.own ? 6 : 4), fill: "colour", symbol: d => (d.own ? "square" : "circle"), className: "figure"}),
      Plot.text(shown, {x: "x", y: "y", text: p => fit(p.name, width / 3), textAnchor: p => (p.x > (d3.min(xs) + d3.max(xs)) / 2 ? "end" : "start"),
        dx: 8, dy: -9, fill: ink().text, fontSize: 11, filter: p => p.x <= (d3.min(xs) + d3.max(xs)) / 2}),
      Plot.text(shown, {x: "x", y: "y", text: p => fit(p.name, width / 3), textAnchor: "end",
        dx: -8, dy: -9, fill: ink().text, fontSize: 11, filter: p => p.x > (d3.min(xs) + d3.max(xs)) / 2}),
      Plot.tip(points, Plot.pointer({x: "x", y: "y", title: "says", fill: ink().bg})),
    ],
  });
  describe(svg, box);
  box.replaceChildren(svg);
};

function describe(svg, box) {
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", box.closest("figure").querySelector(".says").textContent);
  for (const g of svg.querySelectorAll(":scope > g")) g.setAttribute("aria-hidden", "true");
}

// The key of the lines.
function namesOf(lines) {
  const list = make("ul", {className: "key"});
  for (const l of lines) {
    const swatch = make("i", {});
    swatch.style.background = l.colour;
    swatch.style.cssText += ";display:inline-block;width:0.9em;height:0.9em;margin-right:0.4em;border-radius:2px";
    list.append(make("li", {}, swatch, l.name));
  }
  list.style.cssText = "display:flex;flex-wrap:wrap;gap:0.3em 1.2em;list-style:none;padding:0;margin:0.3em 0";
  return list;
}
