"use strict";
// Starts the page, when all its scripts are there.

beginnings.forEach(f => f());
themeButton();
printed();
document.querySelectorAll(".source.diff, .source.sh, .source.c").forEach(copyButton);
for (const f of document.querySelectorAll("figure.picture:has(> .drawing)"))
  if (f.closest(".study, details")) near.observe(f);
  else drawNow(f);
addEventListener("hashchange", reveal);
reveal();
root.dataset.ready = "true";
