// One match on the page: looking for an opponent, the board, how it ended.

import { arena, rated, titleOf } from "./arena.js";
import { sortActions } from "./actions.js";
import { stage } from "./boards/index.js";
import { el, line, show } from "./dom.js";
import { duelView } from "./duel.js";
import { openMatch } from "./match-stream.js";
import { graveButton } from "./page.js";
import { chooserView, movesView } from "./parts.js";
import { recognise } from "./shapes.js";
import { clockText } from "./words.js";

const OUTCOMES = { win: "You won", loss: "You lost", draw: "A draw" };
const REASONS = {
  "forfeit: illegal move": "by an illegal move",
  "forfeit: move timeout": "on time",
  "forfeit: connection closed": "because one side left"
};

/** The move that led from one observation to the next: chess says it, on other boards it is the cell that is new. */
function lastMove(game, before, now) {
  if (now === null || typeof now !== "object") return null;
  if (game === "chess") return Array.isArray(now.moves) ? now.moves[now.moves.length - 1] : null;
  if (before === null || !Array.isArray(before.board) || !Array.isArray(now.board)) return null;
  const cells = [before, now].map((one) => [].concat(...one.board));
  const place = cells[1].findIndex((cell, i) => cell !== cells[0][i]);
  if (place < 0) return null;
  return game === "c4" ? place % 7 : place;
}

/** `done()` is called when the reader wants another match. `limits` is what the arcade says of its arena. */
export class MatchView {
  constructor({ game, level, me, limits, done }) {
    Object.assign(this, { game, level, me, done });
    this.seconds = level === null ? limits.moveSeconds : limits.practiceSeconds;
    this.queue = limits.queueSeconds;
    this.phase = "connecting";
    this.player = null;
    this.opponent = "";
    this.observation = null;
    this.last = null;
    this.turn = null;
    this.deadline = null;
    this.sent = false;
    this.told = "";
    this.duel = duelView();
    this.stage = stage((action) => this.move(action));
    this.says = el("p", { class: "says", role: "status" });
    this.more = el("p", { class: "quiet small" });
    this.buttons = el("div", { class: "buttons" });
    this.moves = movesView();
    this.chooser = chooserView((action) => this.move(action));
    const what = level === null ? "Rated match" : `Practice, level ${level}`;
    this.node = el("div", {},
      el("div", { class: "table-head" }, el("h1", {}, titleOf(game)), el("ul", { class: "facts" }, el("li", {}, what))),
      el("div", { class: "table" },
        el("div", { class: "stage-area" }, this.duel.node, this.stage.node),
        el("div", { class: "side" }, el("div", { class: "card" }, this.says, this.more), this.buttons, this.chooser.node, this.moves.node)));
    this.leaving = (event) => event.preventDefault();
    this.stream = openMatch({ game, level, heard: (message) => this.hear(message), closed: () => this.closed() });
    this.clock = setInterval(() => this.paintQueue(), 500);
    this.paint();
  }

  hear(message) {
    if (message.type === "queued") this.waits();
    else if (message.type === "hello") this.begins(message);
    else if (message.type === "state") this.state(message);
    else if (message.type === "result") this.ends(message);
    else if (message.type === "error") this.refused(message);
  }

  waits() {
    this.phase = "queued";
    this.until = performance.now() + this.queue * 1000;
    this.paint();
  }

  begins({ player, opponent }) {
    this.phase = "playing";
    this.player = player === 1 ? 1 : 0;
    this.opponent = line(opponent, 40, "Somebody");
    // Who leaves the page gives a match up.
    window.addEventListener("beforeunload", this.leaving);
    this.paint();
  }

  state({ observation, yourTurn }) {
    this.last = lastMove(this.game, this.observation, observation);
    this.observation = observation;
    this.turn = yourTurn === true;
    this.sent = false;
    this.deadline = performance.now() + this.seconds * 1000;
    this.paint();
  }

  ends(message) {
    this.over();
    const known = Object.prototype.hasOwnProperty.call(REASONS, message.reason) ? REASONS[message.reason] : "";
    this.told = `${OUTCOMES[message.outcome] || "It is over"}${known ? ` ${known}` : ""}.`;
    this.after = this.level === null ? `Your rating is ${rated(message.rating)} now.` : "Practice counts for nothing.";
    this.paint();
    if (this.level === null) this.find();
  }

