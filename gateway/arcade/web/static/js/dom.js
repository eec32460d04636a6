// Elements from text. Whatever comes from a server or a game goes through here and stays text.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** `el("p", { class: "note", onclick: handler }, "text", node)`; handlers are functions, all else attributes. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Replaces what is in an element. */
export function show(element, ...children) {
  while (element.firstChild) element.removeChild(element.firstChild);
  return fill(element, {}, children);
}

export function byId(id) {
  return document.getElementById(id);
}

const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text of a stranger for one line: no control or direction characters, bounded. */
export function line(text, most = 60, otherwise = "") {
  if (typeof text !== "string" && typeof text !== "number") return otherwise;
  const clean = String(text).slice(0, most * 4).replace(CONTROLS, " ").trim();
  if (clean === "") return otherwise;
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean;
}

/** Any JSON value as text for reading, bounded. */
export function pretty(value, most = 20000) {
  let text;
  try {
    text = JSON.stringify(value, null, 2) || "";
  } catch (error) {
    return "This is nested too deeply to be shown.";
  }
  return text.length > most ? `${text.slice(0, most)}\n…` : text;
}
