"use strict";
// Draws the sites as areas, grouped by package and cause. Everything that is drawn is in the
// table, too.

const tilesMost = 150; // further sites of a cause are one area
const measureIndex = {bytes: 0, objects: 1, cpu: 2};

// Returns the sites with their weights, the heaviest first, and what is none of theirs.
function weighed(measure) {
  const i = measureIndex[measure],
    bench = chosen.bench === "*" ? null : Number(chosen.bench);
  const weight = site => {
    if (data.static) return 1;
    if (bench === null) return site.part[i];
    return site.costs.find(c => c.bench === bench)?.part[i] ?? 0;
  };
  return rows
    .map(r => ({row: r, weight: weight(r.site)}))
    .filter(x => x.weight > 0)
    .sort((a, b) => b.weight - a.weight);
}

// Returns what is drawn as a tree: packages, in each its causes, in each its sites. The small
// ones of a cause are one; where all are alike, too many are all small.
function treeOf(all) {
  const least = all.length <= tilesMost ? 0 : data.static ? Infinity : all[tilesMost - 1].weight;
  const merged = xs => {
    const large = xs.filter(x => x.weight >= least),
      small = xs.filter(x => x.weight < least),
      weight = d3.sum(small, x => x.weight);
    return small.length ? [...large, {row: small[0].row, rest: small.length, weight}] : large;
  };
  const groups = d3.rollups(
    all,
    xs => d3.rollups(xs, ys => ys, x => x.row.site.color + x.row.site.cause),
    x => x.row.site.package,
  );
  const children = groups.map(([name, causes]) => ({
    name,
    children: causes.map(([, sites]) => ({children: merged(sites)})),
  }));
  return {children};
}

const percent = d3.format(".3~p");

// Says what an area is.
function saysOf(x, measure) {
  const {site, body} = x.row,
    place = body.querySelector(".place").textContent;
  const why = site.words || "no known cause";
  if (x.rest) return `${x.rest} ${data.static ? "" : "smaller "}sites: ${why}`;
  let words = `${site.name} ${place}: ${why}`;
  if (data.static) return words;
  const of = {bytes: "of the bytes", objects: "of the objects", cpu: "of the CPU time"}[measure],
    cost = costOf(site);
  words += `; ${percent(x.weight)} ${of}`;
  if (cost) words += ` (${cost.shown[0]} objects${data.per}, ${cost.shown[1]}${data.per})`;
  return words;
}

// Says what the areas are, and what of all they are together.
function captionOf(measure) {
  const sum = d3.sum(weighed(measure), x => x.weight);
  const all = data.static || sum > 0.995 ? "" : ` All of them together are ${percent(sum)}.`;
  return captionAlone(measure) + all + (data.more ? ` ${data.more} are left out.` : "");
}

function captionAlone(measure) {
  if (data.static) return "Nothing was run: each site counts as one. Select an area for its details.";
  const what = {bytes: "the bytes", objects: "the objects", cpu: "the CPU time"}[measure],
    each = data.benches.length > 1 ? `each ${data.ran}, on average` : data.benches[0],
    whom = chosen.bench === "*" ? each : data.benches[Number(chosen.bench)];
  return `Each area is a site's share of ${what} of ${whom}. Select one for its details.`;
}

const element = (name, attributes, text) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  return e;
};

// Cuts a text to a width, and returns "" where too little would be left.
function cut(text, width) {
  const most = Math.floor(width / 7);
  if (text.length <= most) return text;
  return most < 4 ? "" : text.slice(0, most - 1) + "…";
}

// Writes the name of an area into it, and further lines below it, where there is room.
function label(g, d, name, further) {
  const width = d.x1 - d.x0 - 8,
    height = d.y1 - d.y0;
  if (height > 16 && cut(name, width))
    g.append(element("text", {x: d.x0 + 4, y: d.y0 + 14, class: "strong"}, cut(name, width)));
  further.forEach((words, i) => {
    if (height > 34 + 15 * i && cut(words, width))
      g.append(element("text", {x: d.x0 + 4, y: d.y0 + 29 + 15 * i}, cut(words, width)));
  });
}

// Draws the areas into a box of a width.
function drawTiles(box, measure, width) {
  const all = weighed(measure),
    packages = new Set(all.map(x => x.row.site.package)).size;
  if (!all.length) return null;
  const height = width < 620 ? 300 : 340;
  const tree = d3.hierarchy(treeOf(all)).sum(x => x.weight ?? 0).sort((a, b) => b.value - a.value);
  const titled = d => packages > 1 && d.depth === 1; // packages, where there are several
  d3
    .treemap()
    .size([width, height])
    .round(true)
    .paddingInner(1)
    .paddingTop(d => (titled(d) ? 18 : 0))(tree);
  const svg = element("svg", {viewBox: `0 0 ${width} ${height}`, role: "group"});
  svg.setAttribute("aria-label", "Sites as areas. Arrow keys go from site to site, Enter opens one.");
  // Names stand apart: they may be cut, and are not what the areas are called.
  const names = element("g", {"aria-hidden": "true"});
  for (const d of tree.descendants().filter(titled))
    names.append(element("text", {x: d.x0 + 2, y: d.y0 + 13, class: "group"}, cut(d.data.name, d.x1 - d.x0)));
  for (const d of tree.leaves().sort((a, b) => b.value - a.value)) svg.append(tile(d, measure, names));
  svg.append(names);
  return svg;
}

const area = d =>
  element("rect", {x: d.x0, y: d.y0, width: Math.max(d.x1 - d.x0, 0), height: Math.max(d.y1 - d.y0, 0)});

// Returns the area of a site, a link to its row, or of several, a link to the table of their
// cause. Its label goes to the others.
function tile(d, measure, names) {
  const {site} = d.data.row,
    a = element("a", {href: "#" + site.id, class: "c" + site.color, tabindex: "-1"});
  a.setAttribute("aria-label", saysOf(d.data, measure));
  a.append(area(d));
  if (d.data.rest) {
    a.setAttribute("href", "#sites");
    a.dataset.cause = site.cause;
    label(names, d, `${d.data.rest} ${data.static ? "" : "more "}sites`, [site.words]);
    return a;
  }
  const place = d.data.row.body.querySelector(".place").textContent.split("/").pop();
  label(names, d, site.name, data.static ? [place] : [percent(d.data.weight), place]);
  return a;
}

// Makes the areas usable: the arrow keys go from one to the next, what is pointed at is described.
function interactive(svg, tell) {
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
      history.replaceState(null, "", a.getAttribute("href"));
      if (a.dataset.cause !== undefined) chooseCause(a.dataset.cause);
      else openSite(a.getAttribute("href").slice(1));
    });
  }
}
