"use strict";
// The pictures of a study, and the reader's choices of what they show: which data sets, which
// range, which axes. The choices are kept in the address. A picture's data: {by, numeric,
// unit, columns, sets: [{label, machine, go, arm, published, caches, rows: [{label, value, cells:
// [[value, lo, hi, rounds]]}]}], bounds, roofline, compact, sorted, evidence}.

const data = {sets: [], studies: [], pictures: []};
const sections = [...document.querySelectorAll("section.study")];
data.studies = sections.map(s => s.querySelector("h2, h3").textContent);

// Reads a picture's data, once. Its sets are numbered: several pictures have the same.
function read(figure) {
  const p = (figure.data ??= JSON.parse(figure.querySelector("script").textContent));
  if (p.kind) return p;
  p.kind = figure.dataset.kind;
  p.id = figure.id;
  p.study = sections.indexOf(figure.closest("section.study"));
  p.name = data.studies[p.study] ?? document.title;
  p.sentence = figure.querySelector(".says").textContent;
  p.title = figure.querySelector(".caption")?.textContent ?? p.sentence;
  for (const s of p.sets ?? []) {
    let at = data.sets.findIndex(x => x.label === s.label);
    if (at < 0) at = data.sets.push(s) - 1;
    s.set = at;
  }
  data.pictures.push(p);
  return p;
}
const loaded = new Set();
function load(study) {
  if (loaded.has(study)) return;
  loaded.add(study);
  for (const f of sections[study].querySelectorAll("figure.picture[data-kind]"))
    if (f.dataset.kind in studyKinds) read(f);
  ranges[study] = rangeOf(study);
}

const initial = () => ({off: new Set(), from: null, to: null, x: "log", y: "log", sort: "ratio"});
const none = initial(); // of a picture outside of all studies
const choices = data.studies.map(initial);
choices[-1] = none;
const groups = [
  ["machine", "machine"],
  ["go", "Go"],
  ["arm", "configuration"],
];

// What else the address holds: [read it, write it].
const kept = [];
const decodeHash = () => {
  const h = location.hash.slice(1);
  return h.includes("=") || h === "" ? new URLSearchParams(h) : null; // else it is the name of a place
};
function readFragment() {
  const h = decodeHash();
  if (!h) return;
  root.dataset.theme = ["light", "dark"].includes(h.get("theme")) ? h.get("theme") : "";
  if (!root.dataset.theme) delete root.dataset.theme;
  kept.forEach(k => k.read(h));
  data.studies.forEach((name, i) => {
    if ([...h.keys()].some(k => k.startsWith(name + "."))) load(i);
    const c = (choices[i] = initial()),
      get = k => h.get(name + "." + k);
    for (const v of h.getAll(name + ".off")) c.off.add(v);
    const known = v => (ranges[i]?.values.some(([x]) => x === v) ? v : null);
    c.from = known(get("from"));
    c.to = known(get("to"));
    if (get("x") === "linear") c.x = "linear";
    if (get("y") === "linear") c.y = "linear";
    if (get("sort") === "name") c.sort = "name";
  });
}
function writeFragment() {
  const h = new URLSearchParams();
  if (root.dataset.theme) h.set("theme", root.dataset.theme);
  kept.forEach(k => k.write(h));
  data.studies.forEach((name, i) => {
    const c = choices[i];
    for (const v of c.off) h.append(name + ".off", v);
    for (const k of ["from", "to"]) if (c[k] !== null) h.set(name + "." + k, c[k]);
    for (const k of ["x", "y"]) if (c[k] !== "log") h.set(name + "." + k, c[k]);
    if (c.sort !== "ratio") h.set(name + ".sort", c.sort);
  });
  const text = h.toString();
  history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
}

const setValue = (s, key) => (key === "machine" && s.published ? s.label : s[key]);
const shown = (study, set) =>
  !groups.some(([key]) => choices[study].off.has(key + ":" + setValue(data.sets[set], key)));
// A range is of the values of one key, the study's most frequent one with numbers.
function rangeOf(study) {
  const by = new Map();
  for (const p of data.pictures)
    if (p.study === study && p.numeric) {
      const m = by.get(p.by) ?? by.set(p.by, new Map()).get(p.by);
      for (const s of p.sets) for (const r of s.rows) m.set(r.value, r.label);
    }
  let best = null;
  for (const [key, values] of by)
    if (values.size > 2 && (!best || values.size > best.values.length))
      best = {key, values: [...values].sort((a, b) => number(a[0]) - number(b[0]))};
  return best;
}
// The value of a key may have GOMAXPROCS at its end: 1024-2.
const number = v => parseFloat(v);
const ranges = data.studies.map(() => null);
function inRange(p, value) {
  const r = ranges[p.study],
    c = choices[p.study];
  if (!r || !p.numeric || r.key !== p.by) return true;
  return (c.from === null || number(value) >= number(c.from)) && (c.to === null || number(value) <= number(c.to));
}

