"use strict";
// Sorts and filters the table of sites. Without this script it stands as it is, by rank.

const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;

// The rows of the table, each with its site in the data.
const rows = data.sites.map((site, rank) => {
  const body = document.getElementById(site.id);
  return {site, body, rank, words: body.querySelector(".figures").textContent.toLowerCase()};
});

// What is chosen in the form: "*" is everything.
const chosen = {text: "", cause: "*", class: "*", bench: "*"};

// Returns the cost of a site in the benchmark that is chosen, or in the one in which it
// allocates most bytes.
function costOf(site) {
  if (chosen.bench === "*") return site.costs[0];
  return site.costs.find(c => c.bench === Number(chosen.bench));
}

const figures = {objects: 0, bytes: 1, cpu: 2};
const sortKeys = {
  rank: r => r.rank,
  name: r => r.site.name,
  price: r => r.site.sort[0],
  gain: r => r.site.sort[1],
};
for (const [name, i] of Object.entries(figures)) sortKeys[name] = r => costOf(r.site)?.value[i] ?? -1;

let sorted = {by: "rank", up: true};

function sortRows() {
  const key = sortKeys[sorted.by],
    sign = sorted.up ? 1 : -1;
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const all = [...rows].sort((a, b) => sign * order(key(a), key(b)) || a.rank - b.rank);
  document.querySelector("table.sites").append(...all.map(r => r.body));
  for (const th of document.querySelectorAll("table.sites th[data-sort]"))
    if (th.dataset.sort === sorted.by) th.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
    else th.removeAttribute("aria-sort");
}

// Reports whether a site is among the chosen ones.
function isChosen(r) {
  return (
    (chosen.cause === "*" || r.site.cause === chosen.cause) &&
    (chosen.class === "*" || r.site.class === chosen.class) &&
    (chosen.bench === "*" || costOf(r.site)) &&
    r.words.includes(chosen.text)
  );
}

// Shows the chosen rows, with their figures in the chosen benchmark.
function filterRows() {
  let shown = 0;
  for (const r of rows) {
    r.body.hidden = !isChosen(r);
    shown += !r.body.hidden;
    const cost = costOf(r.site),
      cells = r.body.querySelectorAll(".figures td[data-label]");
    if (cost) cost.shown.forEach((text, i) => (cells[i].textContent = text));
    const where = r.body.querySelector("summary .in");
    if (where) where.hidden = chosen.bench !== "*";
  }
  document.querySelector(".controls output").textContent =
    shown === rows.length ? `${shown} sites` : `${shown} of ${rows.length} sites`;
}

// Makes the table's form and its headings work; changed is called after each choice.
function tableOfSites(changed) {
  const form = document.querySelector("form.controls");
  if (!form) return;
  form.hidden = false;
  const choose = () => {
    for (const name of Object.keys(chosen)) chosen[name] = form.elements[name]?.value ?? chosen[name];
    chosen.text = chosen.text.trim().toLowerCase();
    filterRows();
    if (sorted.by in figures) sortRows();
    changed();
  };
  form.addEventListener("input", choose);
  form.addEventListener("submit", e => e.preventDefault());
  form.addEventListener("reset", () => setTimeout(choose));
  for (const th of document.querySelectorAll("table.sites th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = th.textContent;
    button.addEventListener("click", () => {
      const by = th.dataset.sort,
        first = by === "rank" || by === "name";
      sorted = {by, up: sorted.by === by ? !sorted.up : first};
      sortRows();
    });
    th.replaceChildren(button);
  }
  sortRows();
  filterRows();
}

// Shows the sites of one cause.
function chooseCause(key) {
  const form = document.querySelector("form.controls");
  form.elements.cause.value = key;
  form.dispatchEvent(new Event("input"));
  form.elements.cause.focus();
}

// Opens a site and goes to it.
function openSite(id) {
  const r = rows.find(r => r.site.id === id);
  if (!r) return;
  if (r.body.hidden) {
    document.querySelector("form.controls").reset();
    for (const name of Object.keys(chosen)) chosen[name] = name === "text" ? "" : "*";
    filterRows();
  }
  r.body.querySelector("details").open = true;
  r.body.scrollIntoView({block: "start"});
  // The focus goes to the row, and not to its summary, which the same key might close.
  r.body.tabIndex = -1;
  r.body.focus({preventScroll: true});
}
