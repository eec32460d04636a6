// What pages say about a session, as plain sentences. Pure; whatever comes from a stranger goes through line().

import { line } from "./dom.js";

export const HOSTS = { house: "the house", player: "a person's browser", agent: "an agent" };

const REASONS = {
  checkmate: "by checkmate",
  resignation: "by resignation",
  resign: "by resignation",
  timeout: "on time",
  left: "because the other player left",
  stalemate: "stalemate",
  insufficient_material: "too few pieces to win",
  threefold_repetition: "the same position three times",
  fifty_moves: "fifty moves without progress",
  agreement: "by agreement",
  draw: null,
  win: null
};

const DRAWN = new Set(["", "draw", "stalemate", "insufficient_material", "threefold_repetition", "fifty_moves", "agreement"]);

const ENDS = {
  host_disconnected: "The game stopped: its host was gone.",
  host_left: "The host closed the table.",
  session_lost: "The table was lost when the arcade was started again.",
  server_restarted: "The table was lost when the arcade was started again."
};

/** When something was, as the reader's device writes it. */
export function when(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? "" : time.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

export function playerName(player, fallbackSeat = 0) {
  if (player === null || player === undefined) return `Player ${fallbackSeat + 1}`;
  if (typeof player === "string") return `Player ${fallbackSeat + 1}`;
  return line(player.asName, 40, `Player ${(Number.isInteger(player.seat) ? player.seat : fallbackSeat) + 1}`);
}

function idOf(player) {
  return typeof player === "string" ? player : player.playerId;
}

/** How a finished session ended. `me` is the reader's playerId or null. */
export function resultText(result, players, me = null) {
  if (result === null || typeof result !== "object") {
    return result === null || result === undefined ? "The game is over." : `The game is over: ${line(String(result), 80)}`;
  }
  const reason = typeof result.reason === "string" ? result.reason : "";
  const known = Object.prototype.hasOwnProperty.call(REASONS, reason);
  const words = known ? REASONS[reason] : line(reason.replace(/_/g, " "), 80);
  const seat = players.findIndex((player) => idOf(player) === result.winner);
  if (seat >= 0 && result.winner) {
    const who = result.winner === me ? "You win" : `${playerName(players[seat], seat)} wins`;
    return `${who}${words ? ` ${known ? words : `(${words})`}` : ""}.`;
  }
  if (Object.prototype.hasOwnProperty.call(ENDS, reason)) return ENDS[reason];
  if (result.winner === null || result.winner === undefined) {
    const drawn = result.draw === true || (result.draw === undefined && DRAWN.has(reason));
    return `${drawn ? "A draw" : "Nobody wins"}${words ? ` (${words})` : ""}.`;
  }
  return `${line(String(result.winner), 40)} wins${words ? ` (${words})` : ""}.`;
}

/** One sentence about where a session stands. `view` is the public view, `mine` the reader's snapshot or null. */
export function standing(view, mine) {
  const me = mine === null ? null : mine.playerId;
  if (view.status === "finished") return resultText(view.result, view.players, me);
  if (view.status === "waiting") {
    if (view.players.some((player) => player.ready === false)) return "Waiting for everybody to come back for the next round.";
    return view.players.length === 0 ? "Nobody sits here yet." : "Waiting for another player.";
  }
  if (mine !== null && mine.yourTurn) return "Your move.";
  if (mine !== null && mine.waitingFor === "host") return "Waiting for the game to answer.";
  const onTurn = (Array.isArray(view.onTurnSeats) ? view.onTurnSeats : []).map((seat) => playerName(view.players[seat], seat));
  if (onTurn.length === 0) return "The game is being played.";
  return `${onTurn.join(", ")} ${onTurn.length === 1 ? "is" : "are"} to move.`;
}

const ROLES = ["white", "black", "X", "O", "A", "B"];

/** The part that a player has in the game, where the state says so: "white", "X", …; null otherwise. */
export function roleOf(state, playerId) {
  if (state === null || typeof state !== "object") return null;
  return ROLES.find((role) => state[role] === playerId) || null;
}

/** "4:07" of seconds; never negative. */
export function clockText(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
