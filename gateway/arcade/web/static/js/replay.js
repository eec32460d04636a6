// A match of the ladder, move by move: /replay/12, /replay/12#7 after seven moves

import { arena, boardOf, ending, nameOf, rated, titleOf } from "./arena.js";
import { stage } from "./boards/index.js";
import { byId, el, line, show, svg } from "./dom.js";
import { duelView } from "./duel.js";
import { header, note } from "./page.js";
import { when } from "./words.js";

const STEP_MS = 1100;
const SIGNS = {
  first: "M4 4h3v16H4z M20 4v16L8 12z",
  back: "M17 4v16L5 12z",
  play: "M4 4l9 8-9 8z M13 4l9 8-9 8z",
  pause: "M6 4h4v16H6z M14 4h4v16h-4z",
  next: "M7 4l12 8L7 20z",
  last: "M17 4h3v16h-3z M4 4l12 8L4 20z"
};

function sign(name) {
  return svg("svg", { viewBox: "0 0 24 24", width: 22, height: 22, "aria-hidden": "true" }, svg("path", { d: SIGNS[name], fill: "currentColor" }));
}

class Replay {
  constructor({ match, rows, steps }) {
    Object.assign(this, { match, rows, steps });
    this.ply = 0;
    this.flipped = false;
    this.timer = null;
    this.duel = duelView();
    this.stage = stage(() => {});
    this.says = el("p", { class: "says", role: "status" });
    this.buttons = {
      first: this.button("first", "To the beginning", () => this.go(0)),
      back: this.button("back", "One move back", () => this.go(this.ply - 1)),
      play: this.button("play", "Play it", () => this.toggle()),
      next: this.button("next", "One move on", () => this.go(this.ply + 1)),
      last: this.button("last", "To the end", () => this.go(steps.length))
    };
    this.items = steps.map((step, i) => el("button", { type: "button", class: "ply", onclick: () => this.go(i + 1) }, line(step.label, 10, "?")));
    this.moves = el("ol", { class: "plies", "aria-label": "Moves" });
    this.items.forEach((item, i) => {
      if (i % 2 === 0) this.moves.appendChild(el("li", { class: "number" }, `${i / 2 + 1}.`));
      this.moves.appendChild(el("li", {}, item));
    });
    const turn = match.game === "chess" ? el("button", { type: "button", class: "button", onclick: () => this.turn() }, "Turn the board") : null;
    this.node = el("div", {},
      el("div", { class: "table-head" }, el("h1", {}, `${titleOf(match.game)}, match ${Number(match.number)}`),
        el("ul", { class: "facts" }, el("li", {}, when(match.endedAt || match.startedAt)))),
      el("div", { class: "table" },
        el("div", { class: "stage-area" }, this.duel.node, this.stage.node,
          el("div", { class: "steps", role: "group", "aria-label": "Steps" }, Object.values(this.buttons))),
        el("div", { class: "side" },
          el("div", { class: "card" }, this.says, el("p", { class: "quiet small result" }, ending(match))),
          steps.length > 0 ? el("section", { class: "card" }, el("h2", {}, "Moves"), this.moves) : null,
          el("div", { class: "buttons" }, turn, el("a", { class: "button", href: `/ladder/${match.game}` }, "To the ladder")))));
  }

  button(picture, name, act) {
    return el("button", { type: "button", class: "button", "aria-label": name, title: name, onclick: act }, sign(picture));
  }

  turn() {
    this.flipped = !this.flipped;
    this.paint();
  }

  /** Shows the position after so many moves. */
  go(ply, playing = false) {
    if (!playing) this.stop();
    this.ply = Math.min(Math.max(ply, 0), this.steps.length);
    window.history.replaceState(null, "", `#${this.ply}`);
    this.paint();
  }

  toggle() {
    if (this.timer !== null) {
      this.stop();
      this.paint();
      return;
    }
    if (this.ply === this.steps.length) this.go(0);
    this.timer = setInterval(() => {
      this.go(this.ply + 1, true);
      if (this.ply === this.steps.length) this.stop();
      this.paint();
    }, STEP_MS);
    this.paint();
  }

  stop() {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  key(event) {
    const steps = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.steps.length };
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (steps[event.key] !== undefined) {
      event.preventDefault();
      this.go(steps[event.key]);
    }
  }

  paint() {
    const { match, ply, steps } = this;
    const step = ply === 0 ? { rows: this.rows, move: null, label: "" } : steps[ply - 1];
    const board = boardOf(match.game, step.rows, ply, step.move, String(step.label));
    const over = ply === steps.length;
    this.stage.update({ board, state: step.rows, moves: [], flipped: this.flipped });
    this.duel.update({
      game: match.game,
      names: [nameOf(match, 0), nameOf(match, 1)],
      facts: [0, 1].map((player) => this.rating(player)),
      turn: over ? null : ply % 2
    });
    const said = ply === 0 ? `The beginning of ${steps.length} moves.` : `After move ${ply} of ${steps.length}: ${line(step.label, 10)}`;
    show(this.says, steps.length === 0 ? "No moves are kept." : said);
    this.buttons.first.disabled = this.buttons.back.disabled = ply === 0;
    this.buttons.next.disabled = this.buttons.last.disabled = over;
    this.buttons.play.disabled = steps.length === 0;
    this.buttons.play.setAttribute("aria-pressed", this.timer === null ? "false" : "true");
    show(this.buttons.play, sign(this.timer === null ? "play" : "pause"));
    this.items.forEach((item, i) => {
      if (i + 1 === ply) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
    });
    // Only the list itself goes along, never the page.
    const here = this.items[ply - 1];
    if (here !== undefined) this.moves.scrollTop = here.offsetTop - this.moves.offsetTop - this.moves.clientHeight / 2;
    else this.moves.scrollTop = 0;
  }

  rating(player) {
    const { ratingBefore, ratingAfter } = this.match.players[player];
    return ratingBefore === null ? "" : `${rated(ratingBefore)} → ${rated(ratingAfter)}`;
  }
}

/** The number after the # of an address, 0 where there is none. */
function asked() {
  const text = window.location.hash.slice(1);
  return /^\d{1,5}$/.test(text) ? Number(text) : 0;
}

async function open() {
  const number = window.location.pathname.split("/").pop();
  if (!/^[1-9]\d{0,15}$/.test(number)) {
    show(byId("replay"), el("p", { class: "empty" }, "There is no such match. ", el("a", { href: "/ladder" }, "See the ladder")));
    return;
  }
  try {
    const found = await arena.match(number);
    const replay = new Replay(found);
    show(byId("replay"), replay.node);
    document.title = `${nameOf(found.match, 0)} – ${nameOf(found.match, 1)} · Arcade`;
    document.addEventListener("keydown", (event) => replay.key(event));
    window.addEventListener("hashchange", () => replay.go(asked()));
    replay.go(asked());
  } catch (error) {
    show(byId("replay"), el("p", { class: "empty" }, error.status === 404 ? "There is no such match. " : "The match cannot be shown. ",
      el("a", { href: "/ladder" }, "See the ladder")));
    if (error.status !== 404) note(error.message);
  }
}

header();
open();
