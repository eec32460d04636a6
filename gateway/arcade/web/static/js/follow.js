// Following one session: the public view by long-poll, and the reader's own snapshot where they sit there.

import { backOff, pause, tables } from "./api.js";

const WAIT_SECONDS = 25;
const PAUSE_WHEN_OVER = 3000;
// How long after the end the next round may still be announced.
const LINGER = 120000;

/** Resolves when the tab is looked at, or the signal aborts. */
function visible(signal) {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}

/**
 * Follows `id` until it is over and nothing more comes, or `signal` aborts. `seated()`: whether the reader sits there.
 * `show({ view, mine })` is called after every change; `mine` is null for spectators. `trouble(error)` with the
 * fault that stopped it or is being waited out, null when it has passed. Resolves to the last view, or null.
 */
export async function follow({ id, seated, show, trouble, signal }) {
  let since = null;
  let failures = 0;
  let over = null;
  let seatedNow = seated;
  let view = null;
  while (!signal.aborted) {
    // A browser holds six connections to a server: tabs that nobody looks at must not take them all.
    if (!seatedNow()) await visible(signal);
    if (signal.aborted) break;
    try {
      view = await tables.watch(id, since, WAIT_SECONDS, signal);
      const mine = seatedNow() ? await tables.state(id) : null;
      if (signal.aborted) break;
      if (failures > 0) trouble(null);
      failures = 0;
      since = mine === null ? view.version : Math.min(view.version, mine.version || view.version);
      show({ view, mine });
    } catch (error) {
      if (signal.aborted) break;
      if (error.status === 403) {
        // The seat is gone (left, or another took it after the reservation): watch on.
        seatedNow = () => false;
        continue;
      }
      trouble(error);
      if (!error.passing) return null;
      await pause(backOff(error, failures), signal);
      failures += 1;
      continue;
    }
    if (view.status !== "finished") continue;
    if (view.nextSessionId) return view;
    over = over === null ? Date.now() : over;
    if (Date.now() - over > LINGER) return view;
    await pause(PAUSE_WHEN_OVER, signal);
  }
  return view;
}
