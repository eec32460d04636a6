// The SDK against literals of section 2 of the protocol.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import vm from "node:vm";

const SOURCE = readFileSync(new URL("../../../../gateway/arcade/web/static/rcadia-agent.js", import.meta.url), "utf8");

/** A window with a parent that remembers what it is sent. */
function frame() {
  const listeners = [];
  const parent = { sent: [], postMessage(message) { this.sent.push(JSON.parse(JSON.stringify(message))); } };
  const window = { parent, addEventListener: (type, run) => type === "message" && listeners.push(run) };
  vm.runInNewContext(SOURCE, { window });
  const deliver = (data, source = parent) => listeners.forEach((run) => run({ data, source }));
  return { window, parent, deliver, RcadiaAgent: window.RcadiaAgent };
}

const CHESS = { minPlayers: 2, maxPlayers: 2, turnBased: true, simultaneous: false, gameType: "chess" };

/** Values of the other context as values of this one. */
const plain = (value) => JSON.parse(JSON.stringify(value));

test("configures itself on construct, leaving out what the game leaves out", () => {
  const { parent, RcadiaAgent } = frame();
  const rcadia = new RcadiaAgent(CHESS);
  assert.deepEqual(parent.sent, [{
    type: "AGENT_CONFIGURE",
    data: { minPlayers: 2, maxPlayers: 2, turnBased: true, simultaneous: false, gameType: "chess", sdkVersion: "2.0.0" }
  }]);
  assert.equal(RcadiaAgent.version, "2.0.0");
  assert.equal(rcadia.isConfigured, true);
});

test("sends the optional fields that are given, also 0 and false", () => {
  const { parent, RcadiaAgent } = frame();
  new RcadiaAgent({ ...CHESS, turnTimeout: 0, maxTurnTimeouts: 3, forfeitOnTimeout: false, autoRematch: true });
  assert.deepEqual(parent.sent[0].data, {
    minPlayers: 2, maxPlayers: 2, turnBased: true, simultaneous: false, gameType: "chess", sdkVersion: "2.0.0",
    turnTimeout: 0, maxTurnTimeouts: 3, forfeitOnTimeout: false, autoRematch: true
  });
});

test("has the surface of the protocol and speaks its messages", () => {
  const { parent, RcadiaAgent } = frame();
  const rcadia = new RcadiaAgent(CHESS);
  parent.sent.length = 0;
  rcadia.setState({ fen: "x" });
  rcadia.setObservation("p_1", { hand: [1] });
  rcadia.setLegalActions("p_1", ["e2e4"]);
  rcadia.rejectAction("p_1", "no");
  rcadia.endGame({ winner: "p_1" });
  rcadia.rematch();
  assert.deepEqual(parent.sent, [
    { type: "AGENT_STATE", data: { state: { fen: "x" } } },
    { type: "AGENT_OBSERVATION", data: { playerId: "p_1", observation: { hand: [1] } } },
    { type: "AGENT_LEGAL_ACTIONS", data: { playerId: "p_1", actions: ["e2e4"] } },
    { type: "AGENT_ACTION_REJECTED", data: { playerId: "p_1", reason: "no" } },
    { type: "AGENT_GAME_OVER", data: { result: { winner: "p_1" } } },
    { type: "AGENT_REMATCH", data: {} }
  ]);
  for (const name of ["onGameStart", "onAction", "onTimeout", "onSessionEnd", "onActionRejected"]) {
    assert.equal(typeof rcadia[name], "function");
  }
});

test("hears the host's messages", () => {
  const { deliver, RcadiaAgent } = frame();
  const rcadia = new RcadiaAgent(CHESS);
  const heard = [];
  rcadia.onGameStart((start) => heard.push(["start", start]));
  rcadia.onAction((...args) => heard.push(["action", ...args]));
  rcadia.onTimeout((...args) => heard.push(["timeout", ...args]));
  rcadia.onSessionEnd((end) => heard.push(["end", end]));
  deliver({ type: "AGENT_SESSION_START", data: { sessionId: "ses_0123456789ab", round: 2, players: [] } });
  assert.equal(rcadia.sessionId, "ses_0123456789ab");
  assert.equal(rcadia.round, 2);
  deliver({ type: "AGENT_GAME_START", data: { sessionId: "ses_0123456789ab", players: ["p_1", "p_2"], round: 2 } });
  assert.deepEqual(plain(rcadia.players), ["p_1", "p_2"]);
  deliver({ type: "AGENT_ACTION", data: { playerId: "p_1", action: { type: "move" }, actionId: "a_1" } });
  deliver({ type: "AGENT_TIMEOUT", data: { playerId: "p_2", strike: 1, maxStrikes: 2, final: false } });
  deliver({ type: "AGENT_SESSION_END", data: { sessionId: "ses_0123456789ab", result: { winner: null }, reason: "left" } });
  assert.deepEqual(plain(heard), [
    ["start", { sessionId: "ses_0123456789ab", players: ["p_1", "p_2"], round: 2 }],
    ["action", "p_1", { type: "move" }, "a_1"],
    ["timeout", "p_2", { strike: 1, maxStrikes: 2, final: false }],
    ["end", { sessionId: "ses_0123456789ab", result: { winner: null }, reason: "left" }]
  ]);
});

