// The browser's side of hosting against literals of sections 2 and 3 of the protocol.

import assert from "node:assert/strict";
import test from "node:test";
import { ApiError } from "../../../../gateway/arcade/web/static/js/api.js";
import { Bridge } from "../../../../gateway/arcade/web/static/js/bridge.js";

const CONFIG = { minPlayers: 2, maxPlayers: 2, turnBased: true, simultaneous: false, gameType: "chess", sdkVersion: "2.0.0" };
const ONE = "ses_aaaa00000001";
const TWO = "ses_aaaa00000002";
const SEATS = [{ playerId: "p_1", seat: 0, asName: "Ann" }, { playerId: "p_2", seat: 1, asName: "Bob" }];

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function eventually(condition) {
  for (let i = 0; i < 500; i += 1) {
    if (condition()) return;
    await settled();
  }
  assert.fail("never true");
}

/** A queue of answers that the bridge's requests wait for; an Error is thrown. */
function desk() {
  const calls = [];
  const open = [];
  const request = (name) => (...args) => {
    calls.push([name, ...JSON.parse(JSON.stringify(args.filter((one) => !(one instanceof AbortSignal))))]);
    return new Promise((resolve, reject) => open.push({ name, resolve, reject }));
  };
  const answer = async (name, value) => {
    await eventually(() => open.some((one) => one.name === name));
    const [one] = open.splice(open.findIndex((waiting) => waiting.name === name), 1);
    if (value instanceof Error) one.reject(value);
    else one.resolve(value);
    await settled();
  };
  return {
    calls,
    of: (name) => calls.filter((call) => call[0] === name),
    waiting: (name) => open.filter((one) => one.name === name).length,
    answer,
    api: { create: request("create"), ops: request("ops"), pending: request("pending"), rematch: request("rematch") }
  };
}

function table() {
  const there = desk();
  const posted = [];
  const timers = [];
  const pauses = [];
  const bridge = new Bridge({
    calls: there.api,
    post: (message) => posted.push(JSON.parse(JSON.stringify(message))),
    later: (run, ms) => timers.push({ run, ms }),
    pause: async (ms) => { pauses.push(ms); },
    changed: () => {},
    gameId: "chess",
    gameTitle: "Chess"
  });
  const tick = async () => {
    timers.splice(0).forEach((timer) => timer.run());
    await settled();
  };
  return { ...there, bridge, posted, timers, pauses, tick };
}

const pending = (actions, more = {}) => ({ actions, status: "active", round: 1, nextSessionId: null, players: SEATS, result: null, ...more });
const START = { seq: 1, type: "system", event: "game_start", players: ["p_1", "p_2"], round: 1 };

async function started() {
  const one = table();
  one.bridge.receive({ type: "AGENT_CONFIGURE", data: CONFIG });
  await one.answer("create", { sessionId: ONE, config: CONFIG, skillUrl: "", round: 1, seriesId: ONE, players: [] });
  await one.answer("pending", pending([START]));
  return one;
}

test("opens a table for the game's configuration and tells the game", async () => {
  const { bridge, calls, posted, answer } = table();
  bridge.receive({ type: "AGENT_CONFIGURE", data: CONFIG });
  bridge.receive({ type: "AGENT_CONFIGURE", data: CONFIG });
  await answer("create", { sessionId: ONE, config: CONFIG, skillUrl: "", round: 1, seriesId: ONE, players: [] });
  assert.deepEqual(calls, [
    ["create", { config: CONFIG, gameId: "chess", gameTitle: "Chess" }],
    ["pending", ONE, 0, 25]
  ]);
  assert.deepEqual(posted, [{ type: "AGENT_SESSION_START", data: { sessionId: ONE, round: 1, players: [] } }]);
});

