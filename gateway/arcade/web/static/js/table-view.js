// One table on a page: its board and players, and for a person the seat, the moves and the buttons.

import { isSessionId, tables } from "./api.js";
import { actionLabel, isGrave, sortActions } from "./actions.js";
import { me, setTableName, tableName } from "./auth.js";
import { stage } from "./boards/index.js";
import { el, line, pretty, show } from "./dom.js";
import { follow } from "./follow.js";
import { graveButton, signInHref } from "./page.js";
import { chooserView, movesView, seatsView } from "./parts.js";
import { recognise, squareIndex } from "./shapes.js";
import { resultText, roleOf, standing } from "./words.js";

const OUTCOME_SECONDS = 10;
// More buttons than anybody reads; a game that publishes more is played by programs.
const MOST_BUTTONS = 100;

/**
 * `note(text)` shows a sentence or, with null, none. `moved(id)` is called when the view goes on to another
 * session of the series. `joinable` is false where the reader shall not be asked to sit down.
 */
export class TableView {
  constructor({ note, moved = () => {} }) {
    Object.assign(this, { note, moved });
    this.view = null;
    this.mine = null;
    this.seated = false;
    this.busy = false;
    this.before = null;
    this.abort = null;
    this.title = el("h1", {}, "Table");
    this.facts = el("ul", { class: "facts" });
    this.seats = seatsView();
    this.stage = stage((action) => this.act(action));
    this.says = el("p", { class: "says", role: "status" }, "Looking for the table …");
    this.last = el("p", { class: "quiet small", hidden: true });
    this.buttons = el("div", { class: "buttons" });
    this.moves = movesView();
    this.chooser = chooserView((action) => this.act(action));
    this.raw = el("pre", {});
    this.rawDetails = el("details", { hidden: true }, el("summary", {}, "What the game says"), this.raw);
    this.node = el("div", {},
      el("div", { class: "table-head" }, this.title, this.facts),
      el("div", { class: "table" },
        el("div", { class: "stage-area" }, this.seats.node, this.stage.node),
        el("div", { class: "side" },
          el("div", { class: "card" }, this.says, this.last), this.buttons, this.chooser.node, this.moves.node,
          this.rawDetails)));
  }

  /** Shows this session, and from then on whatever happens there. */
  async open(id) {
    this.close();
    const abort = new AbortController();
    this.abort = abort;
    this.id = id;
    this.mine = null;
    this.seated = false;
    if (me() !== null) await this.findSeat(id, abort.signal);
    for (;;) {
      const seen = await follow({
        id: this.id,
        seated: () => this.seated,
        show: (now) => this.update(now),
        trouble: (error) => this.trouble(error),
        signal: abort.signal
      });
      // Whoever only watches goes on by itself; a player says whether to play again.
      if (abort.signal.aborted || seen === null || this.seated || !isSessionId(seen.nextSessionId)) return;
      this.goOn(seen);
    }
  }

  goOn(seen) {
    this.before = `Round ${seen.round}: ${resultText(seen.result, seen.players)}`;
    this.id = seen.nextSessionId;
    this.moved(this.id);
  }

  close() {
    if (this.abort !== null) this.abort.abort();
    this.abort = null;
  }

  /** Whether this account sits there already, in this tab or another. */
  async findSeat(id, signal) {
    try {
      this.mine = await tables.state(id);
      this.seated = true;
    } catch (error) {
      if (signal.aborted) return;
      if (error.status === 401) this.note(error.message);
    }
  }

  trouble(error) {
    this.note(error === null ? null : error.message);
    // What passes is waited for; a table that is gone stays gone.
    if (error === null || error.passing || ![404, 410].includes(error.status)) return;
    show(this.says, "This table is gone.");
    this.buttonsKey = null;
    show(this.buttons, el("a", { class: "button", href: "/" }, "Other tables"));
    show(this.chooser);
    this.chooserKey = null;
  }

  update({ view, mine }) {
    this.view = view;
    this.mine = mine;
    if (mine === null) this.seated = false;
    this.paint();
  }

  get state() {
    return this.mine !== null ? this.mine.state : this.view.state;
  }

  paint() {
    const { view, mine } = this;
    const title = line(view.gameTitle, 60, line(view.gameId, 60, "Table"));
    const playing = mine !== null && mine.yourTurn && !this.busy;
    const board = recognise(this.state, view.players.map((player) => player.playerId));
    const { moves, others } = sortActions(playing ? mine.legalActions : [], board);
    const says = this.busy ? "Sending …" : standing(view, mine);
    document.title = `${playing ? "Your move · " : ""}${title} · Arcade`;
    show(this.title, title);
    show(this.facts, el("li", {}, `Round ${view.round}`), 
      mine === null && view.status === "active" ? el("li", {}, "You are watching") : null);
    this.seats.update({ view, mine, state: this.state });
    this.stage.update({ board, state: this.state, moves, flipped: this.flipped(board, moves) });
    this.says.classList.toggle("yours", playing);
    if (this.says.textContent !== says) show(this.says, says);
    this.last.hidden = this.before === null;
    show(this.last, this.before || "");
    this.moves.update(board);
    // Where no board can be drawn, the state itself is what is shown already.
    this.rawDetails.hidden = board === null;
    show(this.raw, pretty(this.state));
    this.paintButtons(playing, others);
    this.chooser.update(board, moves);
  }

