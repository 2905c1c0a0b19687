"use strict";
// Draws the rows of a table as areas, grouped. Its data: {table: its ID, unit: what an area is
// ("site"), measures: [{name, of: "of the bytes"}], choice: {name: "benchmark", options, all: "each benchmark, on average"}, head:
// says what the areas are, groups: colours {name, color}, areas: [{id: of the row, package, name,
// place, words, color, says, parts: [a share for each measure], choices: {option: {parts, cells:
// {column: [text, value]}}}}]}. Everything that is drawn is in the table.

const tilesMost = 150; // further areas of a group are one

kinds.treemap = (data, box, {figure, width}) => {
  const of = (figure.treemap ??= startTreemap(data, box, figure));
  of.draw(width);
};

function startTreemap(data, box, figure) {
  const t = tables.get(data.table),
    rows = new Map(t.rows.map(r => [r.e.id, r])),
    told = make("p", {className: "told"}),
    caption = make("p", {className: "caption"}),
    measures = make("fieldset", {className: "switch"}, make("legend", {textContent: "Areas are"}));
  const self = {data, t, rows, measure: 0, choice: "*"};
  data.measures.forEach((m, i) => {
    const radio = make("input", {type: "radio", name: figure.id + "-measure", value: m.name, checked: i === 0});
    radio.addEventListener("change", () => {
      self.measure = i;
      self.draw();
    });
    measures.append(make("label", {}, radio, make("span", {textContent: m.name})));
  });
  if (data.measures.length > 1) box.before(measures);
  box.before(caption);
  box.after(told);
  const colours = data.groups.map(g =>
    make("li", {}, make("span", {className: "dot c" + g.color}), g.name),
  );
  told.after(make("ul", {className: "key"}, ...colours));
  if (data.choice?.options.length > 1) chooser(self);
  self.draw = (width = Number(box.dataset.width)) => {
    const svg = drawTiles(self, width);
    caption.textContent = captionOf(self);
    told.textContent = svg
      ? "Point at an area, or use the arrow keys: what it is stands here."
      : "Nothing to draw with these choices.";
    box.replaceChildren(...(svg ? [svg] : []));
    if (svg) interactive(self, svg, words => (told.textContent = words));
  };
  t.changed.add(() => self.draw());
  return self;
}

// One of several figures of each row, such as those of one benchmark: the table shows them, too.
function chooser(self) {
  const {data, t, rows} = self,
    areas = new Map(data.areas.map(a => [a.id, a])),
    own = new Map(t.rows.map(r => [r, r.cells.map(c => [c, [...c.childNodes], c.dataset.value])]));
  const s = t.select(
    data.choice.name,
    data.choice.options.map((o, i) => [String(i), o]),
    (r, v) => areas.get(r.e.id)?.choices?.[v],
  );
  const shown = () => {
    self.choice = s.value;
    for (const [id, r] of rows) {
      const cells = areas.get(id)?.choices?.[s.value]?.cells ?? {};
      for (const [cell, text, value] of own.get(r)) {
        const [words, v] = cells[cell.dataset.label] ?? [null, value];
        cell.replaceChildren(...(words === null ? text : [words]));
        v === undefined ? delete cell.dataset.value : (cell.dataset.value = v);
      }
    }
    t.sort();
  };
  t.changed.add(shown);
}

// Returns the areas with their weights, the heaviest first.
function weighed({data, measure, choice}) {
  const weight = a => (choice === "*" ? a.parts : a.choices?.[choice]?.parts)?.[measure] ?? 0;
  return data.areas
    .map(area => ({area, weight: weight(area)}))
    .filter(x => x.weight > 0)
    .sort((a, b) => b.weight - a.weight);
}

// Returns what is drawn as a tree: packages, in each its groups, in each its areas. The small
// ones of a group are one; where all are alike, too many are all small.
function treeOf(all, alike) {
  const least = all.length <= tilesMost ? 0 : alike ? Infinity : all[tilesMost - 1].weight;
  const merged = xs => {
    const large = xs.filter(x => x.weight >= least),
      small = xs.filter(x => x.weight < least),
      weight = d3.sum(small, x => x.weight);
    return small.length ? [...large, {area: small[0].area, rest: small.length, weight}] : large;
  };
  const groups = d3.rollups(
    all,
    xs => d3.rollups(xs, ys => ys, x => x.area.color + x.area.words),
    x => x.area.package,
  );
  return {children: groups.map(([name, of]) => ({name, children: of.map(([, xs]) => ({children: merged(xs)}))}))};
}

const percent = d3.format(".3~p");

// Says what an area is.
function saysOf({data, measure}, x) {
  const a = x.area,
    alike = !data.measures.length;
  if (x.rest) return `${x.rest} ${alike ? "" : "smaller "}${data.unit}s: ${a.words}`;
  const words = `${a.name} ${a.place}: ${a.words}`;
  return alike ? words : `${words}; ${percent(x.weight)} ${data.measures[measure].of}${a.says ? ` (${a.says})` : ""}`;
}

