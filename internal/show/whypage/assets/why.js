"use strict";
// Starts the page: the picture, the table, links to sites, the theme, buttons that copy.

function startTreemap() {
  const figure = document.querySelector("figure.treemap");
  if (!figure) return () => {};
  figure.hidden = false;
  const box = figure.querySelector(".tiles"),
    told = figure.querySelector(".told");
  const hint = "Point at an area, or use the arrow keys: what it is stands here.";
  let drawn = 0;
  const draw = () => {
    const measure = figure.querySelector("input:checked")?.value ?? "bytes";
    drawn = Math.max(280, Math.floor(box.clientWidth));
    const svg = drawTiles(box, measure, drawn);
    figure.querySelector(".caption").textContent = captionOf(measure);
    told.textContent = hint;
    if (!svg) {
      box.replaceChildren();
      told.textContent = "Nothing to draw with these choices.";
      return;
    }
    box.replaceChildren(svg);
    interactive(svg, words => (told.textContent = words));
  };
  figure.querySelector(".switch").addEventListener("change", draw);
  new ResizeObserver(() => Math.abs(box.clientWidth - drawn) > 2 && draw()).observe(box);
  draw();
  return draw;
}

// Gives a proposed edit a button that copies it. A page from a file may not be allowed to: then
// the text is selected.
function copyButton(edit) {
  const pre = edit.querySelector("pre"),
    button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy the edit";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(pre);
      button.textContent = "Selected: copy it with the keyboard";
    }
  });
  edit.append(button);
}

function themeButton() {
  const dark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const button = document.createElement("button");
  const name = () => (button.textContent = dark() ? "Light theme" : "Dark theme");
  button.type = "button";
  button.className = "theme";
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
  document.querySelector("header.top").append(button);
}

themeButton();
const redraw = startTreemap();
tableOfSites(redraw);
document.querySelectorAll(".edit").forEach(copyButton);
addEventListener("hashchange", () => openSite(location.hash.slice(1)));
openSite(location.hash.slice(1));
root.dataset.ready = "true";
