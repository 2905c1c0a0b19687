"use strict";
// Sorts and filters tables. Without this script they stand as they are.

const tables = new Map(); // by ID: what other scripts may ask of a table

function startTable(table) {
  const unfolds = table.matches(".unfolds"),
    heads = [...table.tHead.rows[0].cells],
    rows = [...table.querySelectorAll(unfolds ? ":scope > tbody" : ":scope > tbody > tr")].map((e, order) => {
      const cells = [...(unfolds ? e.rows[0] : e).cells];
      return {e, order, cells, last: e.matches(".last"), words: e.textContent.toLowerCase()};
    });
  const keyOf = (r, i) => {
    const v = r.cells[i]?.dataset.value;
    return v === undefined ? null : Number(v);
  };
  const figures = heads.map((_, i) => rows.some(r => keyOf(r, i) !== null)); // columns that hold figures
  let by = -1,
    up = true;
  const chosen = [], // what else must be so of a row: (row) → whether it is
    changed = new Set(); // called after each choice

  const sort = () => {
    const compare = (a, b) => {
      if (by < 0) return 0;
      if (figures[by]) return (keyOf(a, by) ?? -1) - (keyOf(b, by) ?? -1);
      const [x, y] = [a, b].map(r => r.cells[by]?.textContent ?? "");
      return x.localeCompare(y, "en", {numeric: true});
    };
    const all = [...rows].sort((a, b) => a.last - b.last || (up ? 1 : -1) * compare(a, b) || a.order - b.order);
    (unfolds ? table : table.tBodies[0]).append(...all.map(r => r.e));
    heads.forEach((th, i) =>
      i === by ? th.setAttribute("aria-sort", up ? "ascending" : "descending") : th.removeAttribute("aria-sort"),
    );
  };

  const text = make("input", {type: "search", name: "text", size: 14, autocomplete: "off"}),
    said = make("output", {ariaLive: "polite"}),
    // A reader sees few rows at once.
    form = make("form", {className: "controls", hidden: rows.length <= 8}, make("label", {}, "text ", text));
  chosen.push(r => r.words.includes(text.value.trim().toLowerCase()));
  const select = (title, options, is) => {
    const s = make(
      "select",
      {name: title},
      make("option", {value: "*", textContent: "all"}),
      ...options.map(([value, words]) => make("option", {value, textContent: words})),
    );
    chosen.push(r => s.value === "*" || is(r, s.value));
    form.hidden = false;
    form.insertBefore(make("label", {}, title + " ", s), form.querySelector("button"));
    return s;
  };
  heads.forEach((th, i) => {
    if (th.dataset.choose === undefined) return;
    const n = new Map();
    for (const r of rows) n.set(r.cells[i].textContent, (n.get(r.cells[i].textContent) ?? 0) + 1);
    if (n.size > 1)
      select(th.textContent, [...n].map(([v, k]) => [v, `${v} (${k})`]), (r, v) => r.cells[i].textContent === v);
  });
  form.append(make("button", {type: "reset", textContent: "Reset"}), said);

  const choose = () => {
    let shown = 0;
    for (const r of rows) {
      r.e.hidden = !chosen.every(is => is(r));
      shown += !r.e.hidden;
    }
    const all = rows.length === 1 ? "1 row" : `${rows.length} rows`;
    said.textContent = shown === rows.length ? all : `${shown} of ${all}`;
    changed.forEach(f => f());
  };
  form.addEventListener("input", choose);
  form.addEventListener("submit", e => e.preventDefault());
  form.addEventListener("reset", () => setTimeout(choose));
  table.addEventListener("reveal", e => {
    if (!e.target.closest("[hidden]")) return;
    form.reset();
    choose();
  });
  heads.forEach((th, i) => {
    const button = make("button", {type: "button", textContent: th.textContent});
    button.addEventListener("click", () => {
      up = by === i ? !up : !figures[i];
      by = i;
      sort();
    });
    th.replaceChildren(button);
  });
  (table.closest(".scroll") ?? table).before(form);
  choose();
  if (table.id) tables.set(table.id, {table, form, rows, select, choose, sort, changed});
}

document.querySelectorAll("table.sortable").forEach(startTable);
