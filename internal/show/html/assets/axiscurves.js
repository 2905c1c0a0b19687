"use strict";
// The curves of the picture on one axis, and the notes among them.

function axisCurve(svg, f, c) {
  const {x, y} = f,
    colour = familyColour(c.family),
    here = c.series === 0,
    wide = here ? (c.family === "floor" ? 1.3 : 2) : 1;
  const path = d3
    .line()
    .x(d => x(d.size))
    .y(d => y(d.y));
  const {solid, dotted} = segments(c.points);
  const bounded = c.points.filter(d => finite(d.lo) && finite(d.hi) && d.lo > 0);
  if (here && c.family !== "floor" && bounded.length === c.points.length)
    for (const run of solid)
      svg
        .append("path")
        .attr("class", "band")
        .attr("fill", colour)
        .attr("fill-opacity", 0.12)
        .attr(
          "d",
          d3
            .area()
            .x(d => x(d.size))
            .y0(d => clampY(f, d.lo * per(d)))
            .y1(d => clampY(f, d.hi * per(d)))(run),
        );
  const line = (run, dash) =>
    svg
      .append("path")
      .attr("fill", "none")
      .attr("stroke", colour)
      .attr("stroke-width", wide)
      .attr("stroke-dasharray", dash)
      .attr("d", path(run));
  for (const run of solid) line(run, axisDash(c.dash ?? 0)).attr("class", "line");
  for (const run of dotted) line(run, "1.5 3.5").attr("class", "gap");
  const dots = svg.append("g").attr("class", "figure");
  for (const d of c.points) {
    const hollow = d.hollow || axis.series[c.series].published;
    axisMark(dots, c, x(d.size), y(d.y), here && c.family !== "floor" ? 2.9 : 2)
      .attr("fill", hollow ? ink().bg : colour)
      .attr("stroke", colour)
      .attr("stroke-width", 1.3);
    f.taken.push({l: x(d.size) - 4, r: x(d.size) + 4, t: y(d.y) - 4, b: y(d.y) + 4});
  }
  for (const run of solid.concat(dotted)) takeLine(f, run);
}

// A family of many curves that are dashed alike to the eye tells them apart by their marks, too.
const markShapes = [d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar, d3.symbolWye];

function axisMark(dots, c, x, y, r) {
  if (c.family !== "c" || !c.dash) return dots.append("circle").attr("cx", x).attr("cy", y).attr("r", r);
  const shape = d3.symbol(markShapes[(c.dash - 1) % markShapes.length], 4.5 * r * r);
  return dots.append("path").attr("d", shape()).attr("transform", `translate(${x},${y})`);
}

const clampY = (f, v) => Math.min(Math.max(f.y(v), f.m.top), f.height - f.m.bottom);

// Where a line passes, a note finds no room.
function takeLine(f, run) {
  run.slice(1).forEach((d, i) => {
    const [x1, y1, x2, y2] = [f.x(run[i].size), f.y(run[i].y), f.x(d.size), f.y(d.y)],
      steps = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / 8);
    for (let s = 1; s < steps; s++) {
      const at = {x: x1 + ((x2 - x1) * s) / steps, y: y1 + ((y2 - y1) * s) / steps};
      f.taken.push({l: at.x - 2, r: at.x + 2, t: at.y - 2, b: at.y + 2});
    }
  });
}

const meet = (a, b) => a.l < b.r && b.l < a.r && a.t < b.b && b.t < a.b;
const roomFor = (f, r) =>
  r.l >= f.m.left &&
  r.r <= f.width - 2 &&
  r.t >= f.m.top &&
  r.b <= f.height - f.m.bottom &&
  !f.taken.some(t => meet(r, t));

// A text of some lines with a halo, so that what lies below does not hide it; its room is taken.
function axisText(svg, f, lines, {l, t, size = 11.5, fill = ink().soft, weight = null, width}) {
  const g = svg.append("g").attr("font-size", size).attr("fill", fill).attr("font-weight", weight);
  lines.forEach((s, i) =>
    g
      .append("text")
      .attr("x", l)
      .attr("y", t + (i + 0.8) * size * 1.25)
      .attr("paint-order", "stroke")
      .attr("stroke", ink().bg)
      .attr("stroke-width", 4)
      .attr("stroke-linejoin", "round")
      .text(s),
  );
  f.taken.push({l: l - 2, r: l + width + 2, t, b: t + lines.length * size * 1.25});
  return g;
}