  /** Whether the reader plays Black, by what the state says or by the men that may be moved. */
  flipped(board, moves) {
    if (board === null || board.kind !== "chess" || this.mine === null) return false;
    const role = roleOf(this.state, this.mine.playerId);
    if (role === "white" || role === "black") return role === "black";
    if (moves.length > 0) this.black = board.squares[squareIndex(moves[0].from)] > "Z";
    return this.black === true;
  }

  paintButtons(playing, others) {
    const { view, mine } = this;
    // A name half typed, or a button that asks whether one is sure, outlives what happens at the table.
    const key = JSON.stringify([playing, others, view.status, view.nextSessionId, mine === null, this.offered(), view.players.length, me() === null]);
    if (key === this.buttonsKey) return;
    this.buttonsKey = key;
    const buttons = [];
    if (playing) {
      const actions = others.slice(0, MOST_BUTTONS).concat(this.offered());
      buttons.push(...actions.map((action) => this.actionButton(action)));
      if (others.length > MOST_BUTTONS) buttons.push(el("span", { class: "quiet" }, `and ${others.length - MOST_BUTTONS} more`));
    }
    if (mine !== null && view.status === "finished" && isSessionId(mine.nextSessionId)) {
      buttons.push(el("button", { type: "button", class: "button main", onclick: () => this.again() }, "Play the next round"));
    }
    if (mine !== null && view.status === "active") {
      buttons.push(graveButton("Give up and leave", "Really give up? Press again", () => this.leave()));
    } else if (mine !== null && (view.status === "waiting" || view.nextSessionId)) {
      buttons.push(el("button", { type: "button", class: "button", onclick: () => this.leave() }, "Leave the table"));
    }
    if (mine === null && view.status === "waiting") buttons.push(this.joinForm());
    if (view.status === "finished" && !view.nextSessionId) buttons.push(el("a", { class: "button", href: "/" }, "Other tables"));
    show(this.buttons, buttons);
  }

  /** What the game lets players do besides its legal actions, such as to resign. */
  offered() {
    const extra = this.state !== null && typeof this.state === "object" ? this.state.otherActions : null;
    return Array.isArray(extra) && this.mine !== null && this.mine.yourTurn ? extra.slice(0, 8) : [];
  }

  actionButton(action) {
    const label = line(actionLabel(action), 60, "…");
    if (isGrave(action)) return graveButton(label, `${label}? Press again`, () => this.act(action));
    return el("button", { type: "button", class: "button", onclick: () => this.act(action) }, label);
  }

  joinForm() {
    if (me() === null) return el("a", { class: "button main", href: signInHref() }, "Sign in to play");
    const input = el("input", { type: "text", id: "as-name", maxlength: 40, value: tableName(), autocomplete: "nickname" });
    const join = (event) => {
      event.preventDefault();
      this.join(input.value.trim());
    };
    return el("form", { class: "join card", onsubmit: join },
      el("div", { class: "field" }, el("label", { for: "as-name" }, "Your name here"), input),
      el("button", { type: "submit", class: "button main" }, "Sit down"));
  }

  async join(asName) {
    try {
      this.mine = await tables.join(this.id, asName);
      setTableName(asName);
      this.seated = true;
      this.note(null);
      await this.open(this.id);
    } catch (error) {
      this.note(error.status === 409 ? "That seat has just been taken." : error.message);
    }
  }

  async act(action) {
    if (this.busy || this.mine === null) return;
    const { id } = this;
    this.busy = true;
    this.paint();
    try {
      const answer = await tables.act(id, action, this.mine.turn, OUTCOME_SECONDS);
      if (answer.snapshot && id === this.id) this.mine = answer.snapshot;
      if (answer.outcome === "rejected") this.note(`Not accepted: ${line(answer.reason, 200, "the game gives no reason")}`);
      else if (answer.outcome === "unconfirmed") this.note("The game did not answer. Try it again.");
      else this.note(null);
    } catch (error) {
      if (error.status === 409 && error.body && error.body.snapshot && id === this.id) this.mine = error.body.snapshot;
      this.note(error.status === 409 ? "The game has moved on meanwhile; look again." : error.message);
    }
    this.busy = false;
    this.paint();
  }

  async again() {
    const next = this.mine.nextSessionId;
    this.before = `Round ${this.view.round}: ${resultText(this.view.result, this.view.players, this.mine.playerId)}`;
    this.moved(next);
    await this.open(next);
  }

  async leave() {
    try {
      await tables.leave(this.id);
      this.seated = false;
      this.mine = null;
      await this.open(this.id);
    } catch (error) {
      this.note(error.message);
    }
  }
}
