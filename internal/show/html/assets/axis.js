"use strict";
// The picture on one axis: what a block costs by its size, by every means. Its colours belong
// to the means; sizes and times are logarithmic. Its data is the axis of the front, as JSON has it,
// with series: [{label, published}], of which the first is here, and of: of each of the means, its series.

const axisFigure = document.querySelector("figure.picture.axis"),
  axis = JSON.parse(axisFigure.querySelector("script").textContent);
// Damage can be negative, or beyond all measure: it has no place on an axis.
const onAxis = p => p.size > 0 && p.figure.value > 1e-30 && p.figure.value < 1e30;
axis.means.forEach((m, i) => Object.assign(m, {series: axis.of[i], points: (m.points ?? []).filter(onAxis)}));
const axisChoice = {per: "block", at: null, beside: new Set(), asked: new Set()};
const mostBeside = 3; // other machines at a time

// Dashes tell the settings of one family apart.
const axisDashes = ["", "7 3", "2 2.5", "9 3 2 3", "13 3", "4 4", "1 3", "9 2 2 2 2 2"];
const axisDash = i => axisDashes[i % axisDashes.length];

const seriesName = i => axis.series[i].label.replace(/, published$/, "");
const per = d => (axisChoice.per === "KiB" ? 1024 / d.size : 1);
const pointOf = p => ({size: p.size, v: p.figure.value, lo: p.figure.lo, hi: p.figure.hi, hollow: p.hollow, flagged: !!p.flag});

// The curves that are shown: of here those that say most and those that the reader asked for, and what
// the reader has put beside them.
const isAsked = m => !m.asked || axisChoice.asked.has(m.key);
function axisCurves() {
  return axis.means
    .map((m, i) => ({...m, i, points: m.points.map(pointOf).map(d => ({...d, y: d.v * per(d)}))}))
    .filter(m => m.points.length && isAsked(m) && (m.series === 0 || axisChoice.beside.has(axis.series[m.series].label)));
}

// How far apart two neighbours are, in sizes, decides whether the line between them claims
// anything: solid, dotted, or none.
function segments(points) {
  const solid = [],
    dotted = [];
  let run = [points[0]];
  points.slice(1).forEach((d, i) => {
    const apart = d.size / points[i].size;
    if (apart <= 4.01) return run.push(d);
    solid.push(run);
    if (apart <= 64.01) dotted.push([points[i], d]);
    run = [d];
  });
  solid.push(run);
  return {solid: solid.filter(r => r.length > 1), dotted};
}

// The picture takes what the rest of the first screen leaves: 900 pixels hold both.
function axisHeight(box, zoom) {
  const first = box.closest(".first") ?? axisFigure,
    others = (first.offsetTop + first.offsetHeight - box.offsetHeight) / zoom;
  return Math.min(Math.max(890 - others, 400), 560);
}

function axisFrame(box) {
  const zoom = Math.max(1, parseFloat(getComputedStyle(root).fontSize) / 16),
    width = Math.max(300, Math.floor(box.getBoundingClientRect().width / zoom)),
    small = width < 620,
    long = width >= 960;
  const curves = axisCurves(),
    sizes = [...new Set(curves.flatMap(c => c.points.map(d => d.size)))].sort((a, b) => a - b),
    ys = curves.flatMap(c => c.points.map(d => d.y));
  const names = curves.filter(c => c.series === 0).map(c => textWidth(long ? c.label : c.short, 12.5));
  const m = {top: 20, right: small ? 14 : d3.max(names) + 28, bottom: 24, left: small ? 46 : 54},
    height = small ? 430 : axisHeight(box, zoom);
  const x = d3.scaleLog([sizes[0] / 1.15, sizes.at(-1) * 1.15], [m.left, width - m.right]),
    y = d3.scaleLog([d3.min(ys) / 1.5, d3.max(ys) * 1.5], [height - m.bottom, m.top]);
  return {zoom, width, height, small, long, curves, sizes, m, x, y, taken: []};
}

