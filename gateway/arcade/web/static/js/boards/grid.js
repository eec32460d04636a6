// A grid of buttons: one of them is in the tab order, arrow keys walk, Enter and the pointer press.

import { el } from "../dom.js";

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/**
 * `press(index)` is called for a cell; `cancel()` for Escape. `cells[i]` are the buttons, row by row.
 * `pressable` says whether anything can be pressed: where not, the grid is a picture and no stop for the keyboard.
 */
export function grid({ rows, columns, kind, label, press, cancel }) {
  const cells = [];
  let current = 0;
  const node = el("div", { class: `board ${kind}`, role: "grid", "aria-label": label });
  for (let row = 0; row < rows; row += 1) {
    const line = el("div", { class: "row", role: "row" });
    for (let column = 0; column < columns; column += 1) {
      const index = row * columns + column;
      const cell = el("button", { type: "button", class: "cell", role: "gridcell", tabindex: "-1" });
      cell.addEventListener("click", () => {
        focus(index, false);
        press(index);
      });
      cells.push(cell);
      line.appendChild(cell);
    }
    node.appendChild(line);
  }

  function focus(index, move) {
    cells[current].tabIndex = -1;
    current = index;
    cells[current].tabIndex = node.classList.contains("playable") ? 0 : -1;
    if (move) cells[current].focus();
  }

  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape") cancel();
    const step = STEPS[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const row = Math.min(Math.max(Math.floor(current / columns) + step[0], 0), rows - 1);
    const column = Math.min(Math.max((current % columns) + step[1], 0), columns - 1);
    focus(row * columns + column, true);
  });

  return {
    node,
    cells,
    setPlayable(playable) {
      node.classList.toggle("playable", playable);
      cells[current].tabIndex = playable ? 0 : -1;
    }
  };
}

/** What a cell looks like and is called; `key` says whether its picture must be made anew. */
export function dress(cell, { key, picture, name, classes }) {
  if (cell.dataset.key !== key) {
    cell.dataset.key = key;
    while (cell.firstChild) cell.removeChild(cell.firstChild);
    for (const part of picture()) cell.appendChild(part);
  }
  cell.setAttribute("aria-label", name);
  cell.className = ["cell"].concat(classes).join(" ");
}
