"use strict";
// Sorts and filters the tables of sites of each comparison. Without this script they stand as
// they are: gone, new and changed, in each the largest change first.

const root = document.documentElement;
const data = JSON.parse(document.getElementById("data").textContent);

// Headings whose figures are sorted by how much they changed.
const figures = {objects: 0, bytes: 1, cpu: 2};

// Makes the table of a comparison work.
function startPart(part, sites) {
  const table = part.querySelector("table.sites"),
    form = part.querySelector("form.controls");
  if (!table) return;
  const rows = sites.map((site, order) => {
    const body = document.getElementById(site.id);
    return {site, order, body, words: body.textContent.toLowerCase()};
  });
  let sorted = {by: "order", up: true};

  const keyOf = r => {
    if (sorted.by in figures) return r.site.sort[figures[sorted.by]];
    return sorted.by === "name" ? r.site.name : r.order;
  };
  const sortRows = () => {
    const sign = sorted.up ? 1 : -1;
    const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    table.append(...[...rows].sort((a, b) => sign * order(keyOf(a), keyOf(b)) || a.order - b.order).map(r => r.body));
    for (const th of table.querySelectorAll("th[data-sort]"))
      if (th.dataset.sort === sorted.by) th.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
      else th.removeAttribute("aria-sort");
  };
  const filterRows = () => {
    const text = form.elements.text.value.trim().toLowerCase(),
      is = (name, value) => form.elements[name].value === "*" || form.elements[name].value === value;
    let shown = 0;
    for (const r of rows) {
      r.body.hidden = !(is("kind", r.site.kind) && is("cause", r.site.cause) && r.words.includes(text));
      shown += !r.body.hidden;
    }
    const all = rows.length === 1 ? "1 site" : `${rows.length} sites`;
    form.querySelector("output").textContent = shown === rows.length ? all : `${shown} of ${all}`;
  };

  form.hidden = false;
  form.addEventListener("input", filterRows);
  form.addEventListener("submit", e => e.preventDefault());
  form.addEventListener("reset", () => setTimeout(filterRows));
  for (const th of table.querySelectorAll("th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = th.textContent;
    button.addEventListener("click", () => {
      const by = th.dataset.sort;
      sorted = {by, up: sorted.by === by ? !sorted.up : by === "order" || by === "name"};
      sortRows();
    });
    th.replaceChildren(button);
  }
  sortRows();
  filterRows();
}

// Opens the site that the address names. Its table may have hidden it.
function openSite() {
  const body = document.getElementById(location.hash.slice(1));
  if (!body || body.tagName !== "TBODY") return;
  if (body.hidden) body.closest("section").querySelector("form.controls").reset();
  body.hidden = false;
  body.querySelector("details").open = true;
  body.scrollIntoView({block: "start"});
  // The focus goes to the row, and not to its summary, which the same key might close.
  body.tabIndex = -1;
  body.focus({preventScroll: true});
}

function themeButton() {
  const system = matchMedia("(prefers-color-scheme: dark)"),
    dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches),
    button = document.createElement("button");
  const name = () => (button.textContent = dark() ? "Light theme" : "Dark theme");
  button.type = "button";
  button.className = "theme";
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  system.addEventListener("change", name);
  name();
  document.querySelector("header.top").append(button);
}

themeButton();
document.querySelectorAll("section.part").forEach((part, i) => startPart(part, data[i]));
addEventListener("hashchange", openSite);
openSite();
root.dataset.ready = "true";
