"use strict";
// Makes the recordings of programs interactive. They are drawn already (see packages
// exectrace and profile): without this script they remain as they are.

function recording(figure) {
  const box = figure.querySelector(".recorded"),
    study = Number(figure.closest("section.study").dataset.study);
  const told = make("p", {className: "told"}),
    tell = words => told.textContent === words || (told.textContent = words);
  told.setAttribute("aria-live", "polite");
  for (const svg of box.querySelectorAll("svg.flame, svg.gc-over")) {
    svg.parentNode.after(told);
    svg.matches(".flame") ? flameGraph(svg, tell) : bars(svg, tell);
  }
  const p = {
    study,
    title: figure.dataset.title,
    sentence: figure.dataset.title + ": " + figure.querySelector("figcaption b").textContent,
    sets: data.sets[figure.dataset.set] ? [{set: figure.dataset.set}] : [],
  };
  box.after(exporter(p, () => whole(box)));
}

// Makes the bars of a timeline selectable. They may be narrower than a pointer or a
// finger: the nearest is described.
function bars(svg, tell) {
  const all = [...svg.querySelectorAll("rect")].map(rect => {
    const at = name => Number(rect.getAttribute(name));
    return {left: at("x"), right: at("x") + at("width"), top: at("y"), bottom: at("y") + at("height"), rect};
  });
  const near = e => {
    const r = svg.getBoundingClientRect(),
      scale = svg.viewBox.baseVal.width / r.width,
      x = (e.clientX - r.left) * scale,
      y = (e.clientY - r.top) * scale;
    let best = null,
      least = 12;
    for (const b of all) {
      const away = Math.max(b.left - x, x - b.right, 0);
      if (y >= b.top - 20 && y <= b.bottom && away < least) [best, least] = [b, away];
    }
    if (best) tell(best.rect.textContent);
  };
  svg.addEventListener("pointermove", near);
  svg.addEventListener("click", near);
  if (all.length) tell("Rest on a bar, or tap near it, for its reason and length.");
}

