"use strict";
// The matrix of verdicts: a box for each claim on each machine. What is pointed at is read out, and
// a filter lists what it leaves. Its data: {filters: [{kind, mark, says, count}], legend, studies:
// [{name, to, rows: [{name, here, cells: [{class, mark, to, label, says, claim}]}]}]}.

kinds.matrix = (d, box, {figure}) => {
  if (box.firstChild) return; // it takes the width and the colours of the page by itself
  const link = (c, props) => make("a", {href: c.to, className: "box " + c.class, ariaLabel: c.label, ...props}, c.mark);
  const bodies = d.studies.map(s => {
    const rows = s.rows.map((r, i) => {
      const cells = r.cells.map(c => {
        const a = link(c, {title: c.says});
        a.claim = c.claim;
        return a;
      });
      const tr = make("tr", {className: r.here ? "here" : ""});
      if (!i)
        tr.append(make("th", {scope: "rowgroup", rowSpan: s.rows.length}, make("a", {href: s.to, textContent: s.name})));
      tr.append(make("th", {scope: "row", textContent: r.name}), make("td", {}, ...cells));
      return tr;
    });
    return make("tbody", {}, ...rows);
  });
  const matrix = make("table", {className: "matrix"}, ...bodies),
    scroll = make("div", {className: "scroll", role: "region", tabIndex: 0, ariaLabel: "Verdicts of all studies"}, matrix),
    told = make("div", {className: "told-verdict", ariaLive: "polite"}),
    left = make("ul", {className: "remaining", hidden: true});
  const tell = a => {
    const chip = make("span", {className: "chip " + a.className.replace("box ", ""), textContent: a.ariaLabel});
    told.replaceChildren(make("p", {}, chip, " ", a.claim, " ", make("b", {textContent: a.title})));
  };
  const calm = () => told.replaceChildren(make("p", {className: "soft", textContent: d.legend}));
  const at = e => e.target.closest?.(".box");
  matrix.addEventListener("pointerover", e => at(e) && tell(at(e)));
  matrix.addEventListener("focusin", e => at(e) && tell(at(e)));
  matrix.addEventListener("pointerleave", calm);
  calm();
  const filter = make("fieldset", {className: "filter"}, make("legend", {textContent: "Show the verdicts"}));
  d.filters.forEach((f, i) => {
    const radio = make("input", {type: "radio", name: "filter", value: f.kind, checked: !i}),
      mark = f.mark ? [make("span", {className: "box " + f.kind, ariaHidden: "true", textContent: f.mark}), " "] : [];
    radio.addEventListener("change", () => {
      figure.dataset.filter = f.kind;
      const boxes = i ? [...matrix.querySelectorAll(`tr.here .box.${CSS.escape(f.kind)}`)] : [];
      left.hidden = !boxes.length;
      left.replaceChildren(
        ...boxes.map(a => make("li", {}, make("a", {href: a.hash, textContent: a.ariaLabel.split(" ")[0]}), " " + a.claim)),
      );
    });
    filter.append(
      make("label", {className: f.kind}, radio, ...mark, make("b", {textContent: f.count}), " " + f.says),
    );
  });
  box.append(filter, scroll, told, left);
};