test("hears nobody but its parent, and survives nonsense from it", () => {
  const { deliver, window, RcadiaAgent } = frame();
  const rcadia = new RcadiaAgent(CHESS);
  const heard = [];
  rcadia.onAction((...args) => heard.push(args));
  const action = { type: "AGENT_ACTION", data: { playerId: "p_1", action: "e2e4", actionId: "a_1" } };
  deliver(action, { postMessage() {} });
  deliver(action, window);
  deliver(action, null);
  assert.deepEqual(heard, []);
  for (const nonsense of [null, undefined, 7, "AGENT_ACTION", [], {}, { type: 1 }, { type: "toString" }, { type: "AGENT_GAME_START" }]) {
    deliver(nonsense);
  }
  deliver(action);
  assert.equal(heard.length, 1);
});

test("delivers an action once, and rejects the last one it delivered", () => {
  const { deliver, parent, RcadiaAgent } = frame();
  const rcadia = new RcadiaAgent(CHESS);
  const heard = [];
  rcadia.onAction((playerId, action, actionId) => heard.push(actionId));
  deliver({ type: "AGENT_ACTION", data: { playerId: "p_1", action: "a", actionId: "a_1" } });
  deliver({ type: "AGENT_ACTION", data: { playerId: "p_2", action: "b", actionId: "a_2" } });
  deliver({ type: "AGENT_ACTION", data: { playerId: "p_1", action: "a", actionId: "a_1" } });
  assert.deepEqual(heard, ["a_1", "a_2"]);
  parent.sent.length = 0;
  rcadia.rejectAction("p_1", "no");
  assert.deepEqual(parent.sent, [{ type: "AGENT_ACTION_REJECTED", data: { playerId: "p_1", reason: "no", actionId: "a_1" } }]);
});

test("sends the configuration again when asked", () => {
  const { deliver, parent, RcadiaAgent } = frame();
  new RcadiaAgent(CHESS);
  deliver({ type: "AGENT_REQUEST_CONFIGURE", data: {} });
  assert.equal(parent.sent.length, 2);
  assert.deepEqual(parent.sent[0], parent.sent[1]);
});

test("routes the start of a v1 host to onGameStart, or to onAction where there is none", () => {
  const start = { type: "AGENT_ACTION", data: { playerId: "__system__", action: { type: "__game_start__", players: ["p_1", "p_2"] }, actionId: "a_0" } };
  const first = frame();
  const started = [];
  const modern = new first.RcadiaAgent(CHESS);
  modern.onGameStart((data) => started.push(data));
  modern.onAction(() => assert.fail("an action"));
  first.deliver(start);
  assert.deepEqual(plain(started), [{ sessionId: null, players: ["p_1", "p_2"], round: 1 }]);

  const second = frame();
  const acted = [];
  new second.RcadiaAgent(CHESS).onAction((playerId, action) => acted.push([playerId, action.type]));
  second.deliver(start);
  assert.deepEqual(acted, [["__system__", "__game_start__"]]);
});

test("routes the timeout of a v1 host to onTimeout", () => {
  const { deliver, RcadiaAgent } = frame();
  const rcadia = new RcadiaAgent(CHESS);
  const heard = [];
  rcadia.onTimeout((...args) => heard.push(args));
  rcadia.onAction(() => assert.fail("an action"));
  deliver({ type: "AGENT_ACTION", data: { playerId: "p_1", action: { type: "__timeout__" } } });
  assert.deepEqual(plain(heard), [["p_1", { strike: 1, maxStrikes: null, final: false }]]);
});
