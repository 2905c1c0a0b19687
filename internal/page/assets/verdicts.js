"use strict";
// The matrix of verdicts: what is pointed at is read out from its row in the evidence, and a
// filter lists what it leaves.

function startVerdicts() {
  const told = document.querySelector(".told-verdict"),
    left = document.querySelector(".verdicts .remaining");
  if (!told) return;
  const before = [...told.childNodes],
    matrix = document.querySelector(".matrix");
  const tell = cell => {
    const row = document.getElementById(cell.hash.slice(1)),
      says = row?.querySelector(".says")?.firstChild?.textContent ?? "",
      chip = make("span", {className: "chip " + cell.className.replace("cell ", ""), textContent: cell.ariaLabel});
    told.replaceChildren(make("p", {}, chip, " ", says, " ", make("b", {textContent: cell.title})));
  };
  const at = e => e.target.closest?.(".matrix .cell");
  matrix.addEventListener("pointerover", e => at(e) && tell(at(e)));
  matrix.addEventListener("focusin", e => at(e) && tell(at(e)));
  matrix.addEventListener("pointerleave", () => told.replaceChildren(...before));
  for (const b of document.querySelectorAll(".filter input"))
    b.addEventListener("change", () => {
      const cells = b.value === "all" ? [] : [...matrix.querySelectorAll(`tr.here .cell.${CSS.escape(b.value)}`)];
      left.hidden = !cells.length;
      left.replaceChildren(
        ...cells.map(c => {
          const says = document.getElementById(c.hash.slice(1))?.querySelector(".says")?.firstChild?.textContent ?? "";
          return make("li", {}, make("a", {href: c.hash, textContent: c.ariaLabel.split(" ")[0]}), " " + says);
        }),
      );
    });
}
