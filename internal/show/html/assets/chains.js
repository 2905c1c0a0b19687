"use strict";
// Stack sizes in the life of goroutines: from left to right the changes of size, upwards the size,
// doubled from line to line. A line is as wide as the number of goroutines that went that way, and a
// circle counts those that kept the size. Its data: {steps: [{at, from, to, n, says}], ends: [{at,
// to, n, says}]}.

kinds.chains = (data, box, {width}) => {
  const sizes = [...data.steps.flatMap(s => [s.from, s.to]), ...data.ends.map(e => e.to)].map(Math.log2),
    [low, high] = d3.extent(sizes, Math.floor),
    length = d3.max([...data.steps, ...data.ends], s => s.at),
    step = Math.min(96, Math.max(44, (Math.min(width, 1040) - 136) / length)),
    most = d3.max(data.steps, s => s.n),
    thick = Math.min(22, 4 * most);
  const x = at => 76 + at * step,
    y = size => 18 + (high - Math.floor(Math.log2(size))) * 36,
    wide = x(length) + 60,
    high_ = y(2 ** low) + 40;
  const svg = element("svg", {class: "chains", role: "img", viewBox: `0 0 ${wide} ${high_}`, width: wide, height: high_});
  svg.setAttribute("aria-label", "Stack sizes in the life of goroutines");
  const text = (kind, x, y, anchor, words) => svg.append(element("text", {class: kind, x, y, "text-anchor": anchor}, words));
  const titled = (tag, attributes, says) => svg.append(element(tag, attributes, element("title", {}, says)));
  for (let o = low; o <= high; o++) {
    svg.append(element("line", {class: "grid", x1: 76, x2: wide - 10, y1: y(2 ** o), y2: y(2 ** o)}));
    text("label", 62, y(2 ** o) + 4, "end", bytes(2 ** o));
  }
  for (let i = 0; i <= length; i++) text("label", x(i), high_ - 12, "middle", i ? String(i) : "start");
  for (const s of data.steps) {
    // The widest come first, so that none hides another.
    const kind = s.to > s.from ? "grow" : s.to < s.from ? "shrink" : "move",
      at = {x1: x(s.at - 1), x2: x(s.at), y1: y(s.from), y2: y(s.to)};
    titled("line", {class: kind, ...at, "stroke-width": Math.max(1.5, (thick * s.n) / most)}, s.says);
    text("n", (at.x1 + at.x2) / 2, (at.y1 + at.y2) / 2 - 4, "middle", "×" + s.n);
  }
  for (const e of data.ends) {
    titled("circle", {class: "end", cx: x(e.at), cy: y(e.to), r: 5}, e.says);
    text("n", x(e.at) + 9, y(e.to) + 4, "start", String(e.n));
  }
  box.classList.add("scroll");
  box.replaceChildren(svg);
};
