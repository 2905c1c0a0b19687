"use strict";
// The matrix of verdicts: what is pointed at is read out from its row in the evidence, and a
// filter lists what it leaves.

function startVerdicts() {
  const told = document.querySelector(".told-verdict"),
    left = document.querySelector(".verdicts .remaining");
  if (!told) return;
  const before = [...told.childNodes],
    matrix = document.querySelector(".matrix");
  const tell = box => {
    const row = document.getElementById(box.hash.slice(1)),
      says = row?.querySelector(".says")?.firstChild?.textContent ?? "",
      chip = make("span", {className: "chip " + box.className.replace("box ", ""), textContent: box.ariaLabel});
    told.replaceChildren(make("p", {}, chip, " ", says, " ", make("b", {textContent: box.title})));
  };
  const at = e => e.target.closest?.(".matrix .box");
  matrix.addEventListener("pointerover", e => at(e) && tell(at(e)));
  matrix.addEventListener("focusin", e => at(e) && tell(at(e)));
  matrix.addEventListener("pointerleave", () => told.replaceChildren(...before));
  for (const b of document.querySelectorAll(".filter input"))
    b.addEventListener("change", () => {
      const boxes = b.value === "all" ? [] : [...matrix.querySelectorAll(`tr.here .box.${CSS.escape(b.value)}`)];
      left.hidden = !boxes.length;
      left.replaceChildren(
        ...boxes.map(c => {
          const says = document.getElementById(c.hash.slice(1))?.querySelector(".says")?.firstChild?.textContent ?? "";
          return make("li", {}, make("a", {href: c.hash, textContent: c.ariaLabel.split(" ")[0]}), " " + says);
        }),
      );
    });
}