test("passes entries on in order, once, and acknowledges them", async () => {
  const { posted, calls, answer, of } = await started();
  posted.length = 0;
  const entries = [
    { seq: 2, type: "action", playerId: "p_1", action: { type: "move", uci: "e2e4" }, actionId: "a_1" },
    { seq: 3, type: "timeout", playerId: "p_2", strike: 1, maxStrikes: 2, final: false },
    { seq: 4, type: "system", event: "a later protocol's" }
  ];
  await answer("pending", pending(entries));
  await answer("pending", pending([entries[1], { seq: 5, type: "action", playerId: "p_2", action: "e7e5", actionId: "a_2" }]));
  assert.deepEqual(posted, [
    { type: "AGENT_ACTION", data: { playerId: "p_1", action: { type: "move", uci: "e2e4" }, actionId: "a_1" } },
    { type: "AGENT_TIMEOUT", data: { playerId: "p_2", strike: 1, maxStrikes: 2, final: false } },
    { type: "AGENT_ACTION", data: { playerId: "p_2", action: "e7e5", actionId: "a_2" } }
  ]);
  assert.deepEqual(of("pending").map((call) => call[2]), [0, 1, 4, 5]);
  assert.equal(calls.filter((call) => call[0] === "create").length, 1);
});

test("the start of the game carries the seats in order, whole or as ids", async () => {
  const { posted } = await started();
  assert.deepEqual(posted[1], { type: "AGENT_GAME_START", data: { sessionId: ONE, players: ["p_1", "p_2"], round: 1 } });
  const other = table();
  other.bridge.receive({ type: "AGENT_CONFIGURE", data: CONFIG });
  await other.answer("create", { sessionId: ONE, round: 1, players: [] });
  await other.answer("pending", pending([{ ...START, players: SEATS }]));
  assert.deepEqual(other.posted[1].data.players, ["p_1", "p_2"]);
});

test("collects ops for 10 ms, one request in flight, in order, at most 100", async () => {
  const { bridge, timers, tick, of, answer, waiting } = await started();
  bridge.receive({ type: "AGENT_STATE", data: { state: { n: 1 } } });
  bridge.receive({ type: "AGENT_LEGAL_ACTIONS", data: { playerId: "p_1", actions: ["e2e4"] } });
  bridge.receive({ type: "AGENT_OBSERVATION", data: { playerId: "p_2", observation: null } });
  assert.deepEqual(timers.map((timer) => timer.ms), [10]);
  assert.equal(of("ops").length, 0);
  await tick();
  assert.deepEqual(of("ops"), [["ops", ONE, [
    { op: "state", state: { n: 1 } },
    { op: "legal_actions", playerId: "p_1", actions: ["e2e4"] },
    { op: "observation", playerId: "p_2", observation: null }
  ]]]);
  for (let i = 0; i < 150; i += 1) bridge.receive({ type: "AGENT_LEGAL_ACTIONS", data: { playerId: "p_1", actions: [i] } });
  await tick();
  assert.equal(waiting("ops"), 1, "the second request waits for the first");
  await answer("ops", { ok: true });
  assert.equal(of("ops")[1][2].length, 100);
  assert.equal(waiting("ops"), 1);
  await answer("ops", { ok: true });
  assert.deepEqual(of("ops")[2][2].map((op) => op.actions[0]), [...Array(50).keys()].map((i) => i + 100));
});

test("a state that nobody has seen is replaced by the next", async () => {
  const { bridge, tick, of } = await started();
  for (const n of [1, 2, 3]) bridge.receive({ type: "AGENT_STATE", data: { state: { n } } });
  await tick();
  assert.deepEqual(of("ops")[0][2], [{ op: "state", state: { n: 3 } }]);
});

test("rejections keep their actionId, the end its result", async () => {
  const { bridge, tick, of } = await started();
  bridge.receive({ type: "AGENT_ACTION_REJECTED", data: { playerId: "p_1", reason: "no", actionId: "a_1" } });
  bridge.receive({ type: "AGENT_GAME_OVER", data: { result: { winner: "p_2" } } });
  await tick();
  assert.deepEqual(of("ops")[0][2], [
    { op: "reject", playerId: "p_1", reason: "no", actionId: "a_1" },
    { op: "end", result: { winner: "p_2" } }
  ]);
});

