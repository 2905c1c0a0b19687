"use strict";
// The colours of pictures.

// Colours that the common kinds of colour blindness keep apart (after Okabe and Ito), darkened or
// lightened until they stand out from the background by 3:1.
const palette = {
  light: "#0072b2 #c04d00 #007a5a #a0478a #7a5c00 #1b1f24 #b3261e #5b3fb5 #00767a #8a5a2b #3d6b00 #2b7bba".split(" "),
  dark: "#56b4e9 #ff9450 #3ddba5 #e79bd0 #f0d04a #ffffff #ff8a80 #b9a5ff #4fd6db #d9a679 #a5d65a #8fc7ff".split(" "),
};
const dashes = ["", "6 3", "2 3", "8 3 2 3", "1 4", "12 4"];
const symbols = ["circle", "square", "triangle", "diamond", "star", "wye"];
const ink = () =>
  dark()
    ? {text: "#e7eaee", soft: "#a7b0bb", line: "#3a414b", bg: "#14171b", good: "#7fdc97", bad: "#ff9d9d"}
    : {text: "#1b1f24", soft: "#545d68", line: "#d5dae1", bg: "#ffffff", good: "#14692f", bad: "#a31621"};
const colour = i => palette[dark() ? "dark" : "light"][i % 12];

// Colour belongs to the means of having memory, everywhere; green, red and amber to verdicts.
const families = {
  stack: ["#0b62c4", "#6cb2ff"],
  heap: ["#c4480a", "#ff9254"],
  pool: ["#7637bd", "#b994ff"],
  arena: ["#b0186e", "#ff86bd"],
  slab: ["#08736f", "#45c8bf"],
  c: ["#1b1f24", "#f2f4f7"],
  floor: ["#6b7480", "#98a2ae"],
};
const familyColour = name => (families[name] ?? families.floor)[dark() ? 1 : 0];
// The family that a column of a picture speaks of: of a ratio, that of its numerator.
const familyWords = {stack: /\bstack/i, heap: /\bheap/i, pool: /\bpool/i, arena: /\barena/i, slab: /\bslab/i};
function familyOf(name) {
  const found = Object.entries(familyWords)
    .map(([family, words]) => [family, name.search(words)])
    .filter(([, at]) => at >= 0)
    .sort((a, b) => a[1] - b[1]);
  return found[0]?.[0] ?? null;
}
