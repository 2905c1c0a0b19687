"use strict";
// Draws what a sum is made of: a bar for each part, all from the same zero, in one of several
// measures. Its data: {measures: [{name, title, bars: [{name, to, place, kind, words, figure,
// value}]}]}.

kinds.bars = (data, box, {figure}) => {
  if (box.firstChild) return; // bars are of the page's own width and colours
  const switches = make("fieldset", {className: "switch"}, make("legend", {textContent: "Bars are"})),
    tables = data.measures.map(barsOf);
  const show = i => tables.forEach((t, j) => (t.hidden = i !== j));
  data.measures.forEach((m, i) => {
    const radio = make("input", {type: "radio", name: figure.id + "-measure", value: m.name, checked: i === 0});
    radio.addEventListener("change", () => show(i));
    switches.append(make("label", {}, radio, make("span", {textContent: m.name})));
  });
  if (data.measures.length > 1) box.append(switches);
  box.append(...tables);
  show(0);
};

function barsOf(m) {
  const values = m.bars.map(b => b.value),
    lo = Math.min(0, ...values),
    all = Math.max(0, ...values) - lo || 1;
  const rows = m.bars.map(b => {
    const bar = make("span", {}),
      name = b.to ? make("a", {href: b.to, textContent: b.name}) : b.name;
    bar.style.marginLeft = `${(100 * (Math.min(b.value, 0) - lo)) / all}%`;
    bar.style.width = `${(100 * Math.abs(b.value)) / all}%`;
    return make(
      "tr",
      {className: b.kind},
      make("th", {scope: "row"}, name, " ", make("span", {className: "place", textContent: b.place ?? ""})),
      make("td", {className: "left"}, make("span", {className: "kind", textContent: b.words ?? ""})),
      make("td", {textContent: b.figure}),
      make("td", {className: "drawn", ariaHidden: "true"}, bar),
    );
  });
  const head = ["", "what", "change"].map((textContent, i) =>
    make("th", {scope: "col", className: i < 2 ? "left" : "", textContent}),
  );
  return make(
    "table",
    {className: "bars"},
    make("caption", {textContent: m.title}),
    make("thead", {}, make("tr", {}, ...head, make("td", {}))),
    make("tbody", {}, ...rows),
  );
}
