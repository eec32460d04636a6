// The games that a browser tab can host here. Each is a page for a sandboxed frame that uses rcadia-agent.js.

export const GAMES = {
  chess: {
    title: "Chess",
    gameId: "chess",
    src: "/web/games/chess/index.html",
    about: "Two players; colours change from round to round. A clock of five minutes for each move."
  }
};