// Where the first two means are furthest apart, and where closest: a bar with its ratio.
function axisRatio(svg, f) {
  const r = axis.ratio;
  if (!r) return;
  const curve = key => f.curves.find(c => c.series === 0 && c.key === key);
  const [num, den] = [curve(r.numerator), curve(r.denominator)];
  const at = (c, size) => c?.points.find(d => d.size === size);
  const all = r.points.map(pointOf).filter(d => d.v > 0 && at(num, d.size) && at(den, d.size));
  const ends = [d3.greatest(all, d => d.v), d3.least(all, d => d.v)].filter((d, i, a) => d && a.indexOf(d) === i);
  for (const {size, v} of ends) {
    const x = f.x(size),
      ys = [f.y(at(num, size).y), f.y(at(den, size).y)].sort((a, b) => a - b),
      words = brief(v) + "×",
      width = textWidth(words, 14) + 6;
    if (ys[1] - ys[0] < 22) continue;
    svg
      .append("path")
      .attr("d", `M${x},${ys[0] + 5}V${ys[1] - 5}`)
      .attr("stroke", ink().text)
      .attr("stroke-width", 1.4);
    const rooms = [0.5, 0.3, 0.7, 0.15, 0.85].flatMap(s => {
      const t = ys[0] + (ys[1] - ys[0]) * s - 9;
      return [x - width - 6, x + 6, x + 22].map(l => ({l, r: l + width, t, b: t + 18}));
    });
    const room = rooms.find(r => roomFor(f, r));
    if (room) axisText(svg, f, [words], {l: room.l, t: room.t, size: 14, fill: ink().text, weight: 700, width});
  }
}

// Crossings, and what no curve shows, stand where the picture is empty; where it is not, only
// in the table below it.
function axisNotes(svg, f) {
  if (f.small) return;
  for (const c of axis.crossings.slice(0, 4)) {
    const lines = wrap(c.says.map(p => p.text).join(""), 300, 11.5),
      width = d3.max(lines, s => textWidth(s, 11.5)),
      room = freeRoom(f, width, lines.length * 14.5 + 4, true);
    if (room) axisText(svg, f, lines, {...room, fill: ink().text, width});
  }
  if (!axis.missing.length) return;
  const lines = axis.missing.slice(0, 5).flatMap(s => wrap(s, 240, 11));
  const title = "Not measured",
    width = d3.max([title, ...lines], s => textWidth(s, 11.5)) + 18,
    height = (lines.length + 1) * 14 + 12,
    room = freeRoom(f, width, height, false);
  if (!room || lines.length > 8) return;
  svg
    .append("rect")
    .attr("x", room.l)
    .attr("y", room.t)
    .attr("width", width)
    .attr("height", height)
    .attr("rx", 3)
    .attr("fill", "none")
    .attr("stroke", ink().soft)
    .attr("stroke-dasharray", "3 3");
  axisText(svg, f, [title], {l: room.l + 8, t: room.t + 5, size: 11.2, weight: 700, width: width - 16});
  axisText(svg, f, lines, {l: room.l + 8, t: room.t + 19, size: 11.2, width: width - 16});
}

// Returns a free place: from the upper left on, or from the lower right.
function freeRoom(f, width, height, upper) {
  const lefts = d3.range(f.m.left + 10, f.width - f.m.right - width - 4, 24),
    tops = d3.range(f.m.top + 8, f.height - f.m.bottom - height - 4, 16);
  for (const l of upper ? lefts : lefts.reverse())
    for (const t of upper ? tops : [...tops].reverse())
      if (roomFor(f, {l: l - 6, r: l + width + 6, t: t - 3, b: t + height + 3})) return {l, t};
  return null;
}