// Returns the functions of a flame graph. Each comes after its caller, or after others
// that the same caller called, and is drawn above it.
function framesOf(svg) {
  const callers = [],
    labels = element("g", {"aria-hidden": "true"}); // apart, for they may be cut and are not the functions' names
  const frames = [...svg.querySelectorAll(".flame-frame")].map(g => {
    const rect = g.querySelector("rect"),
      at = name => Number(rect.getAttribute(name)),
      [name, figures] = g.querySelector("title").textContent.split("\n");
    const text = g.querySelector("text") ?? element("text", {y: at("y") + at("height") - 4});
    labels.append(text);
    const f = {g, rect, text, name, figures, x: at("x"), y: at("y"), width: at("width")};
    callers[0] ??= f;
    const row = (callers[0].y - f.y) / at("height");
    f.caller = callers[row - 1] ?? null;
    callers[row] = f;
    return f;
  });
  svg.append(labels);
  return frames;
}
const within = (f, other) => {
  while (f && f !== other) f = f.caller;
  return f === other;
};
// As package flame shortens names: without the package's path, then without the
// package, then cut.
const label = (name, width) => {
  const n = Math.floor((width - 6) / 6.7);
  let s = name.slice(name.slice(0, name.search(/[[(]|$/)).lastIndexOf("/") + 1);
  if (s.length > n) s = s.replace(/^[^.[(]*\./, "");
  const letters = [...s]; // not halves of those beyond 16 bits
  return letters.length <= n ? s : n < 3 ? "" : letters.slice(0, n - 1).join("") + "…";
};

// A flame graph that enlarges the function that is chosen: those that called it
// stay below it at full width, and the others are gone. It is one stop of the Tab key.
function flameGraph(svg, tell) {
  const frames = framesOf(svg),
    all = frames[0],
    box = svg.parentNode,
    height = svg.viewBox.baseVal.height;
  let chosen = all, // has the full width
    current = all, // has the focus, or gets it by Tab
    width = 0;
  const shown = f => within(f, chosen) || within(chosen, f);
  const layout = () => {
    width = Math.max(260, Math.floor(box.clientWidth / Math.max(1, parseFloat(getComputedStyle(root).fontSize) / 16)));
    for (const [k, v] of Object.entries({viewBox: `0 0 ${width} ${height}`, width, height})) svg.setAttribute(k, v);
    for (const f of frames) {
      f.g.style.display = f.text.style.display = shown(f) ? "" : "none";
      if (!shown(f)) continue;
      const full = within(chosen, f), // chosen itself, and what called it
        w = full ? width : (f.width / chosen.width) * width,
        x = full ? 0 : ((f.x - chosen.x) / chosen.width) * width;
      f.rect.setAttribute("x", x);
      f.rect.setAttribute("width", w);
      f.text.setAttribute("x", x + 3);
      f.text.textContent = label(f.name, w);
    }
  };
  const say = f => tell(`${f.name}: ${f.figures}`);
  const go = f => {
    current.g.tabIndex = -1;
    current = f;
    f.g.tabIndex = 0;
    if (document.activeElement !== f.g) f.g.focus({preventScroll: true});
    say(f);
  };
  const choose = f => {
    chosen = f;
    layout();
    go(f);
  };
  const beside = step => {
    const row = frames.filter(f => f.y === current.y && shown(f));
    return row[row.indexOf(current) + step];
  };
  const above = () =>
    frames.filter(f => f.caller === current && shown(f)).reduce((a, b) => (a && a.width >= b.width ? a : b), null);
  const keys = {
    ArrowLeft: () => beside(-1),
    ArrowRight: () => beside(1),
    ArrowUp: above,
    ArrowDown: () => current.caller,
  };
  svg.addEventListener("keydown", e => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (keys[e.key]) go(keys[e.key]() ?? current);
    else if (e.key === "Enter" || e.key === " ") choose(current);
    else if (e.key === "Escape" && chosen !== all) choose(all);
    else return;
    e.preventDefault();
  });
  const of = e => frames.find(f => f.g === e.target.closest(".flame-frame"));
  svg.addEventListener("click", e => of(e) && choose(of(e)));
  svg.addEventListener("focusin", e => of(e) && go(of(e)));
  svg.addEventListener("pointerover", e => of(e) && say(of(e)));
  svg.addEventListener("pointerleave", () => say(current));

  for (const f of frames) {
    f.g.setAttribute("role", "button");
    f.g.setAttribute("aria-label", f.name);
    f.g.tabIndex = f === all ? 0 : -1;
  }
  svg.setAttribute("role", "group");
  svg.classList.add("live");
  for (const name of ["role", "tabindex", "aria-label"]) box.removeAttribute(name); // it scrolls no more
  box.className = "";
  const note = svg.querySelector(".flame-note"); // may be longer than the graph is wide
  if (note) {
    note.remove();
    box.append(make("small", {textContent: note.textContent}));
  }
  tell(
    "Click, tap or Enter enlarges a function; arrow keys go from one to the next; " +
      "Escape or a click on “all” shows all.",
  );
  new ResizeObserver(layout).observe(box);
}

// Returns a recording as one picture: its drawings one below the other, with the text
// between them and the styles that they have on the page.
function whole(box) {
  const svgs = [...box.querySelectorAll("svg")],
    width = Math.max(...svgs.map(s => Math.round(s.getBoundingClientRect().width))),
    parts = [];
  let y = 0;
  const text = (words, size) => {
    for (const line of wrap(words, width - 16, size)) {
      y += size + 5;
      parts.push(element("text", {x: 8, y, "font-size": size, fill: ink().text}, line));
    }
  };
  for (const e of box.querySelectorAll("p:not(.told), small, svg, li")) {
    if (e.matches("p, small")) {
      const heading = e.querySelector("b");
      if (heading && y) y += 8;
      text(e.textContent.trim(), heading ? 13 : 11);
    } else if (e.matches("li")) {
      const swatch = {x: 8, y: y + 5, width: 10, height: 10, stroke: ink().line};
      parts.push(element("rect", {...swatch, fill: getComputedStyle(e.firstChild).backgroundColor}));
      y += 16;
      parts.push(element("text", {x: 24, y: y - 2, "font-size": 11, fill: ink().text}, e.textContent));
    } else {
      const b = e.viewBox.baseVal,
        height = b?.width ? (width * b.height) / b.width : e.getBoundingClientRect().height,
        copy = styled(e);
      for (const [k, v] of Object.entries({y: y + 6, width, height})) copy.setAttribute(k, v);
      parts.push(copy);
      if (!b?.width)
        parts.push(
          element("rect", {x: 0.5, y: y + 6.5, width: width - 1, height: height - 1, fill: "none", stroke: ink().line}),
        );
      y += height + 10;
    }
  }
  return element("svg", {width, height: y}, ...parts);
}

// A copy that needs no style sheet.
function styled(svg) {
  const copy = svg.cloneNode(true),
    copies = copy.querySelectorAll("*"),
    gone = [];
  svg.querySelectorAll("*").forEach((e, i) => {
    const look = getComputedStyle(e);
    if (look.display === "none") gone.push(copies[i]);
    if (e.matches("rect, line, polyline, text"))
      for (const name of [
        "fill",
        "stroke",
        "stroke-width",
        "stroke-dasharray",
        "paint-order",
        "font-size",
        "font-family",
      ])
        copies[i].setAttribute(name, look.getPropertyValue(name));
    for (const name of ["tabindex", "role", "class"]) copies[i].removeAttribute(name);
  });
  gone.forEach(e => e.remove());
  copy.removeAttribute("class");
  return copy;
}
