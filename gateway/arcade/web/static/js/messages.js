// Messages of a game as ops of the bridge API, and entries of that as messages for the game (sections 2 and 3). Pure.

/** An object, whatever was sent. */
export function plain(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

/** How long a value is as JSON; null for what is none: messages may carry cycles and other things JSON has not. */
export function jsonLength(value) {
  try {
    return JSON.stringify(value).length;
  } catch (error) {
    return null;
  }
}

/** The ids of a list of players: whole seats or bare ids. */
export function playerIds(players) {
  if (!Array.isArray(players)) return [];
  return players.map((one) => (typeof one === "string" ? one : plain(one).playerId)).filter((id) => typeof id === "string");
}

/** What a game's message asks of the arcade as an op; null where it is none or is malformed. */
export function opOf(type, data) {
  const given = plain(data);
  const player = typeof given.playerId === "string" && given.playerId !== "" ? given.playerId : null;
  switch (type) {
    case "AGENT_STATE":
      return given.state === undefined ? null : { op: "state", state: given.state };
    case "AGENT_OBSERVATION":
      if (player === null || given.observation === undefined) return null;
      return { op: "observation", playerId: player, observation: given.observation };
    case "AGENT_LEGAL_ACTIONS":
      if (player === null || !Array.isArray(given.actions)) return null;
      return { op: "legal_actions", playerId: player, actions: given.actions };
    case "AGENT_ACTION_REJECTED": {
      if (player === null) return null;
      const op = { op: "reject", playerId: player, reason: String(given.reason || "refused").slice(0, 500) };
      if (typeof given.actionId === "string") op.actionId = given.actionId;
      return op;
    }
    case "AGENT_GAME_OVER":
      return { op: "end", result: given.result === undefined ? null : given.result };
    default:
      return null;
  }
}

/** A queued entry as the message that the game gets; null for what this side does not know. */
export function messageOf(entry, sessionId) {
  if (entry.type === "action") {
    return { type: "AGENT_ACTION", data: { playerId: entry.playerId, action: entry.action, actionId: entry.actionId } };
  }
  if (entry.type === "timeout") {
    const { playerId, strike, maxStrikes, final } = entry;
    return { type: "AGENT_TIMEOUT", data: { playerId, strike, maxStrikes, final } };
  }
  if (entry.type === "system" && entry.event === "game_start") {
    return { type: "AGENT_GAME_START", data: { sessionId, players: playerIds(entry.players), round: entry.round } };
  }
  if (entry.type === "system" && entry.event === "session_end") {
    return { type: "AGENT_SESSION_END", data: { sessionId, result: entry.result, reason: entry.reason } };
  }
  return null;
}
