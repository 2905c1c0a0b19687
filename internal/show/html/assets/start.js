"use strict";
// Starts the page, when all its scripts are there.

beginnings.forEach(f => f());
themeButton();
printed();
document.querySelectorAll(".source.diff, .source.sh").forEach(copyButton);
document.querySelectorAll("figure.picture:has(> .drawing)").forEach(f => near.observe(f));
addEventListener("hashchange", reveal);
reveal();
root.dataset.ready = "true";
