"use strict";
// The read-out below the picture on one axis: it follows pointer, finger and arrow keys, and is
// the picture's key. Beside it are the switches of what the picture shows.

// What is shown of the address.
kept.push({
  read(h) {
    const at = Number(h.get("axis.at"));
    axisChoice.per = h.get("axis.per") === "KiB" ? "KiB" : "block";
    axisChoice.at = at > 0 && at < 1e15 ? at : null;
    const known = axis.series.slice(1).map(s => s.label);
    axisChoice.asked = new Set(h.getAll("axis.more").filter(v => axis.means.some(m => m.asked && m.key === v)));
    axisChoice.beside = new Set(h.getAll("axis.with").filter(v => known.includes(v)).slice(0, mostBeside));
  },
  write(h) {
    if (axisChoice.per !== "block") h.set("axis.per", axisChoice.per);
    for (const v of axisChoice.asked) h.append("axis.more", v);
    for (const v of axisChoice.beside) h.append("axis.with", v);
  },
});

const what = axisFigure.querySelector(".says").textContent;
let frame = null; // of the picture as it is drawn

kinds.axis = (_, box) => {
  if (!axis.means.some(m => m.points.length)) return;
  const first = !frame;
  if (first) startAxis(box);
  const plane = box.querySelector(".plane"),
    form = axisFigure.querySelector("form.switches");
  axisSwitches(form, () => {
    writeFragment();
    paint(plane);
  });
  paint(plane);
  if (first) paint(plane); // the read-out has its height now
};

function paint(plane) {
  frame = drawAxis(plane);
  axisChoice.at = nearestSize(frame.sizes, axisChoice.at ?? 65536);
  tellAxis(frame);
}