function drawAxis(box) {
  const f = axisFrame(box),
    svg = d3
      .create("svg")
      .attr("width", f.width)
      .attr("height", f.height)
      .attr("viewBox", `0 0 ${f.width} ${f.height}`)
      .attr("font-family", font)
      .attr("font-size", 12)
      .attr("aria-hidden", "true")
      .style("color", ink().text);
  axisGrid(svg, f);
  axisFloor(svg, f);
  axisCaches(svg, f);
  for (const c of [...f.curves].reverse()) axisCurve(svg, f, c);
  axisRatio(svg, f);
  const cursor = svg.append("g").attr("class", "cursor");
  axisLabels(svg, f);
  axisNotes(svg, f);
  svg.style("width", f.zoom > 1 ? "100%" : null).style("height", f.zoom > 1 ? "auto" : null);
  box.replaceChildren(svg.node());
  box.dataset.width = Math.floor(box.getBoundingClientRect().width);
  return {...f, svg: svg.node(), cursor};
}

function axisGrid(svg, f) {
  const {x, y, m} = f,
    [lo, hi] = y.domain(),
    right = f.width - m.right;
  const decades = Math.log10(hi / lo) < 2 ? logTicks(lo, hi, 6) : logTicks(lo, hi, 10);
  const text = (s, at) =>
    svg
      .append("text")
      .attr("fill", ink().soft)
      .attr("font-size", 11.5)
      .attr("x", at.x)
      .attr("y", at.y)
      .attr("text-anchor", at.anchor)
      .text(s);
  for (const t of decades) {
    svg
      .append("line")
      .attr("x1", m.left)
      .attr("x2", right)
      .attr("y1", y(t))
      .attr("y2", y(t))
      .attr("stroke", ink().line)
      .attr("stroke-opacity", 0.7);
    text(roundTick(quantity(t, "sec/op")), {x: m.left - 7, y: y(t) + 4, anchor: "end"});
  }
  const bottom = f.height - m.bottom;
  svg
    .append("path")
    .attr("d", `M${m.left},${bottom}H${right}`)
    .attr("stroke", ink().soft);
  const [from, to] = x.domain(),
    step = Math.max(1, Math.ceil(58 / (x(2 * from) - x(from))));
  for (let e = Math.ceil(Math.log2(from) / step) * step; 2 ** e <= to; e += step) {
    const at = x(2 ** e);
    svg
      .append("path")
      .attr("d", `M${at},${bottom}v5`)
      .attr("stroke", ink().soft);
    text(roundTick(bytes(2 ** e)), {x: at, y: bottom + 17, anchor: "middle"});
  }
  if (!f.small && m.right > 80) text("block size", {x: f.width - 2, y: bottom + 17, anchor: "end"});
}
const roundTick = s => s.replace(/\.0+(?=\D|$)/, "");

// The floor is what the memory itself costs: nothing that writes the block can be below it.
function axisFloor(svg, f) {
  const floor = f.curves.find(c => c.family === "floor" && c.series === 0 && c.points.length > 1);
  if (!floor) return;
  svg
    .append("path")
    .attr("class", "floor")
    .attr("fill", ink().soft)
    .attr("fill-opacity", 0.1)
    .attr(
      "d",
      d3
        .area()
        .x(d => f.x(d.size))
        .y0(f.height - f.m.bottom)
        .y1(d => f.y(d.y))(floor.points),
    );
}

function axisCaches(svg, f) {
  const [lo, hi] = f.x.domain();
  let last = -Infinity;
  for (const c of axis.caches.filter(c => c.bytes > lo && c.bytes < hi)) {
    const at = f.x(c.bytes),
      label = f.small ? c.label.split(" ")[0] : c.label,
      wide = textWidth(label, 11.5);
    svg
      .append("path")
      .attr("d", `M${at},${f.m.top - 4}V${f.height - f.m.bottom}`)
      .attr("stroke", ink().soft)
      .attr("stroke-dasharray", "1 3");
    const middle = Math.min(Math.max(at, wide / 2 + 2), f.width - wide / 2 - 2);
    if (middle - wide / 2 < last + 8) continue;
    last = middle + wide / 2;
    svg
      .append("text")
      .attr("x", middle)
      .attr("y", 11)
      .attr("text-anchor", "middle")
      .attr("font-size", 11.5)
      .attr("fill", ink().soft)
      .text(label);
  }
}