test("malformed messages of a game reach nobody", async () => {
  const { bridge, tick, of } = await started();
  for (const message of [null, 1, "AGENT_STATE", {}, { type: "AGENT_STATE" }, { type: "AGENT_STATE", data: 1 },
    { type: "AGENT_LEGAL_ACTIONS", data: { playerId: 1, actions: [] } }, { type: "AGENT_LEGAL_ACTIONS", data: { playerId: "p_1" } },
    { type: "AGENT_OBSERVATION", data: { observation: 1 } }, { type: "AGENT_ACTION_REJECTED", data: {} }, { type: "__proto__", data: {} }]) {
    bridge.receive(message);
  }
  await tick();
  assert.equal(of("ops").length, 0);
});

test("what is no JSON, or too much of it, is left out", async () => {
  const { bridge, tick, of } = await started();
  const cycle = {};
  cycle.cycle = cycle;
  bridge.receive({ type: "AGENT_STATE", data: { state: cycle } });
  assert.match(bridge.note, /no JSON/);
  bridge.receive({ type: "AGENT_STATE", data: { state: 7n } });
  bridge.receive({ type: "AGENT_STATE", data: { state: "x".repeat(300000) } });
  assert.match(bridge.note, /more than a table can hold/);
  await tick();
  assert.equal(of("ops").length, 0);
  for (let i = 0; i < 1100; i += 1) bridge.receive({ type: "AGENT_LEGAL_ACTIONS", data: { playerId: "p_1", actions: [i] } });
  assert.match(bridge.note, /faster/);
});

test("one bad op does not take the good ones with it", async () => {
  const { bridge, tick, of, answer } = await started();
  bridge.receive({ type: "AGENT_LEGAL_ACTIONS", data: { playerId: "p_unknown", actions: [1] } });
  bridge.receive({ type: "AGENT_STATE", data: { state: 1 } });
  await tick();
  await answer("ops", new ApiError("unknown player", { status: 400 }));
  await answer("ops", new ApiError("unknown player", { status: 400 }));
  await answer("ops", { ok: true });
  assert.deepEqual(of("ops").map((call) => call[2].map((op) => op.op)), [["legal_actions", "state"], ["legal_actions"], ["state"]]);
  assert.match(bridge.note, /refused/);
});

test("what could not be sent is sent again, after the time the arcade asks for", async () => {
  const { bridge, tick, of, answer, pauses } = await started();
  bridge.receive({ type: "AGENT_STATE", data: { state: 1 } });
  await tick();
  await answer("ops", new ApiError("busy", { status: 429, retryAfter: 7 }));
  await answer("ops", new ApiError("gone", { status: 0 }));
  await answer("ops", { ok: true });
  assert.equal(of("ops").length, 3);
  assert.deepEqual(pauses, [7000, 4000]);
});

test("goes on to the next round: the game hears the end, then the session, then the start", async () => {
  const { bridge, posted, answer, tick, of } = await started();
  posted.length = 0;
  await answer("pending", pending(
    [{ seq: 2, type: "system", event: "session_end", result: { winner: "p_1", reason: "timeout" }, reason: "timeout" }],
    { status: "finished", nextSessionId: TWO, result: { winner: "p_1" } }
  ));
  // The game's last words belong to the session that is over.
  bridge.receive({ type: "AGENT_STATE", data: { state: "over" } });
  await tick();
  await answer("ops", { ok: true });
  await answer("pending", pending([{ seq: 1, type: "system", event: "game_start", players: ["p_1", "p_2"], round: 2 }], { round: 2 }));
  bridge.receive({ type: "AGENT_STATE", data: { state: "anew" } });
  await tick();
  assert.deepEqual(posted, [
    { type: "AGENT_SESSION_END", data: { sessionId: ONE, result: { winner: "p_1", reason: "timeout" }, reason: "timeout" } },
    { type: "AGENT_SESSION_START", data: { sessionId: TWO, round: 2, players: ["p_1", "p_2"] } },
    { type: "AGENT_GAME_START", data: { sessionId: TWO, players: ["p_1", "p_2"], round: 2 } }
  ]);
  assert.deepEqual(of("pending").map((call) => [call[1], call[2]]), [[ONE, 0], [ONE, 1], [TWO, 0], [TWO, 1]]);
  assert.deepEqual(of("ops").map((call) => [call[1], call[2][0].state]), [[ONE, "over"], [TWO, "anew"]]);
});

