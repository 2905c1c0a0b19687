"use strict";
// A picture as a file of its own.

// The buttons that save what drawing gives then.
function exporter(p, drawing) {
  const save = (href, ext) =>
    make("a", {href, download: `memcost-${p.name}-${p.title}.${ext}`.replace(/[^\w.-]+/g, "-")}).click();
  const button = (name, act) => {
    const b = make("button", {type: "button", textContent: name, "aria-label": `${name}: ${p.sentence}`});
    b.addEventListener("click", act);
    return b;
  };
  const text = picture => new XMLSerializer().serializeToString(picture);
  return make(
    "div",
    {className: "export"},
    button("SVG", () =>
      save(URL.createObjectURL(new Blob([text(framed(p, drawing()))], {type: "image/svg+xml"})), "svg"),
    ),
    button("PNG", () => {
      const image = new Image(),
        picture = framed(p, drawing()),
        w = Number(picture.getAttribute("width")),
        h = Number(picture.getAttribute("height")),
        scale = 2; // for print
      image.onload = () => {
        const canvas = make("canvas", {width: w * scale, height: h * scale});
        canvas.getContext("2d").drawImage(image, 0, 0, w * scale, h * scale);
        canvas.toBlob(b => save(URL.createObjectURL(b), "png"));
      };
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text(picture));
    }),
  );
}
// Returns a picture on its own: its answer and the legend of colours above it, and its
// source below.
function framed(p, svg) {
  const width = svg.width.baseVal.value,
    parts = [];
  let y = 8;
  const text = (words, size, fill, x = 8) => parts.push(element("text", {x, y, "font-size": size, fill}, words));
  for (const line of wrap(p.sentence, width - 16, 14)) {
    y += 18;
    text(line, 14, ink().text);
  }
  y += 8;
  let x = 8;
  for (const item of svg.parentNode?.querySelectorAll(".key li") ?? []) {
    const swatch = item.querySelector("svg").cloneNode(true),
      wide = swatch.width.baseVal.value,
      room = wide + 24 + textWidth(item.textContent, 11);
    if (x === 8 || x + room > width) {
      x = 8;
      y += 17;
    }
    swatch.setAttribute("x", x);
    swatch.setAttribute("y", y - 10);
    parts.push(swatch);
    text(item.textContent, 11, ink().text, x + wide + 6);
    x += room;
  }
  y += 12;
  const copy = svg.cloneNode(true);
  for (const e of copy.querySelectorAll("[aria-label=tip]")) e.remove();
  copy.setAttribute("y", y);
  parts.push(copy);
  y += svg.height.baseVal.value;
  const machines = [...new Set((p.sets ?? []).map(s => s.machine).filter(Boolean))];
  for (const line of wrap(["memcost", p.name, ...machines].join(" · "), width - 16, 10)) {
    y += 13;
    text(line, 10, ink().soft);
  }
  y += 8;
  return element(
    "svg",
    {
      width,
      height: y,
      viewBox: `0 0 ${width} ${y}`,
      "font-family": font,
    },
    element("rect", {width: "100%", height: "100%", fill: ink().bg}),
    ...parts,
  );
}
// Lines of a text that are no wider than width.
function wrap(s, width, size) {
  const out = [""];
  for (const word of s.split(" "))
    out.at(-1) && textWidth(out.at(-1) + " " + word, size) > width
      ? out.push(word)
      : (out[out.length - 1] += (out.at(-1) ? " " : "") + word);
  return out;
}
