// The browser side of hosting (sections 2 and 3): a game in a frame on one side, the bridge API on the other.
// It knows no game and no page: the frame, the calls and the clock are handed in.

import { backOff, isSessionId } from "./api.js";
import { jsonLength, messageOf, opOf, plain, playerIds } from "./messages.js";
import { OpsQueue } from "./ops.js";

const WAIT_SECONDS = 25;
const MAX_MESSAGE = 200000;  // characters of JSON; the arcade takes no more in one request either

/**
 * Hosts what the game in a frame configures. `post(message)` speaks to the frame; `calls` are those of api.js (`hosting`);
 * `later(run, ms)` and `pause(ms, signal)` are time; `changed(bridge)` is called after every change of
 * `status` ("idle", "opening", "waiting", "active", "finished", "closed"), `note`, `sessionId`, `round` or `players`.
 */
export class Bridge {
  constructor({ calls, post, later, pause, changed, gameId, gameTitle }) {
    Object.assign(this, { calls, post, later, pause, changed, gameId, gameTitle });
    this.status = "idle";
    this.note = null;
    this.sessionId = null;
    this.round = 1;
    this.players = [];
    this.result = null;
    this.config = null;
    this.polling = null;
    this.failures = 0;
    // The session of the game that runs in the frame, and the one after which it wants another round.
    this.started = null;
    this.wanted = null;
    // Where the game's ops go: the session whose start it was told last. Until the next round starts these are
    // the last words about the game before.
    this.ops = null;
    this.nextOps = null;
    this.abort = new AbortController();
  }

  /** A message from the frame; the caller has checked that it is from the frame. */
  receive(message) {
    if (this.status === "closed" || message === null || typeof message !== "object") return;
    const { type, data } = message;
    if (typeof type !== "string") return;
    if (type === "AGENT_CONFIGURE") this.configure(plain(data));
    else if (type === "AGENT_REMATCH") this.rematch();
    else this.publish(type, data);
  }

  publish(type, data) {
    const op = opOf(type, data);
    if (op === null || this.ops === null) return;
    const size = jsonLength(op);
    if (size === null) {
      this.say("The game sent something that is no JSON; that was left out.");
    } else if (size > MAX_MESSAGE) {
      this.say("The game sent more than a table can hold; that was left out.");
    } else if (!this.ops.add(op)) {
      this.say("The game sends faster than the arcade takes it; some of it was left out.");
    }
  }

  /** Opens a table for this configuration unless there is one. */
  configure(config) {
    this.config = config;
    if (this.status === "idle" || this.status === "lost") return this.open();
    if (this.sessionId !== null) this.greet();
    return Promise.resolve();
  }

  async open() {
    this.update({ status: "opening", result: null });
    const body = { config: this.config };
    if (this.gameId) body.gameId = this.gameId;
    if (this.gameTitle) body.gameTitle = this.gameTitle;
    const session = await this.insist(() => this.calls.create(body));
    if (session === null) return;
    this.enter(session.sessionId, session.round, session.players);
    this.ops = this.nextOps;
    this.polling = this.poll();
  }

  enter(sessionId, round, players) {
    this.nextOps = this.queueFor(sessionId);
    this.update({ sessionId, round: round || 1, players: playerIds(players), status: "waiting", result: null });
    this.greet();
  }

  greet() {
    this.post({
      type: "AGENT_SESSION_START",
      data: { sessionId: this.sessionId, round: this.round, players: this.players }
    });
  }

  queueFor(sessionId) {
    return new OpsQueue({
      later: this.later,
      send: async (ops) => {
        await this.calls.ops(sessionId, ops);
        this.failures = 0;
      },
      settle: (error) => this.settle(error, sessionId)
    });
  }

  /** What a refused batch means for its queue. */
  async settle(error, sessionId) {
    if (this.status === "closed") return "stop";
    if (error.passing) {
      this.failures += 1;
      this.say(error.message);
      await this.pause(backOff(error, this.failures), this.abort.signal);
      return this.status === "closed" ? "stop" : "retry";
    }
    if (error.status === 401 || error.status === 403) {
      this.close(error.message);
      return "stop";
    }
    // The poll of the same session gets the same answer and opens a new table.
    if (error.status === 404 || error.status === 410) return "stop";
    if (sessionId === this.sessionId) this.say(`The arcade refused something the game sent: ${error.message}`);
    return "drop";
  }