function startAxis(box) {
  const plane = make("div", {className: "plane"}),
    form = make("form", {className: "switches"}),
    how = make("span", {className: "how", textContent: "move the pointer, or press ← →"});
  form.addEventListener("submit", e => e.preventDefault());
  axisFigure.querySelector("figcaption").append(form);
  box.append(plane, readings(how));
  const go = size => {
    if (size === axisChoice.at || size === undefined) return;
    axisChoice.at = size;
    tellAxis(frame);
  };
  const follow = e => {
    const r = frame.svg.getBoundingClientRect();
    go(nearestSize(frame.sizes, frame.x.invert(((e.clientX - r.left) * frame.width) / r.width)));
  };
  plane.addEventListener("pointermove", follow);
  plane.addEventListener("pointerdown", follow);
  plane.addEventListener("keydown", e => {
    const i = frame.sizes.indexOf(axisChoice.at),
      last = frame.sizes.length - 1,
      to = {ArrowLeft: i - 1, ArrowDown: i - 1, ArrowRight: i + 1, ArrowUp: i + 1, Home: 0, End: last}[e.key];
    if (to === undefined || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    go(frame.sizes[Math.min(Math.max(to, 0), last)]);
  });
  for (const [k, v] of Object.entries({tabindex: 0, role: "slider", "aria-label": what + ", by block size"}))
    plane.setAttribute(k, v);
  const p = {name: "axis", title: "one axis", sentence: what, sets: axis.series.slice(0, 1)};
  axisFigure.querySelector("details.figures").append(exporter(p, () => frame.svg));
}

// The read-out, which is the picture's key, too: a place for each of the curves of here.
function readings(how) {
  const of = axis.means.map((m, i) => ({...m, i})).filter(m => m.series === 0);
  const items = of.map(m => {
    const li = make("li", {className: `f-${m.family} dash-${m.dash ?? 0}`});
    li.dataset.mean = m.i;
    li.append(make("span", {className: "mean", textContent: m.short}), make("b"), make("small"), make("small"));
    return li;
  });
  return make(
    "div",
    {className: "readout"},
    make("p", {className: "at"}, make("b"), how),
    make("ul", {}, ...items),
  );
}

// A curve has one name, at its end and in the read-out.
const nameOf = (m, f) => (f.long ? m.label : m.short);

function nearestSize(sizes, at) {
  return d3.least(sizes, s => Math.abs(Math.log(s / at)));
}

// What the picture shows: a block, or its cost by KiB; and the curves of other runs, configurations
// and published machines, at most three at a time.
function axisSwitches(form, change) {
  const units = make("fieldset", {className: "per"}, make("legend", {textContent: "the time"}));
  for (const v of ["block", "KiB"]) {
    const b = make("input", {type: "radio", name: "per", value: v, checked: axisChoice.per === v});
    b.addEventListener("change", () => {
      axisChoice.per = v;
      change();
    });
    units.append(make("label", {}, b, "per " + v));
  }
  const others = axis.series.slice(1).map(s => s.label);
  const beside = make("fieldset", {className: "beside"}, make("legend", {textContent: "with"}));
  for (const label of others) {
    const b = make("input", {type: "checkbox", checked: axisChoice.beside.has(label)});
    b.addEventListener("change", () => {
      b.checked ? axisChoice.beside.add(label) : axisChoice.beside.delete(label);
      full();
      change();
    });
    beside.append(make("label", {}, b, label.replace(/, published$/, "")));
  }
  const full = () => {
    for (const b of beside.querySelectorAll("input"))
      b.disabled = !b.checked && axisChoice.beside.size >= mostBeside;
  };
  full();
  const summary = make("summary", {textContent: `with others (${others.length})`}),
    folded = others.length > 4 ? make("details", {}, summary, beside) : beside;
  form.replaceChildren(units, ...moreCurves(form, change), ...(others.length ? [folded] : []));
}

// The curves that are drawn only when they are asked for, each as a switch.
function moreCurves(form, change) {
  const more = axis.means.filter(m => m.asked && m.series === 0 && m.points.length);
  if (!more.length) return [];
  const set = make("fieldset", {className: "beside"}, make("legend", {textContent: "more curves"}));
  for (const m of more) {
    const b = make("input", {type: "checkbox", checked: axisChoice.asked.has(m.key)});
    b.addEventListener("change", () => {
      b.checked ? axisChoice.asked.add(m.key) : axisChoice.asked.delete(m.key);
      change();
    });
    set.append(make("label", {}, b, m.label));
  }
  const open = form.querySelector("details.more")?.open ?? false;
  return [make("details", {className: "more", open}, make("summary", {textContent: `more curves (${more.length})`}), set)];
}

// Says what every means costs at the size that is pointed at.
function tellAxis(f) {
  const at = axisChoice.at,
    first = axisFigure,
    box = first.querySelector(".plane"),
    x = f.x(at),
    said = [];
  f.cursor.selectAll("*").remove();
  f.cursor
    .append("path")
    .attr("d", `M${x},${f.m.top - 2}V${f.height - f.m.bottom}`)
    .attr("stroke", ink().soft)
    .attr("stroke-opacity", 0.8);
  for (const c of f.curves) {
    const d = c.points.find(d => d.size === at);
    if (d)
      f.cursor
        .append("circle")
        .attr("cx", x)
        .attr("cy", f.y(d.y))
        .attr("r", 4.6)
        .attr("fill", "none")
        .attr("stroke", ink().text);
  }
  first.querySelector(".readout .at b").textContent = bytes(at);
  for (const li of first.querySelectorAll(".readout li")) {
    const m = axis.means[li.dataset.mean];
    li.hidden = !f.curves.some(c => c.i === Number(li.dataset.mean));
    if (li.hidden) continue;
    li.querySelector(".mean").textContent = nameOf(m, f);
    const d = m.points.map(pointOf).find(d => d.size === at),
      [value, interval, ratio] = li.querySelectorAll("b, small");
    value.textContent = d ? quantity(d.v * per(d), "sec/op") + (d.flagged ? " †" : "") : "–";
    interval.textContent = d ? intervalOf(d.v, d.lo, d.hi, per(d)) : "not measured";
    li.title = d ? "" : (m.ends ?? "");
    ratio.textContent = ratioAt(m, at);
    li.querySelectorAll(".other").forEach(e => e.remove());
    for (const c of f.curves.filter(c => c.series > 0 && c.key === m.key)) {
      const o = c.points.find(d => d.size === at);
      li.append(
        make("small", {
          className: "other",
          textContent: `${o ? quantity(o.y, "sec/op") : "–"} ${seriesName(c.series)}`,
        }),
      );
    }
    if (d) said.push(`${nameOf(m, f)} ${value.textContent}`);
  }
  const words = `${bytes(at)}: ${said.join(", ")}`;
  for (const [k, v] of Object.entries({
    "aria-valuemin": 0,
    "aria-valuemax": f.sizes.length - 1,
    "aria-valuenow": f.sizes.indexOf(at),
    "aria-valuetext": words,
  }))
    box.setAttribute(k, v);
}

function ratioAt(m, at) {
  const r = axis.ratio;
  if (!r || r.numerator !== m.key) return "";
  const p = r.points.map(pointOf).find(d => d.size === at),
    den = axis.means.find(m => m.key === r.denominator);
  return p ? `${brief(p.v)}× ${den?.short ?? r.denominator}` : "";
}
