"use strict";
// Reads and writes the reader's choices, kept in the URL's fragment, and makes the
// controls for them.

const initial = () => ({off: new Set(), from: null, to: null, x: "log", y: "log", sort: "ratio"});
const choices = data.studies.map(initial);
const groups = [
  ["machine", "machine"],
  ["go", "Go"],
  ["arm", "configuration"],
];

function readFragment() {
  const h = decodeHash();
  if (!h) return;
  root.dataset.theme = ["light", "dark"].includes(h.get("theme")) ? h.get("theme") : "";
  if (!root.dataset.theme) delete root.dataset.theme;
  readAxis(h);
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
function readAxis(h) {
  if (!data.axis) return;
  const at = Number(h.get("axis.at"));
  axisChoice.per = h.get("axis.per") === "KiB" ? "KiB" : "block";
  axisChoice.at = at > 0 && at < 1e15 ? at : null;
  axisChoice.beside = new Set(
    h
      .getAll("axis.with")
      .filter(v => data.axis.series.slice(1).some(s => s.label === v))
      .slice(0, mostBeside),
  );
}
function writeAxis(h) {
  if (axisChoice.per !== "block") h.set("axis.per", axisChoice.per);
  for (const v of axisChoice.beside) h.append("axis.with", v);
}
function decodeHash() {
  const h = location.hash.slice(1);
  return h.includes("=") || h === "" ? new URLSearchParams(h) : null; // else it is the name of a section
}
function writeFragment() {
  const h = new URLSearchParams();
  if (root.dataset.theme) h.set("theme", root.dataset.theme);
  writeAxis(h);
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
    if (values.size > 2 && (!best || values.size > best.values.length)) {
      best = {key, values: [...values].sort((a, b) => number(a[0]) - number(b[0]))};
    }
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

const make = (tag, props = {}, ...children) => {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) k in e ? (e[k] = v) : e.setAttribute(k, v);
  e.append(...children);
  return e;
};

function controls(form, study) {
  form.replaceChildren();
  const c = choices[study],
    sets = new Set();
  for (const p of data.pictures) if (p.study === study) for (const s of p.sets ?? []) sets.add(s.set);
  const change = () => {
    writeFragment();
    redraw(study);
  };
  for (const [key, title] of groups) {
    const values = [...new Set([...sets].sort((a, b) => a - b).map(s => setValue(data.sets[s], key)))].filter(
      v => (key !== "go" && key !== "arm") || v !== "",
    );
    if (values.length < 2) continue;
    form.append(
      make(
        "fieldset",
        {},
        make("legend", {textContent: title}),
        ...values.map(v => {
          const box = make("input", {type: "checkbox", checked: !c.off.has(key + ":" + v)});
          box.addEventListener("change", () => {
            box.checked ? c.off.delete(key + ":" + v) : c.off.add(key + ":" + v);
            change();
          });
          return make("label", {}, box, v);
        }),
      ),
    );
  }
  const r = ranges[study];
  if (r)
    for (const [k, title] of [
      ["from", r.key + " from"],
      ["to", "to"],
    ]) {
      const s = make(
        "select",
        {},
        make("option", {value: "", textContent: k === "from" ? "smallest" : "largest"}),
        ...r.values.map(([v, label]) => make("option", {value: v, textContent: label})),
      );
      s.value = c[k] ?? "";
      s.dataset.choice = k;
      s.addEventListener("change", () => {
        c[k] = s.value || null;
        change();
      });
      form.append(make("label", {}, title, s));
    }
  for (const k of ["x", "y"]) {
    const s = make("select", {}, ...["log", "linear"].map(v => make("option", {value: v, textContent: v})));
    s.value = c[k];
    s.dataset.choice = k;
    s.addEventListener("change", () => {
      c[k] = s.value;
      change();
    });
    form.append(make("label", {}, k + " axis", s));
  }
  if (data.pictures.some(p => p.study === study && p.sorted)) {
    const s = make("select", {}, ...["ratio", "name"].map(v => make("option", {value: v, textContent: v})));
    s.value = c.sort;
    s.dataset.choice = "sort";
    s.addEventListener("change", () => {
      c.sort = s.value;
      change();
    });
    form.append(make("label", {}, "sorted by", s));
  }
  const reset = make("button", {type: "button", textContent: "Reset"});
  reset.addEventListener("click", () => {
    choices[study] = initial();
    writeFragment();
    controls(form, study);
    redraw(study);
    form.lastElementChild.focus(); // the button that was pressed is gone
  });
  form.append(reset);
  form.hidden = false;
}
