"use strict";
// An execution trace: the heap and its goal over time, under them marking, the collector's pauses
// and the others; and bars of where the processors' and the goroutines' time went. Its data: {span,
// over, heap and goal: [[seconds, bytes]], lanes: [{name, bars: [{class, start, end, says}]}], bars:
// [{title, parts: [{class, share, says}]}]}.

kinds.gctrace = (data, box, {figure, width}) => {
  const timeline = data.span > 0 ? traceLine(data, Math.max(width, 640)) : null;
  if (!figure.tell) {
    figure.tell = toldBelow(box);
    box.nextSibling.after(exporter(recorded(figure), () => whole(box)));
  }
  const bold = words => make("p", {}, make("b", {textContent: words}));
  box.className = "drawing gctrace";
  box.replaceChildren();
  if (timeline) {
    const scroll = make("div", {className: "scroll", role: "region", tabIndex: 0, ariaLabel: data.over}, timeline);
    box.append(bold(data.over), scroll, make("p", {textContent: "blue: size of the heap; dashed: heap goal"}));
    pointed(timeline, figure.tell);
  }
  for (const b of data.bars) box.append(bold(b.title), ...partsOf(b));
};

function traceLine(data, width) {
  const left = 62,
    right = 24,
    laneHeight = 34,
    heapBottom = 168,
    bottom = heapBottom + data.lanes.length * laneHeight + 4;
  const svg = element("svg", {class: "gc-over", viewBox: `0 0 ${width} ${bottom + 20}`, width, height: bottom + 20});
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", data.over);
  const most = d3.max([...data.heap, ...data.goal], d => d[1]) ?? 0,
    x = d3.scaleLinear([0, data.span], [left, width - right]),
    y = d3.scaleLinear([0, most || 1], [heapBottom, 8]);
  const line = (x1, x2, y1, y2) => svg.append(element("line", {class: "gc-grid", x1, x2, y1, y2}));
  const text = (x, y, anchor, words) =>
    svg.append(element("text", {x, y, ...(anchor && {"text-anchor": anchor})}, words));
  const step = 2 ** Math.ceil(Math.log2(Math.max(1, most / 3.99)));
  if (most > 0)
    for (const size of d3.range(0, most + 1, step)) {
      line(left, width - right, y(size), y(size));
      text(left - 6, y(size) + 4, "end", size ? bytes(size) : "0");
    }
  for (const at of x.ticks(Math.min(8, width / 110))) {
    line(x(at), x(at), 8, bottom);
    text(x(at), bottom + 14, "middle", at ? quantity(at, "sec") : "0");
  }
  const path = (points, curve, name) =>
    svg.append(element("path", {class: name, d: d3.line(d => x(d[0]), d => y(d[1])).curve(curve)(points) ?? ""}));
  if (most > 0) {
    path(data.goal, d3.curveStepAfter, "gc-goal"); // it holds until the next is set
    path(data.heap, d3.curveLinear, "gc-heap");
  }
  data.lanes.forEach((lane, i) => {
    const top = heapBottom + i * laneHeight;
    for (const b of lane.bars) {
      const size = {x: x(b.start), y: top + 20, width: Math.max(x(b.end) - x(b.start), 1), height: laneHeight - 20};
      svg.append(element("rect", {class: "gc-" + b.class, ...size}, element("title", {}, b.says)));
    }
    text(left + 4, top + 15, null, lane.name);
  });
  return svg;
}

// A bar of the parts of a total, and its key.
function partsOf(b) {
  const svg = element("svg", {class: "gc-bar", role: "img", "aria-label": b.title});
  let x = 0;
  for (const p of b.parts) {
    const size = {x: `${100 * x}%`, width: `${100 * p.share}%`, height: "100%"};
    svg.append(element("rect", {class: "gc-" + p.class, ...size}, element("title", {}, p.says)));
    x += p.share;
  }
  return [svg, make("ul", {}, ...b.parts.map(p => make("li", {}, make("i", {className: "gc-" + p.class}), p.says)))];
}

// Makes the bars of a timeline selectable. They may be narrower than a pointer or a finger: the
// nearest is described.
function pointed(svg, tell) {
  const all = [...svg.querySelectorAll("rect")].map(rect => {
    const at = name => Number(rect.getAttribute(name));
    return {left: at("x"), right: at("x") + at("width"), top: at("y"), bottom: at("y") + at("height"), rect};
  });
  const near = e => {
    const r = svg.getBoundingClientRect(),
      scale = svg.viewBox.baseVal.width / r.width,
      x = (e.clientX - r.left) * scale,
      y = (e.clientY - r.top) * scale;
    let best = null,
      least = 12;
    for (const b of all) {
      const away = Math.max(b.left - x, x - b.right, 0);
      if (y >= b.top - 20 && y <= b.bottom && away < least) [best, least] = [b, away];
    }
    if (best) tell(best.rect.textContent);
  };
  svg.addEventListener("pointermove", near);
  svg.addEventListener("click", near);
  if (all.length) tell("Rest on a bar, or tap near it, for its reason and length.");
}
