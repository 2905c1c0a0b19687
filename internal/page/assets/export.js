"use strict";
// A picture as a file of its own.

function exporter(p, svg) {
  const save = (href, ext) =>
    make("a", {href, download: `memcost-${data.studies[p.study]}-${p.title}.${ext}`.replace(/[^\w.-]+/g, "-")}).click();
  const button = (name, act) => {
    const b = make("button", {type: "button", textContent: name, "aria-label": `${name}: ${p.sentence}`});
    b.addEventListener("click", act);
    return b;
  };
  const text = () => new XMLSerializer().serializeToString(framed(p, svg));
  return make(
    "div",
    {className: "export"},
    button("SVG", () => save(URL.createObjectURL(new Blob([text()], {type: "image/svg+xml"})), "svg")),
    button("PNG", () => {
      const image = new Image(),
        w = svg.width.baseVal.value,
        h = svg.height.baseVal.value + 84,
        scale = 2;
      image.onload = () => {
        const canvas = make("canvas", {width: w * scale, height: h * scale});
        canvas.getContext("2d").drawImage(image, 0, 0, w * scale, h * scale);
        canvas.toBlob(b => save(URL.createObjectURL(b), "png"));
      };
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text());
    }),
  );
}
// A picture on its own: with its answer above it, and where it comes from below.
function framed(p, svg) {
  const copy = svg.cloneNode(true),
    w = svg.width.baseVal.value,
    h = svg.height.baseVal.value,
    ns = "http://www.w3.org/2000/svg";
  for (const e of copy.querySelectorAll("[aria-label=tip]")) e.remove();
  const outer = document.createElementNS(ns, "svg");
  for (const [k, v] of Object.entries({
    xmlns: ns,
    width: w,
    height: h + 84,
    viewBox: `0 0 ${w} ${h + 84}`,
    "font-family": "system-ui, 'DejaVu Sans', sans-serif",
    fill: ink().text,
  }))
    outer.setAttribute(k, v);
  const say = (s, y, size, colour) => {
    const t = document.createElementNS(ns, "text");
    for (const [k, v] of Object.entries({x: 8, y, "font-size": size, fill: colour})) t.setAttribute(k, v);
    t.textContent = s;
    outer.append(t);
  };
  const back = document.createElementNS(ns, "rect");
  for (const [k, v] of Object.entries({width: "100%", height: "100%", fill: ink().bg})) back.setAttribute(k, v);
  outer.append(back);
  wrap(p.sentence, Math.floor(w / 7.2))
    .slice(0, 3)
    .forEach((l, i) => say(l, 18 + 17 * i, 14, ink().text));
  copy.setAttribute("y", 60);
  outer.append(copy);
  const key = svg.parentNode?.querySelector(".key");
  const from = [...new Set((p.sets ?? []).map(s => data.sets[s.set].machine))].join(", ");
  say(
    [key ? [...key.children].map(c => c.textContent).join(" | ") : "", from, "memcost"]
      .filter(Boolean)
      .join(" · ")
      .slice(0, Math.floor(w / 5.6)),
    h + 76,
    10,
    ink().soft,
  );
  return outer;
}
function wrap(s, most) {
  const out = [""];
  for (const word of s.split(" "))
    (out.at(-1) + " " + word).length > most && out.at(-1)
      ? out.push(word)
      : (out[out.length - 1] += (out.at(-1) ? " " : "") + word);
  return out;
}
