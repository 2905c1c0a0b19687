"use strict";
// A figure over the strength of machines, both by factors, with the line through them. Its data:
// {points: [{strength, figure: [value, lo, hi], letter, published, says}], fitted: [[strength, value,
// lo, hi]], unit}.

kinds.strength = (data, box, {width}) => {
  const points = data.points.map(p => ({...p, v: p.figure[0], lo: p.figure[1], hi: p.figure[2]})),
    fitted = data.fitted.map(([strength, v, lo, hi]) => ({strength, v, lo, hi}));
  const y = figureScale(
      points.concat(fitted).flatMap(p => [p.v, p.lo, p.hi].filter(finite)),
      "log",
      data.unit,
      6,
    ),
    x = figureScale(
      points.map(p => p.strength),
      "log",
      "B/op",
      6,
    );
  if (!x || !y) return;
  const bounded = points.filter(p => finite(p.lo) && finite(p.hi)),
    svg = Plot.plot({
      ...base(Math.min(width, 760), 300),
      marginLeft: 70,
      marginRight: 24,
      marginBottom: 34,
      x: scale(x),
      y: scale(y),
      marks: [
        axisX({...x, tickFormat: v => x.tickFormat(v) + "/s"}, null),
        axisY(y, null),
        Plot.areaY(fitted, {x: "strength", y1: "lo", y2: "hi", fill: colour(0), fillOpacity: 0.14, className: "band"}),
        Plot.lineY(fitted, {x: "strength", y: "v", stroke: colour(0), className: "line"}),
        Plot.ruleX(bounded, {x: "strength", y1: "lo", y2: "hi", stroke: ink().soft}),
        Plot.dot(points, {
          x: "strength",
          y: "v",
          r: 4,
          fill: p => (p.published ? ink().bg : ink().text),
          stroke: ink().text,
          className: "figure",
        }),
        Plot.text(points, {x: "strength", y: "v", text: "letter", dx: 10, dy: -8, fill: ink().text}),
        Plot.tip(points, Plot.pointer({x: "strength", y: "v", title: "says", fill: ink().bg})),
      ],
    });
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", box.closest("figure").querySelector(".says").textContent);
  for (const g of svg.querySelectorAll(":scope > g")) g.setAttribute("aria-hidden", "true");
  box.replaceChildren(svg);
};