// Says what the areas are, and what of all they are together.
function captionOf(self) {
  const {data, measure, choice} = self;
  if (!data.measures.length) return data.head;
  const sum = d3.sum(weighed(self), x => x.weight),
    whom = choice === "*" ? data.choice.all : data.choice.options[choice],
    together = sum > 0.995 ? "" : ` All of them together are ${percent(sum)}.`;
  return (
    `Each area is a ${data.unit}'s share ${data.measures[measure].of} of ${whom}. Select one for its details.` +
    together +
    (data.more ? ` ${data.more} are left out.` : "")
  );
}

// Cuts a text to a width, and returns "" where too little would be left.
function cut(text, width) {
  const most = Math.floor(width / 7);
  if (text.length <= most) return text;
  return most < 4 ? "" : text.slice(0, most - 1) + "…";
}

// Writes the name of an area into it, and further lines below it, where there is room.
function tileLabel(g, d, name, further) {
  const width = d.x1 - d.x0 - 8,
    height = d.y1 - d.y0,
    line = (words, y, class_) => g.append(element("text", {x: d.x0 + 4, y: d.y0 + y, class: class_}, words));
  if (height > 16 && cut(name, width)) line(cut(name, width), 14, "strong");
  further.forEach((words, i) => {
    if (height > 34 + 15 * i && cut(words, width)) line(cut(words, width), 29 + 15 * i, "");
  });
}

// Draws the areas.
function drawTiles(self, width) {
  const all = weighed(self),
    packages = new Set(all.map(x => x.area.package)).size,
    height = width < 620 ? 300 : 340;
  if (!all.length) return null;
  const tree = d3
    .hierarchy(treeOf(all, !self.data.measures.length))
    .sum(x => x.weight ?? 0)
    .sort((a, b) => b.value - a.value);
  const titled = d => packages > 1 && d.depth === 1; // packages, where there are several
  d3
    .treemap()
    .size([width, height])
    .round(true)
    .paddingInner(1)
    .paddingTop(d => (titled(d) ? 18 : 0))(tree);
  const svg = element("svg", {viewBox: `0 0 ${width} ${height}`, role: "group"});
  svg.setAttribute("aria-label", "Areas. Arrow keys go from one to the next, Enter opens one.");
  // Names stand apart: they may be cut, and are not what the areas are called.
  const names = element("g", {"aria-hidden": "true"});
  for (const d of tree.descendants().filter(titled))
    names.append(element("text", {x: d.x0 + 2, y: d.y0 + 13, class: "group"}, cut(d.data.name, d.x1 - d.x0)));
  for (const d of tree.leaves().sort((a, b) => b.value - a.value)) svg.append(tile(self, d, names));
  svg.append(names);
  return svg;
}

// Returns an area, a link to its row, or of several, a link to the table.
function tile(self, d, names) {
  const {area, rest, weight} = d.data,
    alike = !self.data.measures.length,
    a = element("a", {href: "#" + (rest ? self.data.table : area.id), class: "c" + area.color, tabindex: "-1"});
  a.setAttribute("aria-label", saysOf(self, d.data));
  const size = {x: d.x0, y: d.y0, width: Math.max(d.x1 - d.x0, 0), height: Math.max(d.y1 - d.y0, 0)};
  a.append(element("rect", size));
  if (rest) {
    a.dataset.words = area.words;
    tileLabel(names, d, `${rest} ${alike ? "" : "more "}${self.data.unit}s`, [area.words]);
    return a;
  }
  const place = area.place.split("/").pop();
  tileLabel(names, d, area.name, alike ? [place] : [percent(weight), place]);
  return a;
}

// Makes the areas usable: the arrow keys go from one to the next, what is pointed at is described.
function interactive(self, svg, tell) {
  const links = [...svg.querySelectorAll("a")];
  links[0].setAttribute("tabindex", "0");
  const go = i => {
    links.forEach((a, j) => a.setAttribute("tabindex", i === j ? "0" : "-1"));
    links[i].focus();
  };
  svg.addEventListener("keydown", e => {
    const i = links.indexOf(document.activeElement),
      [next, before, last] = [i + 1, i - 1, links.length - 1],
      to = {ArrowRight: next, ArrowDown: next, ArrowLeft: before, ArrowUp: before, Home: 0, End: last}[e.key];
    if (to === undefined) return;
    e.preventDefault();
    go(Math.min(Math.max(to, 0), links.length - 1));
  });
  for (const a of links) {
    const say = () => tell(a.getAttribute("aria-label"));
    a.addEventListener("pointerenter", say);
    a.addEventListener("focus", say);
    a.addEventListener("click", e => {
      e.preventDefault();
      if (a.dataset.words !== undefined) return chooseWords(self, a.dataset.words);
      history.replaceState(null, "", a.getAttribute("href"));
      reveal();
    });
  }
}

// Leaves the rows of a group.
function chooseWords({t}, words) {
  const s = [...t.form.querySelectorAll("select")].find(s => [...s.options].some(o => o.value === words));
  if (!s) return;
  s.value = words;
  t.choose();
  s.focus();
}