test("AGENT_REMATCH asks for a round once this one is over", async () => {
  const { bridge, posted, answer, tick, of } = await started();
  bridge.receive({ type: "AGENT_GAME_OVER", data: { result: { winner: null } } });
  bridge.receive({ type: "AGENT_REMATCH", data: {} });
  await tick();
  assert.equal(of("rematch").length, 0);
  await answer("ops", { ok: true });
  await answer("pending", pending([], { status: "finished" }));
  assert.deepEqual(of("rematch"), [["rematch", ONE]]);
  await answer("rematch", { sessionId: TWO, round: 2, seriesId: ONE, players: SEATS });
  assert.deepEqual(posted[posted.length - 1], { type: "AGENT_SESSION_START", data: { sessionId: TWO, round: 2, players: ["p_1", "p_2"] } });
  assert.deepEqual(of("pending").pop().slice(1), [TWO, 0, 25]);
});

test("AGENT_REMATCH after the end is asked at once", async () => {
  const { bridge, answer, of } = await started();
  await answer("pending", pending([], { status: "finished" }));
  bridge.receive({ type: "AGENT_REMATCH", data: {} });
  assert.deepEqual(of("rematch"), [["rematch", ONE]]);
  await answer("rematch", new ApiError("left", { status: 409 }));
  assert.equal(bridge.note, "left");
});

test("a session the arcade has lost ends for the game, and a new table opens", async () => {
  for (const status of [404, 410]) {
    const { bridge, posted, answer, of } = await started();
    posted.length = 0;
    await answer("pending", new ApiError("gone", { status, code: "server_restarted" }));
    assert.deepEqual(posted, [
      { type: "AGENT_SESSION_END", data: { sessionId: ONE, result: null, reason: "session_lost" } },
      { type: "AGENT_REQUEST_CONFIGURE", data: {} }
    ]);
    bridge.receive({ type: "AGENT_CONFIGURE", data: CONFIG });
    await answer("create", { sessionId: TWO, round: 1, players: [] });
    assert.equal(of("create").length, 2);
    assert.deepEqual(posted[2], { type: "AGENT_SESSION_START", data: { sessionId: TWO, round: 1, players: [] } });
  }
});

test("without the right to host nothing is opened again and again", async () => {
  const { bridge, answer, of } = table();
  bridge.receive({ type: "AGENT_CONFIGURE", data: CONFIG });
  await answer("create", new ApiError("This token may not do that.", { status: 403 }));
  assert.equal(bridge.status, "closed");
  assert.equal(bridge.note, "This token may not do that.");
  bridge.receive({ type: "AGENT_CONFIGURE", data: CONFIG });
  assert.equal(of("create").length, 1);
});

test("closing the table ends it as host_left", async () => {
  const { bridge, of } = await started();
  bridge.leave(true);
  await settled();
  assert.deepEqual(of("ops"), [["ops", ONE, [
    { op: "end", result: { winner: null, reason: "host_left" }, reason: "host_left" }
  ], true]]);
  bridge.receive({ type: "AGENT_STATE", data: { state: 1 } });
  await settled();
  assert.equal(of("ops").length, 1);
});

test("a table that is over can be opened anew for the same game", async () => {
  const { bridge, answer, of } = await started();
  await answer("pending", pending([], { status: "finished" }));
  bridge.reopen();
  await answer("create", { sessionId: TWO, round: 1, players: [] });
  assert.deepEqual(of("create")[1], of("create")[0]);
  assert.deepEqual(of("pending").pop().slice(1), [TWO, 0, 25]);
});
