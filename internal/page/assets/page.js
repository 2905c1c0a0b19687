"use strict";
// Draws the pictures when they come near the screen, and redraws them when a choice or
// their width changes.

const kinds = {curve, forest, dots: forest, steps, timeline, strips, narrowing, rounds};

function draw(figure) {
  const p = pictures.get(figure.id),
    box = figure.querySelector(".drawing");
  // On a page with large letters (a 4K screen) a picture is magnified with them.
  const width = Math.max(260, Math.floor(box.getBoundingClientRect().width)),
    zoom = Math.max(1, parseFloat(getComputedStyle(root).fontSize) / 16);
  let drawn = null;
  try {
    drawn = kinds[p.kind](p, Math.floor(width / zoom));
  } catch (e) {
    // one picture that cannot be drawn leaves the others, and its table
    console.error(p.title, e);
  }
  box.dataset.width = width;
  if (!drawn) {
    box.replaceChildren(
      make("p", {
        className: "note",
        textContent: "Nothing to draw with these choices. The figures stand in the table.",
      }),
    );
    return;
  }
  if (zoom > 1) drawn.svg.style.width = "100%";
  drawn.svg.setAttribute("role", "img");
  // Plot labels them, which is not allowed without a role
  for (const g of drawn.svg.querySelectorAll(":scope > g")) g.setAttribute("aria-hidden", "true");
  drawn.svg.setAttribute("aria-label", p.sentence + " The figures are in the table below.");
  box.replaceChildren(
    ...drawn.nodes.filter(Boolean),
    exporter(p, () => drawn.svg),
  );
}
function redraw(study) {
  for (const f of document.querySelectorAll("figure.picture"))
    if (study === undefined || pictures.get(f.id).study === study)
      if (f.querySelector(".drawing").dataset.width) draw(f);
}

function start() {
  readFragment();
  for (const s of document.querySelectorAll("section.study")) {
    const study = Number(s.dataset.study),
      form = s.querySelector(".controls");
    if (data.pictures.some(p => p.study === study && p.sets)) controls(form, study);
    form.addEventListener("submit", e => e.preventDefault());
  }
  const theme = make("button", {type: "button", className: "theme"});
  const name = () => (theme.textContent = dark() ? "Light theme" : "Dark theme");
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    name();
    writeFragment();
    redraw();
  });
  name();
  document.querySelector("header.top").append(theme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    name();
    redraw();
  });
  // Pictures are drawn when they come near the screen, and redrawn when their width
  // changes.
  const figures = [...document.querySelectorAll("figure.picture")];
  const near = new IntersectionObserver(
    es => {
      for (const e of es)
        if (e.isIntersecting) {
          near.unobserve(e.target);
          draw(e.target);
          sizes.observe(e.target.querySelector(".drawing"));
        }
    },
    {rootMargin: "600px"},
  );
  const sizes = new ResizeObserver(es => {
    for (const e of es)
      if (Math.abs(Math.floor(e.contentRect.width) - Number(e.target.dataset.width || 0)) > 2)
        draw(e.target.closest("figure"));
  });
  figures.forEach(f => near.observe(f));
  addEventListener("hashchange", () => {
    if (!decodeHash()) return;
    readFragment();
    document.querySelectorAll("section.study").forEach(s => {
      const f = s.querySelector(".controls");
      if (!f.hidden) controls(f, Number(s.dataset.study));
    });
    name();
    redraw();
  });
  const all = () => {
    figures.forEach(f => {
      near.unobserve(f);
      draw(f);
    });
  };
  document.querySelectorAll("figure.recording").forEach(recording);
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main details:not([open])")];
    opened.forEach(d => (d.open = true));
    all();
  });
  addEventListener("afterprint", () => opened.forEach(d => (d.open = false)));
  root.dataset.ready = "true";
}
start();