  /** Follows the current session, and the rounds after it, until there is nothing more to hear. */
  async poll() {
    let id = this.sessionId;
    let after = 0;
    for (;;) {
      const answer = await this.insist(() => this.calls.pending(id, after, WAIT_SECONDS, this.abort.signal));
      if (answer === null) return;
      for (const entry of answer.actions) {
        if (entry.seq <= after) continue;
        this.deliver(entry, id);
        after = entry.seq;
      }
      this.update({ status: answer.status, players: playerIds(answer.players), result: answer.result });
      if (answer.status !== "finished") continue;
      // The game hears of its end before the next round is announced; what it says to that goes out first.
      if (!isSessionId(answer.nextSessionId)) {
        if (this.wanted === id) await this.askRematch();
        return;
      }
      id = answer.nextSessionId;
      after = 0;
      this.enter(id, this.round + 1, answer.players);
    }
  }

  deliver(entry, sessionId) {
    const message = messageOf(entry, sessionId);
    if (message === null) return;
    if (message.type === "AGENT_GAME_START" && this.nextOps !== this.ops) {
      this.ops.flush();
      this.ops = this.nextOps;
    }
    if (message.type === "AGENT_GAME_START") {
      this.started = sessionId;
      this.update({ round: entry.round || this.round, players: message.data.players, status: "active" });
    }
    this.post(message);
  }

  /** Another round with the same players, where the game asks for it itself; asked for once this one is over. */
  rematch() {
    if (this.started === null) return Promise.resolve();
    this.wanted = this.started;
    return this.status === "finished" && this.wanted === this.sessionId ? this.askRematch() : Promise.resolve();
  }

  async askRematch() {
    this.wanted = null;
    try {
      const next = await this.calls.rematch(this.sessionId);
      if (this.status === "closed" || next.sessionId === this.sessionId) return;
      this.enter(next.sessionId, next.round, next.players);
      this.polling = this.poll();
    } catch (error) {
      this.say(error.message);
    }
  }

  /** A new table with the same game, once this one is over. */
  reopen() {
    if (this.status !== "finished" || this.config === null) return Promise.resolve();
    this.status = "idle";
    return this.open();
  }

  /** The answer, or null where hosting has ended or the session is lost. Passing faults are waited out. */
  async insist(request) {
    let failures = 0;
    for (;;) {
      if (this.status === "closed") return null;
      try {
        const answer = await request();
        if (failures > 0) this.say(null);
        return this.status === "closed" ? null : answer;
      } catch (error) {
        if (this.status === "closed") return null;
        if (error.status === 404 || error.status === 410) {
          this.lose();
          return null;
        }
        if (!error.passing) {
          this.close(error.message);
          return null;
        }
        this.say(error.message);
        await this.pause(backOff(error, failures), this.abort.signal);
        failures += 1;
      }
    }
  }

  /** The arcade has forgotten the session: the game hears it, and is asked what to open anew. */
  lose() {
    const sessionId = this.sessionId;
    for (const queue of [this.ops, this.nextOps]) if (queue !== null) queue.stop();
    this.ops = null;
    this.nextOps = null;
    this.update({ status: "lost", sessionId: null, players: [], note: "The arcade was started again; a new table is being opened." });
    this.post({ type: "AGENT_SESSION_END", data: { sessionId, result: null, reason: "session_lost" } });
    this.post({ type: "AGENT_REQUEST_CONFIGURE", data: {} });
  }

  /** Ends the table: `host_left` allows no rematch. With `leaving` the tab is about to go. */
  leave(leaving = false) {
    const id = this.sessionId;
    const open = this.status === "waiting" || this.status === "active";
    this.close(null);
    if (!open || id === null) return Promise.resolve();
    const end = { op: "end", result: { winner: null, reason: "host_left" }, reason: "host_left" };
    return this.calls.ops(id, [end], leaving).catch((error) => this.say(error.message));
  }

  close(note) {
    for (const queue of [this.ops, this.nextOps]) if (queue !== null) queue.stop();
    this.update({ status: "closed", note });
    this.abort.abort();
  }

  say(note) {
    if (note !== this.note) this.update({ note });
  }

  update(values) {
    Object.assign(this, values);
    this.changed(this);
  }
}
