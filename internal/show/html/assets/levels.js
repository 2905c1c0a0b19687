"use strict";
// The cost of a metric through history, in steps, with its intervals and its changes. Its data:
// {points: names, levels: [{at, cost: [value, lo, hi], apart, says}], changes: [{from, to, says}]}.

kinds.levels = (data, box, {width}) => {
  const levels = data.levels.map(l => {
    const [v, lo, hi] = l.cost;
    return {...l, v, lo: finite(lo) ? lo : v, hi: finite(hi) ? hi : v};
  });
  const runs = []; // what is apart from the one before begins another line
  for (const l of levels) l.apart || !runs.length ? runs.push([l]) : runs.at(-1).push(l);
  const y = figureScale(
    levels.flatMap(l => [l.lo, l.hi]),
    "log",
    "",
    5,
    [1],
  );
  if (!y) return;
  const last = data.points.length - 1,
    among = data.changes.filter(c => c.to - c.from > 1),
    svg = Plot.plot({
      ...base(width, 210),
      marginLeft: 60,
      marginRight: 20,
      marginBottom: 34,
      x: {domain: [0, Math.max(1, last)]},
      y: scale(y),
      marks: [
        axisY(y, null),
        Plot.axisX({
          ticks: [...new Set([0, Math.floor(last / 2), last])],
          text: i => fit(data.points[i] ?? "", width / 3 - 20),
          label: null,
          tickSize: 4,
        }),
        Plot.rectX(among, {x1: "from", x2: "to", fill: ink().bad, fillOpacity: 0.12, title: "says", className: "among"}),
        Plot.ruleX(
          data.changes.filter(c => c.to - c.from <= 1),
          {x: "to", stroke: ink().bad, strokeDasharray: "4 3", title: "says", className: "change"},
        ),
        runs.map(r => Plot.line(r, {x: "at", y: "v", curve: "step-after", stroke: colour(0), strokeWidth: 1.8})),
        Plot.ruleX(levels, {x: "at", y1: "lo", y2: "hi", stroke: colour(0), strokeWidth: 6, strokeOpacity: 0.25}),
        Plot.dot(levels, {x: "at", y: "v", r: 3, fill: colour(0), className: "figure"}),
        Plot.tip(levels, Plot.pointer({x: "at", y: "v", title: "says", fill: ink().bg})),
      ],
    });
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", box.closest("figure").querySelector(".says").textContent);
  for (const g of svg.querySelectorAll(":scope > g")) g.setAttribute("aria-hidden", "true");
  box.replaceChildren(svg);
};
