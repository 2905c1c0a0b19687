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
  box.replaceChildren(...drawn.nodes.filter(Boolean));
  const saved = exporter(p, () => drawn.svg);
  if (!p.compact) return box.append(saved);
  const figures = figure.querySelector("details.figures"); // on a card there is no room
  figures.querySelector(".export")?.remove();
  figures.append(saved);
}
function redraw(study) {
  for (const f of document.querySelectorAll("figure.picture"))
    if (f.querySelector(".drawing").dataset.width)
      if (study === undefined || pictures.get(f.id).study === study) draw(f);
}

// Pictures are drawn when they come near the screen, and redrawn when their width changes.
const near = new IntersectionObserver(
  es => {
    for (const e of es)
      if (e.isIntersecting) drawNow(e.target);
  },
  {rootMargin: "600px"},
);
const sizes = new ResizeObserver(es => {
  for (const e of es) {
    const width = Math.floor(e.contentRect.width);
    if (width && Math.abs(width - Number(e.target.dataset.width || 0)) > 2) draw(e.target.closest("figure"));
  }
});

function drawNow(figure) {
  near.unobserve(figure);
  draw(figure);
  sizes.observe(figure.querySelector(".drawing"));
}

// Reads what a study has behind its card, once; from then on its pictures are drawn as they come
// near.
const openedStudies = new Set();
function openStudy(section) {
  const study = Number(section.dataset.study);
  if (openedStudies.has(study)) return;
  openedStudies.add(study);
  load(study);
  const form = section.querySelector(".controls");
  if (data.pictures.some(p => p.study === study && p.sets)) controls(form, study);
  form.addEventListener("submit", e => e.preventDefault());
  section.querySelectorAll("figure.picture").forEach(f => near.observe(f));
  section.querySelectorAll("figure.recording").forEach(recording);
}

// Opens what holds the place that the address names, and shows it.
function reveal() {
  let to = null;
  try {
    to = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return; // an address that is none
  }
  if (!to) return;
  for (let d = to.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  const section = to.closest("section.study");
  if (section && to.closest(".evidence")) {
    openStudy(section);
    // what is drawn later must not push it away
    for (const f of section.querySelectorAll("figure.picture"))
      if (f.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_FOLLOWING) drawNow(f);
  }
  to.scrollIntoView();
  to.classList.toggle("named", to.matches("tr"));
}

function themeButton() {
  const theme = make("button", {type: "button", className: "theme"});
  const name = () => (theme.textContent = dark() ? "Light theme" : "Dark theme");
  const repaint = () => {
    name();
    redraw();
    axis?.paint?.();
  };
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    writeFragment();
    repaint();
  });
  name();
  document.querySelector("header.top").append(theme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  return repaint;
}

// On paper what is open is shown whole, and light; closed evidence is left out.
function printed() {
  let opened = [];
  const repaint = on => {
    printing = on;
    redraw();
    axis?.paint?.();
  };
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main details:not([open])")].filter(
      d => !d.matches(".evidence") && !d.closest(".evidence:not([open])"),
    );
    opened.forEach(d => (d.open = true));
    for (const f of document.querySelectorAll("figure.picture"))
      if (pictures.has(f.id) && !f.closest(".evidence:not([open])")) drawNow(f);
    repaint(true);
  });
  addEventListener("afterprint", () => {
    opened.forEach(d => (d.open = false));
    repaint(false);
  });
}

function start() {
  readFragment();
  startAxis();
  for (const f of document.querySelectorAll(".key-picture figure.picture")) near.observe(f);
  for (const s of document.querySelectorAll("section.study")) {
    const evidence = s.querySelector("details.evidence");
    if (!evidence || evidence.open) openStudy(s);
    evidence?.addEventListener("toggle", () => evidence.open && openStudy(s));
  }
  startVerdicts();
  const repaint = themeButton();
  printed();
  addEventListener("hashchange", () => {
    if (!decodeHash()) return reveal();
    readFragment();
    document.querySelectorAll("section.study").forEach(s => {
      const f = s.querySelector(".controls");
      if (!f.hidden) controls(f, Number(s.dataset.study));
    });
    repaint();
  });
  reveal();
  root.dataset.ready = "true";
}
start();
