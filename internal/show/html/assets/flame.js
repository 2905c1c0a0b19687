"use strict";
// A flame graph: the width of a function is what it and those that it called have of the total; the
// root is at the bottom. Its data: {root: {name, says, file, category, cum, of: [...]}, depth,
// left: what is not drawn}. A function that is chosen is enlarged: those that called it stay below
// it at full width, and the others are gone. The graph is one stop of the Tab key.

const rowHeight = 16;

kinds.flame = (data, box, {figure, width}) => {
  const zoom = Math.max(1, parseFloat(getComputedStyle(root).fontSize) / 16);
  figure.layout ??= flameGraph(data, box, figure);
  figure.layout(Math.floor(width / zoom));
};

// Returns the functions, each after its caller.
function framesOf(data, svg) {
  const frames = [],
    labels = element("g", {"aria-hidden": "true"}); // apart, for they may be cut and are not the functions' names
  const add = (n, caller, x, row, category) => {
    const y = (data.depth - 1 - row) * rowHeight,
      rect = element("rect", {y, height: rowHeight}),
      text = element("text", {y: y + rowHeight - 4}),
      says = [n.name, n.says, n.file].filter(Boolean),
      label = {role: "button", "aria-label": says.join(" ")},
      title = element("title", {}, says.join("\n")),
      g = element("g", {class: "flame-frame flame-" + category, ...label}, title, rect);
    svg.append(g);
    labels.append(text);
    const f = {g, rect, text, name: n.name, figures: n.says, x, y, width: n.cum, caller};
    frames.push(f);
    for (const c of n.of ?? []) add(c, f, x + c.before, row + 1, c.category);
  };
  add(data.root, null, 0, 0, "root");
  svg.append(labels);
  return frames;
}
const within = (f, other) => {
  while (f && f !== other) f = f.caller;
  return f === other;
};
// Shortens the name of a function: without the package's path, then without the
// package, then cut.
const functionName = (name, width) => {
  const n = Math.floor((width - 6) / 6.7);
  let s = name.slice(name.slice(0, name.search(/[[(]|$/)).lastIndexOf("/") + 1);
  if (s.length > n) s = s.replace(/^[^.[(]*\./, "");
  const letters = [...s]; // not halves of those beyond 16 bits
  return letters.length <= n ? s : n < 3 ? "" : letters.slice(0, n - 1).join("") + "…";
};


function flameGraph(data, box, figure) {
  const svg = element("svg", {class: "flame", role: "group", "aria-label": "Flame graph"}),
    height = data.depth * rowHeight,
    frames = framesOf(data, svg),
    all = frames[0],
    tell = toldBelow(box);
  let chosen = all, // has the full width
    current = all, // has the focus, or gets it by Tab
    width = 0;
  const shown = f => within(f, chosen) || within(chosen, f);
  const layout = (now = width) => {
    width = now;
    for (const [k, v] of Object.entries({viewBox: `0 0 ${width} ${height}`, width, height})) svg.setAttribute(k, v);
    for (const f of frames) {
      f.g.style.display = f.text.style.display = shown(f) ? "" : "none";
      if (!shown(f)) continue;
      const full = within(chosen, f), // chosen itself, and what called it
        w = full ? width : (f.width / chosen.width) * width,
        x = full ? 0 : ((f.x - chosen.x) / chosen.width) * width;
      f.rect.setAttribute("x", x);
      f.rect.setAttribute("width", w);
      f.text.setAttribute("x", x + 3);
      f.text.textContent = functionName(f.name, w);
    }
  };
  const say = f => tell(`${f.name}: ${f.figures}`);
  const go = f => {
    current.g.tabIndex = -1;
    current = f;
    f.g.tabIndex = 0;
    if (document.activeElement !== f.g) f.g.focus({preventScroll: true});
    say(f);
  };
  const choose = f => {
    chosen = f;
    layout();
    go(f);
  };
  const beside = step => {
    const row = frames.filter(f => f.y === current.y && shown(f));
    return row[row.indexOf(current) + step];
  };
  const above = () =>
    frames.filter(f => f.caller === current && shown(f)).reduce((a, b) => (a && a.width >= b.width ? a : b), null);
  const keys = {
    ArrowLeft: () => beside(-1),
    ArrowRight: () => beside(1),
    ArrowUp: above,
    ArrowDown: () => current.caller,
  };
  svg.addEventListener("keydown", e => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (keys[e.key]) go(keys[e.key]() ?? current);
    else if (e.key === "Enter" || e.key === " ") choose(current);
    else if (e.key === "Escape" && chosen !== all) choose(all);
    else return;
    e.preventDefault();
  });
  const of = e => frames.find(f => f.g === e.target.closest(".flame-frame"));
  svg.addEventListener("click", e => of(e) && choose(of(e)));
  svg.addEventListener("focusin", e => of(e) && go(of(e)));
  svg.addEventListener("pointerover", e => of(e) && say(of(e)));
  svg.addEventListener("pointerleave", () => say(current));

  for (const f of frames) f.g.tabIndex = f === all ? 0 : -1;
  box.append(svg);
  if (data.left) box.append(make("small", {textContent: data.left}));
  tell(
    "Click, tap or Enter enlarges a function; arrow keys go from one to the next; " +
      "Escape or a click on “all” shows all.",
  );
  box.after(exporter(recorded(figure), () => whole(box)));
  return layout;
}
