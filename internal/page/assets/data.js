"use strict";
// The page's data and its colours. Everything that is drawn is in the page's tables too:
// without these scripts only the pictures are missing.

const data = JSON.parse(document.getElementById("data").textContent);
const pictures = new Map(data.pictures.map(p => [p.id, p]));
const root = document.documentElement;

// Colours that the common kinds of colour blindness keep apart (after Okabe and
// Ito), darkened or lightened until they stand out from the background by 3:1.
const palette = {
  light: [
    "#0072b2",
    "#c04d00",
    "#007a5a",
    "#a0478a",
    "#7a5c00",
    "#1b1f24",
    "#b3261e",
    "#5b3fb5",
    "#00767a",
    "#8a5a2b",
    "#3d6b00",
    "#2b7bba",
  ],
  dark: [
    "#56b4e9",
    "#ff9450",
    "#3ddba5",
    "#e79bd0",
    "#f0d04a",
    "#ffffff",
    "#ff8a80",
    "#b9a5ff",
    "#4fd6db",
    "#d9a679",
    "#a5d65a",
    "#8fc7ff",
  ],
};
const dashes = ["", "6 3", "2 3", "8 3 2 3", "1 4", "12 4"];
const symbols = ["circle", "square", "triangle", "diamond", "star", "wye"];

const dark = () =>
  root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
const ink = () =>
  dark()
    ? {text: "#e7eaee", soft: "#a7b0bb", line: "#3a414b", bg: "#14171b", good: "#7fdc97", bad: "#ff9d9d"}
    : {text: "#1b1f24", soft: "#545d68", line: "#d5dae1", bg: "#ffffff", good: "#14692f", bad: "#a31621"};
const colour = i => palette[dark() ? "dark" : "light"][i % 12];
