// Chessmen as outlines on a field of 45 by 45, drawn here so that no font decides how they look.

import { svg } from "../dom.js";

const BASE = "M11 38.5c0-2.6 1.6-4.2 4-4.6h15c2.4.4 4 2 4 4.6z";

// What is filled with the colour of the side, then lines on it.
const SHAPES = {
  p: {
    fill: ["M22.5 8.5a5.2 5.2 0 0 1 3.5 9c2.9 1.3 4.6 4 4.6 7 0 2.4-1 4.5-2.7 6 2.7 1.7 4.4 4.6 4.6 8h-20c.2-3.4 1.9-6.3 4.6-8a8 8 0 0 1-2.7-6c0-3 1.7-5.7 4.6-7a5.2 5.2 0 0 1 3.5-9z"],
    lines: []
  },
  n: {
    fill: [
      "M14.2 38.5c.3-6.2 5.3-8.6 6.3-14-2.6 1.3-4.6 1.2-6.2 2.6-1.1 1-1.8 2.6-3.5 2.6-2 0-3.6-1.7-3.6-3.8 0-2.7 2.7-4.3 4-7.8.9-2.6 2.3-4.9 5.3-6.5l1.1-4.4 3.7 3.1c6.9.3 14.2 6.1 13.4 18.7-.2 3.5-.5 6-.3 9.5z"
    ],
    lines: ["M24.5 13.5c5.6 1.8 7.6 8 6.5 16"],
    eye: [16.6, 17.6]
  },
  b: {
    fill: [
      "M10 38.5c2.4-.2 5.8-1.3 8.5-3h8c2.7 1.7 6.1 2.8 8.5 3v-3c-2.7-.3-5.4-1.4-7-2.7l-1-2.3c2.7-1.7 4.5-4.2 4.5-7.2 0-4.3-3.4-8.4-7.2-11.1a2.7 2.7 0 1 0-3.6 0c-3.8 2.7-7.2 6.8-7.2 11.1 0 3 1.8 5.5 4.5 7.2l-1 2.3c-1.6 1.3-4.3 2.4-7 2.7z"
    ],
    lines: ["M18 30.5h9", "M22.5 17.5v7.5", "M19 21h7"]
  },
  r: {
    fill: [
      "M11.5 9h5v2.6h3.7V9h4.6v2.6h3.7V9h5v6.5l-3.3 3v11.5l2.2 3.5H12.6l2.2-3.5V18.5l-3.3-3z",
      BASE
    ],
    lines: ["M14.8 18.5h15.4", "M14.8 30h15.4"]
  },
  q: {
    fill: [
      "M12 33.5c0-2.2-.6-3.6-1.3-5.3L7.6 15.5l6.3 8.4 1-12.7 5.3 12L22.5 10l2.3 13.2 5.3-12 1 12.7 6.3-8.4-3.1 12.7c-.7 1.7-1.3 3.1-1.3 5.3z",
      BASE
    ],
    lines: ["M11.5 29.8c7.3-2 14.7-2 22 0"],
    dots: [[7.6, 14], [14.9, 9.7], [22.5, 8.3], [30.1, 9.7], [37.4, 14]]
  },
  k: {
    fill: [
      "M12.2 33.5c.2-2.6-5.7-5-5.7-10.6 0-3.7 2.7-6.1 6-6.1 2.9 0 5.5 1.5 7.3 4-.7-1.1-1-2.3-1-3.4 0-2.5 1.6-4.5 3.7-4.5s3.7 2 3.7 4.5c0 1.1-.3 2.3-1 3.4 1.8-2.5 4.4-4 7.3-4 3.3 0 6 2.4 6 6.1 0 5.6-5.9 8-5.7 10.6z",
      BASE
    ],
    outer: ["M22.5 5v7.5", "M19.4 7.9h6.2"],
    lines: ["M12.2 30c6.8-1.8 13.8-1.8 20.6 0", "M22.5 21.5v6.3"]
  }
};

/** The picture of a chessman by its letter in FEN: upper case is White's. */
export function piece(letter) {
  const shape = SHAPES[letter.toLowerCase()];
  const parts = shape.fill.map((d) => svg("path", { d, class: "body" }));
  for (const d of shape.outer || []) parts.push(svg("path", { d, class: "outer" }));
  for (const d of shape.lines) parts.push(svg("path", { d, class: "line" }));
  for (const [cx, cy] of shape.dots || []) parts.push(svg("circle", { cx, cy, r: 2.1, class: "body" }));
  if (shape.eye) parts.push(svg("circle", { cx: shape.eye[0], cy: shape.eye[1], r: 1.3, class: "eye" }));
  const colour = letter === letter.toUpperCase() ? "white" : "black";
  return svg("svg", { class: `piece ${colour}`, viewBox: "3 3 39 39", "aria-hidden": "true", focusable: "false" }, parts);
}

const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

/** "white knight", for those who do not see it. */
export function pieceName(letter) {
  return `${letter === letter.toUpperCase() ? "white" : "black"} ${NAMES[letter.toLowerCase()]}`;
}
