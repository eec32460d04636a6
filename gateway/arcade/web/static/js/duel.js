// The two players of a match, with what is to be said of each and the clock of whoever is to move.

import { roleOfPlayer } from "./arena.js";
import { el, show } from "./dom.js";
import { roleSign } from "./parts.js";
import { clockText } from "./words.js";

const SHORT_SECONDS = 5;

export function duelView() {
  const node = el("ul", { class: "seats", "aria-label": "Players" });
  let clock = null;
  let until = null;

  function tick() {
    if (clock === null || until === null || !node.isConnected) return;
    const left = (until - performance.now()) / 1000;
    show(clock, clockText(left));
    clock.classList.toggle("short", left < SHORT_SECONDS);
  }
  setInterval(tick, 250);

  return {
    node,
    /** `names` and `facts`: a text for each player. `turn`: 0, 1 or null. `deadline` as performance.now(), or null. */
    update({ game, names, facts, turn = null, deadline = null }) {
      until = deadline;
      clock = null;
      show(node, [0, 1].map((player) => {
        const here = turn === player;
        const ticking = here && deadline !== null ? el("span", { class: "clock", "aria-label": "time left" }) : null;
        if (ticking !== null) clock = ticking;
        return el("li", { class: here ? "seat turn" : "seat" },
          roleSign(roleOfPlayer(game, player)),
          el("span", { class: "person" }, names[player],
            facts[player] ? el("span", { class: "quiet small fact" }, facts[player]) : null),
          ticking);
      }));
      tick();
    }
  };
}
