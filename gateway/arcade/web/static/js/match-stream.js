// The stream of one match: JSON messages over the WebSocket of the page's own origin. Who plays is said by the
// cookie of a sign-in, which the browser sends by itself.

const MOST = 1 << 20;

/**
 * Opens a match. `level` null: a rated one, else practice against the house. `heard(message)` is called for each
 * message, `closed()` once when there are no more. Returns { move(token), close() }.
 */
export function openMatch({ game, level, heard, closed }) {
  const practice = level === null ? "" : `&practice=1&level=${level}`;
  const socket = new WebSocket(`${window.location.origin.replace(/^http/, "ws")}/play?game=${game}${practice}`);
  let over = false;

  function end() {
    if (over) return;
    over = true;
    closed();
  }

  socket.addEventListener("message", (event) => {
    if (over || typeof event.data !== "string" || event.data.length > MOST) return;
    let message = null;
    try {
      message = JSON.parse(event.data);
    } catch (error) {
      return;  // no message of the protocol; the next one may be
    }
    if (message !== null && typeof message === "object") heard(message);
  });
  socket.addEventListener("close", end);
  socket.addEventListener("error", end);

  return {
    move(token) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "move", move: token }));
    },
    close() {
      end();
      socket.close();
    }
  };
}
