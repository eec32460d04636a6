// The game that docs/arcade-web.md shows: it is played to its end with the SDK.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import vm from "node:vm";

const at = (path) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");

test("the example of the documentation is a game", () => {
  const source = /```js\n([\s\S]*?)```/.exec(at("docs/arcade-web.md"))[1];
  const sent = [];
  const heard = [];
  const parent = { postMessage: (message) => sent.push(JSON.parse(JSON.stringify(message))) };
  const window = { parent, addEventListener: (type, run) => heard.push(run) };
  const context = vm.createContext({ window });
  vm.runInContext(at("gateway/arcade/web/static/rcadia-agent.js"), context);
  context.RcadiaAgent = window.RcadiaAgent;
  vm.runInContext(source, context);
  const say = (type, data) => heard.forEach((run) => run({ source: parent, data: { type, data } }));
  const last = (type) => sent.filter((message) => message.type === type).pop();

  say("AGENT_GAME_START", { sessionId: "ses_000000000001", players: ["p_1", "p_2"], round: 2 });
  assert.deepEqual(last("AGENT_LEGAL_ACTIONS").data, { playerId: "p_2", actions: [1, 2, 3] });
  say("AGENT_ACTION", { playerId: "p_2", action: 4, actionId: "a_0" });
  assert.equal(last("AGENT_ACTION_REJECTED").data.actionId, "a_0");
  for (let i = 1; i <= 7; i += 1) say("AGENT_ACTION", { playerId: i % 2 ? "p_2" : "p_1", action: 3, actionId: `a_${i}` });
  assert.deepEqual(last("AGENT_GAME_OVER").data, { result: { winner: "p_2", reason: "took the last" } });
});
