"use strict";
// The read-out below the picture on one axis: it follows pointer, finger and arrow keys, and is
// the picture's key. Beside it are the switches of what the picture shows.

function startAxis() {
  const box = document.querySelector(".axis");
  if (!axis || !box || !axis.means.some(m => m.points.length)) return;
  const first = document.querySelector(".first"),
    form = first.querySelector("form.switches");
  box.hidden = form.hidden = false;
  first.querySelector(".how").hidden = false;
  form.addEventListener("submit", e => e.preventDefault());
  let frame = null;
  const sizes = () => frame.sizes;
  const show = () => tellAxis(frame, first);
  const paint = () => {
    frame = drawAxis(box);
    axisChoice.at = nearestSize(sizes(), axisChoice.at ?? 65536);
    show();
  };
  const go = size => {
    if (size === axisChoice.at || size === undefined) return;
    axisChoice.at = size;
    show();
  };
  axisSwitches(form, () => {
    writeFragment();
    paint();
  });
  const follow = e => {
    const r = frame.svg.getBoundingClientRect(),
      at = frame.x.invert(((e.clientX - r.left) * frame.width) / r.width);
    go(nearestSize(sizes(), at));
  };
  box.addEventListener("pointermove", follow);
  box.addEventListener("pointerdown", follow);
  box.addEventListener("keydown", e => {
    const i = sizes().indexOf(axisChoice.at),
      last = sizes().length - 1,
      to = {ArrowLeft: i - 1, ArrowDown: i - 1, ArrowRight: i + 1, ArrowUp: i + 1, Home: 0, End: last}[e.key];
    if (to === undefined || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    go(sizes()[Math.min(Math.max(to, 0), last)]);
  });
  for (const [k, v] of Object.entries({tabindex: 0, role: "slider", "aria-label": axis.what + ", by block size"}))
    box.setAttribute(k, v);
  new ResizeObserver(es => {
    for (const e of es) if (Math.abs(Math.floor(e.contentRect.width) - Number(box.dataset.width || 0)) > 2) paint();
  }).observe(box);
  const p = {name: "axis", title: "one axis", sentence: axis.what, sets: [{set: 0}]};
  first.querySelector("#curves").append(exporter(p, () => frame.svg));
  axis.paint = () => {
    axisSwitches(form, () => (writeFragment(), paint()));
    paint();
  };
  paint();
}

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
  form.replaceChildren(units, ...(others.length ? [folded] : []));
}

// Says what every means costs at the size that is pointed at.
function tellAxis(f, first) {
  const at = axisChoice.at,
    box = first.querySelector(".axis"),
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
    const m = axis.means[li.dataset.mean],
      d = m.points.map(pointOf).find(d => d.size === at),
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
    if (d) said.push(`${m.short} ${value.textContent}`);
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
  if (!r || r.num !== m.key) return "";
  const p = r.points.find(([size]) => size === at),
    den = axis.means.find(m => m.key === r.den);
  return p ? `${brief(p[1])}× ${den?.short ?? r.den}` : "";
}
