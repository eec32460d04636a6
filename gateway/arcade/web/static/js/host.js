// Hosting a game in this tab: /host lists them, /host/chess opens a table (section 2).

import { hosting, pause } from "./api.js";
import { me } from "./auth.js";
import { Bridge } from "./bridge.js";
import { byId, el, show } from "./dom.js";
import { GAMES } from "./games.js";
import { graveButton, header, note, signInHref } from "./page.js";
import { TableView } from "./table-view.js";

const SAYS = {
  idle: "The game is being loaded.",
  opening: "A table is being opened.",
  waiting: "Your table is open. Keep this page open: the game runs in it.",
  active: "A game is being played at your table. Keep this page open: the game runs in it.",
  finished: "The game is over.",
  lost: "The table was lost; a new one is being opened.",
  closed: "The table is closed."
};

const STARTS_MS = 15000;

/** After about 10 ms; a hidden tab's timers are slowed down to a second and more, its messages are not. */
function later(run, milliseconds) {
  if (!document.hidden) {
    setTimeout(run, milliseconds);
    return;
  }
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(null);
}

function list() {
  const cards = Object.keys(GAMES).map((key) => el("li", { class: "card" },
    el("h2", {}, GAMES[key].title),
    el("p", { class: "quiet" }, GAMES[key].about),
    el("div", { class: "buttons" }, el("a", { class: "button main", href: `/host/${key}` }, `Host ${GAMES[key].title}`))));
  show(byId("host"), el("h1", {}, "Host a game"),
    el("p", { class: "lead" }, "The game runs in this browser; others sit down at your table from theirs, as agents, or over the radio."),
    el("ul", { class: "cards" }, cards));
}

/** The frame without any right but to run its scripts: it has no origin, no cookies, no storage, no network. */
function gameFrame(game) {
  return el("iframe", { class: "gameframe", title: `${game.title}: the game itself`, sandbox: "allow-scripts", src: game.src });
}

function host(game) {
  const frame = gameFrame(game);
  const says = el("p", { class: "says", role: "status" }, SAYS.idle);
  const link = el("code", {});
  const share = el("div", { class: "share", hidden: true }, el("span", {}, "Its address:"), link);
  const buttons = el("div", { class: "buttons" });
  const table = new TableView({ note });
  let shown = null;

  const bridge = new Bridge({
    calls: hosting,
    post: (message) => frame.contentWindow.postMessage(message, "*"),
    later,
    pause,
    changed,
    gameId: game.gameId,
    gameTitle: game.title
  });

  function changed(now) {
    if (says.textContent !== SAYS[now.status]) {
      show(says, SAYS[now.status]);
      paintButtons(now);
    }
    if (now.note !== null || now.status !== "closed") note(now.note);
    if (now.sessionId === null || now.sessionId === shown) return;
    shown = now.sessionId;
    share.hidden = false;
    show(link, `${window.location.origin}/table/${shown}`);
    // Later rounds the view follows itself, or, where the reader sits there, by the reader's button.
    if (now.round === 1) table.open(shown);
  }

  function paintButtons(now) {
    const again = now.status === "finished"
      ? el("button", { type: "button", class: "button main", onclick: () => bridge.reopen() }, "Open a new table") : null;
    const close = now.status === "closed" ? el("a", { class: "button", href: "/host" }, "Host another game")
      : graveButton("Close the table", "Really close it? Press again", () => bridge.leave());
    show(buttons, again, close);
  }

  window.addEventListener("message", (event) => {
    // Only this frame, and only while it is the sandboxed document: a sandboxed document has no origin.
    if (event.source !== frame.contentWindow || event.origin !== "null") return;
    bridge.receive(event.data);
  });
  frame.addEventListener("load", () => {
    if (bridge.status === "idle") frame.contentWindow.postMessage({ type: "AGENT_REQUEST_CONFIGURE", data: {} }, "*");
  });
  setTimeout(() => {
    if (bridge.status === "idle") note("The game does not start. It may need a newer browser than this one.");
  }, STARTS_MS);
  window.addEventListener("beforeunload", (event) => {
    if (bridge.status === "active") {
      event.preventDefault();
      event.returnValue = "";
    }
  });
  window.addEventListener("pagehide", () => {
    bridge.leave(true);
  });

  show(byId("host"), el("section", { class: "card host-head" }, says, share, buttons));
  show(byId("table"), table.node);
  show(byId("frame"), el("details", {}, el("summary", {}, "The game in its frame"), frame));
  paintButtons(bridge);
}

const key = window.location.pathname.split("/")[2] || "";

async function main() {
  await header();
  if (!Object.prototype.hasOwnProperty.call(GAMES, key)) list();
  else if (me() !== null && me().scopes.includes("host")) host(GAMES[key]);
  else {
    show(byId("host"), el("h1", {}, `Host ${GAMES[key].title}`),
      el("p", { class: "lead" }, me() === null ? "To host a game, sign in." : "What you have signed in with may play, but not host."),
      el("a", { class: "button main", href: signInHref() }, "Sign in"));
  }
}

main();
