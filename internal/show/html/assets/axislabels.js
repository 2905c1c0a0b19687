"use strict";
// The names of the curves on one axis, at their ends; where the page is narrow, on the lines.

function axisLabels(svg, f) {
  return f.small ? namesOnLines(svg, f) : namesAtEnds(svg, f);
}

// Names at the right of the ends. Those whose widths meet share one column, in which none lies
// on another; a thin line leads from an end to a name that had to move.
function namesAtEnds(svg, f) {
  const extra = f.curves.filter(c => c.series > 0),
    named = f.curves.filter(c => c.series === 0 || (extra.length <= 6 && c.family !== "floor"));
  const labels = named.map(c => {
    const end = c.points.at(-1),
      here = c.series === 0,
      size = here ? 12.5 : 11,
      words = here ? nameOf(c, f) : `${c.short}, ${seriesName(c.series)}`;
    return {c, words, size, here, x: f.x(end.size), at: f.y(end.y), width: textWidth(words, size) * 1.04};
  });
  for (const group of columnsOf(labels)) {
    spread(group, here => (here ? 15 : 13.5), f.m.top + 4, f.height - f.m.bottom - 4);
    group.forEach(d => nameAt(svg, f, d));
  }
}

// Groups labels whose widths meet.
function columnsOf(labels) {
  const out = [];
  for (const d of [...labels].sort((a, b) => a.x - b.x)) {
    const last = out.at(-1);
    if (last && d.x + 16 < d3.max(last, e => e.x + 18 + e.width)) last.push(d);
    else out.push([d]);
  }
  return out;
}

// Moves labels apart in height, as little as that takes.
function spread(group, room, top, bottom) {
  group.sort((a, b) => a.at - b.at);
  group.forEach(d => (d.y = Math.min(Math.max(d.at, top), bottom)));
  for (let round = 0; round < 200; round++) {
    let moved = false;
    for (let i = 1; i < group.length; i++) {
      const [a, b] = [group[i - 1], group[i]],
        lack = Math.max(room(a.here), room(b.here)) - (b.y - a.y);
      if (lack <= 0.01) continue;
      moved = true;
      const up = Math.min(lack / 2, Math.max(0, a.y - top));
      a.y -= up;
      b.y = Math.min(b.y + lack - up, bottom);
    }
    if (!moved) break;
  }
}

function nameAt(svg, f, d) {
  const colour = familyColour(d.c.family),
    l = Math.min(d.x + 18, f.width - d.width - 2);
  svg
    .append("path")
    .attr("d", `M${d.x + 5},${d.at}L${l - 4},${d.y}`)
    .attr("stroke", colour)
    .attr("stroke-opacity", 0.6)
    .attr("fill", "none");
  axisText(svg, f, [d.words], {
    l,
    t: d.y - d.size * 0.62,
    size: d.size,
    fill: d.c.family === "floor" ? ink().soft : colour,
    weight: d.here && ["heap", "stack"].includes(d.c.key) ? 700 : null,
    width: d.width,
  });
}

// One short name for each family, beside its line where there is room.
function namesOnLines(svg, f) {
  const seen = new Set();
  for (const c of f.curves) {
    if (c.series > 0 || seen.has(c.family)) continue;
    const width = textWidth(c.short, 12) + 4;
    const rooms = [...c.points].reverse().flatMap(d => {
      const x = f.x(d.size),
        y = f.y(d.y);
      return [
        {l: x - width - 6, t: y - 18},
        {l: x + 8, t: y + 3},
        {l: x - width / 2, t: y - 24},
        {l: x - width / 2, t: y + 9},
      ].map(r => ({...r, r: r.l + width, b: r.t + 15}));
    });
    // the two that the answer speaks of are named even where it is crowded
    const room = rooms.find(r => roomFor(f, r)) ?? (["heap", "stack"].includes(c.key) ? rooms[0] : null);
    if (!room) continue;
    seen.add(c.family);
    axisText(svg, f, [c.short], {l: room.l, t: room.t, size: 12, fill: familyColour(c.family), weight: 700, width});
  }
}