  refused(message) {
    this.over();
    this.told = `${line(message.error, 200, "The arcade refuses")}.`.replace(/\.\.$/, ".");
    this.after = "";
    this.paint();
  }

  closed() {
    if (this.phase === "over") return;
    const playing = this.phase === "playing";
    const began = this.phase !== "connecting";
    this.over();
    this.told = began ? "The connection to the arcade is lost." : "The arcade lets nobody in now. Are you still signed in?";
    this.after = playing ? "Whoever leaves a match loses it." : "";
    this.paint();
  }

  over() {
    this.phase = "over";
    this.turn = false;
    this.deadline = null;
    clearInterval(this.clock);
    window.removeEventListener("beforeunload", this.leaving);
  }

  /** The number of the match stands in the list of matches only. */
  async find() {
    try {
      const { matches } = await arena.matches(this.game, this.me, null, 1);
      if (matches.length > 0) this.replay = `/replay/${Number(matches[0].number)}`;
      this.paint();
    } catch (error) {
      return;  // the ladder has it as well
    }
  }

  move(token) {
    if (this.phase !== "playing" || this.turn !== true || this.sent) return;
    this.sent = true;
    this.stream.move(String(token));
    this.paint();
  }

  giveUp() {
    this.close();
    this.told = "You gave up.";
    this.after = this.level === null ? "That counts as a match you lost." : "";
    this.paint();
    if (this.level === null) this.find();
  }

  /** Leaves whatever goes on, for a page that shows something else. */
  close() {
    this.over();
    this.stream.close();
  }

  sentence() {
    if (this.phase === "connecting") return "Connecting …";
    if (this.phase === "queued") return this.level === null ? "Looking for an opponent …" : "The house sits down …";
    if (this.phase === "over") return this.told;
    if (this.observation === null) return "The match begins.";
    if (this.sent) return "Sending …";
    return this.turn ? "Your move." : `${this.opponent} is to move.`;
  }

  paintQueue() {
    if (this.phase === "queued") {
      const left = clockText((this.until - performance.now()) / 1000);
      show(this.more, this.level === null ? `You wait for ${left} more. Agents and people meet in one queue.` : "");
    }
  }

  paint() {
    const { observation, phase } = this;
    const played = observation !== null;
    const chess = this.game === "chess";
    const board = played ? recognise({ ...observation, lastMove: this.last }) : null;
    const playable = phase === "playing" && this.turn === true && !this.sent;
    const { moves } = sortActions(playable && played ? observation.legal : [], board);
    const yours = phase === "playing" && this.turn === true;
    const says = this.sentence();
    document.title = `${yours ? "Your move · " : ""}${titleOf(this.game)} · Arcade`;
    this.says.classList.toggle("yours", yours);
    if (this.says.textContent !== says) show(this.says, says);
    if (phase === "over") show(this.more, this.after || "");
    else if (phase !== "queued") show(this.more, this.level === null && phase === "playing" ? `${this.seconds} seconds for each move.` : "");
    this.paintQueue();
    this.stage.update({ board, state: null, moves, flipped: chess && this.player === 1 });
    this.moves.update(chess ? board : null);
    this.paintDuel();
    this.paintButtons();
    this.chooser.update(board, moves);
  }

  paintDuel() {
    this.duel.node.hidden = this.player === null;
    if (this.player === null) return;
    const names = this.player === 0 ? ["You", this.opponent] : [this.opponent, "You"];
    const mover = this.phase !== "playing" || this.observation === null ? null : this.turn ? this.player : 1 - this.player;
    this.duel.update({ game: this.game, names, facts: ["", ""], turn: mover, deadline: this.deadline });
  }

  paintButtons() {
    const key = `${this.phase} ${this.replay}`;
    if (this.buttonsKey === key) return;
    this.buttonsKey = key;
    const again = () => this.done();
    if (this.phase === "playing") show(this.buttons, graveButton("Give up", "Really give up? Press again", () => this.giveUp()));
    else if (this.phase === "over") {
      show(this.buttons, el("button", { type: "button", class: "button main", onclick: again }, "Play again"),
        this.replay ? el("a", { class: "button", href: this.replay }, "Look at it again") : null,
        el("a", { class: "button", href: `/ladder/${this.game}` }, "To the ladder"));
    } else show(this.buttons, el("button", { type: "button", class: "button", onclick: () => { this.close(); this.done(); } }, "Stop looking"));
  }
}
