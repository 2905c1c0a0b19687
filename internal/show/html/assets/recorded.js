"use strict";
// What pictures of recordings have in common: a line that says what is pointed at, and how they are
// saved: their drawings one below the other, with the text between them.

function toldBelow(box) {
  const told = make("p", {className: "told", ariaLive: "polite"});
  box.after(told);
  return words => told.textContent === words || (told.textContent = words);
}

// What the file of a picture is called, and says.
function recorded(figure) {
  const sentence = figure.querySelector(".says").textContent,
    section = figure.closest("section.study");
  return {
    name: section?.querySelector("h2, h3").textContent ?? document.title,
    title: figure.querySelector(".caption")?.textContent ?? sentence,
    sentence,
    sets: figure.data.machine ? [{machine: figure.data.machine}] : [],
  };
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
    if (e.matches("rect, line, path, text"))
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
