"use strict";
// What every page does: it draws its pictures when they come near the screen, opens what the
// address names, changes between light and dark, copies code, and is printed whole. Everything
// that is drawn stands in tables, too: without these scripts only the pictures are missing.

const root = document.documentElement;

const make = (tag, props = {}, ...children) => {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) k in e ? (e[k] = v) : e.setAttribute(k, v);
  e.append(...children);
  return e;
};
function element(tag, attributes, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

// On paper everything is light.
let printing = false;
const dark = () =>
  !printing &&
  (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

// How a picture of each kind is drawn: (its data, where to, {figure, width}) → nothing. It is
// drawn anew when its width or the theme changes.
const kinds = {};
// What is done when all scripts are there, before anything is drawn.
const beginnings = [];

function draw(figure) {
  const box = figure.querySelector(".drawing"),
    width = Math.max(260, Math.floor(box.getBoundingClientRect().width));
  figure.data ??= JSON.parse(figure.querySelector("script").textContent);
  box.dataset.width = width;
  try {
    kinds[figure.dataset.kind](figure.data, box, {figure, width});
  } catch (e) {
    console.error(figure.id, e); // one picture that cannot be drawn leaves the others, and its table
  }
}
const drawnFigures = () => [...document.querySelectorAll("figure.picture")].filter(f => f.querySelector("[data-width]"));

const near = new IntersectionObserver(es => es.forEach(e => e.isIntersecting && drawNow(e.target)), {
  rootMargin: "600px",
});
const sizes = new ResizeObserver(es => {
  for (const e of es) {
    const width = Math.floor(e.contentRect.width);
    if (width && Math.abs(width - Number(e.target.dataset.width)) > 2) draw(e.target.closest("figure"));
  }
});
function drawNow(figure) {
  near.unobserve(figure);
  draw(figure);
  sizes.observe(figure.querySelector(".drawing"));
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
  to.dispatchEvent(new Event("reveal", {bubbles: true})); // a table may have hidden it
  const own = to.matches("tbody") && to.querySelector(".more details");
  if (own) own.open = true;
  // What is drawn later must not push it away.
  for (const f of document.querySelectorAll("figure.picture:has(> .drawing)"))
    if (f.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_FOLLOWING && f.checkVisibility()) drawNow(f);
  to.scrollIntoView({block: "start"});
  for (const e of document.querySelectorAll(".named")) e.classList.remove("named");
  if (!to.matches("tr, tbody")) return;
  to.classList.add("named");
  to.tabIndex = -1; // the focus goes to the row, and not to its summary, which the same key might close
  to.focus({preventScroll: true});
}

function themeButton() {
  const button = make("button", {type: "button", className: "theme"}),
    repaint = () => {
      button.textContent = dark() ? "Light theme" : "Dark theme";
      drawnFigures().forEach(draw);
    };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    repaint();
    dispatchEvent(new Event("chosen"));
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  document.querySelector("header.top").append(button);
  repaint();
}

// Gives code a button that copies it. A page from a file may not be allowed to: then the text is
// selected.
function copyButton(source) {
  const pre = source.querySelector("pre"),
    button = make("button", {type: "button", className: "copy", textContent: "Copy"});
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(pre);
      button.textContent = "Selected: copy it with the keyboard";
    }
  });
  source.append(button);
}

// On paper what is open is shown whole, and light; closed evidence is left out.
function printed() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main details:not([open])")].filter(
      d => !d.matches(".evidence") && !d.closest(".evidence:not([open])") && !d.closest(".more"),
    );
    opened.forEach(d => (d.open = true));
    printing = true;
    for (const f of document.querySelectorAll("figure.picture:has(> .drawing)"))
      if (!f.closest(".evidence:not([open])")) drawNow(f);
  });
  addEventListener("afterprint", () => {
    opened.forEach(d => (d.open = false));
    printing = false;
    drawnFigures().forEach(draw);
  });
}