// Makes the form of a study's choices.
function controls(form, study) {
  const c = choices[study],
    of = data.pictures.filter(p => p.study === study && p.sets),
    sets = [...new Set(of.flatMap(p => p.sets.map(s => s.set)))].sort((a, b) => a - b);
  const change = () => {
    writeFragment();
    redraw(study);
  };
  const select = (choice, title, options, set) => {
    const s = make("select", {}, ...options.map(([value, textContent]) => make("option", {value, textContent})));
    s.value = c[choice] ?? "";
    s.dataset.choice = choice;
    s.addEventListener("change", () => {
      c[choice] = set ? s.value : s.value || null;
      change();
    });
    form.append(make("label", {}, title, s));
  };
  form.replaceChildren();
  for (const [key, title] of groups) {
    const values = [...new Set(sets.map(s => setValue(data.sets[s], key)))].filter(v => key === "machine" || v);
    if (values.length < 2) continue;
    const boxes = values.map(v => {
      const box = make("input", {type: "checkbox", checked: !c.off.has(key + ":" + v)});
      box.addEventListener("change", () => {
        box.checked ? c.off.delete(key + ":" + v) : c.off.add(key + ":" + v);
        change();
      });
      return make("label", {}, box, v);
    });
    form.append(make("fieldset", {}, make("legend", {textContent: title}), ...boxes));
  }
  const r = ranges[study];
  if (r) {
    select("from", r.key + " from", [["", "smallest"], ...r.values]);
    select("to", "to", [["", "largest"], ...r.values]);
  }
  const either = (a, b) => [a, b].map(v => [v, v]);
  for (const k of ["x", "y"]) select(k, k + " axis", either("log", "linear"), true);
  if (of.some(p => p.sorted)) select("sort", "sorted by", either("ratio", "name"), true);
  const reset = make("button", {type: "button", textContent: "Reset"});
  reset.addEventListener("click", () => {
    choices[study] = initial();
    writeFragment();
    controls(form, study);
    redraw(study);
    form.lastElementChild.focus(); // the button that was pressed is gone
  });
  form.append(reset);
}
function redraw(study) {
  for (const f of drawnFigures()) if (f.data?.study === study) draw(f);
}

// The kinds of pictures that these choices are of: (data, width) → {svg, nodes}, or null where
// nothing is left to draw.
const studyKinds = {curve, forest, dots: forest, steps, timeline, strips, narrowing, rounds};
for (const [kind, drawing] of Object.entries(studyKinds))
  kinds[kind] = (_, box, {figure, width}) => {
    const p = read(figure),
      // On a page with large letters (a 4K screen) a picture is magnified with them.
      zoom = Math.max(1, parseFloat(getComputedStyle(root).fontSize) / 16);
    if (p.study >= 0) openStudy(p.study);
    const drawn = drawing(p, Math.floor(width / zoom));
    if (!drawn) {
      const textContent = "Nothing to draw with these choices. The figures stand in the table.";
      return box.replaceChildren(make("p", {className: "note", textContent}));
    }
    if (zoom > 1) drawn.svg.style.width = "100%";
    drawn.svg.setAttribute("role", "img");
    // Plot labels them, which is not allowed without a role
    for (const g of drawn.svg.querySelectorAll(":scope > g")) g.setAttribute("aria-hidden", "true");
    drawn.svg.setAttribute("aria-label", p.sentence + " The figures are in the table below.");
    box.replaceChildren(...drawn.nodes.filter(Boolean));
    const saved = exporter(p, () => drawn.svg);
    if (!p.compact) return box.append(saved);
    const figures = figure.querySelector("details.figures"); // on a card there is no room
    figures?.querySelector(".export")?.remove();
    figures?.append(saved);
  };

// Makes a study's choices where the pictures stand that they are of; on a card, when the evidence
// is opened.
const openedStudies = new Set();
function openStudy(study) {
  const place = sections[study].querySelector(".pictures");
  if (openedStudies.has(study) || !place || !place.checkVisibility()) return;
  openedStudies.add(study);
  load(study);
  if (!data.pictures.some(p => p.study === study && p.sets)) return;
  const form = make("form", {className: "controls"});
  form.addEventListener("submit", e => e.preventDefault());
  place.before(form);
  controls(form, study);
}

// The address and the choices follow each other.
beginnings.push(readFragment);
addEventListener("chosen", writeFragment);
addEventListener("hashchange", () => {
  if (!decodeHash()) return;
  readFragment();
  for (const s of openedStudies) {
    const form = sections[s].querySelector("form.controls");
    if (form) controls(form, s);
  }
  drawnFigures().forEach(draw);
});
for (const [i, s] of sections.entries()) {
  const evidence = s.querySelector("details.evidence");
  evidence?.addEventListener("toggle", () => evidence.open && openStudy(i));
  beginnings.push(() => (!evidence || evidence.open) && openStudy(i));
}
